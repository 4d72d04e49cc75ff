package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
)

// typing reports whether a person can type to us.
func typing(a *call.Call) bool { return term.IsTerminal(int(a.In.Fd())) }

// longestKey limits what is read as a key.
const longestKey = 16 << 10

// pipedKey reads a key from stdin; a terminal does not show it.
func pipedKey(ctx context.Context, a *call.Call) (string, error) {
	if typing(a) {
		return typedKey(ctx, a, "API key (hidden while you type): ")
	}
	raw, err := waitFor(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.In, longestKey+1)) })
	if err != nil {
		return "", fmt.Errorf("read the key from stdin: %w", err)
	}
	key := strings.TrimSpace(string(raw))
	// Something longer is a file that was piped in by mistake.
	if key == "" || len(raw) > longestKey {
		return "", failure.Usage("no key on stdin", "")
	}
	return key, nil
}

// typedKey asks for a key at the terminal, which does not show it. A terminal whose echo was off must get it back
// even if the wait is interrupted.
func typedKey(ctx context.Context, a *call.Call, prompt string) (string, error) {
	fd := int(a.In.Fd())
	was, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("ask for a key: %w", err)
	}
	a.Out.Ask(prompt)
	raw, err := waitFor(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	a.Out.Ask("\n")
	if ctx.Err() != nil {
		term.Restore(fd, was) // the goroutine that reads the terminal still waits and would not restore it
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	key := strings.TrimSpace(string(raw))
	if key == "" {
		return "", failure.Usage("no key given", "")
	}
	return key, nil
}

// askLine asks for a line at the terminal. It reads no further, one byte at a time: a buffered reader would swallow
// what was pasted for the questions that follow.
func askLine(ctx context.Context, a *call.Call, prompt string) (string, error) {
	a.Out.Ask(prompt)
	line, err := waitFor(ctx, func() (string, error) {
		var line []byte
		for b := make([]byte, 1); len(line) < longestKey; {
			n, err := a.In.Read(b)
			// A terminal in raw mode ends lines with a carriage return.
			if n == 0 || b[0] == '\n' || b[0] == '\r' {
				return string(line), err
			}
			line = append(line, b[0])
		}
		return string(line), nil
	})
	if err != nil && !errors.Is(err, io.EOF) {
		a.Out.Ask("\n")
		return "", err
	}
	return strings.TrimSpace(line), nil
}

// waitFor runs a function that cannot be interrupted, and stops waiting for it once ctx ends. Its goroutine reads
// from the terminal until the process ends; the commands here end right after.
func waitFor[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}
