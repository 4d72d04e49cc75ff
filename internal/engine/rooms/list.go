package rooms

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Info is a line in the list of debates. End is nil if the debate has not ended, or if its end cannot be read; Ended
// distinguishes the two.
type Info struct {
	Room      string      `json:"room"`
	Debate    string      `json:"debate"` // the same name: replies about a debate have it
	Question  string      `json:"question"`
	Started   time.Time   `json:"started"`
	Person    string      `json:"person,omitempty"` // of a hub: who asked; empty: the person who runs the program
	Seats     int         `json:"seats"`
	Rehearsal bool        `json:"rehearsal"`
	Dir       string      `json:"dir"`
	Ended     bool        `json:"ended"`
	Running   bool        `json:"running"` // by this or another process
	Waits     bool        `json:"waits"`   // it is running, and waiting for a person's answer
	State     string      `json:"state"`   // running, ended or stopped
	Status    string      `json:"status"`  // active (it runs, rests or waits for a person), resolved or abandoned
	Winner    string      `json:"winner_text,omitempty"`
	End       *ruling.End `json:"end,omitempty"`

	Head tree.ID `json:"-"` // the node that ended it, or else its first

	root tree.ID
}

// Active is the status of a debate that is not settled.
const Active = "active"

// status is the status of a debate in a word: active, resolved by a decision, or abandoned without one.
func (i Info) status() string {
	switch {
	case i.End == nil || i.End.Open() && !i.Rehearsal:
		return Active
	case i.End.Outcome.Decision():
		return "resolved"
	}
	return "abandoned"
}

// Standing is the state of a debate in a few words, the same in every list and on the debate's page. It fits a column,
// and the list's search matches its words, so change it with care.
func (i Info) Standing() string {
	switch {
	case i.Waits:
		return "waiting for you"
	case i.Running:
		return "running"
	case i.End == nil:
		return "stopped, resumable"
	case i.Rehearsal:
		return "rehearsal"
	case i.End.ExitCode == ruling.ExitPerson:
		return "open: your call"
	case i.End.Outcome == verdict.Ruled, !i.End.Outcome.Decision():
		return i.End.Outcome.Words(i.End.Blocked)
	case i.End.Outcome == verdict.Degraded:
		return strings.TrimPrefix(document.Odds(i.End.Chance)+", a seat lost", ", ")
	}
	return cmp.Or(document.Odds(i.End.Chance), "decided")
}

// Refs is the prefix of the refs of rooms.
const Refs = "room/"

// The states of the ref of an ended room: it decided, or was blocked.
const (
	decided = "decided"
	blocked = "blocked" // it would have decided, but for a verified danger
)

// List lists the debates, the last started first, at most so many unless most is 0. The cost is proportional to what it returns.
func (l *Library) List(ctx context.Context, most int) ([]Info, error) {
	tips, err := l.store.List(ctx, store.ListQuery{Class: Refs, Most: most})
	if out := l.infos(ctx, tips); err != nil || len(out) > 0 {
		return out, err
	}
	out := []Info{}
	// The newest rooms may all be damaged: then search for older ones, one by one, rather than showing an empty list.
	for info, err := range l.Each(ctx, false) { // the last ones cannot be read
		if err != nil {
			return out, err
		}
		if out = append(out, info); len(out) == most {
			break
		}
	}
	return out, nil
}

// Last returns the debate that "last" means: the one that was started last in a project, the folder dir and those below it. If there is
// none, the refusal names the last one anywhere.
func (l *Library) Last(ctx context.Context, dir string) (string, error) {
	name, err := l.store.Newest(ctx, Refs, filepath.ToSlash(dir))
	if err != nil {
		return "", err
	}
	if name != "" {
		_, f, err := l.frame(ctx, name)
		return f.Room, err
	}
	hint := `start one: socrates debate "Should we …?"`
	if name, err = l.store.Newest(ctx, Refs, ""); err != nil {
		return "", err
	}
	if name != "" {
		hint = "the most recent one in any folder is " + strings.TrimPrefix(name, Refs)
	}
	return "", &engine.Refusal{Message: "no debate in this folder yet", Hint: hint, Err: store.ErrNotFound}
}

func (l *Library) infos(ctx context.Context, tips []store.Tip) []Info {
	out := []Info{}
	for _, tip := range tips {
		if f, ok := frameOf(tip.Root); ok {
			out = append(out, l.info(ctx, tip.Root, tip.Head, f))
		}
	}
	return out
}

// How many debates are read at once if all may be needed; few at first, because most callers want few.
const (
	roomsAtFirst = 25
	roomsAtOnce  = 200
)

