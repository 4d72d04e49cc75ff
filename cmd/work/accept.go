package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/forge"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/accept"
)

// newAccept returns the command accept. Contradicting flags are refused before the engine is asked, which checks the
// rest: that nothing is overwritten and that the project is still where the run began.
func newAccept(a *commands) *cobra.Command {
	op, r := runs.Accept{}, request{}
	c := &cobra.Command{Use: "accept [RUN]", Short: "Bring the result of a run into the project",
		Long: `Fast-forward the checked-out branch to a run's result, or create a branch for it with --branch.
--squash makes one commit of it, --merge adds a merge commit, --patch changes your files without
committing. Uncommitted work is never overwritten: if files would be lost, or the project has moved
on since the run began, nothing is changed. In the second case, rebase the result first: socrates
work rebase.

--pr creates the branch and opens a pull request with gh, or a merge request with glab if the remote
is on GitLab, under your own login. Its text contains the decision, the dissent and the checks. If
you run it again, it reports whether that request is open, merged or closed; to open another one, name
another --branch. Nothing is pushed without --push. --wait waits for the forge's checks and exits with
9 if one fails; --auto-merge has the forge merge the request once they pass.`,
		Example: `  socrates work accept
  socrates work accept --squash --branch retry-limit
  socrates work accept --pr --push --draft`}
	s := c.Flags()
	s.StringVar(&op.Branch, "branch", "", "create this `branch`; leave the checkout unchanged")
	s.BoolVar(&op.Squash, "squash", false, "make one commit whose message names every step")
	s.BoolVar(&op.Merge, "merge", false, "add a merge commit")
	s.BoolVar(&op.Patch, "patch", false, "change the files without committing")
	s.BoolVar(&op.Partial, "partial", false, "accept the merged steps even if others remain")
	r.flags(c)
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		op.Run = name
		switch {
		case op.Squash && op.Merge:
			return failure.Usage("--squash and --merge cannot be combined", "use one of them")
		case op.Patch && (op.Branch != "" || op.Squash || op.Merge || r.open):
			return failure.Usage("--patch commits nothing, so it cannot create a branch, commit or pull request",
				"leave the other flag out")
		}
		if err := r.sound(); err != nil {
			return err
		}
		_, was, err := a.status(ctx, e, name)
		if err != nil {
			return err
		}
		s, err := r.accept(ctx, a, e, op)
		if err != nil {
			return err
		}
		said := fmt.Sprintf("Accepted %s: %s by %s, now at %.12s.", name, out.Count(len(s.Merges), "commit"), s.Taken.How,
			cmp.Or(s.Taken.At, s.Taken.Commit))
		if op.Patch {
			said = fmt.Sprintf("Accepted %s: %s by %s. Review and commit the changes: git status", name, out.Count(len(s.Merges), "commit"),
				s.Taken.How)
		}
		if r.open && was.Request != nil && was.Request.URL == s.Taken.URL {
			said = again(name, *s.Taken)
		}
		return a.done(said, accepted{name, s.Taken.Commit, s.Taken.How, s.Taken.Branch, s.Taken.URL, string(s.Taken.State)})
	})
}

// again describes the state of the request that a run already has.
func again(run string, t accept.Taken) string {
	switch t.State {
	case accept.Merged:
		return fmt.Sprintf("The pull request of %s was merged: %s. Fetch it with git pull.", run, t.URL)
	case accept.Moved:
		return fmt.Sprintf("The pull request of %s is open already: %s. Somebody has pushed to its branch since: it is no longer at %.12s.",
			run, t.URL, t.Pushed)
	}
	return fmt.Sprintf("The pull request of %s is open already: %s, branch %s at %.12s.", run, t.URL, t.Branch, cmp.Or(t.Pushed, t.Commit))
}

// request holds the flags for a pull or merge request.
type request struct {
	runs.Request
	open, wait bool
}

// flags adds the flags of a pull or merge request.
func (r *request) flags(c *cobra.Command) {
	s := c.Flags()
	s.BoolVar(&r.open, "pr", false, "create a branch and open a pull or merge request")
	s.BoolVar(&r.Draft, "draft", false, "open the request as a draft")
	s.BoolVar(&r.Push, "push", false, "push the branch first")
	s.StringVar(&r.Remote, "remote", "", "`remote` for the pull request (default origin)")
	s.BoolVar(&r.wait, "wait", false, "wait until the request's checks end")
	s.StringVar(&r.Merge, "auto-merge", "", "have the forge merge it once its checks pass: merge, squash, rebase")
}

// sound refuses flags that have no effect without a request.
func (r *request) sound() error {
	if !r.open && (r.Draft || r.Push || r.wait || r.Merge != "" || r.Remote != "") {
		return failure.Usage("--draft, --push, --remote, --wait and --auto-merge need a pull request", "add --pr")
	}
	if r.Remote = cmp.Or(r.Remote, "origin"); r.Merge != "" && !slices.Contains(forge.Ways, r.Merge) {
		return failure.Usage(fmt.Sprintf("--auto-merge must be %s, not %q", spelling.Either(forge.Ways), r.Merge), "")
	}
	return nil
}

// accept accepts a result, and waits as requested. It returns the status after that, also if the checks failed.
func (r *request) accept(ctx context.Context, a *commands, e *engine.Engine, op runs.Accept) (work.Status, error) {
	// A nil Request does not use the forge; an empty one would open a request.
	if r.open {
		op.Request = &r.Request
	}
	_, err := e.Do(ctx, op)
	_, s, serr := a.status(ctx, e, op.Run)
	if err == nil && serr == nil && r.open && r.wait && s.Taken.State != accept.Merged {
		err = r.checked(ctx, a, e, op.Run)
	}
	return s, cmp.Or(err, serr)
}

// checked waits for the forge's checks of a request.
func (r *request) checked(ctx context.Context, a *commands, e *engine.Engine, run string) error {
	a.Out.Tell("Waiting for the checks of its pull request.\n")
	failed, none, err := runs.In(e).Checks(ctx, run, r.Remote)
	switch {
	case err != nil:
		return err
	case none:
		a.Out.Tell("The request has no checks.\n")
	case len(failed) > 0:
		return failure.New(failure.ExitTasks, "checks", "the pull request is open, but its checks failed: "+strings.Join(failed, ", "),
			"see it: socrates work report "+run)
	default:
		a.Out.Tell("All checks of the request have passed.\n")
	}
	return nil
}
