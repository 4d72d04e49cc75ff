package work

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/work/mutant"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// mutation is what the trials of a run have in common.
type mutation struct {
	*Run
	head string
	took map[string]time.Duration // by the check, joined: its duration when green, at the head
	each time.Duration            // the time limit of a check
}

// trial is a fault to try, and the checks that should notice, the fastest first.
type trial struct {
	mutant.Tried
	checks [][]string
}

// mostOfLine is how many faults of one line are tried.
const mostOfLine = 2

// Mutate tests whether checks notice faults: it puts one after the other into the spots, in order, in a clean clone
// of the branch's head, and runs the spot's checks. It ends after most trials, or with the time. Only checks that are
// green at the head and known to be fast are run. Faults tried before are not repeated.
func (r *Run) Mutate(ctx context.Context, j journal.Journal, spots []mutant.Spot, most int, limit time.Duration) error {
	s, err := r.load(j)
	if err != nil {
		return err
	}
	m := mutation{Run: r, head: s.Head, took: map[string]time.Duration{}, each: limit / 4}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err = m.timeChecks(timed, spots); err == nil {
		err = m.tryAll(timed, m.trials(spots, most))
	}
	if timed.Err() != nil && ctx.Err() == nil {
		err = nil // the time is over; what was tried is recorded
	}
	if s.State == Done && err == nil {
		err = r.Space.RemoveProofs()
	}
	return err
}

// timeChecks measures the checks of spots at the head. One that was slow elsewhere is not run for that.
func (m mutation) timeChecks(ctx context.Context, spots []mutant.Spot) error {
	known := map[string]time.Duration{}
	for _, c := range record.CheckKind.All(m.book.Recorded()) {
		known[strings.Join(c.Command, " ")] = time.Duration(c.MS) * time.Millisecond
	}
	slowest := time.Duration(0)
	for _, s := range spots {
		for _, c := range s.Checks {
			name := strings.Join(c, " ")
			if _, done := m.took[name]; done || known[name] > m.each {
				continue
			}
			begun := time.Now()
			o, err := m.check(ctx, m.head, c)
			if err != nil {
				return err
			}
			if o.Passed {
				m.took[name] = max(known[name], time.Since(begun))
				slowest = max(slowest, m.took[name])
			}
		}
	}
	m.options.Check = min(m.options.Check, 10*time.Second+5*slowest) // an infinite loop is noticed, too
	return nil
}

// tryAll tries faults, as many in parallel as steps may be.
func (m mutation) tryAll(ctx context.Context, trials []trial) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan trial)
	var workers sync.WaitGroup
	for range max(1, m.options.Parallel) {
		workers.Go(func() {
			for one := range queue {
				if err := m.try(ctx, one); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, one := range trials {
		select {
		case queue <- one:
		case <-ctx.Done():
		}
	}
	close(queue)
	workers.Wait()
	return context.Cause(ctx)
}

// trials returns the faults to try now: one of each spot, then the next of each.
func (m mutation) trials(spots []mutant.Spot, most int) (list []trial) {
	for round := range mostOfLine {
		for _, s := range spots {
			all, checks := mutant.Of(s.Text), m.fastChecks(s.Checks)
			if round >= len(all) || len(checks) == 0 {
				continue
			}
			one := mutant.Tried{Head: m.head, File: s.File, Line: s.Line, Was: s.Text, Is: all[round]}
			one.Key = one.Name()
			if _, ok := journal.Recall(m.book, mutant.Kind, one.Key); !ok {
				list = append(list, trial{one, checks})
			}
		}
	}
	return list[:min(most, len(list))]
}

// fastChecks returns the checks of a spot that are green at the head and fast, the fastest first.
func (m mutation) fastChecks(checks [][]string) (list [][]string) {
	took := func(c []string) time.Duration { return m.took[strings.Join(c, " ")] }
	for _, c := range checks {
		if at, green := m.took[strings.Join(c, " ")]; green && at <= m.each {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b []string) int { return cmp.Compare(took(a), took(b)) })
	return list
}

// try puts a fault into the branch's head and records whether a check notices.
func (m mutation) try(ctx context.Context, one trial) error {
	commit, err := m.Space.Altered(ctx, one.Head, one.File, one.Line, one.Was, one.Is)
	if err != nil || commit == "" {
		return err
	}
	of, err := m.Space.Tree(ctx, commit)
	if err != nil {
		return err
	}
	one.Fate = mutant.Survived
	for _, c := range one.checks {
		var o proof.Outcome
		if o, err = m.runInClone(ctx, commit, of, c); err != nil {
			return err
		}
		if one.Checks++; !o.Passed {
			one.Fate, one.Check = mutant.Killed, c
			if mutant.Broken(o.Output) {
				one.Fate = mutant.Stillborn
			}
			break
		}
	}
	return m.book.Add(ctx, mutant.Kind.New(m.root, "code", one.Tried))
}
