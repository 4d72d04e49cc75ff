package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/out"
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
		"output":   cobra.FixedCompletions(out.Formats, cobra.ShellCompDirectiveNoFileComp),
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
		var list []string
		if list, err = find(c.Context()); err == nil {
			return list, cobra.ShellCompDirectiveNoFileComp
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
		return failure.Usage(fmt.Sprintf("--%s must be %s, not %q", flag, config.Either(known), value), "")
	}
	return nil
}

func strategyWords(context.Context) (list []string, _ error) {
	for _, s := range debate.Strategies() {
		list = append(list, s.Name+"\t"+s.Doc)
	}
	return append(list, "help\tlist them"), nil
}

func (a *app) presetWords(context.Context) (list []string, _ error) {
	cfg, err := a.home.Settings.Load()
	if err != nil {
		return nil, err
	}
	for _, p := range cfg.Presets() {
		list = append(list, p.Name+"\t"+p.Doc)
	}
	return list, nil
}

// completeSeat offers seats that are ready and the tiers of vendors that have a key; behind @ the personas.
func (a *app) completeSeat(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	return a.complete(c, func(ctx context.Context) (list []string, _ error) {
		if at := strings.LastIndexByte(begun, '@'); at >= 0 {
			shelf, err := a.home.Seats.Personas()
			for _, name := range shelf.Names() {
				list = append(list, begun[:at+1]+name)
			}
			return list, err
		}
		all, err := a.home.Seats.Discover(ctx)
		if err != nil {
			return nil, err
		}
		for _, f := range all {
			if !f.Ready {
				continue
			}
			list = append(list, f.Spec+"\t"+out.Clip(f.Why, 60))
			if vendor, tier, ok := strings.Cut(f.Spec, ":"); ok && f.Source == "key" {
				for _, t := range []llm.Tier{llm.Big, llm.Mid, llm.Small} {
					if string(t) != tier {
						list = append(list, vendor+":"+string(t))
					}
				}
			}
		}
		return list, nil
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
	return func(_ *cobra.Command, args []string, _ string) (list []string, _ cobra.ShellCompDirective) {
		switch {
		case len(args) == 1 && values:
			return choicesOf(args[0]), cobra.ShellCompDirectiveNoFileComp
		case len(args) == 0:
			for _, s := range config.Settings() {
				list = append(list, s.Key+"\t"+s.Doc)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}
