package home

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/evidence"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/consent"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Runs is where the workspaces of runs lie: beside the record, which agents may not read.
// It is another folder than the record's, so that an agent that may write the one cannot read the other.
func (h *Home) Runs() (string, error) {
	file, err := dataFile()
	return filepath.Dir(file) + "-work", err
}

// Contains refuses where the system cannot keep what agents start within a workspace.
func (g *Gate) Contains() error {
	if g.HoldsFiles() {
		return nil
	}
	return failure.New(failure.ExitFailed, "sandbox",
		"no sandbox holds on this system, so agents and checks cannot be kept within their workspaces",
		"see what is missing: socrates doctor")
}

// Prove runs a check in a clean clone, in the sandbox that an agent's programs are in there, and without network.
// A command that fails or is cut off is an outcome; an error is that of the machine.
func (g *Gate) Prove(ctx context.Context, c workspace.Clean, command []string, limit time.Duration) (proof.Outcome, error) {
	p, err := g.Policy(c.Dir, permission.Balanced)
	if err != nil {
		return proof.Outcome{}, err
	}
	p.Caches, p.Layer = c.Caches, c.Layer
	p.Closed = true // whoever allowed the command has not seen what its scripts do
	e, err := evidence.Contained(ctx, c.Dir, command, limit, func(cmd *exec.Cmd) (func() error, error) {
		return g.Confine(p, nil, nil, consent.Unasked, cmd)
	})
	if err = errors.Join(err, context.Cause(ctx)); err != nil {
		return proof.Outcome{}, err
	}
	return proof.Outcome{Passed: e.Code == 0 && e.Cut == "", Code: e.Code, Cut: e.Cut, Output: e.Output}, nil
}

// CheckCommands are the commands that may run as checks in a project, word by word: those of the settings and those that
// the person approved of the project's own. More are allowed by whoever asks.
func (h *Home) CheckCommands(dir string, more []string) (list [][]string, err error) {
	cfg, err := h.Settings.Of(dir)
	if err != nil {
		return nil, err
	}
	for _, line := range slices.Concat(more, cfg.Strings("checks.commands")) {
		if words := strings.Fields(line); len(words) > 0 {
			list = append(list, words)
		}
	}
	return list, nil
}
