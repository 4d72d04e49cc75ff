package engine

import (
	"sync"
	"time"
)

// sharer tells other processes the growing texts of this one while there is a job: once for all jobs.
type sharer struct {
	mu   sync.Mutex
	n    int // number of jobs
	stop func()
}

// A text is shared at once if nothing was shared for shareEvery, and then at that interval: slightly longer than the 33 ms at which
// screens and pages are drawn. So a shared text waits for no frame of theirs, and is late by one of the two intervals and not by both.
// lonelyEvery is how often to check for other processes while there are none, and shareRate bounds the bytes per second that are cleaned
// for them.
const (
	shareEvery  = 36 * time.Millisecond
	lonelyEvery = 200 * time.Millisecond
	shareRate   = 8 << 20
)

// share lets other processes see the texts growing here, until the job calls done. The goroutine has ended, and its
// snapshots are removed, before the last done returns.
func (c *Core) share() (done func()) {
	t := &c.sharer
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n++; t.n == 1 {
		quit, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			c.shareUntil(quit)
		}()
		t.stop = func() { close(quit); <-ended }
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.n--; t.n == 0 {
			t.stop()
		}
	}
}

// shareUntil tells the others until quit is closed, and then that nothing grows any more.
func (c *Core) shareUntil(quit <-chan struct{}) {
	rest := time.NewTimer(0)
	defer rest.Stop()
	defer c.peers.Tell(nil)
	for told := uint64(0); ; {
		select {
		case <-quit:
			return
		case <-rest.C:
		}
		changed := c.Feed.Wait() // first the channel, then the read
		all, version := c.Feed.Own()
		if version == told {
			select {
			case <-quit:
				return
			case <-changed:
			}
			rest.Reset(0)
			continue
		}
		if !c.peers.Tell(all) { // a process that starts to listen must not wait for the next change
			rest.Reset(lonelyEvery)
			continue
		}
		told = version
		size := 0
		for _, s := range all {
			size += len(s.Text)
		}
		rest.Reset(max(shareEvery, time.Duration(size)*time.Second/shareRate))
	}
}
