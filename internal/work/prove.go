package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// prove examines the change and runs the checks, once. Checks run only if the shape of the change does not already
// fail. A failure also reports what the gate refused, which may be the cause.
func (r *Run) prove(ctx context.Context, t plan.Task, c record.Claim, tried record.Tried) (v proof.Verdict, err error) {
	if p, ok := journal.Recall(r.book, record.ProofKind, tried.Key); ok {
		return p.Verdict, r.fillOutputs(ctx, &p.Verdict, c.Base, tried.Commit)
	}
	edits, err := r.Space.Edits(ctx, c.Base, tried.Commit)
	if err != nil {
		return v, err
	}
	shape, err := proof.Shape(t, edits, func(name string) (string, error) { return r.Space.Patch(ctx, c.Base, tried.Commit, name) })
	if err != nil {
		return v, err
	}
	if tried.Nested != "" {
		shape.State, shape.Why = proof.Person, append(shape.Why, tried.Nested)
	}
	if v = shape; shape.State != proof.Failed {
		ran, err := r.runChecks(ctx, t, c.Base, tried.Commit, edits)
		if err != nil {
			return v, err
		}
		if v = proof.Judge(t, ran); v.State == proof.Proved {
			v.State = shape.State
		}
		v.Why = append(shape.Why, v.Why...)
	}
	if v.State != proof.Proved { // it may be the cause
		for _, what := range tried.Refused {
			v.Why = append(v.Why, "it was not allowed: "+what)
		}
	}
	return v, r.book.Add(ctx, record.ProofKind.New(r.root, "code", record.Proven{Key: tried.Key,
		Task: t.ID, Commit: tried.Commit, Verdict: v}))
}

// runChecks runs the checks of the task and of the project, each at the base first. For a repair it also runs the
// change's tests on the old code: if they pass there, they show nothing.
func (r *Run) runChecks(ctx context.Context, t plan.Task, base, commit string, edits []workspace.Edit) (ran []proof.Ran, err error) {
	without := base
	if tests := proof.Tests(edits); t.Fixes && len(tests) > 0 {
		if without, err = r.Space.With(ctx, base, commit, tests); err != nil {
			return nil, err
		}
	}
	for _, command := range r.checkCommands(t) {
		one := proof.Ran{Command: command, Own: isOwnCheck(t, command)}
		if one.Base, err = r.check(ctx, base, command); err != nil {
			return nil, err
		}
		if one.After, err = r.check(ctx, commit, command); err != nil {
			return nil, err
		}
		if t.Fixes && one.Own {
			o, err := r.check(ctx, without, command)
			if err != nil {
				return nil, err
			}
			one.Without = &o
		}
		ran = append(ran, one)
	}
	return ran, nil
}

// fillOutputs fills in the outputs of a recorded proof's checks.
func (r *Run) fillOutputs(ctx context.Context, v *proof.Verdict, base, commit string) (err error) {
	for i := range v.Checks {
		if v.Checks[i].After, err = r.check(ctx, commit, v.Checks[i].Command); err != nil {
			return err
		}
	}
	return nil
}

// applyReview asks another model to review a proved change, once for each change. An objection counts only if it
// quotes the change, which code checks. The author is told; if tries are used up, a person decides. A quote that is
// not in the change is recorded and does not count: reviewers invent.
func (r *Run) applyReview(ctx context.Context, t plan.Task, c record.Claim, tried record.Tried, v proof.Verdict) (proof.Verdict, error) {
	done, ok := journal.Recall(r.book, objection.Kind, tried.Key)
	if !ok {
		var err error
		if done, err = r.askReviewer(ctx, t, c, tried, v); err != nil {
			return v, err
		}
	}
	for _, o := range done.Objections {
		if o.Found {
			v.State, v.Why = proof.Failed, append(v.Why, "a reviewer objects: "+o.String())
		}
	}
	if done.Failed != "" {
		v.State, v.Why = proof.Person, append(v.Why, "nobody could review it: "+done.Failed)
	}
	if v.State == proof.Failed && tried.Try > r.options.Retries {
		v.State = proof.Person
	}
	return v, nil
}

// askReviewer lets the reviewer read a proved change, and records the objections and whether their quotes are in it.
// A reviewer that fails has no objections, and its failure is recorded.
func (r *Run) askReviewer(ctx context.Context, t plan.Task, c record.Claim, tried record.Tried, v proof.Verdict) (objection.Review, error) {
	done := objection.Review{Key: tried.Key, Task: t.ID, Commit: tried.Commit, By: r.reviewer(t)}
	patch, err := r.Space.Patch(ctx, c.Base, tried.Commit)
	if err != nil {
		return done, err
	}
	patch = clean.Reveal(patch)
	name := record.Conversation(r.frame.Run, c)
	rep, err := r.Review(ctx, Job{Run: r.frame.Run, Name: name + objection.End, Dir: r.Space.Place(name), Text: reviewText(r.plan, t, v,
		patch),
		Executor: done.By, Timeout: r.options.Timeout})
	if err != nil {
		return done, err
	}
	done.Failed, done.Usage = rep.Failed, rep.Usage
	var ok bool
	if done.Objections, ok = objection.Read(rep.Said, patch); !ok && done.Failed == "" {
		done.Failed = "its answer neither objects in the required form nor says none"
	}
	return done, r.dispatcher.report(ctx, c, objection.Kind.New(r.root, done.By, done))
}

