package event

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/process"
)

// keep is how much of what a program says on stderr is kept, in bytes: its end.
const keep = 2 << 10

var (
	errDeadline = fmt.Errorf("it took longer than %d s", deadline/time.Second)
	errGivenUp  = errors.New("given up")
)

// run runs the hook's program in the user's home folder, with the event on its stdin.
func (h Hook) run(ctx context.Context, name Name, body []byte) (string, error) {
	dir, err := os.UserHomeDir()
	if _, gone := os.Stat(dir); err != nil || gone != nil {
		dir = "" // where we are
	}
	cmd, err := process.Named(ctx, dir, h.Command, "SOCRATES_EVENT="+string(name))
	if err != nil {
		return "", errors.New("it is not installed, or cannot be run")
	}
	cmd.Stdin = bytes.NewReader(append(body, '\n'))
	said := &process.Tail{Most: keep}
	cmd.Stderr = said
	err = process.Run(cmd)
	switch {
	case err == nil && cmd.ProcessState.Success():
		return cmd.ProcessState.String(), nil
	case ctx.Err() != nil:
		return "", ended(ctx)
	case err != nil:
		return "", err
	}
	return "", errors.New(strings.TrimSuffix(cmd.ProcessState.String()+": "+line(said), ": "))
}

// ended says why a context did.
func ended(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errDeadline) {
		return errDeadline
	}
	return errGivenUp
}

// line is the last line of a program's complaint that says something.
// It may repeat anything the program read, so it is cleaned and cut.
func line(said *process.Tail) string {
	text := strings.TrimSpace(clean.Text(said.String()))
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	if r := []rune(text); len(r) > 200 {
		text = string(r[:200]) + "…"
	}
	return text
}
