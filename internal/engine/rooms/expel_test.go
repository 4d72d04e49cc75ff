package rooms_test

import (
	"context"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/store"
)

// actor is a seat that runs tools of its own: it votes for the first option, and may write to its folder first.
type actor struct {
	name   string
	writes bool
}

func (a actor) Info() llm.Info { return llm.Info{ID: a.name, Lineage: a.name, Acts: true} }

func (a actor) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if a.writes {
			if err := os.WriteFile(filepath.Join(req.Dir, "mine.txt"), []byte("x"), 0o600); err != nil {
				yield(llm.Delta{}, err)
				return
			}
		}
		text := `{"option":"A","other":"","summary":"` + a.name + `","claims":[{"text":"it is so","kind":"logic","impact":5,"option":"A","supports":true,
 "evidence":{"kind":"none","file":"","line":0,"quote":"","command":[],"expect":"","url":""}}],"change_my_mind":"","confidence":1}`
		yield(llm.Delta{End: &llm.End{Stop: llm.StopDone, Message: llm.AssistantText(text)}}, nil)
	}
}

// TestASeatThatWritesIsThrownOut: in a repository and in a plain folder, a seat that changed its copy does not vote,
// the decision says so above all, and the project itself is untouched.
func TestASeatThatWritesIsThrownOut(t *testing.T) {
	for _, kind := range []string{"repository", "plain folder"} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if kind == "repository" {
				for _, args := range [][]string{{"init", "-q"}, {"add", "a.txt"}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "a"}} {
					if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
						t.Fatalf("git %v: %v %s", args, err, out)
					}
				}
			}
			s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			seats := map[string]llm.Model{"one": actor{"one", false}, "two": actor{"two", false}, "writer": actor{"writer", true}}
			e := all.New(s, all.Wiring{Rooms: rooms.Wiring{Seat: func(_ context.Context, spec string) (llm.Model, error) { return seats[spec], nil }}})
			defer e.Close()
			f := table.Frame{Question: "left or right?", Strategy: "council", Options: motion.Letters([]string{"left", "right"}), Seed: 1, Dir: dir}
			for _, id := range []string{"one", "two", "writer"} {
				f.Seats = append(f.Seats, table.Seat{ID: id, Spec: id, Lineage: id, Acts: true})
			}
			root, err := e.Do(t.Context(), rooms.Debate{Frame: f, Context: "facts"})
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Wait(root); err != nil {
				t.Fatal(err)
			}
			res, err := rooms.In(e).Result(t.Context(), root)
			if err != nil {
				t.Fatal(err)
			}
			if res.Seats[2].Status != verdict.Expelled || res.ExitCode != 11 || res.Panel.Voted > 2 {
				t.Errorf("the writer is %s, exit %d, %d voted", res.Seats[2].Status, res.ExitCode, res.Panel.Voted)
			}
			if head, _, _ := strings.Cut(document.Of(res).Markdown(), "Status:"); !strings.Contains(head, "writer is missing (expelled: changed mine.txt") {
				t.Errorf("the decision opens with:\n%s", head)
			}
			if _, err := os.Stat(filepath.Join(dir, "mine.txt")); err == nil {
				t.Error("the project itself was written to")
			}
		})
	}
}

// meddler is a seat that finds the project itself and writes there.
type meddler struct {
	actor
	project string
}

func (m meddler) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	if err := os.WriteFile(filepath.Join(m.project, "planted.txt"), []byte("x"), 0o600); err != nil {
		return func(yield func(llm.Delta, error) bool) { yield(llm.Delta{}, err) }
	}
	return m.actor.Stream(ctx, req)
}

// TestChangesToTheProjectAreNoted: what changes in the project while seats that act debate is named; nothing else is.
func TestChangesToTheProjectAreNoted(t *testing.T) {
	for _, meddles := range []bool{true, false} {
		for _, kind := range []string{"repository", "plain folder"} {
			dir := t.TempDir()
			if kind == "repository" {
				if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
					t.Fatalf("git init: %v %s", err, out)
				}
			}
			s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), nil)
			if err != nil {
				t.Fatal(err)
			}
			seats := map[string]llm.Model{"one": actor{"one", false}, "two": actor{"two", false}}
			if meddles {
				seats["two"] = meddler{actor{"two", false}, dir}
			}
			e := all.New(s, all.Wiring{Rooms: rooms.Wiring{Seat: func(_ context.Context, spec string) (llm.Model, error) { return seats[spec], nil }}})
			f := table.Frame{Question: "left or right?", Strategy: "council", Options: motion.Letters([]string{"left", "right"}), Seed: 1, Dir: dir}
			for _, id := range []string{"one", "two"} {
				f.Seats = append(f.Seats, table.Seat{ID: id, Spec: id, Lineage: id, Acts: true})
			}
			root, err := e.Do(t.Context(), rooms.Debate{Frame: f})
			if err == nil {
				err = e.Wait(root)
			}
			if err != nil {
				t.Fatal(err)
			}
			res, err := rooms.In(e).Result(t.Context(), root)
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(res.Notes, " ")
			if strings.Contains(notes, "planted.txt") != meddles || !meddles && notes != "" {
				t.Errorf("%s, meddles %v: notes %q", kind, meddles, notes)
			}
			e.Close()
			s.Close()
		}
	}
}
