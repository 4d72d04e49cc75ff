package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/socrates-cli/socrates/internal/git"
)

// Limits of an agent: of its workspace altogether, with what it builds there, and of what would be committed.
const (
	gigabyte   = 1 << 30
	mostTaken  = 1 * gigabyte
	mostGrown  = 10 * gigabyte
	looksEvery = 5 * time.Second
)

// TooLarge means that an agent exceeded a limit.
type TooLarge struct {
	what        string
	bytes, most int64
}

// Error names what is too large, its size, and the limit.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("%s takes %.1f GB, more than %d GB", e.what, float64(e.bytes)/gigabyte, e.most/gigabyte)
}

// Bound returns a context that ends, with a TooLarge as its cause, once the clone of a name is too large. stop ends
// the checking. It checks every five seconds, so an agent can exceed the limit by what it writes in that time.
func (s *Space) Bound(ctx context.Context, name string) (bounded context.Context, stop context.CancelFunc) {
	return bound(ctx, s.Place(name), mostGrown, looksEvery)
}

// bound checks the size of a folder and ends ctx with a *TooLarge if it is too large. Call the returned function once
// the work is done.
func bound(ctx context.Context, dir string, most int64, every time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if n := Size(dir); n > most {
				cancel(&TooLarge{"its workspace", n, most})
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Size returns the size of the files below a folder; links are not followed.
func Size(dir string) int64 {
	sum, _ := SizeOf(dir, math.MaxInt)
	return sum
}

// SizeOf returns the Size of at most a number of files; whole: there are no more.
func SizeOf(dir string, most int) (sum int64, whole bool) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() { // it is gone by now, or may not be read
			return nil
		}
		if most--; most < 0 {
			return fs.SkipAll
		}
		if info, err := d.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum, err == nil && most >= 0
}

// bearable refuses to commit more than an agent may add. Ignored files do not count. Counting what git would take is
// slow, so it is done only if the whole folder is over the limit.
func bearable(ctx context.Context, at git.Store, most int64) error {
	if Size(at.Dir()) <= most {
		return nil
	}
	names, err := at.List(ctx, nil, "ls-files", "-z", "--others", "--modified", "--exclude-standard")
	if err != nil {
		return err
	}
	var sum int64
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(at.Dir(), filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
	}
	if sum > most {
		return &TooLarge{"what it changed", sum, most}
	}
	return nil
}
