package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/out"
)

// completeFlags makes the shell complete the values of flags with these names in all commands. It runs only when a
// shell asks: it walks all commands, which would slow a normal start.
func completeFlags(a *call.Call, c *cobra.Command) {
	words := func(find func(context.Context) ([]string, error)) cobra.CompletionFunc {
		return func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.Complete(c, find)
		}
	}
	choices := func(key string) cobra.CompletionFunc {
		return cobra.FixedCompletions(call.Choices(key), cobra.ShellCompDirectiveNoFileComp)
	}
	for flag, f := range map[string]cobra.CompletionFunc{
		"output":   cobra.FixedCompletions(out.Formats, cobra.ShellCompDirectiveNoFileComp),
		"color":    choices("output.color"),
		"effort":   choices("debate.effort"),
		"economy":  choices("debate.economy"),
		"preset":   words(func(context.Context) ([]string, error) { return presetWords(a) }),
		"strategy": words(strategyWords),
		"seat":     a.CompleteSeat,
	} {
		if own := c.LocalFlags().Lookup(flag); own != nil {
			c.RegisterFlagCompletionFunc(flag, f) // it fails only if the flag does not exist or is completed already
		}
	}
	if c.LocalFlags().Lookup("cwd") != nil {
		c.MarkFlagDirname("cwd")
	}
	for _, s := range c.Commands() {
		completeFlags(a, s)
	}
}

// strategyWords returns the strategies with descriptions; a shell shows what follows the tab as a description.
func strategyWords(context.Context) (list []string, _ error) {
	for _, s := range strategy.All() {
		list = append(list, s.Name+"\t"+s.Doc)
	}
	return append(list, "help\tlist them"), nil
}

// presetWords returns the presets of the settings, including the person's own.
func presetWords(a *call.Call) (list []string, _ error) {
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return nil, err
	}
	for _, p := range cfg.Presets() {
		list = append(list, p.Name+"\t"+p.Doc)
	}
	return list, nil
}
