package rooms_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/tree"
)

// asked is a debate on a question of its own, in a folder, of seats that vote alike unless votes differ.
func asked(question, dir string, votes ...string) rooms.Debate {
	op := rooms.Debate{Frame: table.Frame{Question: question, Strategy: "council", Origin: "question", Options: motion.FindOptions(question), Seed: 7, Dir: dir,
		Limits: table.Limits{Rounds: 1}}, Context: "c"}
	for i, v := range votes {
		id := string(rune('a' + i))
		op.Frame.Seats = append(op.Frame.Seats, table.Seat{ID: id, Spec: v + strings.Repeat(" ", i), Model: id, Lineage: id})
	}
	return op
}

// decide runs a debate to its end and returns the name of its room.
func (h *hall) decide(t testing.TB, op engine.Op) string {
	t.Helper()
	root := h.do(t, op)
	if err := h.Wait(root); err != nil {
		t.Fatal(err)
	}
	f, _ := table.FrameKind.Of(h.nodes(t, root)[0])
	return f.Room
}

func names[T any](of func(T) string, all []T) string {
	var out []string
	for _, x := range all {
		out = append(out, of(x))
	}
	return strings.Join(out, " ")
}

// A debate and a conversation have locks of their own, also if one's name is what the other's lock is called.
func TestLocksAreSeparate(t *testing.T) {
	h := newHall(t, filepath.Join(t.TempDir(), "s.db"), nil)
	room := h.decide(t, asked("Is a tree better than a bush: tree or bush?", "/p", "tree", "tree"))
	name, found := strings.CutPrefix(room, "tree-")
	if !found {
		t.Fatalf("this tests nothing: %s", room)
	}
	h.do(t, conversation.NewTree{Name: name, Dir: "/p"})
	_, unlock, err := conversation.In(h.Engine).Lock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := h.Do(t.Context(), rooms.Delete{Rooms: []string{room}}); err != nil {
		t.Error(err)
	}
}

func TestSimilarQuestions(t *testing.T) {
	h := newHall(t, filepath.Join(t.TempDir(), "s.db"), nil)
	debates := map[string]string{}
	for name, op := range map[string]rooms.Debate{
		"sessions": asked("Where should sessions live: Redis or Postgres?", "/p", "Redis", "Redis"),
		"lock":     asked("Should the cache use a mutex or use a channel?", "/p/sub", "use a mutex", "use a mutex"),
		"log":      asked("Is the log rotated daily or weekly?", "/p", "weekly", "weekly"),
		"yes":      asked("Should we add tracing?", "/p", "Yes", "Yes"),
		"other":    asked("Where should sessions live: Redis or Postgres?", "/q", "Postgres", "Postgres"),
		"tie":      asked("Which language for the worker: Go or Rust?", "/p", "Go", "Rust"),
	} {
		debates[h.decide(t, op)] = name
	}
	for _, tc := range []struct{ question, want string }{
		{"Where should sessions live: Redis or Postgres?", "sessions"},
		{"Should we replace Redis by Valkey for sessions?", "sessions"},
		{"A channel or a mutex for caches?", "lock"}, // endings differ
		{"Do sessions expire after an hour or a day?", ""},
		{"Is the build cached daily?", ""},
		{"Should we add caching?", ""}, // "should", "we", "yes" and "no" tell nothing
		{"Should we remove tracing?", ""},
		{"Tracing?", "yes"},
		{"Which language for the worker: Go or Rust?", ""}, // nothing was decided
		{"?", ""},
		{motion.With("Should this be merged?", "sessions live in redis or postgres"), ""},
	} {
		got, err := rooms.In(h.Engine).Similar(t.Context(), rooms.Likeness{Question: tc.question, Dir: "/p", Most: 3})
		if have := names(func(e rooms.Earlier) string { return debates[e.Room] }, got); err != nil || have != tc.want {
			t.Errorf("%q is like %q (%v), want %q", tc.question, have, err, tc.want)
		}
	}
	got, err := rooms.In(h.Engine).Similar(t.Context(), rooms.Likeness{Question: "Which one?", Options: []string{"mutex", "channel"}, Dir: "/p", Most: 3})
	if err != nil || len(got) != 1 || got[0].Winner != "use a mutex" || len(got[0].Rejected) != 1 {
		t.Errorf("by its options: %+v, %v", got, err)
	}
}

