package turns

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Steered is the kind of failure of a turn that ended because a program changed files that steer tools.
const Steered trouble.Kind = "steered"

// Steering means that a program, without approval, created or changed files that agents, editors, git or shells obey.
type Steering struct {
	Changes []string // a sentence each: the change, and where the file is now
}

// Error lists every change, and where the files are now.
func (s *Steering) Error() string {
	return "a program changed steering files: " + strings.Join(s.Changes, "; ")
}

// SteerWatch detects what programs do to files that steer tools, from the first program that starts. It is safe for
// concurrent use. Its zero value has nothing to check. Each call of again compares the files with their state at the
// last one, so that each change is reported once.
type SteerWatch struct {
	mu      sync.Mutex
	again   func(accept bool) []string // nil: no program has started
	changes []string
}

// Start is called before a program starts: changes before an approved program are not its doing.
func (l *SteerWatch) Start(g Guard, p permission.Policy, by consent.Level) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.again == nil && g.Watch != nil:
		l.again = g.Watch(p)
	// Earlier changes are reported; changes from now on count as the person's, until End.
	case l.again != nil && by == consent.Asked:
		l.changes = append(l.changes, l.again(false)...)
	}
}

// End is called after the program: changes by an approved program stay.
func (l *SteerWatch) End(by consent.Level) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again != nil && by == consent.Asked {
		l.again(true)
	}
}

// Put makes Look report changes again.
func (l *SteerWatch) Put(changes []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes = append(l.changes, changes...)
}

// Look returns a *Steering if something was changed since its last call.
func (l *SteerWatch) Look() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again == nil {
		return nil
	}
	changes := append(l.changes, l.again(false)...)
	if l.changes = nil; len(changes) == 0 {
		return nil
	}
	return &Steering{changes}
}

// confined returns a function that starts programs of a call in their sandbox.
func (w *turn) confined(pass *permission.Pass, session, script *tool.Session) func(cmd *exec.Cmd) (func() error, error) {
	return func(cmd *exec.Cmd) (func() error, error) {
		by, p := pass.Consent(cmd.Args, cmd.Dir), w.policy()
		p.Decided = pass.Decided(cmd.Args, cmd.Dir)
		w.steerWatch.Start(w.lib.wiring.Guard, p, by)
		end, err := w.lib.wiring.Guard.Confine(p, session, script, by, cmd)
		if err != nil {
			return nil, err
		}
		return func() error {
			defer w.steerWatch.End(by)
			return end()
		}, nil
	}
}

// checkSteering returns the error that ends a turn in which files that steer tools were changed; the conversation says so, too.
func (w *turn) checkSteering(ctx context.Context) error {
	err := w.steerWatch.Look()
	if err == nil {
		return nil
	}
	return errors.Join(err, w.add(context.WithoutCancel(ctx), talk.NoticeKind.New("", "code", talk.Notice{Text: err.Error()})))
}
