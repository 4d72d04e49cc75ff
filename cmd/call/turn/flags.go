// Package turn holds what commands share about a turn of a conversation: its flags and its result.
//
// Flags are shared by run, chat and the screen; Result is what run prints at the end and what decides its exit code.
// The turn itself is an operation of internal/engine/turns.
//
// What no flag sets is taken from the conversation, and otherwise from the settings of its folder (Fill). So a
// conversation keeps its model and mode when it is continued from elsewhere.
//
// A turn exits with 0 done, 4 no login, 5 the vendor failed, 6 a tool call was denied, 7 a limit, 13 a steering file
// was written, 14 no snapshot could be taken, 130 interrupted, 1 otherwise. cmd/talk adds 8 for an answer that does
// not fit its schema.
package turn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// AddAll adds the flags of a conversation with a person.
func (f *Flags) AddAll(c *cobra.Command) {
	f.Add(c)
	s := c.Flags()
	s.BoolVar(&f.Resume, "continue", false, "continue the most recent conversation here")
	s.StringVar(&f.Session, "session", "", "continue or create this `conversation`")
	s.StringVar(&f.Fork, "fork", "", "start a branch at this `node` (label, branch, id, HEAD~2)")
	s.BoolVar(&f.Plain, "plain", false, "plain lines, no redrawing")
}

// Flags are the options of `socrates run` and `chat` for a turn. The zero value sets nothing: every limit is off and
// everything else is as in the conversation.
type Flags struct {
	Model, Tier, Phase, Mode  string
	Session, Fork, SchemaFile string
	Resume, Stdin, Bare       bool
	Plain                     bool
	tools                     []string
	noTools                   bool
	turns, tokens             int
	budget                    float64
	timeout                   time.Duration
	effort, OutFile           string
	files                     []string
}

// Add adds the flags of a turn.
func (f *Flags) Add(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.Model, "model", "", "model, such as claude, anthropic:big, ollama:qwen3")
	s.StringVar(&f.Tier, "tier", "", "tier of the vendor's model: small, mid, big")
	s.StringVar(&f.Phase, "phase", "", "phase: chat, socrates, planner, reviewer, yours")
	s.StringVar(&f.Mode, "mode", "", "permission mode: plan, paranoid, balanced, yolo")
	s.IntVar(&f.turns, "max-turns", 0, "model-call limit per turn (0: none)")
	s.Var((*budget.USD)(&f.budget), "budget", "spending limit per turn (0: none)")
	s.IntVar(&f.tokens, "max-tokens", 0, "token limit per turn (0: none)")
	s.DurationVar(&f.timeout, "timeout", 0, "time limit per turn (0: none)")
	s.StringSliceVar(&f.tools, "tools", nil, "only these tools (comma-separated names, globs or effects)")
	s.BoolVar(&f.noTools, "no-tools", false, "disable all tools")
	s.StringArrayVar(&f.files, "file", nil, "attach this `file`: picture, PDF, notebook, text (repeatable)")
	s.StringVar(&f.effort, "effort", "", "reasoning effort: minimal, low, medium, high, xhigh, max")
	s.BoolVar(&f.Bare, "bare", false, "ignore memory, hooks, MCP servers and project skills")
}

// Sound refuses names in the flags that do not exist, before anything begins. It makes the model once to test it: a
// conversation that begins with an error would be left empty.
func (f *Flags) Sound(ctx context.Context, a *call.Call) error {
	if err := f.Values(a); err != nil || f.Model == "" {
		return err
	}
	_, err := a.Home.Seats.Solo(ctx, seat.AtTier(f.Model, f.Tier))
	return err
}

// Attached returns the absolute paths of the files attached to the first message. It checks each, and clears the
// flag.
func (f *Flags) Attached(dir string) (out []string, err error) {
	for _, name := range f.files {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if _, err := (handle.Source{Dir: dir}).File(name); err != nil {
			return nil, failure.Usage("cannot attach "+clean.Line(err.Error()), "")
		}
		out = append(out, name)
	}
	f.files = nil
	return out, nil
}

