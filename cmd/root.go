// Package cmd is the command line: it wires the commands of each noun, in folders of their own, into one program.
//
// Main is the whole life of the process: it sweeps temporary folders of dead processes, builds the commands around
// one call.Call, runs one of them, closes what it opened, and turns its error into the exit code. No command calls
// os.Exit, and none closes store or engine.
//
// The nouns (debate, decision, work, tree, talk …) do not know each other. If one needs another, newRoot gives it a
// function: the screen gets chat and demo that way, the engine what frames and checks. So this is the one place where
// cycles could arise, and where dependencies are visible.
//
// Global flags live in call.Call, whose Check validates them before the command runs. cobra's errors are replaced by
// our own sentences with the next step: refuseFlag for flags, nearestSubcommand for words. Every such mistake exits
// with 2.
//
// The package also generates files from the commands: docs/ (Docs, StrategyPage), completions and manual pages. These
// are pure functions of the code, and tests compare them with the files of the repository.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/socrates-cli/socrates/cmd/acp"
	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/cmd/call/turn"
	"github.com/socrates-cli/socrates/cmd/debate"
	"github.com/socrates-cli/socrates/cmd/decision"
	"github.com/socrates-cli/socrates/cmd/demo"
	"github.com/socrates-cli/socrates/cmd/door"
	"github.com/socrates-cli/socrates/cmd/eval"
	"github.com/socrates-cli/socrates/cmd/fleet"
	"github.com/socrates-cli/socrates/cmd/memory"
	"github.com/socrates-cli/socrates/cmd/panel"
	"github.com/socrates-cli/socrates/cmd/receipt"
	"github.com/socrates-cli/socrates/cmd/screen"
	"github.com/socrates-cli/socrates/cmd/setup"
	"github.com/socrates-cli/socrates/cmd/talk"
	"github.com/socrates-cli/socrates/cmd/tool"
	"github.com/socrates-cli/socrates/cmd/tree"
	"github.com/socrates-cli/socrates/cmd/work"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/crash"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// Main runs the program with its arguments and returns the exit code. It always returns, so that main can exit with
// the code; only a signal that nobody handles ends it earlier.
func Main(args []string) int { return MainWith(args, fleet.Program{}) }

// MainWith is Main for a program into which hubs and workers are linked.
func MainWith(args []string, fleets fleet.Program) int {
	// A reader that closes its pipe must not end a debate halfway: the write fails, and what is paid for is kept.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	scratch.RemoveStale()
	a := call.New()
	if dir, err := home.DataFolder(); err == nil {
		crash.Into(filepath.Join(dir, "crashes"), a.Out.Clean)
	}
	return start(a, args, fleets)
}

// start executes one command line and returns its exit code. After a panic it closes nothing: what panicked may hold
// a lock, and waiting for it would hang. The store is made to survive a kill at any moment.
func start(a *call.Call, args []string, fleets fleet.Program) int {
	root := newRoot(a, fleets)
	root.SetArgs(args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // a shell asks, not a person
		completeFlags(a, root)
	}
	for i, arg := range args { // a program that asked for JSON also gets it for a bad flag
		value, ok := strings.CutPrefix(arg, "--output=")
		if arg == "--output" && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if ok && slices.Contains(out.Formats, value) {
			a.Out.Format = value
		}
	}
	err := crash.Guard(func() error { return call.ByFlag(root.ExecuteContext(context.Background())) })
	if _, fault := errors.AsType[*crash.Fault](err); fault { // locks may be held: nothing is closed
		return a.Out.Finish(err, 0)
	}
	switch left := a.Close(); {
	case left != nil && err == nil:
		err = left
	case left != nil:
		a.Out.Warn(left.Error())
	}
	return a.Out.Finish(err, int(a.EndedBy.Load()))
}

// alone executes a command line within this process, non-interactively.
func alone(args []string) int {
	a := call.New()
	a.Audience = call.Nobody
	return start(a, args, fleet.Program{})
}

