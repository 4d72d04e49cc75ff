package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/out"
)

func newPresets(a *app) *cobra.Command {
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
		Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return a.listPresets() }}
}

// together is a blank at which no line is broken.
const together = "\u00a0"

func (a *app) listPresets() error {
	cfg, err := a.home.Settings.Load()
	if err != nil {
		return err
	}
	if a.out.Format != "text" {
		return a.out.JSON(cfg.Presets())
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
		fmt.Fprintf(a.out, "%s %-12s %s\n", mark, p.Name, p.Doc)
		text := out.Wrap("    "+strings.Join(sets, ", "), 79, "    ")
		fmt.Fprintln(a.out, strings.ReplaceAll(text, together, " "))
	}
	a.out.Tell("\n* counts when --preset names none. Where a value comes from: socrates config explain debate.rounds\n")
	return nil
}
