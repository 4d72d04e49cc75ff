package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Again is a part of a run that was recomputed from its record.
type Again struct {
	What  string
	Count int      // of recomputed parts
	Wrong []string // what does not follow, in sentences
}

// recheck recomputes a run, node by node, with what was known at each. found keeps the order in which parts first
// occur, which is the order of the report.
type recheck struct {
	*Run
	nodes  []tree.Node
	claims []record.Claim
	merges []record.Merged
	found  []*Again
}

// Recheck recomputes the decisions of code in a run: plans from their texts, proofs from the changes and the results
// of checks, objections from the changes, races from the comparisons, and merges from their parts. It runs nothing
// and asks nobody. Its errors are those of git and of the context; what does not follow is in Again. It sets r.Check
// and appends nothing.
func (r *Run) Recheck(ctx context.Context, j journal.Journal) ([]Again, error) {
	all := j.Nodes
	j.Nodes = slices.DeleteFunc(slices.Clone(all), func(n tree.Node) bool { return n.Kind == string(record.ProofKind) })
	j.Append = func(_ context.Context, nodes ...tree.Node) ([]tree.Node, error) { return nodes, nil }
	j.Put = func(context.Context, string) (string, error) { return "", nil }
	r.Check = func(_ context.Context, _ workspace.Clean, command []string, _ time.Duration) (proof.Outcome, error) {
		return proof.Outcome{}, fmt.Errorf("%w: the result of %q", journal.ErrNotRecorded, strings.Join(command, " "))
	}
	s, err := r.load(j)
	if err != nil {
		return nil, err
	}
	c := &recheck{Run: r, nodes: all}
	r.head = ""
	for i, n := range all {
		if err := c.node(ctx, i, n); err != nil {
			return nil, err
		}
	}
	c.tally("branch", len(c.merges), r.head == s.Head, "it ends at %.12s, which is not the result of its merges", s.Head)
	var out []Again
	for _, f := range c.found {
		out = append(out, *f)
	}
	return out, nil
}

// tally counts recomputed parts and records whether they follow.
func (c *recheck) tally(what string, n int, ok bool, format string, args ...any) {
	i := slices.IndexFunc(c.found, func(f *Again) bool { return f.What == what })
	if i < 0 {
		i, c.found = len(c.found), append(c.found, &Again{What: what})
	}
	if c.found[i].Count += n; !ok {
		c.found[i].Wrong = append(c.found[i].Wrong, fmt.Sprintf(format, args...))
	}
}

// follows is tally for one part that may not have been computable, which is wrong, too, unless git could not be asked
// at all.
func (c *recheck) follows(ctx context.Context, what, name string, ok bool, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		c.tally(what, 1, false, "%s cannot be computed: %v", name, err)
		return nil
	}
	c.tally(what, 1, ok, "%s does not follow from the record", name)
	return nil
}

// node checks one node of the record: a decision of code there must follow from earlier nodes.
func (c *recheck) node(ctx context.Context, at int, n tree.Node) error {
	switch v := Body(n).(type) {
	case way.Planned:
		c.plan = v.Plan
		text, err := c.book.Open(ctx, v.Text)
		p, faults := plan.Read(text)
		return c.follows(ctx, "plans", fmt.Sprintf("version %d", v.Version), len(faults) == 0 && sameJSON(p, v.Plan), err)
	case record.Begun:
		c.head = v.Base.Commit
	case record.Claim:
		c.claims = append(c.claims, v)
	case record.Proven:
		again, err := c.proof(ctx, v)
		return c.follows(ctx, "proofs", "proof "+v.Key, sameJSON(again, v.Verdict), err)
	case objection.Review:
		ok, err := c.objections(ctx, v)
		return c.follows(ctx, "reviews", "review "+v.Key, ok, err)
	case choice.Choice:
		ok, err := c.choice(ctx, v)
		return c.follows(ctx, "races", "race "+v.Key, ok, err)
	case record.Merged:
		ok, err := c.merged(ctx, v)
		c.head, c.merges = v.Commit, append(c.merges, v)
		return c.follows(ctx, "merges", "the merge of step "+v.Task, ok, err)
	case record.Moved:
		ok, err := c.moved(ctx, v)
		c.head, c.merges = v.Head, v.Picks
		return c.follows(ctx, "merges", "the move onto "+v.Onto, ok, err)
	case record.Ended:
		if v.State == string(Paused) || v.State == string(Cancelled) {
			break
		}
		s, _ := Read(c.nodes[:at])
		c.tally("ends", 1, string(s.Outcome()) == v.State && s.Head == v.Head, "it ended as %s, not %s", s.Outcome(), v.State)
	}
	return nil
}

