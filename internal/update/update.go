package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/socrates-cli/socrates/internal/release"
)

// Program is a program that the install script put where it is, and what lies beside it.
type Program struct{ Path string }

// ErrNoPrevious is why there is nothing to go back to.
var ErrNoPrevious = errors.New("there is no update to roll back")

// beside is a file in the program's folder.
func (p Program) beside(name string) string { return filepath.Join(filepath.Dir(p.Path), name) }

// Update puts the program of a release in place, and keeps the one that was there for Rollback. The archive must have the sum that the
// release lists, and the program in it must start and be of the version it is said to be; else nothing is changed.
func (p Program) Update(ctx context.Context, s Source, f Found) error {
	text, err := s.program(ctx, f)
	if err != nil {
		return err
	}
	return p.staged(func(dir string) error {
		next := filepath.Join(dir, s.Target.Program())
		if err := write(next, text); err != nil {
			return err
		}
		is, err := start(ctx, next)
		if err != nil {
			return fmt.Errorf("version %s does not start on this machine: %w", f.Version, err)
		}
		if is != f.Version {
			return fmt.Errorf("the program released as version %s reports version %s", f.Version, is)
		}
		return p.put(next)
	})
}

// Rollback changes places with the program before the last update, and says which version that is.
func (p Program) Rollback(ctx context.Context) (version string, err error) {
	previous := p.beside(release.Previous)
	if _, err := os.Stat(previous); errors.Is(err, fs.ErrNotExist) {
		return "", ErrNoPrevious
	}
	err = p.staged(func(dir string) error {
		next := filepath.Join(dir, filepath.Base(p.Path)) // Windows starts only what is named so
		if err := os.Link(previous, next); err != nil {
			return err
		}
		if version, err = start(ctx, next); err != nil {
			return fmt.Errorf("the previous program does not start: %w", err)
		}
		return p.put(next)
	})
	return version, err
}

// staged calls f with a new folder beside the program, which is removed then, as are those of updates that were killed.
func (p Program) staged(f func(dir string) error) error {
	left, _ := filepath.Glob(p.beside(release.New + "*"))
	for _, name := range left {
		if is, err := os.Stat(name); err == nil && time.Since(is.ModTime()) > time.Hour {
			os.RemoveAll(name)
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(p.Path), release.New)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return f(dir)
}

// put has next take the place of the program, which is Previous then. On Windows a program that runs can be renamed and not replaced,
// so that for a moment there is none.
func (p Program) put(next string) error {
	previous := p.beside(release.Previous)
	if err := os.Remove(previous); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if runtime.GOOS != "windows" {
		if err := os.Link(p.Path, previous); err != nil {
			return err
		}
		return os.Rename(next, p.Path)
	}
	if err := os.Rename(p.Path, previous); err != nil {
		return err
	}
	if err := os.Rename(next, p.Path); err != nil {
		return errors.Join(err, os.Rename(previous, p.Path))
	}
	return nil
}

// write makes a program, and has it on disk before it returns. It fails if there is a file already.
func write(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// start has a program say its version.
func start(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, path, "version", "--output", "json")
	c.WaitDelay = time.Second
	text, err := c.Output()
	if err != nil {
		return "", err
	}
	var is struct{ Version string }
	if err := json.Unmarshal(text, &is); err != nil {
		return "", fmt.Errorf("it says %q", text)
	}
	return is.Version, nil
}
