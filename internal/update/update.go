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

// Program is a program that the install script put where it is, with the second one beside it. Both are replaced together.
type Program struct{ Path string }

// ErrNoPrevious is why there is nothing to go back to.
var ErrNoPrevious = errors.New("no update to roll back")

// beside is a file in the program's folder.
func (p Program) beside(name string) string { return filepath.Join(filepath.Dir(p.Path), name) }

// file is one of the two programs: where it is, and where the one before it is kept.
type file struct{ path, previous string }

// files are the two programs, in the order of [release.Target.Programs]. The first is called as the person calls it.
func (p Program) files() (first, second file) {
	name := release.Hub
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return file{p.Path, p.beside(release.Previous)}, file{p.beside(name), p.beside(release.PreviousHub)}
}

// in is where a program that is not in place yet waits, in a folder. Windows starts only what is named so.
func (f file) in(dir string) string { return filepath.Join(dir, filepath.Base(f.path)) }

// Update puts the programs of a release in place, and keeps those that were there for Rollback. The archive must have the sum that the
// release lists, and each program in it must start and be of the version it is said to be; else nothing is changed.
func (p Program) Update(ctx context.Context, s Source, f Found) error {
	programs, err := s.programs(ctx, f)
	if err != nil {
		return err
	}
	first, second := p.files()
	return p.staged(func(dir string) error {
		for i, name := range s.Target.Programs() {
			next := []file{first, second}[i].in(dir)
			if err := write(next, programs[name]); err != nil {
				return err
			}
			is, err := start(ctx, next)
			if err != nil {
				return fmt.Errorf("%s of version %s does not start on this machine: %w", name, f.Version, err)
			}
			if is != f.Version {
				return fmt.Errorf("%s released as version %s reports version %s", name, f.Version, is)
			}
		}
		return p.put(dir)
	})
}

// Rollback changes places with the programs before the last update, and says which version they are. Where there was no second program
// then, there is none now.
func (p Program) Rollback(ctx context.Context) (version string, err error) {
	first, second := p.files()
	if _, err := os.Stat(first.previous); errors.Is(err, fs.ErrNotExist) {
		return "", ErrNoPrevious
	}
	err = p.staged(func(dir string) error {
		if version, err = first.again(ctx, dir); err != nil {
			return err
		}
		hub, err := second.again(ctx, dir)
		if gone(err) != nil {
			return err
		}
		if err == nil && hub != version {
			return fmt.Errorf("the previous programs have the versions %s and %s", version, hub)
		}
		return p.put(dir)
	})
	return version, err
}

// again puts the previous program into a folder, and starts it there to say its version.
func (f file) again(ctx context.Context, dir string) (version string, err error) {
	if err := os.Link(f.previous, f.in(dir)); err != nil {
		return "", err
	}
	if version, err = start(ctx, f.in(dir)); err != nil {
		return "", fmt.Errorf("the previous program does not start: %v", err)
	}
	return version, nil
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

// put has the programs in a folder take the places of these, which are kept as the previous ones. The second one may be missing on
// either side. The one that people start comes last: until it is in place, the update has not happened, and can be repeated. If that
// fails, the second is put back.
func (p Program) put(dir string) error {
	first, second := p.files()
	if err := second.swap(dir); err != nil {
		return err
	}
	if err := first.swap(dir); err != nil {
		return errors.Join(err, second.back())
	}
	return nil
}

// swap has the program of a folder take the place of this one, or nothing if it is not there. On Windows a program that runs can be
// renamed and not replaced, so that for a moment there is none.
func (f file) swap(dir string) error {
	if err := gone(os.Remove(f.previous)); err != nil {
		return err
	}
	if _, err := os.Stat(f.in(dir)); errors.Is(err, fs.ErrNotExist) {
		return gone(os.Rename(f.path, f.previous))
	}
	keep := os.Link
	if runtime.GOOS == "windows" {
		keep = os.Rename
	}
	if err := gone(keep(f.path, f.previous)); err != nil {
		return err
	}
	if err := os.Rename(f.in(dir), f.path); err != nil {
		return errors.Join(err, gone(os.Rename(f.previous, f.path)))
	}
	return nil
}

// back undoes a swap, whose other program is lost with it.
func (f file) back() error {
	err := os.Rename(f.previous, f.path)
	if errors.Is(err, fs.ErrNotExist) { // there was none
		return gone(os.Remove(f.path))
	}
	return err
}

// gone is an error, unless it is that a file does not exist.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
