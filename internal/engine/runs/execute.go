package runs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Execute executes a plan as a person asks for it in a conversation: that of a run, that of a file, or the project's most recent one. It
// implements /execute: it finds the plan, makes a run of it if there is none, and continues with Advance.
type Execute struct {
	Dir   string
	Named string // a run or a file below the project; empty: the most recent
	Allow bool   // allows the checks that the plan names
	// Options say who does the steps and how; if they name no executors, the usual ones are used.
	Options record.Options
	Talk    tree.ID // as of Advance
}

// Do implements engine.Op.
func (op Execute) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	repo, err := git.Open(op.Dir)
	if err == nil {
		op.Dir = repo.Top()
	} else if !errors.Is(err, git.ErrNone) {
		return "", err
	}
	run, file := "", ""
	if _, _, serr := l.Status(ctx, op.Named); op.Named != "" && serr == nil {
		run = op.Named
	} else if op.Named != "" {
		file = op.Named
	} else if run, file, err = l.Latest(ctx, op.Dir); err != nil {
		return "", err
	}
	usual, err := l.Usual(op.Dir)
	if err != nil {
		return "", err
	}
	to := way.Way{Phases: []way.Phase{way.Execute}, Options: op.Options, Manners: usual.Manners}
	if run == "" {
		if run, err = planFile(ctx, l, op, file); err != nil {
			return "", err
		}
	} else if _, s, err := l.Status(ctx, run); err == nil && op.Allow {
		to.Allow = commandsOf(s.Plan)
	}
	return e.Do(ctx, Advance{Run: run, Way: &to, Talk: op.Talk})
}

// Keep makes a run from a plan that a person wrote in a file of the project, without starting it.
type Keep struct {
	Dir, File string
	Allow     bool // allows the checks that the plan names
}

// Do implements engine.Op.
func (op Keep) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	if repo, err := git.Open(op.Dir); err == nil {
		op.Dir = repo.Top()
	} else if !errors.Is(err, git.ErrNone) {
		return "", err
	}
	run, err := planFile(ctx, l, Execute{Dir: op.Dir, Allow: op.Allow}, op.File)
	if err != nil {
		return "", err
	}
	return l.Root(ctx, run)
}

// planFile makes a run from the plan in a file of the project.
func planFile(ctx context.Context, l *Library, op Execute, file string) (string, error) {
	root, err := os.OpenRoot(op.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	// Read only below the project, whatever the name says.
	raw, err := root.ReadFile(file)
	if err != nil {
		why := err
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			why = at.Err
		}
		if !filepath.IsLocal(file) {
			why = errors.New("it is outside the project")
		}
		return "", &engine.Refusal{Message: "no plan in " + file + ": " + why.Error(), Err: err,
			Hint: "name a run or a file in the project; list runs: socrates work list"}
	}
	text := l.store.Clean(string(raw))
	var allow []string
	if op.Allow {
		p, _ := plan.Read(text)
		allow = commandsOf(p)
	}
	id, err := l.engine.Do(ctx, Plan{Dir: op.Dir, Text: text, By: file, Allow: allow})
	if err != nil {
		return "", err
	}
	nodes, err := l.store.Tree(ctx, id)
	s, _ := work.Read(nodes)
	return s.Frame.Run, err
}

// commandsOf returns the commands that a plan's checks run.
func commandsOf(p plan.Plan) (list []string) {
	for _, t := range p.Tasks {
		for _, c := range t.Checks {
			if len(c.Command) > 0 && !slices.Contains(list, c.String()) {
				list = append(list, c.String())
			}
		}
	}
	return list
}

// Latest returns the most recent plan of a project that was not executed: a run, or the plan.md of a ticket that has no run. A ticket
// whose text is already the plan of a run counts as that run.
func (l *Library) Latest(ctx context.Context, dir string) (run, file string, err error) {
	all, err := l.List(ctx, dir)
	if err != nil {
		return "", "", err
	}
	var known []string
	for _, r := range all {
		_, s, err := l.Status(ctx, r.Name)
		if err != nil {
			return "", "", err
		}
		if s.Planned == nil {
			continue
		}
		if text, err := l.store.Named(ctx, s.Planned.Text); err == nil {
			known = append(known, text)
		}
		if run == "" && s.State == work.Planned {
			run = r.Name
		}
	}
	newest, ok := newestTicket(l, dir, known)
	i := slices.IndexFunc(all, func(r Info) bool { return r.Name == run })
	if ok && (run == "" || newest.info.ModTime().After(all[i].Started)) {
		return "", newest.name, nil
	}
	if run == "" {
		err = &engine.Refusal{Message: "no plan to execute", Hint: "write one: socrates plan \"…\", or /plan in a conversation"}
	}
	return run, "", err
}

// ticketPlan is a plan among a project's tickets.
type ticketPlan struct {
	name string // path below the project
	info os.FileInfo
}

// newestTicket returns the newest plan among a project's tickets that is not in known.
func newestTicket(l *Library, dir string, known []string) (newest ticketPlan, ok bool) {
	files, _ := filepath.Glob(filepath.Join(dir, "specs", "tickets", "*", "plan.md")) // the pattern is ours
	for _, file := range files {
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() || ok && !info.ModTime().After(newest.info.ModTime()) {
			continue
		}
		raw, err := os.ReadFile(file)
		text := l.store.Clean(string(raw))
		if p, _ := plan.Read(text); err != nil || len(p.Tasks) == 0 || slices.Contains(known, text) {
			continue
		}
		name, _ := filepath.Rel(dir, file)
		newest, ok = ticketPlan{strings.TrimPrefix(filepath.ToSlash(name), "./"), info}, true
	}
	return newest, ok
}
