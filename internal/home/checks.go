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
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Runs returns the folder of the workspaces of runs. It is beside the record, which agents may not read, and a
// separate folder, so that an agent that may write the one cannot read the other.
func (h *Home) Runs() (string, error) {
	file, err := dataFile()
	return filepath.Dir(file) + "-work", err
}

// RequireSandbox returns an error if the system cannot confine an agent's programs to a workspace.
func (g *Gate) RequireSandbox() error {
	if g.HoldsFiles() {
		return nil
	}
	return failure.New(failure.ExitFailed, "sandbox",
		"no sandbox works on this system, so agents and checks cannot be confined to their workspaces",
		"see what is missing: socrates doctor")
}

// RunCheck runs a check in a clean clone, in the same sandbox as an agent's programs there, without network. A
// command that fails or times out is an outcome; an error is a failure of the machine. What the check needs is
// built before, if it is known how without running any of the files: that is kept for later checks, and what
// the check itself writes to caches is not.
func (g *Gate) RunCheck(ctx context.Context, c workspace.Clean, command []string, limit time.Duration) (proof.Outcome, error) {
	if c.Layer == "" {
		return g.runCheck(ctx, c, nil, command, limit)
	}
	builds := proof.Builds(command)
	if builds == nil || sandbox.Layers(c.Caches) != nil {
		return g.runCheck(ctx, c, []string{c.Layer}, command, limit)
	}
	o, err := g.runCheck(ctx, c, []string{c.Built}, builds, limit)
	if err != nil || slices.Equal(builds, command) {
		return o, err
	}
	return g.runCheck(ctx, c, []string{c.Layer, c.Built}, command, limit) // the check fails on what could not be built, and reports it
}

// runCheck runs a command. layers receive what it changes in caches; none: it may change the caches.
func (g *Gate) runCheck(ctx context.Context, c workspace.Clean, layers, command []string, limit time.Duration) (proof.Outcome, error) {
	p, err := g.Policy(c.Dir, permission.Balanced)
	if err != nil {
		return proof.Outcome{}, err
	}
	p.Caches, p.Layers = c.Caches, layers
	p.Closed = true // who allowed the command has not seen its scripts
	e, err := evidence.Contained(ctx, c.Dir, command, limit, func(cmd *exec.Cmd) (func() error, error) {
		cmd.Env = append(cmd.Env, c.Env...)
		return g.Confine(p, nil, nil, consent.Unasked, cmd)
	})
	if err = errors.Join(err, context.Cause(ctx)); err != nil {
		return proof.Outcome{}, err
	}
	return proof.Outcome{Passed: e.Code == 0 && e.Cut == "", Code: e.Code, Cut: e.Cut, Output: e.Output}, nil
}

// CheckDanger returns the gate's objections to a check in a project, even in mode yolo. No person can allow as
// a check what is never allowed there; a rule that denies was written for agents, so a person may still allow
// the check.
func (h *Home) CheckDanger(dir string) evidence.Danger {
	p, err := h.Gate.Policy(dir, permission.Yolo)
	return func(command []string) (string, bool) {
		if err != nil {
			return err.Error(), true
		}
		d := p.Judge("bash", tool.Act{Effect: tool.Runs, Argv: command, Dir: p.Workspace[0], Text: shell.Quote(command)})
		if d.Verdict == permission.Allow {
			return "", false
		}
		return d.Reason, d.Verdict == permission.Deny && d.Rule == ""
	}
}

// CheckCommands returns the commands that may run as checks in a project, matched word by word: those of the
// settings, those of the project that the person approved, and more.
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
