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

// shareEvery is how often others are told, and shareRate how many bytes a second they are told at most.
const (
	shareEvery = 200 * time.Millisecond
	shareRate  = 2 << 20
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
	tick := time.NewTimer(shareEvery)
	defer tick.Stop()
	for told := uint64(0); ; {
		select {
		case <-quit:
			c.peers.Tell(nil)
			return
		case <-tick.C:
		}
		all, version := c.Feed.Own()
		size := 0
		if version != told {
			for _, s := range all {
				size += len(s.Text)
			}
			if c.peers.Tell(all) { // else whoever listens from now on would wait for what grows next
				told = version
			}
		}
		// Long texts are told more rarely, so that a model that writes for long does not write its whole text five
		// times a second to the disk.
		tick.Reset(max(shareEvery, time.Duration(size)*time.Second/shareRate))
	}
}
