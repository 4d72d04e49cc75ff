package engine

import (
	"sync"
	"time"
)

// sharer tells other processes what grows here while there is a job: once for all jobs.
type sharer struct {
	mu   sync.Mutex
	n    int // jobs
	stop func()
}

// Others are told at once of what grows after nothing did for shareEvery, and then so often: a little less often than screens and pages
// are written, every 33 ms, because then what is told waits for no frame of theirs, and texts are late by one of the two and not by both.
// lonelyEvery is how often it is looked whether there are others while there are none, and shareRate how many bytes a second are
// cleaned for them at most.
const (
	shareEvery  = 36 * time.Millisecond
	lonelyEvery = 200 * time.Millisecond
	shareRate   = 8 << 20
)

// share has other processes hear what grows here, until the job that it is for calls what is returned.
// The goroutine ends, and has taken back what it told, before the last of them returns.
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
		changed := c.Feed.Wait() // first the channel, then the look
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
		if !c.peers.Tell(all) { // whoever listens from now on must not wait for what grows next
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
