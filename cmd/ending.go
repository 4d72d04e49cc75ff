package cmd

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/term"

	"github.com/socrates-cli/socrates/internal/failure"
)

// endings are the signals that end a command. A hang-up that whoever started us ignores (nohup) stays ignored.
var endings = slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, func(s os.Signal) bool { return s == syscall.SIGHUP && signal.Ignored(s) })

// endCode is the exit code of a command that a signal ended.
func endCode(s os.Signal) int {
	switch s {
	case syscall.SIGTERM:
		return failure.ExitTerminated
	case syscall.SIGHUP:
		return failure.ExitHungUp
	}
	return failure.ExitInterrupted
}

// endReason is why work ends with a signal's exit code, for its record; empty: a person pressed ctrl+c.
func endReason(code int) string {
	switch code {
	case failure.ExitTerminated:
		return "stopped by SIGTERM"
	case failure.ExitHungUp:
		return "stopped because the terminal is gone (SIGHUP)"
	}
	return ""
}

// isEnd says whether an exit code is that of a command ended by a signal.
func isEnd(code int) bool {
	return code == failure.ExitInterrupted || code == failure.ExitTerminated || code == failure.ExitHungUp
}

// ended is cancelled by the signals that end a command, whose exit code is then that of the signal.
func (a *app) ended(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, endings...)
	go func() {
		select {
		case s := <-ch:
			a.endedBy.Store(int32(endCode(s)))
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(ch); cancel() }
}

// over is the end of what is typed: the person left, or the terminal is gone and its signal is not here yet.
func (c *console) over() entry {
	if c.person && !term.IsTerminal(int(c.a.in.Fd())) {
		return entry{kind: terminated, code: failure.ExitHungUp}
	}
	return entry{kind: inputOver}
}
