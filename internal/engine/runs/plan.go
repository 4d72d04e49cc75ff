package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Begin records a request as a run, which then goes through its phases.
type Begin struct {
	Dir, Name   string // folder of the project; name of the run, made up if empty
	Asked, Data string // the request, and the data given with it
	From        string // a debate whose decision is executed; empty: none
}

// Do implements engine.Op.
func (op Begin) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	var first []tree.Node
	if op.From != "" {
		a, err := l.decided(ctx, op.From)
		if err != nil {
			return "", err
		}
		first = append(first, way.AnalyzeKind.New("", "code", a))
	}
	return l.open(ctx, op, op.Asked, first...)
}

// open records the first nodes of a run under a new name. If no name is given, it is made from title. more are added
// below the first node, all in one commit.
func (l *Library) open(ctx context.Context, op Begin, title string, more ...tree.Node) (tree.ID, error) {
	if op.Name != "" && (!tree.CleanName(op.Name) || len(op.Name) > 40) {
		return "", &engine.Refusal{Message: fmt.Sprintf("invalid run name %q", op.Name),
			Hint: "use lowercase letters, digits and dashes, at most 40"}
	}
	data, err := l.keep(ctx, op.Data)
	if err != nil {
		return "", err
	}
	for try := 1; ; try++ {
		id := tree.NewID()
		name := op.Name
		if name == "" {
			name = tree.NameFor(title, "run", id)
		}
		root := record.FrameKind.New("", "person", record.Frame{Run: name, Dir: op.Dir, Asked: op.Asked, Data: data})
		root.ID = id
		nodes := []tree.Node{root}
		for _, n := range more {
			n.Parent = id
			nodes = append(nodes, n)
		}
		_, err := l.store.AppendTo(ctx, refs+name, "", id, nodes...)
		switch {
		case err == nil:
			return id, nil
		case errors.Is(err, store.ErrMoved) && op.Name != "":
			return "", &engine.Refusal{Message: "run " + name + " already exists", Hint: "see it: socrates work show " + name}
		case !errors.Is(err, store.ErrMoved) || try == engine.NameTries:
			return "", err
		}
	}
}

// keep stores a text and returns its hash, which is empty for an empty text.
func (l *Library) keep(ctx context.Context, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return l.store.PutBlob(ctx, text)
}

// Plan records a plan that was written elsewhere: as a new run, or as the next version of a run's plan.
type Plan struct {
	Dir, Name string // folder of the project; name of the new run, made up from the title if empty
	Run       string // the run to revise; empty: a new one
	Text      string // the plan as written
	By        string // who wrote it
	Allow     []string
	Checks    []string // of the project: every task must pass them, so a task need not have its own
	// Options are those that a new run will be executed with. One that cannot be is not recorded; nil: that is not checked.
	Options *record.Options
}

// Wrong lists what is wrong with a plan.
type Wrong struct {
	Plan   string // name of the plan
	Faults []plan.Fault
	Talk   string // the conversation in which it was written; empty: a person wrote it
}

// Error lists the first twenty faults, one a line.
func (w *Wrong) Error() string {
	var list []string
	for _, f := range w.Faults[:min(len(w.Faults), 20)] {
		list = append(list, f.String())
	}
	if more := len(w.Faults) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return "the plan " + w.Plan + " has errors; nothing was started:\n  " + strings.Join(list, "\n  ")
}

// Do implements engine.Op.
func (op Plan) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	if op.Run != "" {
		return l.revise(ctx, op)
	}
	p, points, err := l.Read(ctx, op.Dir, op.Text, op.By, op.Allow, op.Checks)
	if err == nil && op.Options != nil {
		o := *op.Options // a copy: it is settled again when the run begins
		err = l.wiring.Settle(ctx, op.Dir, &o, p.Tasks)
	}
	if err != nil {
		return "", err
	}
	text, err := l.keep(ctx, op.Text)
	if err != nil {
		return "", err
	}
	return l.open(ctx, Begin{Dir: op.Dir, Name: op.Name}, p.Title, way.PlanKind.New("", "person",
		way.Planned{Version: 1, Plan: p, Text: text, Points: points, Allow: op.Allow, By: op.By}))
}

