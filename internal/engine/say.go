package engine

import (
	"cmp"
	"context"
	"maps"
	"os/exec"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/llm"
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
	// Tiered is a seat's spec with the tier of a phase, which may have none, if it names no model; nil: tiers are not heeded.
	Tiered func(spec, tier string) string
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
	// Fetched keeps which files and, with a slash at their end, folders of a project came from outside, and which such files an agent
	// committed since the tips of their work trees' repositories were taken. strange says that a command ran which may leave what
	// strangers wrote; otherwise only what had come before counts. Nil: nobody keeps it.
	Fetched func(dir string, paths []string, before map[string]git.Tips, strange bool) error
	// Keeper keeps the files of a project; nil: they are not kept.
	Keeper func(ctx context.Context, dir string) (*snapshot.Keeper, error)
	// Folders are those whose files are kept.
	Folders func() ([]string, error)
	// Files shows the files of a project that a name or a pattern means as a model is to see them.
	Files func(ctx context.Context, dir, name string) ([]talk.Handle, error)
	// Extend opens what is added to a conversation besides; taken are the names of tools that are taken. Nil: nothing is.
	Extend func(ctx context.Context, dir, session string, taken []string) (Extension, error)
	// Inner are the hosts that a project's conversations may reach although they are not on the public internet, as "host"
	// or "host:port"; nil: none.
	Inner func(dir string) []string
	// SkillFolder is the folder of a skill outside a project folder that a file lies in and that may be read; nil: there is none.
	SkillFolder func(ctx context.Context, dir, file string) (string, bool)
	// Confine puts a program of a conversation into the sandbox that a policy asks for; nil: there is none.
	Confine func(p permission.Policy, s, script *tool.Session, by permission.Consent, cmd *exec.Cmd) (end func() error, err error)
	// Watch looks at what steers tools in a project; again tells what was done to it since, unless that is accepted. Nil:
	// nothing is looked at.
	Watch func(p permission.Policy) (again func(accept bool) []string)
}

func (w Work) inner(dir string) []string {
	if w.Inner == nil {
		return nil
	}
	return w.Inner(dir)
}

// answers is the spec of the model that answers in a phase where spec is set.
func (w Work) answers(spec string, p phase.Phase) string {
	if w.Tiered == nil {
		return spec
	}
	return w.Tiered(spec, p.Tier)
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
	Bare   bool // without memory, conventions, skills, hooks and servers
	// Last says that no turn follows: what runs in the background is ended before it is looked at what programs changed.
	Last bool
	// Again answers what was said last once more, instead of saying something. If there is an answer already, it stays on
	// its branch, and the new one is made on a branch of its own. With Files the files of the project become what they were
	// before that answer.
	Again, Files bool
}

func (op Say) do(ctx context.Context, e *Engine) (tree.ID, error) {
	t, unlock, err := e.holdTree(ctx, op.Tree)
	if err != nil {
		return "", err
	}
	w, err := e.prepare(ctx, op, t)
	if err != nil {
		unlock()
		return t.Root, err
	}
	e.mu.Lock()
	e.desk(t.Root).turn = Turn{Tree: t.Name, Dir: t.Dir, Model: w.spec, Phase: w.phase.Name, Mode: w.mode}
	e.mu.Unlock()
	e.start(ctx, t.Root, w.seq, func(ctx context.Context, j *job) error {
		defer unlock()
		return w.run(ctx, j)
	})
	return t.Root, nil
}

