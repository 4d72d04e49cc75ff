package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// Ended is how a command ended.
type Ended struct {
	Code   int
	Cut    string // why it did not run to its end; empty: it did
	Output string // the end of what it printed
}

// Contained runs a command in dir itself, whether it is allowed or not, without input and with only those variables of the
// environment that tools need to be found. confine puts it into a sandbox before it starts. An error means that it could not be
// started, or that its sandbox or folders could not be cleaned up.
func Contained(ctx context.Context, dir string, command []string, limit time.Duration, confine func(*exec.Cmd) (end func() error,
	err error)) (e Ended, err error) {
	path := searchPath(dir)
	program, err := locate(path, command)
	if err != nil {
		return Ended{Code: 127, Cut: err.Error()}, nil
	}
	scrap, err := scratch.New("check")
	if err != nil {
		return e, fmt.Errorf("making a folder for the command: %w", err)
	}
	defer func() { err = errors.Join(err, scrap.Remove()) }()
	home := filepath.Join(scrap.Path, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return e, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %v", limit))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, command[1:]...)
	cmd.Dir, cmd.Env = dir, environment(path, home, scrap.Path)
	left := process.NewDescendants()
	defer left.End()
	left.Join(cmd) // before confine, which passes the environment on as it is then
	end, err := confine(cmd)
	if err != nil {
		return e, err
	}
	got, cut := run(ctx, cmd, 32<<10)
	if err := end(); err != nil {
		return e, err
	}
	if e = (Ended{Code: got.code, Output: clean.Text(got.output)}); cut != nil {
		e.Cut = cut.Error()
	}
	return e, nil
}
