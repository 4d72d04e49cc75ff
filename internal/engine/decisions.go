package engine

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Decision is a debate that decided.
type Decision struct {
	RoomInfo
	Superseded *Supersession `json:"superseded,omitempty"`
}

// Supersession is why a decision no longer holds.
type Supersession struct {
	debate.Superseded
	Who  string    `json:"who"` // a person, or code: a later debate on the same question decided otherwise
	When time.Time `json:"when"`
}

// Earlier is a decision as later debates are shown it.
type Earlier struct {
	debate.Digest
	Superseded *Supersession `json:"superseded,omitempty"`
}

// supersededRefs is how the refs begin that say what took the place of a room's decision.
const supersededRefs = "superseded/"

// Decisions lists what was decided in a folder and below it, the newest first; dir is empty: everywhere. With words it
// lists those that have all of them in question, options, claims or what would have changed it, the best match first.
func (e *Engine) Decisions(ctx context.Context, dir, words string) ([]Decision, error) {
	rooms, err := e.Rooms(ctx)
	if err != nil {
		return nil, err
	}
	rooms = slices.DeleteFunc(rooms, func(r RoomInfo) bool {
		return r.End == nil || !r.End.Outcome.Decision() || !within(r.Dir, dir)
	})
	if strings.TrimSpace(words) != "" {
		if rooms, err = e.found(ctx, rooms, dir, words); err != nil {
			return nil, err
		}
	}
	gone, err := e.superseded(ctx)
	if err != nil {
		return nil, err
	}
	out := []Decision{}
	for _, r := range rooms {
		out = append(out, Decision{r, gone[r.Room]})
	}
	return out, nil
}

// found keeps the rooms that have the words, in order of how well they match.
func (e *Engine) found(ctx context.Context, rooms []RoomInfo, dir, words string) ([]RoomInfo, error) {
	if err := e.catchUp(ctx); err != nil {
		return nil, err
	}
	hits, err := e.store.Search(ctx, store.Query{Text: words, Scope: filepath.ToSlash(dir), Limit: len(rooms), Kinds: framed})
	if err != nil {
		return nil, err
	}
	place := map[tree.ID]int{}
	for i, h := range hits {
		place[h.Node] = i + 1
	}
	rooms = slices.DeleteFunc(rooms, func(r RoomInfo) bool { return place[r.root] == 0 })
	slices.SortFunc(rooms, func(a, b RoomInfo) int { return place[a.root] - place[b.root] })
	return rooms, nil
}

// within says whether a folder is dir or lies below it.
func within(folder, dir string) bool {
	dir = strings.TrimRight(filepath.ToSlash(dir), "/")
	return dir == "" || strings.HasPrefix(filepath.ToSlash(folder)+"/", dir+"/")
}

// Decision finds one decision by the name of its room. A debate that did not decide is a refusal.
func (e *Engine) Decision(ctx context.Context, room string) (Decision, error) {
	root, head, f, err := e.closed(ctx, room)
	if err != nil {
		return Decision{}, err
	}
	gone, err := e.superseded(ctx)
	return Decision{e.info(root, head, f), gone[f.Room]}, err
}

// closed finds a room that has decided: its root, its end and its frame.
func (e *Engine) closed(ctx context.Context, room string) (root, end tree.Node, f debate.Frame, err error) {
	if root, f, err = e.frame(ctx, room); err != nil {
		return root, end, f, err
	}
	ref, err := e.store.Ref(ctx, roomRefs+f.Room)
	if err != nil {
		return root, end, f, err
	}
	if end, err = e.store.Node(ctx, ref.Head); err != nil {
		return root, end, f, err
	}
	switch how, ok := debate.EndKind.Of(end); {
	case !ok:
		err = &Refusal{Message: "the debate " + f.Room + " has not ended", Hint: "go on with: socrates debate resume " + f.Room}
	case !how.Outcome.Decision():
		err = &Refusal{Message: "the debate " + f.Room + " decided nothing (" + string(how.Outcome) + ")", Hint: "see: socrates debate show " + f.Room}
	}
	return root, end, f, err
}

// Digest is a decision as later debates are shown it.
func (e *Engine) Digest(ctx context.Context, room string) (Earlier, error) {
	root, _, f, err := e.closed(ctx, room)
	if err != nil {
		return Earlier{}, err
	}
	res, err := e.Result(ctx, root.ID)
	if err != nil {
		return Earlier{}, err
	}
	gone, err := e.superseded(ctx)
	return Earlier{res.Digest(), gone[f.Room]}, err
}

// superseded finds which rooms' decisions no longer hold, by room.
func (e *Engine) superseded(ctx context.Context) (map[string]*Supersession, error) {
	tips, err := e.store.Tips(ctx, supersededRefs)
	if err != nil {
		return nil, err
	}
	out := map[string]*Supersession{}
	for _, t := range tips {
		if s, ok := debate.SupersededKind.Of(t.Head); ok {
			out[strings.TrimPrefix(t.Ref.Name, supersededRefs)] = &Supersession{s, t.Head.By, t.Head.At}
		}
	}
	return out, nil
}