// The likest come first; of equally like ones what holds before what does not, and the newer before the older. A
// question that was asked again comes once, as it holds.
func TestSimilarOrder(t *testing.T) {
	h := newHall(t, filepath.Join(t.TempDir(), "s.db"), nil)
	var debates []string
	for _, q := range []string{"where should  sessions live: Redis or Postgres?", "Where should sessions live: Redis or Postgres?",
		"Where must sessions live: Redis or Postgres?", "Where do sessions live: Redis or Postgres?", "Where can sessions live: Redis or Postgres?"} {
		debates = append(debates, h.decide(t, asked(q, "/p", "Redis", "Redis")))
	}
	debates = debates[1:] // the first was asked again
	less := h.decide(t, asked("Should sessions, tokens and keys live in Redis, in Postgres or in files?", "/p", "in files", "in files"))
	h.do(t, rooms.Supersede{Old: debates[3], New: debates[0]})
	got, err := rooms.In(h.Engine).Similar(t.Context(), rooms.Likeness{Question: "Do sessions, or carts, live in Redis, or in Postgres?", Dir: "/p", Most: 9})
	want := strings.Join([]string{debates[2], debates[1], debates[0], debates[3], less}, " ")
	if have := names(func(e rooms.Earlier) string { return e.Room }, got); err != nil || have != want {
		t.Errorf("%s, %v, want %s", have, err, want)
	}
	if got[3].Superseded == nil || got[3].Superseded.By != debates[0] || got[3].Superseded.Who != "person" || got[2].Superseded != nil {
		t.Errorf("%+v", got)
	}
	if got, err = rooms.In(h.Engine).Similar(t.Context(), rooms.Likeness{Question: "Where should sessions live: Redis or Postgres?", Dir: "/p", Most: 2}); err != nil || len(got) != 2 {
		t.Errorf("%d, %v", len(got), err)
	}
}

func TestRehearsalsAreNoHistory(t *testing.T) {
	h := newHall(t, filepath.Join(t.TempDir(), "s.db"), nil)
	op := asked("Where should sessions live: Redis or Postgres?", "/p", "Redis", "Redis")
	op.Frame.Rehearsal = true
	h.decide(t, op)
	got, err := rooms.In(h.Engine).Similar(t.Context(), rooms.Likeness{Question: op.Frame.Question, Dir: "/p", Most: 3})
	if err != nil || len(got) > 0 {
		t.Errorf("%d, %v", len(got), err)
	}
}

func (h *hall) decision(t *testing.T, room string) rooms.Decision {
	t.Helper()
	d, err := rooms.In(h.Engine).Decision(context.Background(), room)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRevisit(t *testing.T) {
	const question = "Where should sessions live: Redis or Postgres?"
	real := asked(question, "/p", "Redis", "Redis")
	rehearsed := asked(question, "/p", "Postgres", "Postgres")
	rehearsed.Frame.Rehearsal = true
	for name, tc := range map[string]struct {
		again  rooms.Debate
		reason string
		want   string // why the first is superseded; empty: it is not
	}{
		"otherwise":     {asked(question, "/p", "Postgres", "Postgres"), "it grew", "it grew"},
		"without cause": {asked(question, "/p", "Postgres", "Postgres"), "", "debated again with a different decision"},
		"the same":      {real, "it grew", ""},
		"nothing":       {asked(question, "/p", "Redis", "Postgres"), "it grew", ""},
		"a rehearsal":   {rehearsed, "it grew", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHall(t, filepath.Join(t.TempDir(), "s.db"), nil)
			first := h.decide(t, real)
			old := h.nodes(t, h.decisionRoot(t, first))
			second := h.decide(t, rooms.Revisit{Debate: tc.again, Room: first, Reason: tc.reason})
			res, err := rooms.In(h.Engine).Result(t.Context(), h.decisionRoot(t, second))
			if err != nil || res.Revisits != first {
				t.Errorf("revisits %q, %v", res.Revisits, err)
			}
			gone := h.decision(t, first).Superseded
			if (gone != nil) != (tc.want != "") || gone != nil && (gone.By != second || gone.Who != "code" || gone.Reason != tc.want) {
				t.Errorf("superseded: %+v, want %q", gone, tc.want)
			}
			same(t, h.nodes(t, h.decisionRoot(t, first))[:len(old)], old)
			found, _, err := rooms.In(h.Engine).Decisions(t.Context(), "/p", "superseded grew", 0)
			if err != nil || (len(found) == 1) != (tc.want == "it grew") {
				t.Errorf("found %+v, %v", found, err)
			}
		})
	}
}