// Turn is what a conversation's last turn in this process runs with; of a command that a person ran first there is no model.
type Turn struct {
	Tree, Dir    string
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
	w := &turn{e: e, op: op, t: t, at: t.Head, lookout: e.lookoutOf(t.Root)}
	if op.From != "" {
		w.at = op.From
	}
	path, err := e.store.Path(ctx, w.at)
	if err != nil {
		return nil, err
	}
	if w.seq, err = e.store.Version(ctx); err != nil { // other branches have newer nodes than this one, which are no news
		return nil, err
	}
	w.taken = w.seq
	set, answered := talk.Settings(path), false
	if op.Again {
		if path, answered, err = lastSaid(path); err != nil {
			return nil, err
		}
		w.at, w.said = path[len(path)-1].ID, path[len(path)-1].ID
	} else if err := w.mend(ctx, path); err != nil {
		return nil, err
	}
	for key, value := range map[string]string{"model": op.Model, "phase": op.Phase, "mode": string(op.Mode)} {
		set[key] = cmp.Or(value, set[key])
	}
	was := talk.Settings(path)
	var nodes []tree.Node
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if was[key] != set[key] && !op.Aside {
			nodes = append(nodes, talk.SetKind.New("", "person", talk.Set{Key: key, Value: set[key]}))
		}
	}
	w.set = set
	if talk.Strangers(path) {
		w.saw()
	}
	if err := w.equip(ctx, path); err != nil {
		return nil, err
	}
	if answered && !op.Aside {
		if err := w.again(ctx); err != nil {
			return nil, err
		}
	}
	nodes = append(nodes, w.notices()...)
	if w.newBrief != nil {
		nodes = append(nodes, *w.newBrief)
	}
	files, err := w.files(ctx, path)
	if err != nil {
		return nil, err
	}
	nodes = append(nodes, files...)
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
	if err := w.add(ctx, append(w.begin(), nodes...)...); err != nil {
		w.leave()
		return nil, err
	}
	return w, nil
}

// lastSaid is the path to what was said last, and whether something came after it.
func lastSaid(path []tree.Node) (to []tree.Node, answered bool, err error) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Kind == string(talk.SayKind) { // also what was said to the turn while it ran
			return path[:i+1], answered, nil
		}
		answered = answered || shown(path[i])
	}
	return nil, false, &Refusal{Message: "nothing to retry"}
}

// again puts the turn on a new branch that begins where it is, and brings the files back to that place if that is wanted.
func (w *turn) again(ctx context.Context) error {
	from := w.t.Head
	if _, err := w.e.Do(ctx, Branch{Tree: w.t.Name, At: string(w.at)}); err != nil {
		return err
	}
	t, err := w.e.OpenTree(ctx, w.t.Name)
	if w.t = t; err == nil && w.op.Files {
		err = w.e.restore(ctx, &w.t, from)
		w.at = w.t.Head
	}
	return err
}

// unfinished is the model that was asked at the end of a path, and what the call took of which nobody knows the end.
func (w *turn) unfinished(ctx context.Context, path []tree.Node) (model string, took llm.Usage) {
	set, info := talk.Settings(path), llm.Info{}
	if p, err := w.e.wiring.Work.Phase(w.t.Dir, cmp.Or(set["phase"], "chat")); err == nil {
		if m, err := w.e.answering(ctx, w.t.Root, w.e.wiring.Work.answers(set["model"], p)); err == nil {
			info = m.Info()
		}
	}
	req := llm.Request{Messages: talk.View(path)}
	if briefs := talk.BriefKind.All(path); len(briefs) > 0 {
		req.System, _ = w.e.store.Blob(ctx, briefs[len(briefs)-1].Text) // one that is lost is not counted
	}
	return cmp.Or(info.ID, set["model"]), llm.Unfinished(info, req)
}

// mend gives a turn that a crash cut off its end, so that what follows does not hang in the air. An answer that was whole
// by then is kept; whether its tools did anything nobody knows.
func (w *turn) mend(ctx context.Context, path []tree.Node) error {
	r := talk.Reply{State: talk.Interrupted, Reason: "the program exited before there was an answer"}
	for _, n := range slices.Backward(path) {
		if called, ok := talk.CalledKind.Of(n); ok {
			if len(called.Message.Calls()) == 0 {
				r.Message, r.Answers, r.Usage, r.Reason = called.Message, called.Model, called.Usage, "the program exited before the turn ended"
				return w.add(ctx, talk.ReplyKind.New("", n.By, r))
			}
			return w.add(ctx, talk.ExchangeKind.New("", n.By, called.Unfinished()), talk.ReplyKind.New("", "code", r))
		}
		switch n.Kind {
		case string(talk.ReplyKind), string(talk.RootKind):
			return nil
		case string(talk.SayKind), string(talk.ExchangeKind):
			r.Answers, r.Usage = w.unfinished(ctx, path)
			return w.add(ctx, talk.ReplyKind.New("", "code", r))
		}
	}
	return nil
}
