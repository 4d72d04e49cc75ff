package setup

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/out"
)

// newPresets is the command presets.
func newPresets(a *call.Call) *cobra.Command {
	return presets(a).Lists(&cobra.Command{Use: "presets [WORDS]", Short: "List presets and their settings",
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
	})
}

// together is a no-break space.
const together = "\u00a0"

// presets describes presets for noun, with what each sets. config explain shows where a value comes from.
func presets(a *call.Call) noun.Noun[config.PresetInfo] {
	return noun.Noun[config.PresetInfo]{Call: a, Is: "preset", Are: "presets", Path: "socrates presets",
		Rows: noun.Found(func(context.Context, noun.Query) ([]config.PresetInfo, error) {
			cfg, err := a.Home.Settings.Load()
			if err != nil {
				return nil, err
			}
			return cfg.Presets(), nil
		}),
		Line: func(p config.PresetInfo) string {
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
		},
		Foot: noun.Always[config.PresetInfo](
			"\n* is the default. To see where a value comes from: socrates config explain debate.rounds\n")}
}
