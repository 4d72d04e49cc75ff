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

func newAccept(a *commands) *cobra.Command {
	op, request, r := runs.Accept{}, false, runs.Request{}
	c := &cobra.Command{Use: "accept [RUN]", Short: "Bring the result of a run into the project",
		Long: `Fast-forward the branch that is checked out to the result of a run, or make a branch of it with
--branch; --squash and --merge say in which form. --patch changes your files and commits nothing.
Uncommitted work is never written over: where files would be lost, or the project has moved on
since the run began, nothing is changed. Then socrates work rebase puts the result on top of what
came meanwhile.

--pr makes the branch and opens a pull request with gh, or a merge request with glab if the remote
is a GitLab, under your own login. Its text has the decision, the dissent and the checks. Nothing
is pushed without --push.`,
		Example: `  socrates work accept
  socrates work accept --squash --branch retry-limit
  socrates work accept --pr --push --draft`}
	s := c.Flags()
	s.StringVar(&op.Branch, "branch", "", "make this `branch` instead; the checkout stays as it is")
	s.BoolVar(&op.Squash, "squash", false, "as one commit, whose message names every step")
	s.BoolVar(&op.Merge, "merge", false, "with a merge commit on top")
	s.BoolVar(&op.Patch, "patch", false, "change the files, commit nothing")
	s.BoolVar(&op.Partial, "partial", false, "accept what is merged although steps are left")
	s.BoolVar(&request, "pr", false, "make a branch and open a pull or merge request")
	s.BoolVar(&r.Draft, "draft", false, "open it as a draft")
	s.BoolVar(&r.Push, "push", false, "push the branch first")
	s.StringVar(&r.Remote, "remote", "origin", "`remote` of the pull request")
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		op.Run = name
		switch {
		case op.Squash && op.Merge:
			return failure.Usage("--squash and --merge are two forms of the result", "leave one out")
		case op.Patch && (op.Branch != "" || op.Squash || op.Merge || request):
			return failure.Usage("--patch commits nothing, so it makes no branch, commit or pull request", "leave the other flag out")
		case !request && (r.Draft || r.Push):
			return failure.Usage("--draft and --push are for a pull request", "add --pr")
		}
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
