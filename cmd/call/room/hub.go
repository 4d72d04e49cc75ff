package room

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/tree"
)

// lookEvery is the interval at which a debate at a hub is checked, and mostStill the number of checks in a row that
// must find it not running.
const lookEvery, mostStill = time.Second, 3

// watchOver ends ctx once a debate at a hub no longer runs although it has not ended: its process there was stopped.
// It returns at once; stop ends the watch.
func (a *Rooms) watchOver(ctx context.Context, e *engine.Engine, root tree.ID, end func()) (stop func()) {
	if !e.Mirrored() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for still := 0; still < mostStill; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(lookEvery):
			}
			res, err := rooms.In(e).Result(ctx, root)
			if err != nil {
				continue
			}
			info, err := rooms.In(e).Info(ctx, res.Room)
			if still++; err != nil || info.Running || info.Ended {
				still = 0
			}
		}
		end()
	}()
	return cancel
}

// leaves lets a signal detach a person from a debate at a hub, which continues there.
func leaves(stopped *atomic.Int32, leave func()) (done func()) {
	ch := make(chan os.Signal, 4)
	signal.Notify(ch, call.Endings...)
	quit := make(chan struct{})
	go func() {
		select {
		case s := <-ch:
			stopped.CompareAndSwap(0, int32(call.EndCode(s)))
			leave()
		case <-quit:
		}
	}()
	return func() { signal.Stop(ch); close(quit) }
}

// left is how a command ends if its person leaves while the debate continues on the hub.
func (a *Rooms) left(code int) error {
	hint := ""
	if a.Out.Room != "" {
		hint = "come back with: socrates debate show " + a.Out.Room + " --follow --hub " + a.AtHub().URL +
			"; end its round: socrates debate tell " + a.Out.Room + " /answer --hub " + a.AtHub().URL
	}
	return failure.New(code, "left", "the debate continues on the hub", hint)
}

// CutOff returns the failure of a debate that was stopped at its hub before its end; nil: it was not.
func (a *Rooms) CutOff(e *engine.Engine, res debate.Result) error {
	if !e.Mirrored() || res.Ended {
		return nil
	}
	return failure.New(failure.ExitFailed, "stopped", "the debate "+res.Room+" was stopped on the hub before it ended",
		"resume it there: socrates debate resume "+res.Room+" --hub "+a.AtHub().URL)
}
