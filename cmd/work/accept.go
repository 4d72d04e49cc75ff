package work

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newAccept is the command accept. Flags that contradict each other are refused before the engine is asked, which
// checks the rest: that nothing is overwritten and that the project is still where the run began.
func newAccept(a *commands) *cobra.Command {
	op, request, r := runs.Accept{}, false, runs.Request{}
	c := &cobra.Command{Use: "accept [RUN]", Short: "Bring the result of a run into the project",
		Long: `Fast-forward the checked-out branch to a run's result, or create a branch for it with --branch.
--squash makes one commit of it, --merge adds a merge commit, --patch changes your files without
committing. Uncommitted work is never overwritten: if files would be lost, or the project has moved
on since the run began, nothing is changed. In the second case, rebase the result first: socrates
work rebase.

--pr creates the branch and opens a pull request with gh, or a merge request with glab if the remote
is on GitLab, under your own login. Its text contains the decision, the dissent and the checks.
Nothing is pushed without --push.`,
		Example: `  socrates work accept
  socrates work accept --squash --branch retry-limit
  socrates work accept --pr --push --draft`}
	s := c.Flags()
	s.StringVar(&op.Branch, "branch", "", "create this `branch`; leave the checkout unchanged")
	s.BoolVar(&op.Squash, "squash", false, "make one commit whose message names every step")
	s.BoolVar(&op.Merge, "merge", false, "add a merge commit")
	s.BoolVar(&op.Patch, "patch", false, "change the files without committing")
	s.BoolVar(&op.Partial, "partial", false, "accept the merged steps although others remain")
	s.BoolVar(&request, "pr", false, "create a branch and open a pull or merge request")
	s.BoolVar(&r.Draft, "draft", false, "open the request as a draft")
	s.BoolVar(&r.Push, "push", false, "push the branch first")
	s.StringVar(&r.Remote, "remote", "origin", "`remote` for the pull request")
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		op.Run = name
		switch {
		case op.Squash && op.Merge:
			return failure.Usage("--squash and --merge cannot be combined", "use one of them")
		case op.Patch && (op.Branch != "" || op.Squash || op.Merge || request):
			return failure.Usage("--patch commits nothing, so it cannot create a branch, commit or pull request",
				"leave the other flag out")
		case !request && (r.Draft || r.Push || s.Changed("remote")):
			return failure.Usage("--draft, --push and --remote need a pull request", "add --pr")
		}
		// A nil Request leaves the forge alone; an empty one would open a request.
		if request {
			op.Request = &r
		}
		if _, err := e.Do(ctx, op); err != nil {
			return err
		}
		_, s, err := a.status(ctx, e, name)
		if err != nil {
			return err
		}
		return a.done(fmt.Sprintf("Accepted %s: %s by %s, now at %.12s.", name, out.Count(len(s.Merges), "commit"), s.Taken.How,
			s.Taken.Commit),
			map[string]any{"run": name, "commit": s.Taken.Commit, "how": s.Taken.How, "branch": s.Taken.Branch, "url": s.Taken.URL})
	})
}
