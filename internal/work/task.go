package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// mostClashes is how often a change may clash with what was merged meanwhile, before a person must look. Three
// clashes in a row mean that the steps are not independent, contrary to the plan.
const mostClashes = 3

// progress is the progress of a task: the current executor, the number of its last attempt, and how often its change
// clashed with the branch.
type progress struct {
	claim         record.Claim
	last, clashes int
}

// doTask executes one task: attempts by one executor after the other, or first a race, each proved, until one is
// merged or no executor is left. A change that a person approved is merged first; only if it clashes is the step
// repeated.
func (r *Run) doTask(ctx context.Context, t Task) error {
	if t.approved != "" {
		if clash, err := r.land(ctx, t, *t.Claim, t.approved); err != nil || clash == nil {
			return err
		}
	}
	if r.isRace(t) {
		return r.race(ctx, t)
	}
	c, err := r.nextClaim(ctx, t)
	if err != nil {
		return err
	}
	return r.doSerially(ctx, t, &progress{claim: c, last: max(t.last, c.Attempt)})
}

// doSerially lets executors try one after the other.
func (r *Run) doSerially(ctx context.Context, t Task, prog *progress) error {
	for {
		var err error
		if r.breaker.isOpen(prog.claim.Executor) {
			other := r.breaker.firstReachable(r.executorsOf(t))
			if other == "" {
				return nil // the step is left for whoever resumes the run
			}
			prog.last++
			prog.claim = record.Claim{Task: t.ID, Attempt: prog.last, Executor: other, Base: r.branchHead(), Told: prog.claim.Told}
		}
		if prog.claim, err = r.dispatcher.claim(ctx, prog.claim); err != nil {
			return err
		}
		commit, v, err := r.attempt(ctx, t, prog.claim)
		if err != nil {
			return err
		}
		if over, err := r.afterProof(ctx, t, prog, commit, v); over || err != nil {
			return err
		}
	}
}

// afterProof acts on a proof. over: the task has ended; else prog has the next claim. A failure passes the step to
// the next executor of the chain; with none left it is given up.
func (r *Run) afterProof(ctx context.Context, t Task, prog *progress, commit string, v proof.Verdict) (over bool, err error) {
	c := prog.claim
	next := record.Claim{Task: t.ID, Executor: c.Executor}
	switch v.State {
	case proof.Person:
		return true, r.giveUp(ctx, c, true, commit, v.Why)
	case proof.Proved:
		clash, err := r.land(ctx, t, c, commit)
		if err != nil || clash == nil {
			return true, err
		}
		if prog.clashes++; prog.clashes == mostClashes {
			return true, r.giveUp(ctx, c, true, commit, []string{clash.String()})
		}
		if next.Told, err = r.clashText(ctx, clash); err != nil {
			return true, err
		}
	default:
		chain := r.executorsOf(t)
		switch at := slices.Index(chain, c.Executor); {
		case at >= 0 && at+1 < len(chain):
			next.Executor = chain[at+1]
		case v.State == unreachable: // that says nothing about the step: it is tried again, until the breaker opens
		default:
			return true, r.giveUp(ctx, c, false, commit, v.Why)
		}
		next.Told = c.Told
	}
	prog.last++
	next.Attempt, next.Base = prog.last, r.branchHead()
	prog.claim = next
	return false, nil
}

// nextClaim returns the claim to continue with: that of the previous worker, unless its attempt is over.
func (r *Run) nextClaim(ctx context.Context, t Task) (record.Claim, error) {
	fresh := record.Claim{Task: t.ID, Attempt: t.last + 1, Executor: r.executorsOf(t)[0], Base: r.branchHead()}
	if t.Claim == nil && t.Clash != nil { // it was based on a commit that the project has left
		var err error
		fresh.Told, err = r.clashText(ctx, t.Clash)
		if slices.Contains(r.executorsOf(t), t.Executor) {
			fresh.Executor = t.Executor
		}
		return fresh, err
	}
	if t.Claim == nil {
		return fresh, nil
	}
	c := *t.Claim
	clash, over := journal.Recall(r.book, record.ClashKind, attemptKey(c))
	if !over {
		return c, nil
	}
	var err error
	fresh.Executor = c.Executor
	fresh.Told, err = r.clashText(ctx, &clash)
	return fresh, err
}

