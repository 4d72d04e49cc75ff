package work

import (
	"context"
	"sort"
	"strings"

	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// mergeOnto makes the commit to merge, if it is allowed. It is checked before it is merged, unless that tree was
// checked already. A clash names the merge that causes it if one alone does, so that the next attempt can be told.
func (r landing) mergeOnto(ctx context.Context, t Task, c record.Claim, commit string) (*record.Clash, string, error) {
	clash := &record.Clash{Key: attemptKey(c), Task: t.ID, Kept: commit}
	since := r.mergesSince(c.Base)
	head := r.branchHead()
	tree, files, err := r.Space.Merge(ctx, head, commit)
	if err != nil {
		return nil, "", err
	}
	if len(files) > 0 {
		clash.Files = files
		for _, m := range since {
			if _, both, err := r.Space.Merge(ctx, m.Commit, commit); err != nil || len(both) > 0 {
				clash.With = m.Task
				return clash, "", err
			}
		}
		return clash, "", nil
	}
	final, err := r.Space.Commit(ctx, tree, commitMessage(r.frame.Run, t.Task, c), head)
	if err != nil {
		return nil, "", err
	}
	red, err := r.failingCheck(ctx, t, since, final)
	if err != nil || red == nil {
		return nil, final, err
	}
	clash.Check = red
	if clash.With, err = r.culprit(ctx, commit, since, red); err != nil {
		return nil, "", err
	}
	clash.Text, err = keepOutput(ctx, r.Run, final, red)
	return clash, "", err
}

// mergesSince returns the merges onto the branch after a commit, in order.
func (r *Run) mergesSince(base string) []record.Merged {
	s, _ := Read(r.book.Recorded())
	for i, m := range s.Merges {
		if m.Onto == base {
			return s.Merges[i:]
		}
	}
	return s.Merges // the branch has been moved since
}

// culprit finds by bisection the merge with which a change turns a check red. Merges are in order, and it assumes
// that a check that is red with the n-th is red with all later ones.
func (r landing) culprit(ctx context.Context, commit string, since []record.Merged, command []string) (string, error) {
	var failed error
	at := sort.Search(len(since), func(i int) bool {
		if failed != nil || i == len(since)-1 {
			return true
		}
		tree, files, err := r.Space.Merge(ctx, since[i].Commit, commit)
		if err != nil || len(files) > 0 {
			failed = err
			return true
		}
		both, err := r.Space.Commit(ctx, tree, "A trial merge", since[i].Commit)
		if err != nil {
			failed = err
			return true
		}
		var o proof.Outcome
		o, failed = r.check(ctx, both, command)
		return !o.Passed
	})
	if failed != nil || at >= len(since) {
		return "", failed
	}
	return since[at].Task, nil
}

// clashText stores what the next attempt is told about a clash: both briefs, and the change that was set aside. Texts
// are cut: the brief of an agent must leave room for its work.
func (r *Run) clashText(ctx context.Context, c *record.Clash) (string, error) {
	var b strings.Builder
	b.WriteString("\n# Redo this step\n\nA change was made for this step and was right by itself. ")
	b.WriteString("Meanwhile another step was merged, and the two do not work together: " + c.String() + ".\n")
	b.WriteString("Your folder has the other step's change. Do this step on top of it, so that both hold.\n")
	if u, ok := r.plan.Task(c.With); ok {
		b.WriteString("\n## The other step: " + u.Title + "\n\n" + u.Brief + "\n")
	}
	out, err := r.book.Open(ctx, c.Text)
	if err != nil {
		return "", err
	}
	if out != "" {
		b.WriteString("\n## What the check printed with both\n\n" + fence(tail(out, 4000)))
	}
	patch, err := r.Space.Patch(ctx, c.Kept+"^", c.Kept)
	if err != nil {
		return "", err
	}
	b.WriteString("\n## The change that was made before\n\n" + fence(head(patch, 12_000)))
	return r.book.Keep(ctx, b.String())
}
