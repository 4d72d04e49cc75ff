// Package evidence checks whether a claim's evidence exists: a quote in a file of the project, the result of an allowed command, or a
// quote on a page of an allowed host.
//
// A [Looker] is made for a room and called with [Looker.Look], once for each piece of evidence. An observation passes, fails, or is
// skipped; there are no errors. Fail means that the evidence was checked and does not hold; skipped means that the check shows
// nothing, and says why. The difference matters: only a check that could have passed counts against a claim.
//
// Nothing is written to the project and nobody is asked. A check that is not allowed, not possible or not finished is skipped, with a
// sentence that says why, and shows nothing. A command runs in a throw-away copy of the project with its own environment, but with
// the rights of whoever started us: it can reach the network and, by absolute paths, the disk. That is why a person names the
// commands that may run (allow.go), and why none may by default. It runs again in an empty folder: the same result there says little
// about the project. [Contained] is for callers that have a sandbox.
//
// Quotes are compared by their words: white space and line ends do not count, everything else does. The line that a claim states is a
// hint for which of several places is meant. The lines and a hash of what was found are recorded, so that a record can be verified
// later without the project ([Recorded], [Text.Find]).
//
// Checks of files and pages run in parallel; commands one at a time. Call Close after the last check: it removes copies that could
// not be removed before.
package evidence

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/plain"
)

// Looker checks evidence. Its exported fields are set before the first Look and not changed afterwards. The zero value allows
// nothing; with Dir set it compares quotes.
type Looker struct {
	Dir string // the project folder
	// Commands are the commands that may run, one pattern each: a program by its bare name and its arguments. Words are compared
	// exactly, but * matches any one argument and ** at the end any number, as long as these are no options, do not lead outside the
	// project, set nothing (=), and are not themselves code or a command.
	Commands [][]string
	Danger   Danger // nil: no danger is known
	// Sources are the hosts that may be fetched from, each "host" (its scheme's own port) or "host:port". They are compared exactly:
	// a host does not include its subdomains.
	Sources  []string
	Timeout  time.Duration // of a command, and again of its control run; 0: 2 minutes
	Output   int           // bytes kept from the end of what a command prints; 0: 32 KiB
	Loopback bool          // sources may be on this machine; for tests
	// Uncontrolled means that commands get no control run: the caller knows what they show.
	Uncontrolled bool

	mu   sync.Mutex     // held while a command runs, so that one runs at a time
	left []func() error // remove what could not be removed when its check ended
}

// Look checks the evidence of a claim. It is safe for concurrent use. Soon after ctx is cancelled it returns Skipped.
func (l *Looker) Look(ctx context.Context, c verdict.Claim) debate.Observation {
	began := time.Now()
	o, err := l.observe(ctx, c)
	if err != nil {
		o = debate.Observation{Result: verdict.Skipped, Grade: verdict.Nothing, Detail: plain.Text(err.Error())}
	}
	o.Detail, o.MS = clean.Line(o.Detail), time.Since(began).Milliseconds()
	return o
}

// observe is Look; its error says why the evidence is skipped.
func (l *Looker) observe(ctx context.Context, c verdict.Claim) (debate.Observation, error) {
	e := c.Evidence
	if l.Dir == "" && e.Kind != "source" {
		return debate.Observation{}, errors.New("no project folder was named") // an empty one would be our working directory
	}
	switch e.Kind {
	case "quote":
		return l.quote(e)
	case "command":
		return l.command(ctx, c.Text, e)
	case "source":
		return l.source(ctx, e)
	}
	return debate.Observation{}, fmt.Errorf("evidence of kind %q cannot be checked", e.Kind)
}

// Close waits for a running command and removes the remaining copies. Call it after the last Look.
func (l *Looker) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var failed error
	for _, remove := range l.left {
		failed = errors.Join(failed, remove())
	}
	l.left = nil
	if failed != nil {
		return fmt.Errorf("removing the copies checks ran in: %w", failed)
	}
	return nil
}

// discard removes a folder of a command; the caller holds mu.
func (l *Looker) discard(remove func() error) {
	if remove() != nil { // a program that has just been ended may still hold a file open
		l.left = append(l.left, remove)
	}
}
