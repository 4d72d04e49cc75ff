package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
)

// NoCopy is the error where whoever would be asked has to work in a copy of the project, and none can be made.
type NoCopy struct {
	Room string // of a debate; empty: of a conversation
	Err  error
}

// Error says who cannot take part, and why.
func (e *NoCopy) Error() string {
	if e.Room == "" {
		return e.Why()
	}
	return "no seat can take part: " + e.Why()
}

// Unwrap gives what went wrong with the copy.
func (e *NoCopy) Unwrap() error { return e.Err }

// Why is the reason without saying who cannot take part.
func (e *NoCopy) Why() string {
	return "programs work in a throw-away copy of the project, which cannot be created: " + e.Err.Error()
}

// Preparing is what watchers are told while copies are made.
func Preparing(done, all int) string {
	if all == 0 {
		return "preparing a copy of the project"
	}
	return fmt.Sprintf("preparing a copy of the project: %d of %d files", done, all)
}

// Wrote notices what is changed in a copy. What cannot be told apart from a change counts as one.
// It returns the names of what was changed; none means that nothing was. It has no error: see above.
func Wrote(c *git.Copy) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		changed, err := c.Changes(context.WithoutCancel(ctx))
		if err != nil {
			return []string{"its copy, which can no longer be compared: " + err.Error()}, nil
		}
		return changed, nil
	}
}

// Paths names some of the paths and says how many more there are.
// The paths are taken as they are; whoever prints them cleans them.
func Paths(paths []string) string {
	const most = 5
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
}