// sameJSON reports whether two values have the same recorded bytes.
func sameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	y, also := json.Marshal(b)
	return err == nil && also == nil && string(x) == string(y)
}

// claim returns the claim of an attempt, by a key that begins with it.
func (c *recheck) claim(key string) (record.Claim, error) {
	for _, v := range slices.Backward(c.claims) {
		if strings.HasPrefix(key+"/", attemptKey(v)+"/") {
			return v, nil
		}
	}
	return record.Claim{}, fmt.Errorf("nobody claimed %s", key)
}

// proof proves a try again from the results of its checks.
func (c *recheck) proof(ctx context.Context, was record.Proven) (v proof.Verdict, err error) {
	claim, err := c.claim(was.Key)
	tried, ok := journal.Recall(c.book, record.TryKind, was.Key)
	t, known := c.plan.Task(was.Task)
	if !ok || !known || tried.Commit != was.Commit {
		err = errors.Join(err, fmt.Errorf("its try: %w", journal.ErrNotRecorded))
	}
	if err != nil {
		return v, err
	}
	return c.prove(ctx, t, claim, tried)
}

// objections reports whether quotes are marked as found exactly where they are.
func (c *recheck) objections(ctx context.Context, was objection.Review) (bool, error) {
	claim, err := c.claim(was.Key)
	if err != nil {
		return false, err
	}
	patch, err := c.Space.Patch(ctx, claim.Base, was.Commit)
	return !slices.ContainsFunc(was.Objections, func(o objection.Objection) bool { return o.In(patch) != o.Found }), err
}

// choice reports whether the recorded comparisons give the racer that was kept.
func (c *recheck) choice(ctx context.Context, was choice.Choice) (bool, error) {
	var looks []choice.Look
	for n := range choice.Looks {
		if l, ok := journal.Recall(c.book, choice.LookKind, fmt.Sprintf("%s/%d", was.Key, n+1)); ok {
			looks = append(looks, l)
		}
	}
	for _, e := range was.Entrants {
		of, err := c.Space.Tree(ctx, e.Commit)
		if err != nil {
			return false, err
		}
		patch, err := c.Space.Patch(ctx, e.Base, e.Commit)
		if err != nil || of != e.Tree || choice.Lines(patch) != e.Lines {
			return false, err
		}
	}
	best, why := choice.Decide(was.Entrants, looks)
	return best == was.Best && why == was.Why, nil
}

// merged reports whether a merge is the proved change on top of the branch, and was green there. Green is taken from
// recorded checks; a check that was never recorded is an error, hence wrong.
func (c *recheck) merged(ctx context.Context, m record.Merged) (bool, error) {
	claim, err := c.claim(fmt.Sprintf("%s/%d", m.Task, m.Attempt))
	if err != nil || m.Onto != c.head {
		return false, err
	}
	want := m.Change
	if claim.Base != m.Onto {
		if want, _, err = c.Space.Merge(ctx, m.Onto, m.Change); err != nil {
			return false, err
		}
	}
	if ok, err := c.sameTree(ctx, m.Commit, want); err != nil || !ok {
		return false, err
	}
	t, _ := c.plan.Task(m.Task)
	red, err := c.failingCheck(ctx, Task{Task: t}, nil, m.Commit)
	return red == nil, err
}

// moved reports whether each merged step is on the new commit as picking it gives.
func (c *recheck) moved(ctx context.Context, m record.Moved) (bool, error) {
	at := m.Onto
	for _, pick := range m.Picks {
		i := slices.IndexFunc(c.merges, func(was record.Merged) bool { return was.Task == pick.Task })
		if i < 0 || pick.Onto != at {
			return false, nil
		}
		want, _, err := c.Space.Pick(ctx, at, c.merges[i].Onto, c.merges[i].Commit)
		if err != nil {
			return false, err
		}
		if ok, err := c.sameTree(ctx, pick.Commit, want); err != nil || !ok {
			return false, err
		}
		at = pick.Commit
	}
	return at == m.Head, nil
}

// sameTree reports whether a commit has a tree, or that of another commit.
func (c *recheck) sameTree(ctx context.Context, commit, want string) (bool, error) {
	of, err := c.Space.Tree(ctx, commit)
	if err != nil {
		return false, err
	}
	wanted, err := c.Space.Tree(ctx, want)
	return of == wanted, err
}
