// Package work executes a plan: a run is a function over a journal, like a debate. Each task is done by an agent in a
// clone of its own, proved by code in a clean one, and merged as trees onto the run's branch, every commit of which
// is green. The project's repository is not written before a person accepts the result.
//
// A run is Frame, then phases (internal/work/way), then Begun, then claims, tries, checks, proofs and merges, then
// Ended; every effect has a key and is recorded before anything follows from it. So a run that is killed is resumed
// by calling Go again with its journal: what is recorded is taken from there, everything else happens.
//
// The parts, in the order in which a step goes through them:
//
//   - Status.Next says which steps can start; startable limits them to those that may run at once, none of which share a file.
//   - dispatcher gives a step to a worker under an epoch; late reports of an earlier worker are refused.
//   - attempt lets an agent work (Work) in a clone, commits the files as they are, and proves them (prove): code looks
//     at the files (proof.Shape), then runs the checks in clean clones, before the change and with it (proof.Judge).
//   - applyReview asks another model to review a proved change; race gives the step to several agents and keeps one change
//     (choice).
//   - land merges a proved change onto the run's branch, where every commit is green: what clashes with it is done
//     again on top.
//   - giveUp ends a step that nobody can do, or that only a person may approve.
//
// Status is the fold of the nodes and is computed by Read, which is pure; Recheck computes a whole run again from its
// record, without running anything. What an agent says never counts as proof.
//
// Errors of Go are those of the machine (git, disk, store, a cancelled context): the run stops there. A step that
// fails is no error but a node. The package starts no program itself: agents, reviewers and checks are functions that
// the engine sets.
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

// Run executes a plan over a journal whose root is a record.Frame, followed by a record.Begun. Its exported fields
// are set before Go. A Run serves one call of Go, Move or Recheck. Its steps run in goroutines, all of which have
// ended when Go returns.
type Run struct {
	Space *workspace.Space
	// Work lets an agent work on a job, in a conversation that may exist already. It returns when the agent has
	// ended. An error is not the agent's: the run stops and can be resumed.
	Work func(ctx context.Context, j Job) (Report, error)
	// Review asks another model, which may read the job's folder and change nothing. Needed if the options name a
	// reviewer.
	Review func(ctx context.Context, j Job) (Report, error)
	// Check runs a command in a clean clone.
	Check func(ctx context.Context, c workspace.Clean, command []string, limit time.Duration) (proof.Outcome, error)
	// Paused reports that no more tasks may begin; nil: never.
	Paused func() bool

	book         *journal.Book
	root         tree.ID
	frame        record.Frame
	plan         plan.Plan
	options      record.Options
	base         string // the commit that the run began with
	dispatcher   *dispatcher
	cloneNumbers cloneNumbers
	seeding      sync.RWMutex // a writer lets checks fill the run's caches, a reader lets them use those
	checking     sync.Map     // a mutex for each check that was begun, by its key
	breaker      breaker

	queue     sync.Mutex  // its holder merges
	waiting   sync.Mutex  // guards the fields below
	head      string      // of the run's branch; only the holder of queue moves it
	proposals []*proposal // proved, and not merged yet
}

// Job is one try: what an agent must do, and where. Run, Name and Dir are set; the zero of the others means none.
// Beat may be called from any goroutine.
type Job struct {
	Run, Name, Dir string // of the run, of the conversation; the workspace
	Text           string
	Executor, Mode string
	Timeout        time.Duration
	Rivals         []string     // conversations that share its money; none: no race
	Beat           func() error // to call while the agent works; an error: it must stop
	Env            []string     // variables for programs in the workspace
}

// Report is how an agent ended.
type Report struct {
	Said   string // its last message
	Failed string // why it did not finish; empty: it says it is done
	Away   bool   // it failed because its model could not be reached
	Usage  cost.Usage
	// Refused is what the gate refused it, in sentences.
	Refused []string
}

// Go executes whatever is not done yet, and records where that ends. An error is none of a task's: what is recorded
// stays, and the run can be resumed. The first failure of the machine cancels the other steps and is the one
// returned.
func (r *Run) Go(ctx context.Context, j journal.Journal) error {
	s, err := r.load(j)
	if err != nil {
		return err
	}
	if err := r.Space.Point(ctx, "heads/run", r.head); err != nil {
		return err
	}
	if err := r.doReady(ctx); err != nil {
		return err
	}
	s, _ = Read(r.book.Recorded())
	out, why := s.Outcome(), ""
	if left := s.Next(); isPaused(r) && len(left) > 0 {
		out = Paused
	} else if len(left) > 0 { // no executor for them can be reached
		out, why = Paused, r.breaker.String()
	}
	if out == Done {
		if err := r.Space.RemoveProofs(); err != nil {
			return err
		}
	}
	return r.book.Add(ctx, record.EndKind.New(r.root, "code", record.Ended{State: string(out), Head: s.Head, Why: why}))
}

// load reads the journal of a run that has begun. It removes git locks that a killed process left: the caller holds
// the lock of the run.
func (r *Run) load(j journal.Journal) (Status, error) {
	r.book = journal.Open(j, keyOf, nil)
	s, ok := Read(r.book.Recorded())
	if !ok || s.Begun == nil {
		return s, errors.New("the run has not started")
	}
	r.root, r.frame, r.plan = j.Nodes[0].ID, s.Frame, s.Plan
	r.options, r.base, r.head = s.Begun.Options, s.Begun.Base.Commit, s.Head
	r.dispatcher = newDispatcher(r.book, r.root, r.options.Idle)
	return s, r.Space.Unlock()
}

// keyOf returns the key of a node that records an effect of a run. Nodes without a key are facts that are found by
// folding, not by key.
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

// doReady executes ready tasks, as many at once as allowed, until none is ready. Independent tasks continue after a
// failure. Steps are reread after each one ends, because a merge, a person's order or a plan's new version may make
// others ready.
func (r *Run) doReady(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type end struct {
		step string
		err  error
	}
	running := map[string]Task{}
	ended := make(chan end)
	var failed error
	for {
		s, _ := Read(r.book.Recorded())
		if failed == nil && !isPaused(r) {
			for _, t := range r.startable(&s, running) {
				running[t.ID] = t
				go func() {
					err := r.doTask(ctx, t)
					if err != nil {
						cancel() // the others stop, too
					}
					ended <- end{t.ID, err}
				}()
			}
		}
		if len(running) == 0 {
			return failed
		}
		e := <-ended
		delete(running, e.step)
		if e.err != nil && (failed == nil || errors.Is(failed, context.Canceled)) {
			failed = fmt.Errorf("step %s: %w", e.step, e.err)
		}
	}
}

// isPaused reports whether a person wants nothing more to begin.
func isPaused(r *Run) bool { return r.Paused != nil && r.Paused() }

// startable returns the tasks to start now: those that most other work waits for first, and none that touches the
// files of a running one.
func (r *Run) startable(s *Status, running map[string]Task) (start []Task) {
	for _, t := range s.Next() {
		if _, runs := running[t.ID]; runs || r.breaker.firstReachable(r.executorsOf(t)) == "" {
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