// revise makes a plan the next version of a run's plan. Merged steps keep their numbers and titles.
func (l *Library) revise(ctx context.Context, op Plan) (tree.ID, error) {
	root, s, unlock, err := l.lockRun(ctx, op.Run)
	if err != nil {
		return root, err
	}
	defer unlock()
	return root, l.addVersion(ctx, root, s, op.Text, op.By, op.Allow)
}

// addVersion checks a text as the next version of a run's plan, and records it.
func (l *Library) addVersion(ctx context.Context, root tree.ID, s work.Status, text, by string, allow []string) error {
	if allow = slices.Concat(s.Way.Allow, allow); s.Planned != nil {
		// What was allowed stays allowed: a person agreed to it word by word.
		allow = slices.Concat(s.Planned.Allow, allow)
	}
	slices.Sort(allow)
	allow = slices.Compact(allow)
	p, points, err := l.read(ctx, s, text, by, allow)
	if err != nil {
		return err
	}
	if o := s.Options(); s.Begun != nil { // a copy: what the run began with stays
		if err := l.wiring.Settle(ctx, s.Frame.Dir, &o, p.Tasks); err != nil {
			return err
		}
	}
	hash, err := l.keep(ctx, text)
	if err != nil {
		return err
	}
	n := way.Planned{Version: 1, Plan: p, Text: hash, Points: points, Allow: allow, By: by}
	if s.Planned != nil {
		n.Version = s.Planned.Version + 1
	}
	_, err = l.store.Append(ctx, way.PlanKind.New(root, by, n))
	return err
}

// read reads a plan for a run: it must address the run's decision, and leave merged steps unchanged.
func (l *Library) read(ctx context.Context, s work.Status, text, by string, allow []string) (plan.Plan, []plan.Point, error) {
	var points []plan.Point
	if s.Analyzed != nil {
		points = s.Analyzed.Points
	}
	if s.Planned != nil {
		points = s.Planned.Points
	}
	var checks []string
	for _, c := range s.Options().Checks {
		checks = append(checks, strings.Join(c, " "))
	}
	p, faults := plan.Read(text)
	if len(faults) == 0 {
		w, err := l.planWorld(ctx, s.Frame.Dir, slices.Concat(allow, s.Way.Allow), checks)
		if err != nil {
			return p, points, err
		}
		w.Points = points
		w.Merged = s.Merged()
		faults = p.Check(w)
	}
	return p, points, faultsError(by, faults)
}

// Read reads a plan and checks it against a project: its files, the commands that may be checks, and the decision it executes.
func (l *Library) Read(ctx context.Context, dir, text, by string, allow, checks []string) (p plan.Plan, points []plan.Point, err error) {
	p, faults := plan.Read(text)
	if len(faults) > 0 {
		return p, nil, faultsError(by, faults)
	}
	w, err := l.planWorld(ctx, dir, allow, checks)
	if err != nil {
		return p, nil, err
	}
	if p.Decision != "" {
		a, err := l.decided(ctx, p.Decision)
		if err != nil {
			return p, nil, err
		}
		w.Points = a.Points
	}
	return p, w.Points, faultsError(by, p.Check(w))
}

func faultsError(by string, faults []plan.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	return &Wrong{Plan: by, Faults: faults}
}

// planWorld is what a project's plan is checked against.
func (l *Library) planWorld(ctx context.Context, dir string, allow, checks []string) (w plan.World, err error) {
	repo, err := git.Open(dir)
	if errors.Is(err, git.ErrNone) {
		return w, &engine.Refusal{Message: "a plan needs a git repository with a work tree; " + dir + " is not in one",
			Hint: "make one: git init, then commit"}
	}
	if err != nil {
		return w, err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return w, err
	}
	if head.Hash == "" {
		return w, &engine.Refusal{Message: "the repository has no commit yet", Hint: "commit something first: git commit"}
	}
	if w.Allowed, err = l.wiring.Allowed(dir, slices.Concat(allow, checks)); err != nil {
		return w, err
	}
	w.Project = len(checks) > 0
	tracked, err := repo.Tracked(ctx, head.Hash)
	known := map[string]bool{}
	for _, name := range tracked {
		known[name] = true
	}
	// At the commit, not in the work tree: a step begins with a clone of the commit.
	w.Exists = func(name string) bool { return known[name] }
	return w, err
}
