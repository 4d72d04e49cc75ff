package builtin

import (
	"context"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/tool"
)

// countdown ends a call when its time is up. Its clock stops while the call waits for a decision: the time a person
// takes to answer must not count.
type countdown struct {
	mu    sync.Mutex
	timer *time.Timer
	left  time.Duration
	since time.Time // when the clock was last started
	held  int       // how many decisions it is waiting for
}

// countDown calls end once limit has passed, without the time in which calls through during wait for a person. stop
// must be called.
func countDown(limit time.Duration, end func()) *countdown {
	return &countdown{timer: time.AfterFunc(limit, end), left: limit, since: time.Now()}
}

// hold stops the clock until goOn is called. Holds may overlap.
func (c *countdown) hold() (goOn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held++; c.held == 1 {
		c.timer.Stop()
		c.left -= time.Since(c.since)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.held--; c.held == 0 {
			c.since = time.Now()
			c.timer.Reset(max(0, c.left))
		}
	}
}

// stop stops the clock for good: it is a hold that never ends.
func (c *countdown) stop() { c.hold() }

// during returns env with the clock stopped during its decisions.
func (c *countdown) during(env tool.Env) tool.Env {
	if allow := env.Allow; allow != nil {
		env.Allow = func(ctx context.Context, acts ...tool.Act) error {
			defer c.hold()()
			return allow(ctx, acts...)
		}
	}
	return env
}
