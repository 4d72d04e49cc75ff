package work

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// errSetup means that a workspace could not be set up, and says what a person can do.
type errSetup struct{ why string }

// Error is what a person is told.
func (e *errSetup) Error() string { return e.why }

// setUpOnce runs the approved set-up in the clone of an agent, once. failed tells the person why it cannot be used.
func (r *Run) setUpOnce(ctx context.Context, name, dir string, env []string) (failed string, err error) {
	if len(r.options.Setup.Run) == 0 {
		return "", nil
	}
	err = r.Space.Once(name, func() error {
		if why, err := r.runSetup(ctx, workspace.Clean{Dir: dir, Env: env}); err != nil {
			return err
		} else if why != "" {
			return &errSetup{why}
		}
		return nil
	})
	if e, ok := errors.AsType[*errSetup](err); ok {
		return e.why, nil
	}
	return "", err
}

// runSetup runs the set-up in a clone. why is its failure; empty: it succeeded, or there is none.
func (r *Run) runSetup(ctx context.Context, c workspace.Clean) (why string, err error) {
	command := r.options.Setup.Run
	if len(command) == 0 {
		return "", nil
	}
	o, err := r.Check(ctx, c, command, r.options.Check)
	if err = errors.Join(err, context.Cause(ctx)); err != nil || o.Passed {
		return "", err
	}
	why = fmt.Sprintf("the workspace setup %s: %s; repair it, approve it and start a new run: socrates trust approve workspace",
		o, strings.Join(command, " "))
	if out := strings.TrimSpace(o.Output); out != "" {
		why += "; it printed: " + tail(out, 2000)
	}
	return why, nil
}

// variables tell programs in a clone which ports are its own: SOCRATES_PORT is the first, SOCRATES_PORT_2 the second.
func variables(s *workspace.Space, name string, n int) (env []string, err error) {
	ports, err := s.Ports(name, n)
	for i, p := range ports {
		env = append(env, fmt.Sprintf("SOCRATES_PORT_%d=%d", i+1, p))
		if i == 0 {
			env = append(env, fmt.Sprintf("SOCRATES_PORT=%d", p))
		}
	}
	return env, err
}