// Values refuses invalid values of flags. It checks all of them without opening the store, so a typo costs nothing
// and leaves nothing behind.
func (f *Flags) Values(a *call.Call) error {
	if err := errors.Join(call.OneOf("effort", f.effort, "debate.effort"), call.OneOf("tier", f.Tier, "debate.tier")); err != nil {
		return err
	}
	if f.Mode != "" {
		if _, err := permission.ParseMode(f.Mode); err != nil {
			return failure.Usage(err.Error(), "")
		}
	}
	if f.turns < 0 || f.tokens < 0 || f.timeout < 0 {
		return failure.Usage("a limit cannot be negative", "0 means no limit: --max-turns, --max-tokens, --timeout")
	}
	for _, entry := range f.tools {
		entry = strings.TrimPrefix(entry, "-")
		if !slices.ContainsFunc(builtin.Names(), func(name string) bool { ok, _ := path.Match(entry, name); return ok }) &&
			!strings.HasPrefix(entry, "mcp__") && !slices.Contains(tool.Effects, tool.Effect(entry)) {
			return failure.Usage("no tool matches "+clean.Line(entry), failure.Nearest(entry, builtin.Names()))
		}
	}
	if f.Phase != "" {
		if _, err := a.Home.Pages.Phase("", f.Phase); err != nil {
			return err
		}
	}
	return nil
}

// gone refuses a conversation whose folder no longer exists.
func gone(t conversation.Tree) error {
	if _, err := os.Stat(t.Dir); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &engine.Refusal{Message: fmt.Sprintf("the folder of the conversation %s no longer exists: %s", t.Name, t.Dir),
		Hint: fmt.Sprintf("if it was moved, continue in a copy there: socrates tree export %s --format jsonl | "+
			"socrates tree import - --name %s-moved", t.Name, t.Name)}
}

// Open finds or begins the conversation that the flags name. Where a model must answer at once, none is begun without one.
// A name that does not exist begins a conversation of that name, unless --fork or --continue say that there must be
// one. The agent works in the conversation's folder, not in the current one; where they differ the person is warned.
func (f *Flags) Open(ctx context.Context, a *call.Call, e *engine.Engine, title string, atOnce bool) (string, error) {
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return "", err
	}
	name := f.Session
	if f.Resume && name == "" {
		if name, err = conversation.In(e).Last(ctx, dir); err != nil {
			return "", err
		}
	}
	if name != "" {
		t, err := conversation.In(e).Open(ctx, name)
		if r := (*engine.Refusal)(nil); err != nil && !(errors.As(err, &r) && f.Session != "" && f.Fork == "" && !f.Resume) {
			return "", err
		}
		if err == nil {
			if err := gone(t); err != nil {
				return "", err
			}
			if t.Dir != dir {
				a.Out.Warn(fmt.Sprintf("the conversation %s belongs to %s; the agent works there", t.Name, t.Dir))
			}
			if f.Fork != "" {
				_, err = e.Do(ctx, conversation.Branch{Tree: t.Name, At: f.Fork})
			}
			return t.Name, err
		}
	} else if f.Fork != "" {
		return "", failure.Usage("--fork needs a conversation", "name it with --session, or use the last one with --continue")
	}
	if atOnce {
		if _, err := a.Home.Seats.ChooseQuietly(ctx, f.Model, f.Tier); err != nil {
			return "", err
		}
	}
	root, err := e.Do(ctx, conversation.NewTree{Name: f.Session, Title: title, Dir: dir})
	if err != nil {
		return "", err
	}
	nodes, err := conversation.In(e).Path(ctx, root)
	if err != nil {
		return "", err
	}
	r, _ := talk.RootKind.Of(nodes[0])
	return r.Name, nil
}

// Manner returns the conditions that the flags set for every turn.
func (f *Flags) Manner() turns.Manner {
	return turns.Manner{Effort: f.effort, Bare: f.Bare, Only: f.tools, Alone: f.noTools,
		Limits: turns.Limits{Turns: f.turns, USD: f.budget, Tokens: f.tokens, Timeout: f.timeout}}
}
