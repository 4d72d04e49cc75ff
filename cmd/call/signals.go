package call

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/tree"
)

// thinkTwice is how long a person has for the second ctrl-C; after that the round ends and there is a decision. The
// delay is what makes pressing twice different from pressing once: the first press must not end the round before a
// second one can cancel it.
const thinkTwice = 1500 * time.Millisecond

// Signals makes the first ctrl-C interrupt the job of a tree and explain what that means, and the second stop it;
// TERM and HUP stop at once. Both keep everything. stopped gets the exit code of the first signal that stopped the
// job. The returned function must be called once the job has ended; it gives the signals back.
func (a *Call) Signals(ctx context.Context, e *engine.Engine, root tree.ID, stopped *atomic.Int32, first string) func() {
	ch := make(chan os.Signal, 4)
	signal.Notify(ch, Endings...)
	done := make(chan struct{})
	go func() {
		var over <-chan time.Time
		for n := 0; ; {
			select {
			case <-done:
				return
			case <-over:
				e.Do(ctx, engine.Interrupt{Root: root})
			case s := <-ch:
				if n++; s == os.Interrupt && n == 1 {
					a.Out.Tell(first)
					over = time.After(thinkTwice)
					continue
				}
				stopped.CompareAndSwap(0, int32(EndCode(s)))
				e.Do(ctx, engine.Stop{Root: root, Reason: EndReason(EndCode(s))})
			}
		}
	}()
	return func() { signal.Stop(ch); close(done) }
}

// Stopped turns the end of a job that was cancelled into the signal's exit code.
func (a *Call) Stopped(err error, code int) error {
	if code == 0 || !errors.Is(err, context.Canceled) {
		return err
	}
	hint := ""
	if a.Out.Room != "" {
		hint = "resume with: socrates debate resume " + a.Out.Room
	}
	return failure.New(code, "cancelled", "stopped; everything so far is saved", hint)
}
