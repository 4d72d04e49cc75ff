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

// What an agent may take up: its workspace altogether, with what it builds there, and what of it would be committed.
const (
	gigabyte   = 1 << 30
	mostTaken  = 1 * gigabyte
	mostGrown  = 10 * gigabyte
	looksEvery = 5 * time.Second
)

// TooLarge says that an agent took up more than it may.
type TooLarge struct {
	what        string
	bytes, most int64
}

// Error says what takes how much, and how much it may.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("%s takes %.1f GB, more than %d GB", e.what, float64(e.bytes)/gigabyte, e.most/gigabyte)
}

// Bound is a context that ends, with a TooLarge as its cause, once the clone of a name takes up too much. stop ends the looking.
// Looking every five seconds lets an agent exceed the limit by what it can write in that time.
func (s *Space) Bound(ctx context.Context, name string) (bounded context.Context, stop context.CancelFunc) {
	return bound(ctx, s.Place(name), mostGrown, looksEvery)
}

// bound watches how large a folder grows and ends ctx with a *TooLarge if it grows too large. Call what it returns
// once the work is done.
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

// Size is what the files below a folder take; links are not followed.
func Size(dir string) int64 {
	sum, _ := SizeOf(dir, math.MaxInt)
	return sum
}

// SizeOf is the Size of a folder as far as the first files of a number say; whole: it has no more.
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

// bearable refuses to commit more than an agent may bring. What is ignored does not count, and is looked for only where it matters.
// Counting what git would take is slow, so it is done only where the whole folder is over the limit.
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