// check runs a command at a commit in a clean clone, once for each tree. The key is the tree, not the commit: commits
// differ in message and time, and a check sees neither. Two steps that need the same check wait for one run of it.
// Its duration and output are recorded with it.
func (r *Run) check(ctx context.Context, commit string, command []string) (proof.Outcome, error) {
	of, err := r.Space.Tree(ctx, commit)
	if err != nil {
		return proof.Outcome{}, err
	}
	key := of + " " + fmt.Sprintf("%q", command)
	lock, _ := r.checking.LoadOrStore(key, &sync.Mutex{}) // two tasks on one base need the same check
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	if c, ok := journal.Recall(r.book, record.CheckKind, key); ok {
		c.Outcome.Output, err = r.book.Open(ctx, c.Outcome.Text)
		return c.Outcome, err
	}
	begun := time.Now()
	o, err := r.runInClone(ctx, commit, of, command)
	if err != nil {
		return o, err
	}
	o.Empty = o.Passed && proof.Empty(o.Output)
	if o.Text, err = r.book.Keep(ctx, o.Output); err != nil {
		return o, err
	}
	return o, r.book.Add(ctx, record.CheckKind.New(r.root, "code", record.Checked{Key: key, Tree: of, Command: command, Outcome: o,
		MS: time.Since(begun).Milliseconds()}))
}

// keepOutput stores the output of a check at a commit, if it has run.
func keepOutput(ctx context.Context, r *Run, commit string, command []string) (text string, err error) {
	o, err := r.check(ctx, commit, command)
	if err != nil {
		return "", err
	}
	return r.book.Keep(ctx, o.Output)
}

// runInClone runs a command at a commit. Programs' caches are kept if the files are those that the run began with,
// which no agent wrote. Otherwise they are discarded, except for what was built without running the files: a later
// check gets nothing from a change but its files.
func (r *Run) runInClone(ctx context.Context, commit, tree string, command []string) (o proof.Outcome, err error) {
	first, err := r.Space.Tree(ctx, r.base)
	if err != nil {
		return o, err
	}
	if tree == first {
		r.seeding.Lock()
		defer r.seeding.Unlock()
	} else {
		r.seeding.RLock()
		defer r.seeding.RUnlock()
	}
	n := r.cloneNumbers.take()
	defer r.cloneNumbers.free(n)
	c, err := r.Space.Clean(ctx, n, commit, tree == first)
	if err != nil {
		return o, err
	}
	if c.Env, err = variables(r.Space, fmt.Sprintf("proof-%d", n), r.options.Setup.Ports); err != nil {
		return o, err
	}
	why, err := r.runSetup(ctx, c)
	if why != "" {
		o = proof.Outcome{Code: -1, Cut: "not run: no workspace", Output: why}
	} else if err == nil {
		o, err = r.Check(ctx, c, command, r.options.Check)
	}
	return o, errors.Join(err, context.Cause(ctx), c.End())
}

// checkCommands returns the checks of a task, then those of the project.
func (r *Run) checkCommands(t plan.Task) (list [][]string) {
	for _, c := range t.Checks {
		if len(c.Command) > 0 {
			list = append(list, c.Command)
		}
	}
	for _, command := range r.options.Checks {
		if !isOwnCheck(t, command) {
			list = append(list, command)
		}
	}
	return list
}

// isOwnCheck reports whether a check belongs to the step, and not to the whole run.
func isOwnCheck(t plan.Task, command []string) bool {
	return slices.ContainsFunc(t.Checks, func(c plan.Check) bool { return slices.Equal(c.Command, command) })
}

// failingCheck returns the first check that stops a commit from being merged: of the task, of those merged below it,
// or one of the project's that was green before. nil: it is green. A check of the project that was red before does
// not count against a step; a check of the step itself always does.
func (r *Run) failingCheck(ctx context.Context, t Task, since []record.Merged, final string) ([]string, error) {
	commands := r.checkCommands(t.Task)
	for _, m := range since {
		u, _ := r.plan.Task(m.Task)
		for _, c := range u.Checks {
			if len(c.Command) > 0 && !slices.ContainsFunc(commands, func(known []string) bool { return slices.Equal(known, c.Command) }) {
				commands = append(commands, c.Command)
			}
		}
	}
	for _, command := range commands {
		o, err := r.check(ctx, final, command)
		if err != nil {
			return nil, err
		}
		if o.Passed {
			continue
		}
		if !isOwnCheck(t.Task, command) {
			if before, err := r.check(ctx, r.branchHead(), command); err != nil || !before.Passed {
				if err != nil {
					return nil, err
				}
				continue // it was red before
			}
		}
		return command, nil
	}
	return nil, nil
}

// cloneNumbers are the numbers of the clean clones in use. The lowest free one is taken: folders are reused, builds
// in them are warm, and programs keep caches by the folder they work in.
type cloneNumbers struct {
	mu   sync.Mutex
	used []bool
}

func (c *cloneNumbers) take() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := slices.Index(c.used, false)
	if n < 0 {
		n, c.used = len(c.used), append(c.used, false)
	}
	c.used[n] = true
	return n
}

func (c *cloneNumbers) free(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used[n] = false
}
