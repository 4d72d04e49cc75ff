package work

import (
	"context"

	"github.com/socrates-cli/socrates/internal/journal"
)

// Together has changes that wait for a person land, all in one batch, as if each was proved.
func (r *Run) Together(ctx context.Context, j journal.Journal, tasks ...string) error {
	s, err := r.load(j)
	if err != nil {
		return err
	}
	var all []*proposal
	for _, id := range tasks {
		t := s.Task(id)
		c, err := r.dispatcher.claim(ctx, *t.Claim)
		if err != nil {
			return err
		}
		all = append(all, &proposal{task: *t, claim: c, commit: t.Change})
	}
	landing{r}.merge(ctx, all)
	for _, p := range all {
		if p.err != nil {
			return p.err
		}
	}
	return nil
}
