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
)

const (
	answerTime = 15 * time.Second // of a program: on Windows the first start of its shell takes seconds
	mostRead   = 64 << 20         // bytes of a clipboard
)

// output is what a program writes. An error tells what it says itself.
func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.WaitDelay = time.Second // what it started may hold its output
	out, said := &limited{}, &limited{}
	c.Stdout, c.Stderr = out, said
	err := c.Run()
	switch {
	case out.full:
		return nil, fmt.Errorf("the clipboard has more than %d MB", mostRead>>20)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("cannot read the clipboard: %s did not answer within %d s", program, int(answerTime/time.Second))
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(said.kept.String()), "\n")
		return nil, fmt.Errorf("cannot read the clipboard: %s: %s", program, cmp.Or(first, err.Error()))
	}
	return out.kept.Bytes(), nil
}

// limited keeps what is written, up to mostRead bytes.
type limited struct {
	kept bytes.Buffer // a field, since io.Copy would use its ReadFrom
	full bool
}

// Write keeps p, or fails where that would be too much: it ends the program that writes.
func (l *limited) Write(p []byte) (int, error) {
	if l.kept.Len()+len(p) > mostRead {
		l.full = true
		return 0, io.ErrShortWrite
	}
	return l.kept.Write(p)
}