// newRoot wires one tree of commands around a call. It opens and reads nothing, because help and completion build it,
// too; a command opens what it needs when it runs. A tree serves one command line: flags are variables that are set
// once.
func newRoot(a *call.Call, fleets fleet.Program) *cobra.Command {
	frames, rooms := frame.New(a), room.New(a)
	setups, doors, evals := setup.New(a), door.New(a, frames, rooms), eval.New(a, frames)
	decisions := decision.New(a, frames, rooms)
	kept := memory.New(a, decisions.Lines)
	talks := talk.New(a, frames, rooms)
	trees := tree.New(a, talks.Ask)
	sample := demo.New(a, alone)
	screens := screen.New(a, talks.Chat)
	a.Asker = setups.Asker
	if a.Audience != call.Nobody {
		a.Connect = setups.Connect
	}
	a.Wire = func(w *all.Wiring) {
		w.Runs.Debate = frames.Analysis
		w.Rooms.Frame, w.Rooms.Join, w.Rooms.Look, w.Program, w.Began = frames.Asked, frames.Join, frames.Look, frame.Program, screens.Began
	}
	said, look, version := &turn.Flags{}, screen.Flags{}, false
	root := &cobra.Command{
		Use:   "socrates",
		Short: "Several AI models argue from evidence; code decides.",
		Long: `Socrates has several AI models debate a question from evidence, and records the decision
and who dissented.

It uses what you already have: signed-in programs such as claude and codex, API keys, a
local model. Without any of these, an offline rehearsal panel shows how a debate works.`,
		Example: `  socrates debate "Should the store keep one writer connection or use a pool?"
  socrates debate --seat claude --seat openai:big "Is Append safe under kill -9?"
  socrates seats`,
		SilenceUsage: true, SilenceErrors: true,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				v, _, _ := c.Find([]string{"version"})
				return v.RunE(v, nil)
			}
			if screens.Nobody() {
				a.Out.Tell("The screen needs a terminal. Without one: socrates run \"…\" or socrates debate \"…\"; " +
					"a conversation is read from a pipe.\n")
				return c.Help()
			}
			return screens.Show(c.Context(), said, look)
		},
	}
	said.AddAll(root)
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version") // cobra's own would link its templates
	root.Flags().BoolVar(&look.Inline, "inline", false, "inline mode: keep the scrollback")
	root.Flags().BoolVar(&look.Reader, "screen-reader", false, "screen-reader layout: no boxes or columns")
	root.CompletionOptions.HiddenDefaultCmd = false
	f := root.PersistentFlags()
	f.StringVar(&a.CWD, "cwd", "", "work in this `folder` instead of the current one")
	f.StringVar(&a.Out.Format, "output", "text", "output format: text, json, stream-json")
	f.StringVar(&a.Color, "color", "", "color: auto, always, never")
	f.BoolVarP(&a.Out.Quiet, "quiet", "q", false, "show results and warnings, no progress")
	f.StringVar(&a.Log.Level, "log-level", "", "log to stderr: error, warn, info, debug")
	f.StringVar(&a.Log.Format, "log-format", "", "log format: text, json")
	f.StringVar(&a.Log.File, "log-file", "", "append the log to this `file` instead")
	f.StringVar(&a.Home.Settings.Path, "config", "", "use this config `file`")
	f.StringVar(&a.StorePath, "store", "", "`path` of the store")
	f.StringVar(&a.Person, "person", "", "act for this `person` of the hub")
	f.MarkHidden("person") // a hub passes it to the processes that it starts
	f.StringVar(&a.Hub.URL, "hub", "", "work with the hub at this `URL`")
	f.StringVar(&a.Hub.Project, "project", "", "`name` of the hub's project (default: the one of this repository)")
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return a.Check(c) }
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return refuseFlag(c, err)
	})
	setHelp(a, root)
	root.SetOut(a.Out)
	root.SetErr(a.Out.Err)
	for _, noun := range [][]*cobra.Command{
		talks.Commands(), trees.Commands(), kept.Commands(), sample.Commands(),
		debate.New(a, frames, rooms).Commands(evals.Simulate()), decisions.Commands(), evals.Commands(),
		{panel.Command(a), receipt.Command(rooms), tool.Command(a), acp.Command(a)},
		work.New(a, rooms).Commands(), doors.Commands(), fleet.New(a, fleets, doors.Serve), setups.Commands(doors.MCP()...),
	} {
		root.AddCommand(noun...)
	}
	root.InitDefaultCompletionCmd()
	group(root)
	atHub(root)
	nearestSubcommand(root)
	return root
}

