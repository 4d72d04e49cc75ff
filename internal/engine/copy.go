package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
)

// NoCopy is the error when a seat or an agent has to work in a copy of the project, and none can be made.
type NoCopy struct {
	Room string // of a debate; empty: the copy was for a conversation
	Err  error
}

// Error says who cannot take part, and why.
func (e *NoCopy) Error() string {
	if e.Room == "" {
		return e.Why()
	}
	return "no seat can take part: " + e.Why()
}

// Unwrap returns what went wrong with the copy.
func (e *NoCopy) Unwrap() error { return e.Err }

// Why is the reason without naming who cannot take part.
func (e *NoCopy) Why() string {
	return "programs work in a throw-away copy of the project, which cannot be created: " + e.Err.Error()
}

// Preparing is what watchers see while copies are made.
func Preparing(done, all int) string {
	if all == 0 {
		return "preparing a copy of the project"
	}
	return fmt.Sprintf("preparing a copy of the project: %d of %d files", done, all)
}

// Wrote returns a function that names the files changed in a copy; none means that nothing was changed. If the copy can
// no longer be compared, that counts as a change, so the function returns no error.
func Wrote(c *git.Copy) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		changed, err := c.Changes(context.WithoutCancel(ctx))
		if err != nil {
			return []string{"its copy, which can no longer be compared: " + err.Error()}, nil
		}
		return changed, nil
	}
}

// Paths names some of the paths and says how many more there are. It does not clean the paths; whoever prints them does.
func Paths(paths []string) string {
	const most = 5
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
}
