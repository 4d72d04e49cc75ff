package cmd

import (
	"context"
	"iter"
	"sync"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
)

// jobTeller tells the outside of every job of this process: turns and debates, several at once, whoever looks at them.
type jobTeller struct {
	teller
	jobs sync.WaitGroup
}

func (a *app) newJobTeller() (*jobTeller, error) {
	t, err := a.newTeller("work")
	return &jobTeller{teller: t}, err
}

// began is told of each job as it begins.
func (a *app) began(root tree.ID, recorded int64) {
	if t := a.tells; t != nil {
		news := a.Engine.Watch(context.Background(), root, recorded)
		t.jobs.Go(func() { t.hear(root, recorded, news) })
	}
}

// hear tells of a job until it has ended.
func (t *jobTeller) hear(root tree.ID, recorded int64, news iter.Seq2[engine.News, error]) {
	first, err := t.a.Engine.Path(context.Background(), root)
	if err != nil {
		return // what is wrong with the store is told by those who show it
	}
	turn := turnTeller{teller: t.teller}
	hear := turn.hear
	if _, ok := debate.FrameKind.Of(first[0]); ok {
		room := debateTeller{teller: t.teller, since: recorded}
		if hear = room.hear; recorded > 0 {
			hear(first[0])
		}
	} else {
		turn.begin(t.a.Engine.Turn(root))
	}
	for n, err := range news {
		if err != nil {
			return
		}
		if n.Node != nil {
			hear(*n.Node)
		}
	}
}

// close ends what is at work still, as leaving does, and waits until everybody has heard of it.
func (t *jobTeller) close() {
	for _, root := range t.a.Engine.Busy() {
		t.a.Engine.Do(context.Background(), engine.Stop{Root: root})
	}
	t.jobs.Wait()
	t.teller.close(false)
}
