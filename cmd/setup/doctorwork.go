package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// examineRepository reports the state of the project in which a run of a plan would begin.
func examineRepository(ctx context.Context, a *call.Call) finding {
	f := finding{Name: "repository"}
	dir, err := a.Home.Settings.Project()
	if err != nil {
		f.Say = failure.Explain(err).Message
		return f
	}
	g, err := workspace.Look(ctx, dir)
	switch {
	case errors.Is(err, git.ErrNone):
		f.Say, f.Hint = "none here: plans cannot be executed", "create one: git init && git add -A && git commit"
		return f
	case err != nil:
		f.Say = failure.Explain(err).Message
		return f
	case g.Head.Hash == "":
		f.Say, f.Hint = "no commit yet: plans cannot be executed", "commit something: git add -A && git commit"
		return f
	}
	f.OK, f.Say = true, "detached at "+g.Head.Short()
	if g.Head.Branch != "" {
		f.Say = "branch " + g.Head.Branch + " at " + g.Head.Short()
	}
	if g.Shallow {
		f.Say += ", shallow"
	}
	if len(g.Lacks) > 0 {
		f.Say += "; a run's workspaces lack " + strings.Join(g.Lacks, ", ")
	}
	switch {
	case len(g.Doing) > 0:
		f.OK, f.Say = false, f.Say+"; unfinished: "+strings.Join(g.Doing, ", ")
		f.Hint = "finish or abort it before socrates work accept: git status"
	case g.Locked:
		f.OK, f.Say = false, f.Say+"; the index is locked"
		f.Hint = "wait for the other git command; if it crashed, delete index.lock in the git folder"
	case g.Nobody:
		f.OK, f.Say = false, f.Say+"; git does not know your name"
		f.Hint = `set it, or the commits name Socrates as their author: git config --global user.name "…", and user.email`
	}
	return f
}

// examineExecutors reports which seats can execute the steps of a plan.
func examineExecutors(ctx context.Context, a *call.Call, seats []home.Found) finding {
	f := finding{Name: "executors", Hint: "list seats: socrates seats; name one with --executor"}
	if err := a.Home.Gate.RequireSandbox(); err != nil {
		f.Say, f.Hint = failure.Explain(err).Message, ""
		return f
	}
	var can, cannot []string
	for _, s := range seats {
		if !s.IsModel() || !s.Ready {
			continue
		}
		if err := a.Home.CheckExecutor(ctx, s.Spec); err == nil {
			can = append(can, s.Spec)
		} else {
			cannot = append(cannot, failure.Explain(err).Message)
		}
	}
	f.OK = len(can) > 0
	if f.Say = "can execute plans: " + strings.Join(can, ", "); !f.OK {
		f.Say = "no model can execute plans"
	}
	if len(cannot) > 0 {
		f.Say += "; " + strings.Join(cannot, "; ")
	}
	return f
}

// examineChecks reports which commands may prove steps in this project, and which of their programs are missing.
func examineChecks(a *call.Call) finding {
	f := finding{Name: "checks"}
	dir, err := a.Home.Settings.Project()
	if err != nil {
		f.Say = failure.Explain(err).Message
		return f
	}
	f.Hint = fmt.Sprintf("allow some: socrates config set checks.commands %q; or for one run: --check",
		cmp.Or(project.Tests(dir), "TEST COMMAND"))
	list, err := a.Home.CheckCommands(dir, nil)
	if err != nil {
		f.Say = failure.Explain(err).Message
		return f
	}
	var named, missing []string
	for _, words := range list {
		named = append(named, strings.Join(words, " "))
		// A path is relative to the project, and may exist only in its workspaces.
		if _, err := exec.LookPath(words[0]); err != nil && !strings.ContainsAny(words[0], `/\`) {
			missing = append(missing, words[0])
		}
	}
	switch {
	case len(named) == 0:
		f.Say = "no commands are allowed by checks.commands"
	case len(missing) > 0:
		f.Say, f.Hint = "not installed: "+strings.Join(missing, ", "), "install it, or change checks.commands"
	default:
		f.OK, f.Say = true, strings.Join(named, "; ")
	}
	return f
}

// leastFree is the space that should be free for workspaces: a run takes as much as its checks build.
const leastFree = 1 << 30

// examineDisk reports the free space for workspaces of runs, and how much they use.
func examineDisk(a *call.Call) finding {
	f := finding{Name: "disk"}
	folder, err := a.Home.Runs()
	if err != nil {
		f.Say = failure.Explain(err).Message
		return f
	}
	there := folder
	for {
		if _, err := os.Stat(there); err == nil || filepath.Dir(there) == there {
			break
		}
		there = filepath.Dir(there)
	}
	free, err := workspace.Free(there)
	if err != nil {
		f.Say = "cannot tell the free space at " + there + ": " + failure.Because(err)
		return f
	}
	runs, _ := os.ReadDir(folder) // no runs yet
	f.OK, f.Say = free >= leastFree, fmt.Sprintf("%.1f GB free at %s", float64(free)/(1<<30), folder)
	if n := len(runs); n > 0 {
		f.Say += fmt.Sprintf("; %s there, %s", out.Count(n, "folder"), call.Megabytes(workspace.Size(folder)))
	}
	if !f.OK {
		f.Hint = "free some: socrates work prune; or delete runs: socrates work rm"
	}
	return f
}
