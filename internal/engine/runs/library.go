package runs

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Wiring is what runs need from outside. If a field is nil, nothing can be executed.
type Wiring struct {
	// Check runs a command in a clean clone, in the sandbox.
	Check func(ctx context.Context, c workspace.Clean, command []string, limit time.Duration) (proof.Outcome, error)
	// Allowed returns a check of the commands that may be checks in a project: those of its settings, and more.
	Allowed func(dir string, more []string) (func(command []string) error, error)
	// Settle fills in the options that are left open, and refuses what cannot work. tasks may name their own executors and races.
	Settle func(ctx context.Context, dir string, o *record.Options, tasks []plan.Task) error
	// Usual is the default way of a run, according to the settings of a project.
	Usual func(dir string) (way.Way, error)
	// Model returns the model that refines, analyzes and plans: the one that spec names, if it exists, otherwise the default one.
	Model func(ctx context.Context, spec string) (string, error)
	// Debate frames the question of a run's analysis for a panel.
	Debate func(ctx context.Context, dir, question string, w way.Way) (*rooms.Debate, error)
	Reads  []string // the tools of phases that change nothing
	// Hooks returns the person's hooks, and those of the project that were approved.
	Hooks   func(dir, session string) (hook.Set, error)
	Program string // what executes runs here, as people know it: socrates serve
	// Folder returns the folder of the workspaces of runs.
	Folder func() (string, error)
}

// Library answers queries about runs.
type Library struct {
	core   *engine.Core
	store  *store.Store
	engine *engine.Engine
	talks  *conversation.Library
	rooms  *rooms.Library
	wiring Wiring
	sizes  sizes
}

// refs is the prefix of the refs of runs.
const refs = "run/"

// With adds runs to an engine that has conversations and turns.
func With(w Wiring) func(*engine.Engine, *engine.Core) engine.Part {
	return func(e *engine.Engine, c *engine.Core) engine.Part {
		return engine.Part{Library: &Library{core: c, store: c.Store, engine: e, talks: conversation.In(e), rooms: rooms.In(e), wiring: w},
			Shape: store.Shape{
				Firsts: map[string]store.First{refs: {Kind: string(record.FrameKind), Filled: []string{"$.run", "$.dir"}}},
				Texts: map[string][]string{string(record.FrameKind): {"$.data"}, string(way.RefineKind): {"$.text"},
					string(way.PassKind):    {"$.was", "$.text"},
					string(way.AnalyzeKind): {"$.text"}, string(way.PlanKind): {"$.text"}, string(record.ClaimKind): {"$.told"},
					string(record.TryKind):   {"$.said"},
					string(record.CheckKind): {"$.outcome.text"}, string(record.ClashKind): {"$.text"},
					string(record.MoveKind): {"$.texts"}},
			}}
	}
}

// Usual is the default way of a run in a project.
func (l *Library) Usual(dir string) (way.Way, error) {
	if l.wiring.Usual == nil {
		return way.Way{Options: record.Usual()}, nil
	}
	return l.wiring.Usual(dir)
}

// In returns the library of an engine.
func In(e *engine.Engine) *Library { return engine.Of[*Library](e) }

// Info is a line in the list of runs.
type Info struct {
	Name     string     `json:"name"`
	Title    string     `json:"title"`
	Dir      string     `json:"dir"`
	State    work.State `json:"state"`
	Behind   way.Phase  `json:"phase"` // the last phase that is done
	Tasks    int        `json:"tasks"`
	Done     int        `json:"done"`
	Running  bool       `json:"running"`      // by this or another process
	By       string     `json:"by,omitempty"` // the process that executes the run, and with which it ends; empty: none, or not known
	Accepted bool       `json:"accepted"`     // its result was brought into the project
	Died     bool       `json:"died"`         // its process ended in the middle of the run
	// Stopped is the failed phase at which the run waits; nil: there is none.
	Stopped *way.Stopped `json:"stopped,omitempty"`
	Started time.Time    `json:"started"`
	Person  string       `json:"person,omitempty"` // of a hub: who began it; empty: the person who runs the program
	USD     float64      `json:"cost_usd"`
	Space   string       `json:"workspaces,omitempty"` // the folder its steps work in; empty: it has not begun
}

// Have reports whether a folder is one in which one of the runs does its steps: such folders are no projects, and lists
// of projects omit them.
func Have(all []Info, dir string) bool {
	dir = filepath.ToSlash(dir)
	return slices.ContainsFunc(all, func(i Info) bool { return i.Space != "" && strings.HasPrefix(dir, filepath.ToSlash(i.Space)+"/") })
}

