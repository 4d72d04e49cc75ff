// Package cmd is the command line: flags, settings and wiring, one file per subcommand.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/socrates-cli/socrates/cmd/memory"
	"github.com/socrates-cli/socrates/cmd/setup"
	"github.com/socrates-cli/socrates/cmd/tool"
	trees "github.com/socrates-cli/socrates/cmd/tree"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// Main runs the program with its arguments and returns the exit code.
func Main(args []string) int {
	// A reader that goes away must not end a debate halfway: the write fails, and what is paid for is kept.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	scratch.Sweep()
	a := newApp()
	defer a.Close()
	root := newRoot(a)
	root.SetArgs(args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // a shell asks, not a person
		completeFlags(a, root)
	}
	for i, arg := range args { // a program that asked for JSON gets it for a bad flag, too
		value, ok := strings.CutPrefix(arg, "--output=")
		if arg == "--output" && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if ok && slices.Contains(out.Formats, value) {
			a.Out.Format = value
		}
	}
	err := byFlag(root.ExecuteContext(context.Background()))
	switch left := a.Close(); {
	case left != nil && err == nil:
		err = left
	case left != nil:
		a.Out.Warn(left.Error())
	}
	return a.Out.Finish(err, int(a.EndedBy.Load()))
}

func newRoot(a *app) *cobra.Command {
	talk, look, version := &runFlags{}, screenFlags{}, false
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
			if a.nobody() {
				return c.Help()
			}
			return a.screen(c.Context(), talk, look)
		},
	}
	talk.addAll(root)
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version") // cobra's own links its templates
	root.Flags().BoolVar(&look.inline, "inline", false, "inline mode: keep the scrollback")
	root.Flags().BoolVar(&look.reader, "screen-reader", false, "screen-reader layout: no boxes or columns")
	root.CompletionOptions.HiddenDefaultCmd = false
	f := root.PersistentFlags()
	f.StringVar(&a.CWD, "cwd", "", "work in this `folder` instead of the current one")
	f.StringVar(&a.Out.Format, "output", "text", "output format: text, json, stream-json")
	f.StringVar(&a.Color, "color", "", "color: auto, always, never")
	f.StringVar(&a.Home.Settings.Path, "config", "", "use this config `file`")
	f.StringVar(&a.StorePath, "store", "", "`path` of the store")
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return a.Check() }
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return refuseFlag(c, err)
	})
	setHelp(a, root)
	root.SetOut(a.Out)
	root.SetErr(a.Out.Err)
	root.AddCommand(newRun(a), newChat(a), trees.Command(a.Call, a.answerAsked), newDebate(a), newDemo(a), newDecisions(a), memory.Command(a.Call, decisionLines), newEval(a), tool.Command(a.Call))
	root.AddCommand(setup.Commands(a.Call)...)
	root.InitDefaultCompletionCmd()
	nearestSubcommand(root)
	return root
}

// flagTypes are what the values of flags must be, by the type that reads them.
var flagTypes = map[string]string{"int": "a whole number", "uint64": "a whole number, not negative", "float64": "a number", "bool": "true or false", "duration": "a time such as 90s or 5m"}

// refuseFlag says what is wrong with a flag.
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
		if best := spelling.Nearest(e.GetSpecifiedName(), names); best != "" && e.GetSpecifiedShortnames() == "" {
			see = "did you mean --" + best + "?"
		}
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok && e.GetSpecifiedShortnames() != "" {
		return failure.Usage("unknown flag -"+e.GetSpecifiedShortnames(), "put text that begins with - after --; "+see)
	}
	return failure.Usage(err.Error(), see)
}

// nearestSubcommand lets a group of commands, and those in it, refuse an unknown one by naming the nearest.
func nearestSubcommand(c *cobra.Command) {
	for _, s := range c.Commands() {
		nearestSubcommand(s)
	}
	if !c.HasSubCommands() || slices.Contains([]string{"debate", "login", "tool"}, c.Name()) { // these take words of their own, too
		return
	}
	if !c.Runnable() { // else its arguments would not be looked at
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, s := range c.Commands() {
			names = append(names, s.Name())
		}
		return failure.Usage(fmt.Sprintf("unknown command %[2]q for %[1]q", c.CommandPath(), args[0]), failure.Nearest(args[0], names))
	}
}