// branchHead returns the head of the run's branch.
func (r *Run) branchHead() string {
	r.waiting.Lock()
	defer r.waiting.Unlock()
	return r.head
}

// executorsOf returns the executors of a task, in the order in which they try it.
func (r *Run) executorsOf(t Task) []string {
	if t.Given != "" {
		return []string{t.Given}
	}
	if t.Task.Executor != "" {
		return []string{t.Task.Executor}
	}
	return r.options.Executors
}

// attemptKey names an attempt in the record.
func attemptKey(c record.Claim) string { return fmt.Sprintf("%s/%d", c.Task, c.Attempt) }

// attempt lets one executor try until its change is proved, it makes no progress, or its tries are used up. The same
// tree, or the same output of failed checks, twice means that the agent goes in circles; then its remaining tries are
// saved.
func (r *Run) attempt(ctx context.Context, t Task, c record.Claim) (commit string, v proof.Verdict, err error) {
	told, err := r.book.Open(ctx, c.Told)
	if err != nil {
		return "", v, err
	}
	text, seen := brief(r.plan, t.Task)+told, map[string]bool{}
	for try := 1; ; try++ {
		tried, err := r.try(ctx, c, try, text)
		if err != nil {
			return "", v, err
		}
		if tried.Failed != "" {
			v = proof.Verdict{State: proof.Failed, Why: []string{c.Executor + ": " + tried.Failed}}
			if tried.Away {
				v.State = unreachable
			}
			return tried.Commit, v, nil
		}
		if v, err = r.prove(ctx, t.Task, c, tried); err == nil && v.State == proof.Proved && r.reviewer(t.Task) != "" {
			v, err = r.applyReview(ctx, t.Task, c, tried, v)
		}
		if err != nil || v.State != proof.Failed {
			return tried.Commit, v, err
		}
		of, err := r.Space.Tree(ctx, tried.Commit)
		if err != nil {
			return "", v, err
		}
		out := v.Output(6000)
		if try > r.options.Retries || seen[of] || out != "" && seen[out] {
			return tried.Commit, v, nil
		}
		seen[of], seen[out] = true, true
		text = retryText(v, out)
	}
}

// reviewer returns the seat that reviews a task; empty: none.
func (r *Run) reviewer(t plan.Task) string {
	if t.High {
		return cmp.Or(r.options.Review, r.options.Risky)
	}
	return r.options.Review
}

// try lets the agent work once, and commits its workspace. A recorded try is not repeated. An agent that was silent,
// or filled the disk, has failed; what it left is committed all the same, unless it is too large, so that nothing is
// lost and the next try sees it.
func (r *Run) try(ctx context.Context, c record.Claim, n int, text string) (record.Tried, error) {
	key := fmt.Sprintf("%s/%d", attemptKey(c), n)
	if t, ok := journal.Recall(r.book, record.TryKind, key); ok {
		return t, nil
	}
	name := record.Conversation(r.frame.Run, c)
	dir, err := r.Space.Clone(ctx, name, c.Base)
	if err != nil {
		return record.Tried{}, err
	}
	begun := time.Now()
	rep, grown, err := r.runAgent(ctx, c, n, Job{Name: name, Dir: dir, Text: text})
	if err = errors.Join(err, context.Cause(ctx)); err != nil {
		return record.Tried{}, err
	}
	if why := rep.Failed; rep.Away {
		r.breaker.record(c.Executor, why)
	} else {
		r.breaker.record(c.Executor, "")
	}
	t := record.Tried{Key: key, Task: c.Task, Epoch: c.Epoch, Attempt: c.Attempt, Try: n, Failed: rep.Failed, Usage: rep.Usage,
		Away: rep.Away, Refused: rep.Refused, MS: time.Since(begun).Milliseconds()}
	task, _ := r.plan.Task(c.Task)
	if t.Commit = c.Base; !grown {
		t.Commit, err = r.Space.Take(ctx, name, c.Base, commitMessage(r.frame.Run, task, c))
	}
	if large, ok := errors.AsType[*workspace.TooLarge](err); ok {
		t.Commit, t.Failed, err = c.Base, large.Error(), nil
	}
	if nested, ok := errors.AsType[*workspace.Nested](err); ok {
		t.Nested, err = nested.Error(), nil
	}
	if err != nil {
		return t, err
	}
	if t.Said, err = r.book.Keep(ctx, rep.Said); err != nil {
		return t, err
	}
	if err := r.Space.Point(ctx, "attempts/"+key, t.Commit); err != nil {
		return t, err
	}
	return t, r.dispatcher.report(ctx, c, record.TryKind.New(r.root, c.Executor, t))
}

