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

// News is one item of Watch: a committed node, or the newest snapshot of a growing text. One of them is set.
type News struct {
	Node     *tree.Node
	Snapshot *feed.Snapshot
}

// Batch is everything new in one tree at a moment: nodes in order, and the texts growing there now, in any process. At
// least one of the two has changed; Growing has all growing texts, not only those that changed.
type Batch struct {
	Nodes   []tree.Node
	Growing map[tree.ID]feed.Snapshot
}

// PollEvery is the interval of polling for commits of other processes, and restEvery the interval after restAfter
// without any. Their growing texts are polled every hearEvery, and every stillEvery after stillAfter without a change:
// a poll costs the stat of one file.
const (
	PollEvery  = 150 * time.Millisecond
	restEvery  = time.Second
	restAfter  = 10 * time.Second
	hearEvery  = 5 * time.Millisecond
	stillEvery = 25 * time.Millisecond
	stillAfter = time.Second
)

// lookout polls for commits of other processes while there is a follower: once for all followers.
type lookout struct {
	mu   sync.Mutex
	n    int // number of followers
	stop func()
	// hearers counts the followers that are shown texts growing in other processes. If there are none, this process reads no files of other
	// processes, and they write none.
	hearers atomic.Int32
	gone    atomic.Bool           // the store's file is not the one that was opened: followers check that and report it
	lost    atomic.Pointer[error] // why the copy of another machine's store is no longer kept up to date
}

// keep makes commits of other processes wake the feed's watchers until leave is called, and with hears also their growing texts.
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

// followMirror keeps a copy up to date until ctx ends. The channel is closed once that has stopped.
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

// watchStore polls the store until ctx ends. If a store cannot be watched, followers read it each time, and report why they cannot.
func (c *Core) watchStore(ctx context.Context) {
	tick := time.NewTimer(PollEvery)
	defer tick.Stop()
	var w *store.Watch
	var deaf func() // nil: not listening to other processes
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
		if w == nil { // a follower that stays for less than a tick opens nothing
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

// hear reads the growing texts of other processes until it is time to poll for commits again. It returns the time left until then and the
// time of the last news: no time is left once a text is gone, because its node is in the store by then and must be seen no later.
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

// Follow yields what is added to a tree after seq until ctx ends, whichever process writes it. A slow reader gets a larger next batch:
// nothing is queued, and no node is left out.
func (e *Engine) Follow(ctx context.Context, root tree.ID, after int64) iter.Seq2[Batch, error] {
	return e.core.follow(ctx, root, after, nil)
}

// Watch yields the nodes of a tree committed after seq, each once and in order, and between them the newest snapshots.
// It ends when ctx ends or, if this process runs a job in the tree, once the job has ended and all its nodes have been
// yielded.
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

// follow ends with ctx, or once done is closed and everything committed by then has been yielded.
func (c *Core) follow(ctx context.Context, root tree.ID, after int64, done <-chan struct{}) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		defer c.keep(root != "")() // a follower of all trees gets commits only
		var grown map[tree.ID]feed.Snapshot
		// look forces a read of the store without a commit: the first time, and once the job has ended.
		commits, look := uint64(0), true
		for last := false; ; {
			// First the channel, then the read: see package feed.
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
			if n := c.Feed.Commits(); look || n != commits { // a growing text is no reason to read the disk
				commits = n
				// The end of the context must not cut a batch in half: what was read is yielded, then the loop ends.
				for n, err := range c.Store.Since(context.WithoutCancel(ctx), after, root) {
					if err != nil {
						yield(Batch{}, err)
						return
					}
					b.Nodes, after = append(b.Nodes, n), n.Seq
				}
			}
			// After the end of a job, growing texts are no longer shown.
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
