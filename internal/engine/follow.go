package engine

import (
	"context"
	"iter"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// News is what comes out: a committed node, or the newest snapshot of something growing. One of them is set.
type News struct {
	Node     *tree.Node
	Snapshot *feed.Snapshot
}

// Batch is everything new in one tree at a moment: nodes in order, and what is growing there now, in whichever process.
// At least one of the two is news; Growing is all there is of it, not what changed.
type Batch struct {
	Nodes   []tree.Node
	Growing map[tree.ID]feed.Snapshot
}

// PollEvery is how often commits of other processes are looked for, and restEvery where there was none for restAfter.
// Texts that grow in them are looked for every hearEvery, and every stillEvery once they stood still for stillAfter: a look costs the
// stat of one file.
const (
	PollEvery  = 150 * time.Millisecond
	restEvery  = time.Second
	restAfter  = 10 * time.Second
	hearEvery  = 5 * time.Millisecond
	stillEvery = 25 * time.Millisecond
	stillAfter = time.Second
)

// lookout looks for commits of other processes while somebody follows something: once for all who do.
type lookout struct {
	mu   sync.Mutex
	n    int // who follow
	stop func()
	// hearers are those of them who are shown what grows in other processes. Nobody is: then no file of theirs is read, and they
	// write none.
	hearers atomic.Int32
	gone    atomic.Bool           // the store's file is not the one that was opened: those who follow look, and tell
	lost    atomic.Pointer[error] // why the copy of another machine's store is not brought up to date any more
}

// keep has commits of other processes wake whoever waits for the feed, until leave is called, and what grows there if they are shown it.
func (c *Core) keep(hears bool) (leave func()) {
	o := &c.lookout
	if hears {
		o.hearers.Add(1)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n++; o.n == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.watchStore(ctx)
		}()
		beyond := c.followMirror(ctx)
		o.stop = func() { cancel(); <-ended; <-beyond }
	}
	return func() {
		if hears {
			o.hearers.Add(-1)
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.n--; o.n == 0 {
			o.stop()
		}
	}
}

// followMirror has a copy brought up to date until ctx ends. The channel is closed once that has ended.
func (c *Core) followMirror(ctx context.Context) <-chan struct{} {
	ended := make(chan struct{})
	if c.mirror == nil {
		close(ended)
		return ended
	}
	c.lookout.lost.Store(nil)
	go func() {
		defer close(ended)
		if err := c.mirror.Follow(ctx); err != nil {
			c.lookout.lost.Store(&err)
			c.Feed.Changed()
		}
	}()
	return ended
}

// watchStore does so until ctx ends. A store that cannot be watched is read each time, by those who follow: they tell why.
func (c *Core) watchStore(ctx context.Context) {
	tick := time.NewTimer(PollEvery)
	defer tick.Stop()
	var w *store.Watch
	var deaf func() // nil: others are not heard
	defer func() {
		if deaf != nil {
			deaf()
		}
	}()
	for lastNews := time.Now(); ; {
		select {
		case <-ctx.Done():
			if w != nil {
				w.Close()
			}
			return
		case <-tick.C:
		}
		changed, err := true, error(nil)
		if gone := c.Store.There() != nil; c.lookout.gone.Swap(gone) != gone {
			c.Feed.Changed()
		}
		if w == nil { // who follows for less than a tick opens nothing
			w, err = c.Store.Watch()
		}
		if err == nil {
			changed, err = w.Changed(context.WithoutCancel(ctx))
		}
		if changed || err != nil {
			c.Feed.Changed()
		}
		var others map[tree.ID]feed.Snapshot
		switch hear := c.lookout.hearers.Load() > 0; {
		case hear:
			if deaf == nil {
				deaf, lastNews = c.peers.Listen(), time.Now() // they answer soon
			}
			others = c.peers.Others()
		case deaf != nil:
			deaf()
			deaf = nil
		}
		if c.Feed.Overhear(others) || changed || err != nil {
			lastNews = time.Now()
		}
		if time.Since(lastNews) >= restAfter {
			tick.Reset(restEvery)
			continue
		}
		tick.Reset(PollEvery)
		if len(others) > 0 {
			var left time.Duration
			left, lastNews = c.hear(ctx, others, lastNews)
			tick.Reset(left)
		}
	}
}

// hear takes in how texts grow in other processes until commits are looked for again, and returns what is left until then and when
// there was news: nothing is left once a text is gone, because its node is in the store by then and must be seen no later.
func (c *Core) hear(ctx context.Context, was map[tree.ID]feed.Snapshot, lastNews time.Time) (time.Duration, time.Time) {
	for end := time.Now().Add(PollEvery); ; {
		wait := hearEvery
		if time.Since(lastNews) >= stillAfter {
			wait = stillEvery
		}
		if left := time.Until(end); left <= wait {
			return left, lastNews
		}
		select {
		case <-ctx.Done():
			return 0, lastNews
		case <-time.After(wait):
		}
		now := c.peers.Again()
		for id := range was {
			if _, still := now[id]; !still {
				return 0, lastNews
			}
		}
		if c.Feed.Overhear(now) {
			lastNews = time.Now()
		}
		was = now
	}
}

// Follow yields what comes into a tree after seq until ctx ends, whichever process writes it. Who takes long over a batch
// gets a larger one next: nothing is queued, and no node is left out.
func (e *Engine) Follow(ctx context.Context, root tree.ID, after int64) iter.Seq2[Batch, error] {
	return e.core.follow(ctx, root, after, nil)
}

// Watch yields the nodes of a tree committed after seq, each once and in order, and between them the newest
// snapshots. It ends when ctx ends, or, with a job in this process, once the job has ended and all its nodes are out.
func (e *Engine) Watch(ctx context.Context, root tree.ID, after int64) iter.Seq2[News, error] {
	var done chan struct{}
	if j := e.core.job(root); j != nil {
		done = j.done
	}
	return func(yield func(News, error) bool) {
		for b, err := range e.core.follow(ctx, root, after, done) {
			if err != nil {
				yield(News{}, err)
				return
			}
			for i := range b.Nodes {
				if !yield(News{Node: &b.Nodes[i]}, nil) {
					return
				}
			}
			for _, s := range b.Growing {
				if !yield(News{Snapshot: &s}, nil) {
					return
				}
			}
		}
	}
}

// follow ends with ctx, or once done is closed and everything committed by then is out.
func (c *Core) follow(ctx context.Context, root tree.ID, after int64, done <-chan struct{}) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		defer c.keep(root != "")() // of everything only what was committed is told
		var grown map[tree.ID]feed.Snapshot
		// look has the store read although no commit was heard of: the first time, and once the job has ended.
		commits, look := uint64(0), true
		for last := false; ; {
			// First the channel, then the look: see package feed.
			changed := c.Feed.Wait()
			if c.lookout.gone.Load() {
				if err := c.Store.There(); err != nil {
					yield(Batch{}, err)
					return
				}
			}
			if err := c.lookout.lost.Load(); err != nil {
				yield(Batch{}, *err)
				return
			}
			var b Batch
			if n := c.Feed.Commits(); look || n != commits { // a text that grows is no reason to read the disk
				commits = n
				// The context's end must not cut a batch in half: what was read is yielded, then the loop ends.
				for n, err := range c.Store.Since(context.WithoutCancel(ctx), after, root) {
					if err != nil {
						yield(Batch{}, err)
						return
					}
					b.Nodes, after = append(b.Nodes, n), n.Seq
				}
			}
			// After the end of a job nothing grows that anybody should be shown.
			if !last {
				b.Growing = c.Feed.Snapshots(root)
			}
			if len(b.Nodes) > 0 || !last && !maps.Equal(b.Growing, grown) {
				grown = b.Growing
				if !yield(b, nil) {
					return
				}
			}
			if last {
				return
			}
			look = false
			select {
			case <-done:
				last, look = true, true
			case <-ctx.Done():
				return
			case <-changed:
			}
		}
	}
}