// runAgent sets up a workspace and lets an agent work in it. grown: it wrote too much.
func (r *Run) runAgent(ctx context.Context, c record.Claim, try int, j Job) (rep Report, grown bool, err error) {
	if j.Env, err = variables(r.Space, j.Name, r.options.Setup.Ports); err != nil {
		return rep, false, err
	}
	if rep.Failed, err = r.setUpOnce(ctx, j.Name, j.Dir, j.Env); rep.Failed != "" || err != nil {
		return rep, false, err
	}
	if try == 1 {
		j.Text += portsNote(j.Env)
	}
	j.Run, j.Executor, j.Mode, j.Timeout = r.frame.Run, c.Executor, r.options.Mode, r.options.Timeout
	j.Rivals, j.Beat = rivals(r.frame.Run, c), func() error { return r.dispatcher.beat(c) }
	watched, stop := r.dispatcher.watch(ctx, c)
	defer stop()
	working, bounded := r.Space.Bound(watched, j.Name)
	defer bounded()
	rep, err = r.Work(working, j)
	cause := context.Cause(working)
	_, grown = errors.AsType[*workspace.TooLarge](cause)
	if errors.Is(cause, errIdle) || grown {
		rep, err = Report{Failed: cause.Error(), Usage: rep.Usage}, nil
	}
	return rep, grown, err
}

// rivals returns the conversations of a race, including the claim's own; none: no race.
func rivals(run string, c record.Claim) (names []string) {
	first := c.Attempt - c.Racer + 1
	for i := range c.Racers {
		c.Attempt = first + i
		names = append(names, record.Conversation(run, c))
	}
	return names
}

// giveUp records that an attempt is over without a merge: for good, or until a person has decided.
func (r *Run) giveUp(ctx context.Context, c record.Claim, person bool, commit string, why []string) error {
	return r.book.Add(ctx, record.GiveUpKind.New(r.root, "code", record.GivenUp{Key: c.Key,
		Task: c.Task, Person: person, Commit: commit, Why: why}))
}

// commitMessage returns the message of a task's commit.
func commitMessage(run string, t plan.Task, c record.Claim) string {
	text := t.Title + "\n"
	if t.Done != "" {
		text += "\n" + t.Done + "\n"
	}
	return text + "\n" + trailers(run, c.Task, c.Attempt, c.Executor)
}

// trailers returns the last lines of a commit's message, which identify its step.
func trailers(run, task string, attempt int, executor string) string {
	return fmt.Sprintf("Socrates-Run: %s\nSocrates-Task: %s\nSocrates-Attempt: %d\nSocrates-Executor: %s\n", run, task, attempt, executor)
}

// Message returns that of one commit with all merged steps, each with its own trailers, so that a squashed commit can
// still be traced; see trace.Marks.
func (s *Status) Message() string {
	list, marks := "", ""
	for _, m := range s.Merges {
		t := s.Task(m.Task)
		list += "- " + t.Title + "\n"
		marks += trailers(s.Frame.Run, m.Task, m.Attempt, t.Executor)
	}
	return cmp.Or(s.Title(), "The result of run "+s.Frame.Run) + "\n\n" + list + "\n" + marks
}
