package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/out"
)

// completeFlags lets the shell complete the values of flags, wherever a flag of the name is.
// It runs only when a shell asks: it walks all commands, which a start that a person waits for does not need.
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

// strategyWords are the strategies with what each does; a shell shows what follows the tab as a description.
func strategyWords(context.Context) (list []string, _ error) {
	for _, s := range strategy.All() {
		list = append(list, s.Name+"\t"+s.Doc)
	}
	return append(list, "help\tlist them"), nil
}

// presetWords are the presets of the settings, the person's own among them.
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
