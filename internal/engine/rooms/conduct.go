package rooms

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/clock"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/learn"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// conduct runs a room from its record to its end.
func (l *Library) conduct(ctx context.Context, root tree.ID, j *engine.Job) error {
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return err
	}
	f, ok := frameOf(nodes[0])
	if !ok {
		return l.store.Damage("the first node of the debate " + string(root) + " cannot be read")
	}
	strategy, err := findStrategy(f.Strategy)
	if err != nil {
		return err
	}
	room := &debate.Room{Frame: f, Interrupt: j.Stop, Attended: l.wiring.Attended}
	// A room that has ended draws nothing more: the draws are in its record.
	if f.DrawHash != "" && !ended(nodes) {
		key, err := drawKey(l.store.File(), f.Room)
		if err != nil {
			return err
		}
		if f.Sealed(key) { // a room that began on another machine draws as its frame says
			room.DrawKey = key
		}
	}
	if c := table.ContextKind.All(nodes); len(c) > 0 {
		if room.Context, err = l.store.Named(ctx, c[len(c)-1].Text); err != nil {
			return err
		}
	}
	// If the room has ended, it asks no seat again: a person's choice or veto is applied to the record.
	again := ended(nodes)
	tables, err := l.furnish(ctx, root, room, again)
	defer tables.end()
	if err != nil {
		return err
	}
	if !again {
		room.Sit = func(ctx context.Context, spec string, names []string) (debate.Seat, error) {
			return l.sit(ctx, f, tables, spec, names)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	room.Messages = l.listen(ctx, root, nodes, j.Interrupt)
	defer l.publish(root, room)()
	if err := room.Run(ctx, l.journal(nodes), strategy); err != nil {
		return err
	}
	if strays := tables.strays(ctx); len(strays) > 0 {
		note := ruling.Note{Text: "project files changed during the debate, cause unknown: " + engine.Paths(strays)}
		if err := room.Record(ctx, ruling.NoteKind.New(room.Head(), "code", note)); err != nil {
			return err
		}
	}
	return l.close(ctx, room, nodes)
}

// Play runs a room that is not in the list of debates from its record, first node included. Its seats may use tools only if reads is set.
// The caller keeps the record apart from those of debates, and holds a lock that covers it.
func (l *Library) Play(ctx context.Context, room *debate.Room, nodes []tree.Node, s debate.Strategy, reads bool) error {
	tables, err := l.furnish(ctx, nodes[0].ID, room, false)
	defer tables.end()
	if err != nil {
		return err
	}
	if !reads {
		room.Tools = nil
	}
	return room.Run(ctx, l.journal(nodes), s)
}

// journal returns a room's record in the store.
func (l *Library) journal(nodes []tree.Node) journal.Journal {
	return journal.Journal{Nodes: nodes, Append: l.store.Append, Put: l.store.PutBlob, Text: l.store.Named}
}

// close records verdict, decision and end, moves the room's ref to the end, and makes the decision findable, all or
// none. before are the nodes that existed when the job began.
func (l *Library) close(ctx context.Context, room *debate.Room, before []tree.Node) error {
	nodes, from := room.Nodes(), before[0].ID
	for _, n := range before {
		if n.Kind == string(ruling.EndKind) { // a person's choice ends it again
			from = n.ID
		}
	}
	end := ruling.EndKind.New("", "code", ruling.End{MS: clock.Worked(nodes).Milliseconds()})
	res, err := debate.Summarize(append(slices.Clone(nodes), end))
	if err != nil {
		return err
	}
	// The result is computed twice: here for the record, and by every reader from the record, with the same outcome.
	winner := ""
	for _, o := range res.Options {
		if o.Key == res.Winner {
			winner = o.Text
		}
	}
	verdict := ruling.VerdictKind.New(room.Head(), "code", res.Verdict())
	doc := ruling.DecisionKind.New(verdict.ID, "code", ruling.Document{Markdown: document.Of(res).Markdown()})
	end = ruling.EndKind.New(doc.ID, "code", ruling.End{ExitCode: res.ExitCode, MS: res.DurationMS, Outcome: res.Outcome,
		Winner: winner, Value: res.Score.Value, Chance: res.Chance(), Blocked: res.Blocked,
		USD: res.Cost.USD, Source: res.Cost.Source, Least: len(res.Cost.Unknown) > 0})
	last := []tree.Node{verdict, doc, end}
	if trials := learn.TrialsOf(res); len(trials.Judges) > 0 {
		last = append(last, learn.TrialsKind.New(end.ID, "code", trials))
	}
	state := ""
	switch {
	case res.Outcome.Decision():
		state = decided
	case len(res.Blocked) > 0:
		state = blocked
	}
	change := store.Change{Nodes: last, Moves: []store.Move{{Ref: Refs + room.Frame.Room, From: from, To: end.ID, State: state}},
		Index: []store.Indexed{indexed(nodes[0].ID, res, gone(nodes))}}
	// A verdict that was computed is recorded, even if the person has left by now.
	ctx = context.WithoutCancel(ctx)
	more, err := l.overtake(ctx, nodes, res, winner)
	if err != nil {
		return err
	}
	if _, err = l.store.Commit(ctx, change.And(more)); errors.Is(err, store.ErrMoved) && len(more.Moves) > 0 {
		_, err = l.store.Commit(ctx, change) // somebody superseded the old decision in the meantime: their change stays
	}
	return err
}

// publish shows watchers what the seats are doing, until the returned function is called.
func (l *Library) publish(root tree.ID, room *debate.Room) func() {
	var mu sync.Mutex
	asks := map[tree.ID]bool{}
	room.Watch = func(_ string, p debate.Progress) {
		mu.Lock()
		asks[p.Ask] = true
		mu.Unlock()
		l.core.Feed.Publish(feed.Snapshot{Root: root, Of: p.Ask, State: p.State, Note: p.Note, Text: p.Text, Usage: p.Tokens})
	}
	return func() { // no seat is working any more
		for id := range asks {
			l.core.Feed.Done(id)
		}
	}
}

func findStrategy(name string) (debate.Strategy, error) {
	if s, ok := strategy.Find(name); ok {
		return s, nil
	}
	return debate.Strategy{}, &engine.Refusal{Message: "unknown strategy " + name, Hint: "list strategies: socrates debate --strategy help"}
}

// furnish gives the room at root its tools and seats, and its access to the project. A room that has ended is run again
// from its record alone: its seats need no models. The returned furniture must be ended, even with an error.
func (l *Library) furnish(ctx context.Context, root tree.ID, room *debate.Room, again bool) (*furniture, error) {
	t := &furniture{room: room.Frame.Room, views: l.wiring.Views}
	room.Tools = l.wiring.Tools
	room.Look = func(context.Context, verdict.Claim) debate.Observation {
		return debate.Observation{Result: verdict.Skipped, Grade: verdict.Nothing, Detail: "evidence cannot be checked here"}
	}
	if l.wiring.Look != nil {
		look, end := l.wiring.Look(room.Frame)
		t.closers = append(t.closers, end)
		room.Look = look
	}
	for _, info := range room.Frame.Seats {
		s := debate.Seat{Info: info, Dir: room.Frame.Dir}
		if !again {
			var err error
			if s, err = l.seatOne(ctx, t, info, room.Frame.Dir); err != nil {
				return t, err
			}
		}
		room.Seats = append(room.Seats, s)
	}
	if info := room.Frame.Judge; info != nil {
		judge := debate.Seat{Info: *info, Dir: room.Frame.Dir}
		if !again {
			var err error
			if judge, err = l.seatOne(ctx, t, *info, room.Frame.Dir); err != nil {
				return t, err
			}
		}
		room.Judge = &judge
	}
	if !again {
		room.Prepare = func(ctx context.Context, seats []debate.Seat) error {
			defer l.core.Feed.Done(root)
			return t.lay(ctx, room.Frame.Dir, seats, func(done, all int) {
				l.core.Feed.Publish(feed.Snapshot{Root: root, Of: root, State: debate.Preparing, Note: engine.Preparing(done, all)})
			})
		}
	}
	return t, nil
}

// seatOne makes the model of a seat.
func (l *Library) seatOne(ctx context.Context, t *furniture, info table.Seat, dir string) (debate.Seat, error) {
	s := debate.Seat{Info: info, Dir: dir}
	m, err := l.wiring.Seat(ctx, info.Spec)
	if err != nil {
		return s, fmt.Errorf("seat %s: %w", info.ID, err)
	}
	if c, ok := m.(io.Closer); ok {
		t.closers = append(t.closers, c.Close)
	}
	s.Model = m
	return s, nil
}