// List lists the runs of a project, the newest first; dir empty: all. It reads every run of the folder completely,
// since a run's state is computed from all of its nodes.
func (l *Library) List(ctx context.Context, dir string) ([]Info, error) {
	tips, err := l.store.Tips(ctx, refs)
	if err != nil {
		return nil, err
	}
	out := []Info{}
	for _, tip := range tips {
		f, ok := record.FrameKind.Of(tip.Root)
		if !ok || dir != "" && f.Dir != dir {
			continue
		}
		info, _, err := info(ctx, l, tip.Root)
		if err != nil {
			return nil, err
		}
		out = append(out, info)
	}
	if len(out) == 0 && dir == "" {
		return out, l.store.Lost(ctx, refs, "runs", func(t store.Tip) bool {
			_, ok := record.FrameKind.Of(t.Root)
			return ok
		})
	}
	return out, nil
}

// info returns a run's line in the list. Whether it is running is checked before and after it is read: a run that
// began or ended in between is not taken for stopped.
func info(ctx context.Context, l *Library, root tree.Node) (Info, work.Status, error) {
	f, _ := record.FrameKind.Of(root)
	running := l.Running(f.Run)
	_, s, err := l.byRoot(ctx, root.ID)
	if err != nil {
		return Info{}, s, err
	}
	person, _ := tree.ByPerson(root.By)
	info := Info{Name: f.Run, Title: s.Title(), Dir: f.Dir, State: s.State, Behind: s.Behind(), Tasks: len(s.Tasks),
		Running: running || l.Running(f.Run), Accepted: s.Accepted(), Stopped: s.Stopped, Started: root.At, Person: person,
		USD: s.Usage.USD}
	if info.Running {
		info.By = l.By(f.Run)
	}
	// Without the folder of workspaces nothing can be executed here, so nothing died here.
	s.Died = s.UnderWay() && !info.Running && l.wiring.Folder != nil && requireOwn(l, s, root.ID) == nil
	info.Died = s.Died
	if s.Begun != nil {
		info.Space = s.Begun.Space
	}
	for _, t := range s.Tasks {
		if t.State == work.Done {
			info.Done++
		}
	}
	return info, s, nil
}

// Info returns the line of a run in the list, by name, and its status.
func (l *Library) Info(ctx context.Context, name string) (Info, work.Status, error) {
	root, err := l.Root(ctx, name)
	if err != nil {
		return Info{}, work.Status{}, err
	}
	first, err := l.store.Node(ctx, root)
	if err != nil {
		return Info{}, work.Status{}, err
	}
	return info(ctx, l, first)
}

// Word is where a run is, in a word. What a process does with it now wins over what is recorded.
func (r Info) Word() string {
	switch {
	case r.Running:
		return "running"
	case r.Stopped != nil:
		return "failed"
	case r.Died:
		return "died"
	case r.State == work.Open: // a person said something of a step since
		return "stopped"
	case r.Accepted:
		return "accepted"
	}
	return string(r.State)
}

// Running reports whether a process executes a run.
func (l *Library) Running(name string) bool { return l.core.Held("run-" + name) }

// By names the process that executes a run: the run ends with it. Empty: none does, or it is on another machine.
func (l *Library) By(name string) string { return l.store.Clean(l.core.Signed("run-" + name)) }

// Status reads a run by name.
func (l *Library) Status(ctx context.Context, name string) (tree.ID, work.Status, error) {
	root, err := l.Root(ctx, name)
	if err != nil {
		return "", work.Status{}, err
	}
	_, s, err := l.byRoot(ctx, root)
	return root, s, err
}

// byRoot reads a run whose first node is known.
func (l *Library) byRoot(ctx context.Context, root tree.ID) ([]tree.Node, work.Status, error) {
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return nil, work.Status{}, err
	}
	s, ok := work.Read(nodes)
	if !ok {
		return nil, s, l.store.Damage("the first node of a run, " + string(root) + ", cannot be read")
	}
	return nodes, s, nil
}

// Root finds the first node of a run.
func (l *Library) Root(ctx context.Context, name string) (tree.ID, error) {
	ref, err := l.store.Ref(ctx, refs+name)
	if err != nil {
		return "", engine.NotFound("run named "+name, "list runs: socrates work list", err)
	}
	return ref.Head, nil
}

// Space opens the folder of a run that has begun.
func (l *Library) Space(ctx context.Context, s work.Status) (*workspace.Space, error) {
	if s.Begun == nil {
		return nil, &engine.Refusal{Message: "run " + s.Frame.Run + " has not started",
			Hint: "execute it: socrates execute " + s.Frame.Run}
	}
	return workspace.Open(ctx, s.Begun.Space, s.Begun.Base.Author)
}

// ToDo is the column of the board that also has the queued prompts.
const ToDo = "to do"

// Columns are the columns of the board, from left to right.
var Columns = []string{"refinement", ToDo, "in progress", "to verify", "done"}

// Column is the run's column on the board.
func (r Info) Column() string {
	switch {
	case r.Accepted:
		return "done"
	case r.State == work.Asked && !r.Running:
		return "refinement"
	case r.State == work.Planned && !r.Running:
		return ToDo
	case r.State == work.Done || r.State == work.Person || r.State == work.Failed:
		return "to verify"
	}
	return "in progress"
}
