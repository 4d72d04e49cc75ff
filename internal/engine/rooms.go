package engine

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// RoomInfo is a line in the list of debates.
type RoomInfo struct {
	Room      string      `json:"room"`
	Question  string      `json:"question"`
	Started   time.Time   `json:"started"`
	Seats     int         `json:"seats"`
	Rehearsal bool        `json:"rehearsal"`
	Dir       string      `json:"dir"`
	Ended     bool        `json:"ended"`
	Running   bool        `json:"running"` // by this or another process
	End       *debate.End `json:"end,omitempty"`

	root tree.ID
}

// roomRefs is how the refs of rooms begin.
const roomRefs = "room/"

// decided is the state of the ref of a room that came to a decision.
const decided = "decided"

// Rooms lists the debates, the last started first, at most so many unless most is 0. It costs what it returns.
func (e *Engine) Rooms(ctx context.Context, most int) ([]RoomInfo, error) {
	tips, err := e.store.List(ctx, store.ListQuery{Class: roomRefs, Most: most})
	if out := e.infos(tips); err != nil || len(out) > 0 {
		return out, err
	}
	out := []RoomInfo{}
	for info, err := range e.EachRoom(ctx, false) { // the last ones cannot be read
		if err != nil {
			return out, err
		}
		if out = append(out, info); len(out) == most {
			break
		}
	}
	return out, nil
}

// LastRoom is the name of the debate that was started last; empty if there is none.
func (e *Engine) LastRoom(ctx context.Context) (string, error) {
	name, err := e.store.Newest(ctx, roomRefs)
	if err != nil || name == "" {
		return "", err
	}
	_, f, err := e.frame(ctx, name)
	return f.Room, err
}

func (e *Engine) infos(tips []store.Tip) []RoomInfo {
	out := []RoomInfo{}
	for _, tip := range tips {
		if f, ok := frameOf(tip.Root); ok {
			out = append(out, e.info(tip.Root, tip.Head, f))
		}
	}
	return out
}

// roomsAtOnce is how many debates are read at once where all may have to be.
const roomsAtOnce = 200

// EachRoom yields the debates one after the other, the last started first, or with oldest set the other way round. Who
// stops early pays only for what was read.
func (e *Engine) EachRoom(ctx context.Context, oldest bool) iter.Seq2[RoomInfo, error] {
	return func(yield func(RoomInfo, error) bool) {
		query := store.ListQuery{Class: roomRefs, Most: roomsAtOnce, Oldest: oldest}
		for read := 0; ; {
			tips, err := e.store.List(ctx, query)
			if err != nil {
				yield(RoomInfo{}, err)
				return
			}
			infos := e.infos(tips)
			read += len(infos)
			for _, info := range infos {
				if !yield(info, nil) {
					return
				}
			}
			if len(tips) < roomsAtOnce {
				if read > 0 {
					return
				}
				if err := e.store.Lost(ctx, roomRefs, "debates"); err != nil {
					yield(RoomInfo{}, err)
				}
				return
			}
			query.Before = tips[len(tips)-1].Root.Seq
		}
	}
}

// RoomInfo finds a debate by name, as it stands in the list.
func (e *Engine) RoomInfo(ctx context.Context, name string) (RoomInfo, error) {
	_, f, err := e.frame(ctx, name)
	if err != nil {
		return RoomInfo{}, err
	}
	tip, err := e.store.Tip(ctx, roomRefs+f.Room)
	if err != nil {
		return RoomInfo{}, err
	}
	return e.info(tip.Root, tip.Head, f), nil
}

// RoomNames lists the names of debates that begin like this, at most so many.
func (e *Engine) RoomNames(ctx context.Context, begun string, most int) ([]string, error) {
	names, err := e.store.Names(ctx, roomRefs+begun, most)
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], roomRefs)
	}
	return names, err
}

// Deleted says whether a debate of this name lies in the trash.
func (e *Engine) Deleted(ctx context.Context, name string) bool {
	_, err := e.store.Ref(ctx, store.TrashRefs+roomRefs+name)
	return err == nil
}

// info is a room in the list: its first node, the one its ref points at, and its frame.
func (e *Engine) info(root, head tree.Node, f debate.Frame) RoomInfo {
	asked, _ := debate.SplitData(f.Question)
	info := RoomInfo{Room: f.Room, Question: asked, Started: root.At, Seats: len(f.Seats), Rehearsal: f.Rehearsal, Dir: f.Dir, root: root.ID}
	if info.Ended = head.ID != root.ID; !info.Ended {
		info.Running = e.running(f.Room)
	} else if end, ok := debate.EndKind.Of(head); ok {
		info.End = &end
	}
	return info
}

// Room finds a debate by name and returns the id of its root.
func (e *Engine) Room(ctx context.Context, name string) (tree.ID, error) {
	root, _, err := e.frame(ctx, name)
	return root.ID, err
}

// Frame returns what was fixed of a debate before it began.
func (e *Engine) Frame(ctx context.Context, name string) (debate.Frame, error) {
	_, f, err := e.frame(ctx, name)
	return f, err
}

// Result is what a room came to, from its record; of a room that has not ended, what it would decide now.
func (e *Engine) Result(ctx context.Context, root tree.ID) (debate.Result, error) {
	nodes, err := e.store.Tree(ctx, root)
	if err != nil {
		return debate.Result{}, err
	}
	res, err := debate.Summarize(nodes)
	for i, a := range res.Addenda {
		if text, err := e.store.Blob(ctx, a.Text); err == nil {
			res.Addenda[i].Text = text
		}
	}
	return res, err
}