// flagTypes describe the valid values of flags, by the type that parses them.
var flagTypes = map[string]string{"int": "a whole number", "uint64": "a whole number, not negative", "float64": "a number",
	"bool": "true or false",
	"USD":  fmt.Sprintf("an amount of dollars, 0 to %.0f", budget.MostUSD), "duration": "a time such as 90s or 5m"}

// refuseFlag explains what is wrong with a flag.
func refuseFlag(c *cobra.Command, err error) error {
	see := "see: " + c.CommandPath() + " --help"
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok && flagTypes[e.GetFlag().Value.Type()] != "" {
		return failure.Usage(fmt.Sprintf("--%s must be %s, not %q", e.GetFlag().Name, flagTypes[e.GetFlag().Value.Type()], e.GetValue()),
			see)
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return failure.Usage("--"+e.GetFlag().Name+" needs a value: "+e.GetFlag().Usage, see)
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if e.GetSpecifiedName() == "model" && c.Flags().Lookup("seat") != nil {
			see = "a debate asks seats: --seat SPEC, once for each model; list them: socrates seats"
		} else if e.GetSpecifiedName() == "seat" && c.Flags().Lookup("model") != nil {
			see = "one model answers here: --model SPEC; list them: socrates seats"
		} else if best := spelling.Nearest(e.GetSpecifiedName(), names); best != "" && e.GetSpecifiedShortnames() == "" {
			see = "did you mean --" + best + "?"
		} else if strings.Contains(c.Use, "COMMAND") {
			see = "put flags of the command after --: " + c.CommandPath() + " -- COMMAND --" + e.GetSpecifiedName()
		}
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok && e.GetSpecifiedShortnames() != "" {
		return failure.Usage("unknown flag -"+e.GetSpecifiedShortnames(), "put text that begins with - after --; "+see)
	}
	return failure.Usage(err.Error(), see)
}

// nearestSubcommand makes a group of commands, and those in it, refuse an unknown one and name the nearest. Groups
// that take words of their own (debate takes a question) check them themselves: see misspelt in cmd/debate.
func nearestSubcommand(c *cobra.Command) {
	for _, s := range c.Commands() {
		nearestSubcommand(s)
	}
	if c.Args != nil && !c.HasSubCommands() {
		c.Args = namesArguments(c.Args)
	}
	if !c.HasSubCommands() || slices.Contains([]string{"debate", "login", "tool"}, c.Name()) { // these take words of their own, too
		return
	}
	if !c.Runnable() { // otherwise cobra would not check its arguments
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return failure.Usage(fmt.Sprintf("unknown command %[2]q for %[1]q", c.CommandPath(), args[0]), meant(c, args[0]))
	}
}

// namesArguments makes a command that gets the wrong number of arguments say which ones it takes.
func namesArguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil || !strings.Contains(err.Error(), " arg(s), ") {
			return err
		}
		takes := strings.TrimSpace(strings.TrimPrefix(c.Use, c.Name()))
		first, _, _ := strings.Cut(takes, " ")
		if len(args) == 0 {
			return failure.Usage("no "+first+" given", "usage: "+c.CommandPath()+" "+takes)
		}
		return failure.Usage(fmt.Sprintf("%s takes %s, got %s", c.CommandPath(), takes, out.Count(len(args), "argument")),
			"see: "+c.CommandPath()+" --help")
	}
}
