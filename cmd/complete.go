package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/llm"
)

// completeFlags lets the shell complete the values of flags, wherever a flag of the name is.
func completeFlags(a *app, c *cobra.Command) {
	words := func(find func(context.Context) ([]string, error)) cobra.CompletionFunc {
		return func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.complete(c, find)
		}
	}
	choices := func(key string) cobra.CompletionFunc {
		return cobra.FixedCompletions(choicesOf(key), cobra.ShellCompDirectiveNoFileComp)
	}
	for flag, f := range map[string]cobra.CompletionFunc{
		"output":   cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp),
		"color":    choices("output.color"),
		"effort":   choices("debate.effort"),
		"economy":  choices("debate.economy"),
		"preset":   words(a.presetWords),
		"strategy": words(strategyWords),
		"seat":     a.completeSeat,
		"by": func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.completeRooms(c, nil, "")
		},
	} {
		if own := c.LocalFlags().Lookup(flag); own != nil {
			c.RegisterFlagCompletionFunc(flag, f) // it fails only where there is no such flag, or where it has one already
		}
	}
	if c.LocalFlags().Lookup("cwd") != nil {
		c.MarkFlagDirname("cwd")
	}
	for _, s := range c.Commands() {
		completeFlags(a, s)
	}
}

// complete gives the shell what is found, under the global flags that stand on the line.
func (a *app) complete(c *cobra.Command, find func(context.Context) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	err := a.check()
	if err == nil {
		var out []string
		if out, err = find(c.Context()); err == nil {
			return out, cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveError
}

// choicesOf are the values a setting can have, if they are few.
func choicesOf(key string) []string {
	for _, s := range config.Settings() {
		if s.Key == key {
			return s.Choices
		}
	}
	return nil
}

// oneOf refuses a flag whose value is none of those that a setting can have. Empty: the flag was not given.
func oneOf(flag, value, key string) error {
	if known := choicesOf(key); value != "" && !contains(known, value) {
		return usage(fmt.Sprintf("--%s must be %s, not %q", flag, config.Either(known), value), "")
	}
	return nil
}

func strategyWords(context.Context) (out []string, _ error) {
	for _, s := range debate.Strategies() {
		out = append(out, s.Name+"\t"+s.Doc)
	}
	return append(out, "help\tlist them"), nil
}

func (a *app) presetWords(context.Context) (out []string, _ error) {
	cfg, err := a.settings()
	if err != nil {
		return nil, err
	}
	for _, p := range cfg.Presets() {
		out = append(out, p.Name+"\t"+p.Doc)
	}
	return out, nil
}

// completeSeat offers seats that are ready and the tiers of vendors that have a key; behind @ the personas.
func (a *app) completeSeat(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	return a.complete(c, func(ctx context.Context) (out []string, _ error) {
		if at := strings.LastIndexByte(begun, '@'); at >= 0 {
			shelf, err := a.shelf()
			for _, name := range shelf.Names() {
				out = append(out, begun[:at+1]+name)
			}
			return out, err
		}
		all, err := a.discover(ctx)
		if err != nil {
			return nil, err
		}
		for _, f := range all {
			if !f.Ready {
				continue
			}
			out = append(out, f.Spec+"\t"+clip(f.Why, 60))
			if vendor, tier, ok := strings.Cut(f.Spec, ":"); ok && f.Source == "key" {
				for _, t := range []llm.Tier{llm.Big, llm.Mid, llm.Small} {
					if string(t) != tier {
						out = append(out, vendor+":"+string(t))
					}
				}
			}
		}
		return out, nil
	})
}

// completeTell offers the debates, then what can be said to one.
func (a *app) completeTell(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return a.completeRooms(c, args, begun)
	}
	return commands()[1:], cobra.ShellCompDirectiveNoFileComp
}

// completeKeys offers settings, and behind the key of one what it can be, if values are wanted.
func completeKeys(values bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
		switch {
		case len(args) == 1 && values:
			return choicesOf(args[0]), cobra.ShellCompDirectiveNoFileComp
		case len(args) == 0:
			for _, s := range config.Settings() {
				out = append(out, s.Key+"\t"+s.Doc)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
