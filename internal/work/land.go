package work

import (
	"context"
	"sort"
	"sync"

	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// proposal is a proved change that waits to be merged. clash and err are set before over; the goroutine that proposed
// reads them then.
type proposal struct {
	task   Task
	claim  record.Claim
	commit string

	over  bool // it was merged or refused; guarded by the queue
	clash *record.Clash
	err   error
}

// land merges a proved change onto the run's branch. Changes that wait while another is checked are merged together,
// if they are green together. A change that does not fit the branch is set aside, and the clash is returned. The
// first to get the queue merges all that wait; the others find theirs done. So a run with many steps needs few rounds
// of checks.
func (r *Run) land(ctx context.Context, t Task, c record.Claim, commit string) (*record.Clash, error) {
	p := &proposal{task: t, claim: c, commit: commit}
	r.waiting.Lock()
	r.proposals = append(r.proposals, p)
	r.waiting.Unlock()
	r.queue.Lock()
	defer r.queue.Unlock()
	if !p.over { // nobody else has merged it
		r.waiting.Lock()
		all := r.proposals
		r.proposals = nil
		r.waiting.Unlock()
		landing{r}.merge(ctx, all)
	}
	return p.clash, p.err
}

// landing merges; it is a run whose queue is held.
type landing struct{ *Run }

// merge merges changes in the order of arrival: at once the longest beginning that is green together, then the next
// one by itself, to find what it clashes with, and so on.
func (r landing) merge(ctx context.Context, all []*proposal) {
	for len(all) > 0 {
		commits, err := r.greenPrefix(ctx, all)
		for i := 0; i < len(commits) && err == nil; i++ {
			if err = r.advance(ctx, all[i], commits[i]); err == nil {
				all[i].over = true
			}
		}
		if err != nil {
			for _, p := range all {
				if !p.over {
					p.over, p.err = true, err
				}
			}
			return
		}
		if all = all[len(commits):]; len(all) > 0 {
			all[0].clash, all[0].err = r.landOne(ctx, all[0])
			all[0].over, all = true, all[1:]
		}
	}
}

// greenPrefix makes the commits that merge changes one on top of the other, as far as each of them is green. The last
// one is checked first: usually it is green, which costs one round; if it is red, bisection finds the first red one.
// Every commit of the branch must be green, so those before it are then checked, in parallel.
func (r landing) greenPrefix(ctx context.Context, all []*proposal) ([]string, error) {
	commits, since, err := r.stack(ctx, all)
	if err != nil || len(commits) < 2 {
		return nil, err
	}
	red := func(i int) bool {
		if err != nil {
			return true
		}
		var command []string
		command, err = r.failingCheck(ctx, all[i].task, since[i], commits[i])
		return command != nil
	}
	first := len(commits)
	if last := first - 1; red(last) {
		first = sort.Search(last, red)
	}
	if err != nil {
		return nil, err
	}
	var every sync.WaitGroup
	var mu sync.Mutex
	free := make(chan struct{}, max(1, r.options.Parallel))
	for i := range first {
		every.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			command, failed := r.failingCheck(ctx, all[i].task, since[i], commits[i])
			mu.Lock()
			defer mu.Unlock()
			if failed != nil {
				err = failed
			} else if command != nil {
				first = min(first, i)
			}
		})
	}
	every.Wait()
	return commits[:first], err
}

// stack puts changes on top of the branch, one on the other, until one conflicts. since are the merges below each of
// them that it was not made on.
func (r landing) stack(ctx context.Context, all []*proposal) (commits []string, since [][]record.Merged, err error) {
	head := r.branchHead()
	var before []record.Merged
	for _, p := range all {
		if _, known := journal.Recall(r.book, record.ClashKind, attemptKey(p.claim)); known {
			return commits, since, nil
		}
		commit := p.commit
		if head != p.claim.Base {
			tree, files, err := r.Space.Merge(ctx, head, p.commit)
			if err != nil || len(files) > 0 {
				return commits, since, err
			}
			if commit, err = r.Space.Commit(ctx, tree, commitMessage(r.frame.Run, p.task.Task, p.claim), head); err != nil {
				return nil, nil, err
			}
		}
		since = append(since, append(r.mergesSince(p.claim.Base), before...))
		before = append(before, record.Merged{Task: p.task.ID, Commit: commit, Onto: head})
		commits, head = append(commits, commit), commit
	}
	return commits, since, nil
}

// landOne merges one change, if it fits the branch and is green there.
func (r landing) landOne(ctx context.Context, p *proposal) (*record.Clash, error) {
	if clash, ok := journal.Recall(r.book, record.ClashKind, attemptKey(p.claim)); ok {
		return &clash, nil
	}
	final := p.commit
	if r.branchHead() != p.claim.Base {
		clash, merged, err := r.mergeOnto(ctx, p.task, p.claim, p.commit)
		if err != nil {
			return nil, err
		}
		if clash != nil {
			return clash, r.book.Add(ctx, record.ClashKind.New(r.root, "code", *clash))
		}
		final = merged
	}
	return nil, r.advance(ctx, p, final)
}

// advance moves the branch to a green commit. The merge is recorded before the ref moves: if the process is killed in
// between, the next one finds the head in the record and sets the ref again.
func (r landing) advance(ctx context.Context, p *proposal, final string) error {
	if err := r.dispatcher.report(ctx, p.claim, record.MergeKind.New(r.root, "code", record.Merged{Key: p.task.ID, Task: p.task.ID,
		Attempt: p.claim.Attempt, Change: p.commit, Commit: final, Onto: r.branchHead()})); err != nil {
		return err
	}
	r.waiting.Lock()
	r.head = final
	r.waiting.Unlock()
	if err := r.Space.Point(ctx, "heads/run", final); err != nil {
		return err
	}
	return r.Space.Release(ctx, record.Conversation(r.frame.Run, p.claim), p.claim.Base, p.commit)
}
