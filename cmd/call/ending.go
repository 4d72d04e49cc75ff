package call

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/permission"
)

// Endings are the signals that end a command. A hang-up that our parent ignores (nohup) stays ignored.
var Endings = slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP},
	func(s os.Signal) bool { return s == syscall.SIGHUP && signal.Ignored(s) })

// EndCode is the exit code of a command that a signal ended.
func EndCode(s os.Signal) int {
	switch s {
	case syscall.SIGTERM:
		return failure.ExitTerminated
	case syscall.SIGHUP:
		return failure.ExitHungUp
	}
	return failure.ExitInterrupted
}

// IsEnd reports whether an exit code is that of a command ended by a signal.
func IsEnd(code int) bool {
	return code == failure.ExitInterrupted || code == failure.ExitTerminated || code == failure.ExitHungUp
}

// EndReason explains for a record why work ended with a signal's exit code; empty: a person pressed ctrl+c.
func EndReason(code int) string {
	switch code {
	case failure.ExitTerminated:
		return "stopped by SIGTERM"
	case failure.ExitHungUp:
		return "stopped because the terminal was closed (SIGHUP)"
	}
	return ""
}

// Ended returns a context that the ending signals cancel; the exit code is then that of the signal. It is for
// commands that wait for one thing. A room or a turn stops in two steps; see Signals. The caller calls the returned
// function when it is done, or the process keeps swallowing the signals.
func (a *Call) Ended(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, Endings...)
	go func() {
		select {
		case s := <-ch:
			a.EndedBy.Store(int32(EndCode(s)))
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(ch); cancel() }
}

// Denied turns a refusal of the gate into its exit code. Other errors pass unchanged. If a person refused, there is
// no hint: they know why.
func Denied(err error) error {
	if r := (*permission.Refused)(nil); errors.As(err, &r) {
		hint := "allow it with a less strict --mode, or with permission.rules in your settings"
		if r.Decision.Verdict == permission.Ask && !r.Nobody { // a person was asked
			hint = ""
		}
		return failure.New(failure.ExitDenied, "denied", r.Error(), hint)
	}
	return err
}
