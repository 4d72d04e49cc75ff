package clipboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/process"
)

const (
	answerTime = 15 * time.Second // of a program: on Windows the first start of its shell takes seconds
	mostRead   = 64 << 20         // bytes of a clipboard
	mostSaid   = 200              // bytes of what a program says of an error, or calls a kind of content: a person is told them
)

// output is what a program writes. An error tells what it says itself. Nothing that it started is left.
func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	out, said := &limited{most: mostRead}, &limited{most: mostSaid, swallows: true}
	c.Stdout, c.Stderr = out, said
	err := process.Run(c)
	switch {
	case out.full:
		return nil, fmt.Errorf("the clipboard has more than %d MB", mostRead>>20)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("cannot read the clipboard: %s did not answer within %d s", program, int(answerTime/time.Second))
	case err != nil:
		return nil, fmt.Errorf("cannot read the clipboard: %s: %w", program, err)
	case !c.ProcessState.Success():
		first, _, _ := strings.Cut(strings.TrimSpace(said.kept.String()), "\n")
		return nil, fmt.Errorf("cannot read the clipboard: %s: %s", program, cmp.Or(first, c.ProcessState.String()))
	}
	return out.kept.Bytes(), nil
}

// limited keeps the first bytes of what is written.
type limited struct {
	kept     bytes.Buffer // a field, since io.Copy would use its ReadFrom
	most     int
	swallows bool // what is too much; else writing fails, which ends the program that writes
	full     bool
}

// Write keeps as much of p as may be kept.
func (l *limited) Write(p []byte) (int, error) {
	room := min(len(p), l.most-l.kept.Len())
	l.full = l.full || room < len(p)
	l.kept.Write(p[:room])
	if room < len(p) && !l.swallows {
		return room, io.ErrShortWrite
	}
	return len(p), nil
}