// Each yields the debates one by one, the last started first, or with oldest the first started first. A caller that
// stops early pays only for what was read.
func (l *Library) Each(ctx context.Context, oldest bool) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		query := store.ListQuery{Class: Refs, Most: roomsAtFirst, Oldest: oldest}
		for read := 0; ; {
			tips, err := l.store.List(ctx, query)
			if err != nil {
				yield(Info{}, err)
				return
			}
			infos := l.infos(ctx, tips)
			read += len(infos)
			for _, info := range infos {
				if !yield(info, nil) {
					return
				}
			}
			if len(tips) < query.Most {
				if read > 0 {
					return
				}
				if err := l.store.Lost(ctx, Refs, "debates", func(t store.Tip) bool {
					_, ok := frameOf(t.Root)
					return ok
				}); err != nil {
					yield(Info{}, err)
				}
				return
			}
			query.Before, query.Most = tips[len(tips)-1].Root.Seq, roomsAtOnce
		}
	}
}

// Info returns the line of a debate in the list, by name.
func (l *Library) Info(ctx context.Context, name string) (Info, error) {
	_, f, err := l.frame(ctx, name)
	if err != nil {
		return Info{}, err
	}
	tip, err := l.store.Tip(ctx, Refs+f.Room)
	if err != nil {
		return Info{}, err
	}
	return l.info(ctx, tip.Root, tip.Head, f), nil
}

// Names lists the names of debates that begin with begun, at most so many.
func (l *Library) Names(ctx context.Context, begun string, most int) ([]string, error) {
	names, err := l.store.Names(ctx, Refs+begun, most)
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], Refs)
	}
	return names, err
}

// Deleted reports whether a debate of this name is in the trash.
func (l *Library) Deleted(ctx context.Context, name string) bool {
	_, err := l.store.Ref(ctx, store.TrashRefs+Refs+name)
	return err == nil
}

// info returns the line of a room in the list, from its first node, the node its ref pointed at, and its frame.
func (l *Library) info(ctx context.Context, root, head tree.Node, f table.Frame) Info {
	running := head.ID == root.ID && l.core.Held(lockName(f.Room))
	if head.ID == root.ID && !running { // it may have ended since it was listed: the end is recorded before the lock is released
		if now, err := l.store.Tip(ctx, Refs+f.Room); err == nil && now.Root.ID == root.ID {
			head = now.Head
		}
	}
	asked, _ := motion.Split(f.Question)
	person, _ := tree.ByPerson(root.By)
	info := Info{Person: person, Room: f.Room, Debate: f.Room, State: "stopped", Question: asked, Started: root.At, Seats: len(f.Seats),
		Rehearsal: f.Rehearsal, Dir: f.Dir, Head: head.ID,
		root: root.ID}
	if info.Ended = head.ID != root.ID; !info.Ended {
		if info.Running = running; running {
			info.State, info.Waits = "running", waits(ctx, l.store, root.ID)
		}
	} else {
		info.State = "ended"
		if end, ok := ruling.EndKind.Of(head); ok {
			info.End, info.Winner = &end, end.Winner
		}
	}
	info.Status = info.status()
	return info
}

// waits reports whether a running debate has asked a person and not continued since. A debate that cannot be read waits for nobody.
func waits(ctx context.Context, s *store.Store, root tree.ID) bool {
	nodes, err := s.Tree(ctx, root)
	if err != nil {
		return false
	}
	for _, n := range slices.Backward(nodes) {
		switch n.Kind {
		case string(people.MessageKind), string(people.AppliedKind): // could be about something else
		default:
			return n.Kind == string(people.NeedKind)
		}
	}
	return false
}

// Room finds a debate by name and returns the id of its root.
func (l *Library) Room(ctx context.Context, name string) (tree.ID, error) {
	root, _, err := l.frame(ctx, name)
	return root.ID, err
}

// Frame returns what was fixed before a debate began.
func (l *Library) Frame(ctx context.Context, name string) (table.Frame, error) {
	_, f, err := l.frame(ctx, name)
	return f, err
}

// Named is the [Library.Result] of the debate of that name.
func Named(ctx context.Context, l *Library, name string) (debate.Result, error) {
	root, err := l.Room(ctx, name)
	if err != nil {
		return debate.Result{}, err
	}
	return l.Result(ctx, root)
}

// Result is the result of a room or, if it has not ended, what it would decide now: then its exit code is 0, and it needs no person.
//
// It is computed from the record each time: no stored value is trusted as the result.
func (l *Library) Result(ctx context.Context, root tree.ID) (debate.Result, error) {
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return debate.Result{}, err
	}
	res, err := debate.Summarize(nodes)
	if !res.Ended {
		res.NeedsPerson, res.ExitCode = false, 0
	}
	for i, a := range res.Addenda {
		if text, err := l.store.Blob(ctx, a.Text); err == nil {
			res.Addenda[i].Text = text
		}
	}
	return res, err
}

// Elsewhere reports whether another process runs a debate.
func (l *Library) Elsewhere(name string) bool { return l.core.Elsewhere(lockName(name)) }
