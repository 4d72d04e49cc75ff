package rooms

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Decision is a debate that decided.
type Decision struct {
	Info
	Superseded *Supersession `json:"superseded,omitempty"`
}

// Supersession says why a decision no longer applies.
type Supersession struct {
	ruling.Superseded
	Who  string    `json:"who"` // a person, or code: a later debate on the same question decided otherwise
	When time.Time `json:"when"`
}

// Earlier is a decision as later debates see it.
type Earlier struct {
	debate.Digest
	Superseded *Supersession `json:"superseded,omitempty"`
}

// supersededRefs is the prefix of the refs that say what superseded a room's decision.
const supersededRefs = "superseded/"

// Decisions lists what was decided in a folder and below it, the newest first; if dir is empty: everywhere. With words
// it lists decisions that have all of them in question, options, claims or what would have changed it, the best match
// first. It lists at most so many, unless most is 0, and reports whether there are more.
func (l *Library) Decisions(ctx context.Context, dir, words string, most int) (out []Decision, more bool, err error) {
	// One more than wanted shows whether there are more.
	ask := most
	if most > 0 {
		ask++
	}
	var rooms []Info
	if strings.TrimSpace(words) != "" {
		rooms, err = l.found(ctx, dir, words, ask)
	} else {
		var tips []store.Tip
		tips, err = l.store.List(ctx, store.ListQuery{Class: Refs, State: decided, Scope: filepath.ToSlash(dir), Most: ask})
		rooms = l.infos(ctx, tips)
	}
	if err != nil {
		return nil, false, err
	}
	if len(rooms) == 0 { // either there are no decisions, or none can be read
		_, err = l.List(ctx, 1)
		return []Decision{}, false, err
	}
	if more = most > 0 && len(rooms) > most; more {
		rooms = rooms[:most]
	}
	out = []Decision{}
	for _, r := range rooms {
		if r.End == nil { // it cannot be read
			continue
		}
		gone, err := l.supersededBy(ctx, r.Room)
		if err != nil {
			return nil, false, err
		}
		out = append(out, Decision{r, gone})
	}
	return out, more, nil
}

// Blocked lists the debates of a folder and below it that reached no decision because of a verified danger, the newest first; if dir is
// empty: everywhere.
func (l *Library) Blocked(ctx context.Context, dir string) ([]Info, error) {
	tips, err := l.store.List(ctx, store.ListQuery{Class: Refs, State: blocked, Scope: filepath.ToSlash(dir)})
	if err != nil {
		return nil, err
	}
	return l.infos(ctx, tips), nil
}

// found returns the rooms that have the words, the best match first.
func (l *Library) found(ctx context.Context, dir, words string, most int) ([]Info, error) {
	if err := l.catchUp(ctx); err != nil {
		return nil, err
	}
	if most <= 0 {
		most = math.MaxInt32
	}
	hits, err := l.store.Search(ctx, store.Query{Text: words, Scope: filepath.ToSlash(dir), Limit: most, Kinds: framed})
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, h := range hits {
		root, err := l.store.Node(ctx, h.Node)
		if err != nil {
			return nil, err
		}
		f, ok := table.FrameKind.Of(root)
		if !ok {
			continue
		}
		tip, err := l.store.Tip(ctx, Refs+f.Room)
		if errors.Is(err, store.ErrNotFound) || err == nil && tip.Root.ID != root.ID { // it was deleted in the meantime
			continue
		} else if err != nil {
			return nil, err
		}
		if info := l.info(ctx, root, tip.Head, f); info.End != nil && info.End.Outcome.Decision() {
			out = append(out, info)
		}
	}
	return out, nil
}

// Decision finds a decision by the name of its room. It refuses a debate that did not decide.
func (l *Library) Decision(ctx context.Context, room string) (Decision, error) {
	root, head, f, err := l.closed(ctx, room)
	if err != nil {
		return Decision{}, err
	}
	gone, err := l.supersededBy(ctx, f.Room)
	return Decision{l.info(ctx, root, head, f), gone}, err
}

// closed finds a room that has decided: its root, its end and its frame.
func (l *Library) closed(ctx context.Context, room string) (root, end tree.Node, f table.Frame, err error) {
	if root, end, f, err = l.finished(ctx, room); err != nil {
		return root, end, f, err
	}
	if how, _ := ruling.EndKind.Of(end); !how.Outcome.Decision() {
		err = &engine.Refusal{Message: "debate " + f.Room + " made " + how.Outcome.Words(how.Blocked),
			Hint: "see: socrates debate show " + f.Room}
	}
	return root, end, f, err
}

// finished finds a debate that has ended, and its last node.
func (l *Library) finished(ctx context.Context, room string) (root, end tree.Node, f table.Frame, err error) {
	if root, f, err = l.frame(ctx, room); err != nil {
		return root, end, f, err
	}
	ref, err := l.store.Ref(ctx, Refs+f.Room)
	if err != nil {
		return root, end, f, err
	}
	if end, err = l.store.Node(ctx, ref.Head); err != nil {
		return root, end, f, err
	}
	if _, ok := ruling.EndKind.Of(end); !ok {
		err = Unended(ctx, l, f.Room)
	}
	return root, end, f, err
}

// Unended is the refusal of what needs the end of a debate, with the way there: to follow it if it runs, or else to
// resume it.
func Unended(ctx context.Context, l *Library, room string) error {
	if info, err := l.Info(ctx, room); err == nil && info.Running {
		return &engine.Refusal{Message: "debate " + room + " is still running",
			Hint: "wait for it: socrates debate show " + room + " --follow"}
	}
	return &engine.Refusal{Message: "debate " + room + " has not ended", Hint: "resume it: socrates debate resume " + room}
}

// Digest returns a decision as later debates see it.
func (l *Library) Digest(ctx context.Context, room string) (Earlier, error) {
	root, _, f, err := l.closed(ctx, room)
	if err != nil {
		return Earlier{}, err
	}
	res, err := l.Result(ctx, root.ID)
	if err != nil {
		return Earlier{}, err
	}
	gone, err := l.supersededBy(ctx, f.Room)
	return Earlier{res.Digest(), gone}, err
}

// supersededBy returns what superseded a room's decision, nil if nothing did.
func (l *Library) supersededBy(ctx context.Context, room string) (*Supersession, error) {
	ref, err := l.store.Ref(ctx, supersededRefs+room)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	n, err := l.store.Node(ctx, ref.Head)
	if err != nil {
		return nil, err
	}
	s, ok := ruling.SupersededKind.Of(n)
	if !ok {
		return nil, nil
	}
	return &Supersession{s, n.By, n.At}, nil
}

// Superseded returns the rooms whose decisions no longer apply, each with the room that superseded it.
func (l *Library) Superseded(ctx context.Context) (map[string]string, error) {
	tips, err := l.store.Tips(ctx, supersededRefs)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, t := range tips {
		if s, ok := ruling.SupersededKind.Of(t.Head); ok {
			out[strings.TrimPrefix(t.Ref.Name, supersededRefs)] = s.By
		}
	}
	return out, nil
}

// Trunk returns the nodes on the path from the first node of an ended room to its end: the frame, ledgers, checks and the verdict, but not
// the questions to seats and their answers.
func (l *Library) Trunk(ctx context.Context, room string) ([]tree.Node, error) {
	_, end, _, err := l.finished(ctx, room)
	if err != nil {
		return nil, err
	}
	return l.store.Path(ctx, end.ID)
}
