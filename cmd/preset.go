package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/llm"
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
	cfg, err := a.settings()
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

// wantedTier is the tier of a vendor whose seat names none.
func wantedTier(cfg *config.Config, vendor string) llm.Tier {
	return llm.Tier(cmp.Or(cfg.Tier(vendor), string(llm.Mid)))
}

// openSpec is the spec of a vendor's seat without its model, unless a program goes by that name.
func (a *app) openSpec(spec string) string {
	if _, ok := a.programOf(seatName(spec), ""); ok {
		return spec
	}
	return seatName(spec)
}

// tiered adds a tier to a spec that names no model, if its program or vendor has that tier.
func (a *app) tiered(cfg *config.Config, spec, tier string) string {
	if tier == "" || strings.Contains(spec, ":") {
		return spec
	}
	vendor, named := spec, spec
	if p, ok := a.programOf(spec, ""); ok {
		if c, err := a.models(); err == nil {
			vendor = maker(c, p)
		}
		if a.isVendor(p.Name) {
			named = p.Name + "-cli"
		}
	}
	if p, ok := provider(cfg, spec); ok && p.Model != "" {
		return spec
	}
	if c, err := a.models(); err == nil { // a catalogue that cannot be read is told by whoever makes the model
		for _, v := range c.Vendors() {
			if v.Name == vendor && v.Tiers[llm.Tier(tier)] != "" {
				return named + ":" + tier
			}
		}
	}
	return spec
}