func (h *hall) decisionRoot(t *testing.T, room string) tree.ID {
	t.Helper()
	root, err := rooms.In(h.Engine).Room(context.Background(), room)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// A decision that somebody supersedes while it is debated again stays superseded by theirs, and the debate ends well.
func TestSupersededMeanwhile(t *testing.T) {
	const question = "Where should sessions live: Redis or Postgres?"
	var first, second string
	var h *hall
	meanwhile := sync.OnceValue(func() error {
		_, err := h.Do(context.Background(), rooms.Supersede{Old: first, New: second, Reason: "by hand"})
		return err
	})
	h = newHall(t, filepath.Join(t.TempDir(), "s.db"), func(_ context.Context, prompt string) error {
		if strings.Contains(prompt, "for the third time") {
			return meanwhile()
		}
		return nil
	})
	first = h.decide(t, asked(question, "/p", "Redis", "Redis"))
	second = h.decide(t, asked(question, "/p", "Postgres", "Postgres"))
	again := asked(question, "/p", "Postgres", "Postgres")
	again.Context = "for the third time"
	third := h.decide(t, rooms.Revisit{Debate: again, Room: first})
	if gone := h.decision(t, first).Superseded; gone == nil || gone.By != second || gone.Reason != "by hand" {
		t.Errorf("%+v", gone)
	}
	if d := h.decision(t, third); d.End.Winner != "Postgres" {
		t.Errorf("%+v", d)
	}
	_, err := h.Do(t.Context(), rooms.Revisit{Debate: again, Room: first})
	if r, ok := errors.AsType[*engine.Refusal](err); !ok || !strings.Contains(r.Hint, second) {
		t.Errorf("%v", err)
	}
}

func TestSupersedeMakesNoCircle(t *testing.T) {
	h := newHall(t, filepath.Join(t.TempDir(), "s.db"), nil)
	var r []string
	for range 4 {
		r = append(r, h.decide(t, asked("Where should sessions live: Redis or Postgres?", "/p", "Redis", "Redis")))
	}
	open := asked("Which one: Go or Rust?", "/p", "Go", "Rust")
	tie := h.decide(t, open)
	h.do(t, rooms.Supersede{Old: r[0], New: r[1]})
	h.do(t, rooms.Supersede{Old: r[1], New: r[2]})
	for _, op := range []rooms.Supersede{{Old: r[2], New: r[0]}, {Old: r[2], New: r[1]}, {Old: r[2], New: r[2]}, {Old: tie, New: r[0]}, {Old: r[0], New: tie}, {Old: "no-such", New: r[0]}} {
		_, err := h.Do(t.Context(), op)
		if _, ok := errors.AsType[*engine.Refusal](err); !ok {
			t.Errorf("%+v: %v", op, err)
		}
	}
	h.do(t, rooms.Supersede{Old: r[0], New: r[3], Reason: "it was the other one"}) // a slip is corrected; the record keeps both
	if gone := h.decision(t, r[0]).Superseded; gone.By != r[3] {
		t.Errorf("%+v", gone)
	}
	if n := len(ruling.SupersededKind.All(h.nodes(t, h.decisionRoot(t, r[0])))); n != 2 {
		t.Errorf("%d nodes say so", n)
	}
}

// TestOneChoice: of those who choose at the same moment one has chosen.
func TestOneChoice(t *testing.T) {
	h := newHall(t, filepath.Join(t.TempDir(), "s.db"), nil)
	tie := h.decide(t, asked("Which one: Go or Rust?", "/p", "Go", "Rust"))
	var chose atomic.Int64
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			message := people.Message{Verb: people.Choose, Option: string("AB"[i%2]), Text: "mine"}
			if root, err := h.Do(t.Context(), rooms.Tell{Room: tie, Message: message}); err == nil {
				chose.Add(1)
				h.Wait(root)
			}
		})
	}
	all.Wait()
	if n := chose.Load(); n != 1 {
		t.Errorf("%d have chosen", n)
	}
}

// What an older program left is found once it is looked for, and so is what superseded it.
func TestOlderRoomsAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	h := newHall(t, path, nil)
	old := h.decide(t, asked("Where should sessions live: Redis or Postgres?", "/p", "Redis", "Redis"))
	next := h.decide(t, asked("Where do carts live: Redis or Postgres?", "/p", "Redis", "Redis"))
	h.decide(t, asked("Which one: Go or Rust?", "/p", "Go", "Rust"))
	h.do(t, rooms.Supersede{Old: old, New: next, Reason: "unforeseen"})
	raw(t, path, "DELETE FROM entry; DELETE FROM entry_words; UPDATE ref SET known = 0")
	for _, words := range []string{"sessions", "unforeseen"} {
		found, _, err := rooms.In(h.Engine).Decisions(t.Context(), "", words, 0)
		if err != nil || len(found) != 1 || found[0].Room != old || found[0].Superseded == nil {
			t.Errorf("%s: %+v, %v", words, found, err)
		}
	}
	all, _, err := rooms.In(h.Engine).Decisions(t.Context(), "/p", "", 0)
	debates := names(func(d rooms.Decision) string { return d.Room }, all)
	if err != nil || len(all) != 2 || !strings.Contains(debates, next) {
		t.Errorf("%s, %v", debates, err)
	}
	if none, _, err := rooms.In(h.Engine).Decisions(t.Context(), "/p/below", "", 0); err != nil || len(none) != 0 || !slices.Equal(none, []rooms.Decision{}) {
		t.Errorf("%+v, %v", none, err)
	}
}

// raw changes a store behind everybody's back.
func raw(t testing.TB, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(statement)
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}
