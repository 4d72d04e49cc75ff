// Package work carries out a plan: a run is a function over a journal, like a debate. Each task is done by an agent in a clone of
// its own, proved by code in a clean one, and merged as trees onto the run's branch, every commit of which is green. The
// project's repository is not written before a person accepts the result.
//
// A run is Frame, then phases (internal/work/way), then Begun, then claims, tries, checks, proofs and merges, then
// Ended; every effect has a key and is recorded before anything follows from it. So a run that is killed is resumed by
// calling Go again with its journal: what is recorded is taken from there, everything else happens.
//
// The parts, in the order in which a step goes through them:
//
//   - Status.Next says which steps can start; next starts as many as may be at once, none of which share a file.
//   - hub gives a step to a worker under an epoch; what an earlier worker reports later is refused.
//   - attempt has an agent work (Work) in a clone, commits the files as they are, and proves them (prove): code looks
//     at the files (proof.Shape), then runs the checks in clean clones, before the change and with it (proof.Judge).
//   - object has another model review a proved change; race has several agents do the step at once and keeps one change
//     (choice).
//   - land merges a proved change onto the run's branch, where every commit is green: what does not go with it is done
//     again on top.
//   - giveUp ends a step that nobody can do, or that only a person may let through.
//
// Status is the fold of the nodes and is computed by Read, which is pure; Recheck computes a whole run again from its
// record, without running anything. What an agent says never counts as proof.
//
// Errors of Go are those of the machine (git, disk, store, a cancelled context): the run stops there. A step that fails
// is no error but a node. The package starts no program itself: agents, reviewers and checks are functions that the
// engine sets.
package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/mutant"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Run carries out a plan over a journal whose root is a record.Frame, with a record.Begun after it. Its exported fields are set before Go.
// A Run serves one call of Go, Move or Recheck. Its steps run in goroutines, all of which have ended when Go returns.
type Run struct {
	Space *workspace.Space
	// Work has an agent do what is said, in a conversation of the name that may exist already. It returns when the agent has
	// ended. An error is not the agent's: the run stops and can be resumed.
	Work func(ctx context.Context, j Job) (Report, error)
	// Review has another model answer, which may read the job's folder and change nothing. Needed where the options name a reviewer.
	Review func(ctx context.Context, j Job) (Report, error)
	// Check runs a command in a clean clone.
	Check func(ctx context.Context, c workspace.Clean, command []string, limit time.Duration) (proof.Outcome, error)
	// Paused says that no task is to begin any more; nil: it is never so.
	Paused func() bool

	book    *journal.Book
	root    tree.ID
	frame   record.Frame
	plan    plan.Plan
	options record.Options
	base    string // the commit that the run began with
	hub     *hub
	clones  clones
	seeding sync.RWMutex // who writes has checks fill the run's caches, who reads has them use those
	running sync.Map
	breaker breaker

	queue     sync.Mutex  // who has it merges
	waiting   sync.Mutex  // guards what follows
	head      string      // of the run's branch; only who merges moves it
	proposals []*proposal // proved, and not merged yet
}

// Job is one try: what an agent is to do, and where.
// Run, Name and Dir are set; the zero of the others means none. Beat may be called from any goroutine.
type Job struct {
	Run, Name, Dir string // of the run, of the conversation; the workspace
	Text           string
	Executor, Mode string
	Timeout        time.Duration
	Rivals         []string     // conversations that share the money with this one; none: it is no race
	Beat           func() error // to be called while the agent is at work; an error: it must stop
	Env            []string     // variables for what is started in the workspace
}

// Report is how an agent ended.
type Report struct {
	Said   string // its last words
	Failed string // why it did not come to an end; empty: it says it is done
	Away   bool   // it failed because its model could not be reached
	Usage  cost.Usage
	// Refused is what the gate did not let it do, in sentences.
	Refused []string
}

// Go carries out whatever is not done yet, and records where that ends. An error is none of a task's: what is recorded stays, and the
// run can be resumed.
// The first failure of the machine cancels the other steps and is the one returned.
func (r *Run) Go(ctx context.Context, j journal.Journal) error {
	s, err := r.open(j)
	if err != nil {
		return err
	}
	if err := r.Space.Point(ctx, "heads/run", r.head); err != nil {
		return err
	}
	if err := r.all(ctx); err != nil {
		return err
	}
	s, _ = Read(r.book.Recorded())
	out, why := s.Outcome(), ""
	if left := s.Next(); paused(r) && len(left) > 0 {
		out = Paused
	} else if len(left) > 0 { // nobody can be reached who could do them
		out, why = Paused, r.breaker.String()
	}
	if out == Done {
		if err := r.Space.RemoveProofs(); err != nil {
			return err
		}
	}
	return r.book.Add(ctx, record.EndKind.New(r.root, "code", record.Ended{State: string(out), Head: s.Head, Why: why}))
}

