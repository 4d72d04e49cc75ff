package setup

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/out"
)

func newPresets(a *call.Call) *cobra.Command {
	return &cobra.Command{Use: "presets", Short: "List the presets and what each sets",
		Long: `A preset is settings under a name. It counts when --preset or the setting preset names it,
above all other settings and below flags. Your own go into your config.yaml, also over
those that come with the program:

  presets:
    release:
      doc: before a release
      seats: [claude:big@operator, codex@security]
      rounds: 3
      budget: 2

A project's file has no say in presets, and what it tightens it tightens in them, too.`,
		Example: `  socrates debate --preset deep "Is Append safe under kill -9?"
  socrates config set preset quick
  socrates config explain debate.rounds`,
		Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return listPresets(a) }}
}

// together is a blank at which no line is broken.
const together = "\u00a0"

func listPresets(a *call.Call) error {
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(cfg.Presets())
	}
	for _, p := range cfg.Presets() {
		mark := " "
		if p.Chosen {
			mark = "*"
		}
		var sets []string
		for _, o := range p.Sets {
			field := o.Key[strings.LastIndexByte(o.Key, '.')+1:]
			sets = append(sets, field+together+cmp.Or(o.Value, "unset"))
		}
		fmt.Fprintf(a.Out, "%s %-12s %s\n", mark, p.Name, p.Doc)
		text := out.Wrap("    "+strings.Join(sets, ", "), 79, "    ")
		fmt.Fprintln(a.Out, strings.ReplaceAll(text, together, " "))
	}
	a.Out.Tell("\n* counts when --preset names none. Where a value comes from: socrates config explain debate.rounds\n")
	return nil
}
