package engine

import (
	"context"
	"os/exec"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Work is what conversations need from outside.
type Work struct {
	Tools []tool.Tool
	// Phase finds a phase by name, as it is for a project.
	Phase func(dir, name string) (phase.Phase, error)
	// Brief writes the system prompt; notes are what a person should know about how it was made. Bare leaves out what the
	// project and the person's skills ask for.
	Brief func(ctx context.Context, dir string, p phase.Phase, mode permission.Mode, tools []string, bare bool) (text string, notes []string, err error)
	// Memory says which folder's memory a conversation in dir has, and how many notes and decisions it is shown at once;
	// nil: there is none.
	Memory func(dir string) (top string, most int, err error)
	// Policy is what holds in a project: its rules, and the grants that last. It is asked anew for every call.
	Policy func(dir string, mode permission.Mode) (permission.Policy, error)
	// Grant keeps a grant for a project.
	Grant func(dir string, g permission.Grant) error
	// Keeper keeps the files of a project; nil: they are not kept.
	Keeper func(ctx context.Context, dir string) (*snapshot.Keeper, error)
	// Confine puts a program into the sandbox that a policy asks for; nil: there is none.
	Confine func(p permission.Policy, cmd *exec.Cmd) (end func() error, err error)
}

// Limits end a turn. Zero values are no limits.
type TurnLimits struct {
	Turns   int // model calls
	USD     float64
	Tokens  int
	Timeout time.Duration
}

// Say says something in a conversation and starts the turn that answers it.
type Say struct {
	Tree   string
	Text   string
	Data   string
	Aside  bool            // a side question: the branch stays where it is
	From   tree.ID         // answer below this node instead of the branch's head; the branch moves there
	Model  string          // a seat's spec; empty: as set in the conversation
	Phase  string          // empty: as set
	Mode   permission.Mode // empty: as set
	Only   []string        // names of tools, or globs; empty: those of the phase
	Schema []byte          // of the answer; nil: free text
	Effort string
	Limits TurnLimits
	// Again answers what was said last once more, instead of saying something.
	Again bool
	// Bare leaves out memory, conventions and skills.
	Bare bool
}

func (op Say) do(ctx context.Context, e *Engine) (tree.ID, error) {
	t, err := e.OpenTree(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	unlock, err := e.lockTree(ctx, t.Name)
	if err != nil {
		return "", err
	}
	if t, err = e.OpenTree(ctx, op.Tree); err != nil { // it may have moved until the lock was ours
		unlock()
		return "", err
	}
	w, err := e.prepare(ctx, op, t)
	if err != nil {
		unlock()
		return t.Root, err
	}
	e.start(ctx, t.Root, w.seq, func(ctx context.Context, j *job) error {
		defer unlock()
		return w.run(ctx, j)
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.desk(t.Root).turn = Turn{Model: w.set["model"], Phase: w.phase.Name, Mode: w.mode}
	return t.Root, nil
}

// Turn is what a conversation's last turn in this process runs with.
type Turn struct {
	Model, Phase string
	Mode         permission.Mode
}

// Turn says what the last turn that was begun here runs with.
func (e *Engine) Turn(root tree.ID) Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.desk(root).turn
}

// prepare records what was said, with what it changes, and makes the turn.
func (e *Engine) prepare(ctx context.Context, op Say, t Tree) (*turn, error) {
	w := &turn{e: e, op: op, t: t, at: t.Head}
	if op.From != "" {
		w.at = op.From
	}
	path, err := e.store.Path(ctx, w.at)
	if err != nil {
		return nil, err
	}
	w.seq = path[len(path)-1].Seq
	if err := w.mend(ctx, path); err != nil {
		return nil, err
	}
	set := talk.Settings(path)
	var nodes []tree.Node
	for _, s := range []talk.Set{{Key: "model", Value: op.Model}, {Key: "phase", Value: op.Phase}, {Key: "mode", Value: string(op.Mode)}} {
		if s.Value != "" && set[s.Key] != s.Value {
			set[s.Key] = s.Value
			if !op.Aside {
				nodes = append(nodes, talk.SetKind.New("", "person", s))
			}
		}
	}
	w.set = set
	if err := w.equip(ctx, path); err != nil {
		return nil, err
	}
	if w.newBrief != nil {
		nodes = append(nodes, *w.newBrief)
	}
	recalled, err := w.recall(ctx, path)
	if err != nil {
		return nil, err
	}
	nodes = append(nodes, recalled...)
	if !op.Again {
		said := talk.SayKind.New("", "person", talk.Said{Text: op.Text, Data: op.Data, Aside: op.Aside})
		w.said = said.ID
		nodes = append(nodes, said)
	}
	return w, w.add(ctx, nodes...)
}

// mend gives a turn that a crash cut off its end, so that what follows does not hang in the air.
func (w *turn) mend(ctx context.Context, path []tree.Node) error {
	for i := len(path) - 1; i >= 0; i-- {
		switch path[i].Kind {
		case string(talk.ReplyKind), string(talk.RootKind):
			return nil
		case string(talk.SayKind), string(talk.ExchangeKind):
			if w.op.Again {
				return nil
			}
			return w.add(ctx, talk.ReplyKind.New("", "code", talk.Reply{State: talk.Interrupted, Reason: "the program ended before there was an answer"}))
		}
	}
	return nil
}

// add records nodes below where the turn is.
func (w *turn) add(ctx context.Context, nodes ...tree.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	if err := w.e.growFrom(ctx, &w.t, w.at, !w.op.Aside, nodes...); err != nil {
		return err
	}
	w.at = nodes[len(nodes)-1].ID
	return nil
}