// keyOf is the key of a node that records an effect of a run.
// Nodes without a key are facts that are looked up by folding, not by key.
func keyOf(n tree.Node) string {
	switch v := Body(n).(type) {
	case record.Tried:
		return v.Key
	case record.Checked:
		return v.Key
	case record.Proven:
		return v.Key
	case record.Clash:
		return v.Key
	case objection.Review:
		return v.Key
	case choice.Look:
		return v.Key
	case choice.Choice:
		return v.Key
	case record.Merged:
		return v.Key
	case mutant.Tried:
		return v.Key
	}
	return ""
}

// all has ready tasks done, as many at once as may be, until none is ready. Independent tasks go on after a failure.
// Steps are reread after each one ends, because a merge, a person's order or a plan's new version may make others
// ready.
func (r *Run) all(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	running := map[string]Task{}
	ended := make(chan string)
	var failed error
	for {
		s, _ := Read(r.book.Recorded())
		if failed == nil && !paused(r) {
			for _, t := range r.next(&s, running) {
				running[t.ID] = t
				go func() {
					err := r.task(ctx, t)
					if err != nil {
						cancel() // the others stop, too
					}
					r.running.Store(t.ID, err)
					ended <- t.ID
				}()
			}
		}
		if len(running) == 0 {
			return failed
		}
		id := <-ended
		delete(running, id)
		if err, _ := r.running.Load(id); err != nil && (failed == nil || errors.Is(failed, context.Canceled)) {
			failed = fmt.Errorf("step %s: %w", id, err.(error))
		}
	}
}

// paused says whether a person wants nothing more to begin.
func paused(r *Run) bool { return r.Paused != nil && r.Paused() }

// next are the tasks to start now: what most other work waits for first, and none that touches the files of one that runs.
func (r *Run) next(s *Status, running map[string]Task) (start []Task) {
	for _, t := range s.Next() {
		if _, runs := running[t.ID]; runs || r.breaker.free(r.chain(t)) == "" {
			continue
		}
		if len(running)+len(start) >= r.options.Parallel {
			break
		}
		overlaps := func(u Task) bool { return t.Overlaps(u.Task) }
		busy := slices.ContainsFunc(start, overlaps)
		for _, u := range running {
			busy = busy || overlaps(u)
		}
		if !busy {
			start = append(start, t)
		}
	}
	return start
}

// check runs a command at a commit in a clean clone, once for each tree.
// The key is the tree, not the commit: commits differ in message and time, and a check sees neither. Two steps that
// need the same check wait for one run of it. How long it took and what it printed are recorded with it.
func (r *Run) check(ctx context.Context, commit string, command []string) (proof.Outcome, error) {
	of, err := r.Space.Tree(ctx, commit)
	if err != nil {
		return proof.Outcome{}, err
	}
	key := of + " " + fmt.Sprintf("%q", command)
	lock, _ := r.running.LoadOrStore("check "+key, &sync.Mutex{}) // two tasks on one base need the same check
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	if c, ok := journal.Recall(r.book, record.CheckKind, key); ok {
		c.Outcome.Output, err = r.book.Open(ctx, c.Outcome.Text)
		return c.Outcome, err
	}
	begun := time.Now()
	o, err := r.look(ctx, commit, of, command)
	if err != nil {
		return o, err
	}
	if o.Text, err = r.book.Keep(ctx, o.Output); err != nil {
		return o, err
	}
	return o, r.book.Add(ctx, record.CheckKind.New(r.root, "code", record.Checked{Key: key, Tree: of, Command: command, Outcome: o,
		MS: time.Since(begun).Milliseconds()}))
}

// look runs a command at a commit. What programs keep in caches there is kept if the files are those that the run began with, which no
// agent wrote, and is thrown away otherwise, but for what was built without running them: a later check takes nothing from a change but
// its files.
func (r *Run) look(ctx context.Context, commit, tree string, command []string) (o proof.Outcome, err error) {
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
	n := r.clones.take()
	defer r.clones.free(n)
	c, err := r.Space.Clean(ctx, n, commit, tree == first)
	if err != nil {
		return o, err
	}
	if c.Env, err = variables(r.Space, fmt.Sprintf("proof-%d", n), r.options.Setup.Ports); err != nil {
		return o, err
	}
	why, err := r.ready(ctx, c)
	if why != "" {
		o = proof.Outcome{Code: -1, Cut: "not run: no workspace", Output: why}
	} else if err == nil {
		o, err = r.Check(ctx, c, command, r.options.Check)
	}
	return o, errors.Join(err, context.Cause(ctx), c.End())
}

// clones are the numbers of the clean clones in use. The lowest free one is taken: programs keep caches by the folder they work in.
type clones struct {
	mu   sync.Mutex
	used map[int]bool
}

// take is the lowest number that is free: folders are used again, and builds in them are warm.
func (c *clones) take() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used == nil {
		c.used = map[int]bool{}
	}
	n := 0
	for c.used[n] {
		n++
	}
	c.used[n] = true
	return n
}

// free gives a number back.
func (c *clones) free(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.used, n)
}
