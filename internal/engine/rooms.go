package engine

import (
	"context"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
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

// Rooms lists the debates, the last started first.
func (e *Engine) Rooms(ctx context.Context) ([]RoomInfo, error) {
	tips, err := e.store.Tips(ctx, roomRefs)
	if err != nil {
		return nil, err
	}
	out := []RoomInfo{}
	for _, tip := range tips {
		f, ok := debate.FrameKind.Of(tip.Root)
		if !ok {
			continue
		}
		out = append(out, e.info(tip.Root, tip.Head, f))
	}
	slices.SortStableFunc(out, func(a, b RoomInfo) int { return b.Started.Compare(a.Started) })
	return out, nil
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
