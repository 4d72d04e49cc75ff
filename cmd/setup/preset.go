package setup

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/out"
)

// newPresets is the command presets.
func newPresets(a *call.Call) *cobra.Command {
	return &cobra.Command{Use: "presets", Short: "List presets and their settings",
		Long: `A preset is a named group of settings. Select it with --preset or the setting preset; it overrides
all other settings, and flags override it. Define your own in config.yaml, or redefine a built-in
one:

  presets:
    release:
      doc: before a release
      seats: [claude:big@operator, codex@security]
      rounds: 3
      budget: 2

A project's file cannot define presets, but its restrictions also apply to them.`,
		Example: `  socrates debate --preset deep "Is Append safe under kill -9?"
  socrates config set preset quick
  socrates config explain debate.rounds`,
		Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return listPresets(a) }}
}

// together is a blank at which no line is broken.
const together = "\u00a0"

// listPresets shows what each preset sets. Where a value of one comes from, config explain says.
func listPresets(a *call.Call) error {
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return err
	}
	return out.List[config.PresetInfo]{Rows: cfg.Presets(), Line: func(p config.PresetInfo) string {
		mark := " "
		if p.Chosen {
			mark = "*"
		}
		var sets []string
		for _, o := range p.Sets {
			field := o.Key[strings.LastIndexByte(o.Key, '.')+1:]
			sets = append(sets, field+together+cmp.Or(o.Value, "unset"))
		}
		text := out.Wrap("    "+strings.Join(sets, ", "), 79, "    ")
		return fmt.Sprintf("%s %-12s %s\n%s\n", mark, p.Name, p.Doc, strings.ReplaceAll(text, together, " "))
	}, Then: "\n* is the default. To see where a value comes from: socrates config explain debate.rounds\n"}.Write(a.Out)
}
