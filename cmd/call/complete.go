package call

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// Complete returns what find finds to the shell, with the global flags of the line applied. Errors are silent: a
// shell has no place to show them.
func (a *Call) Complete(c *cobra.Command, find func(context.Context) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	err := a.Check(c)
	if err == nil {
		var list []string
		if list, err = find(c.Context()); err == nil {
			return list, cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveError
}

// Offer completes the names that find returns: at most most of them on a line (0: any number), and none twice. find
// returns words, each with a description behind a tab if it has one.
func (a *Call) Offer(most int, find func(ctx context.Context, begun string) ([]string, error)) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if most > 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.Complete(c, func(ctx context.Context) ([]string, error) {
			list, err := find(ctx, begun)
			return slices.DeleteFunc(list, func(offer string) bool {
				name, _, _ := strings.Cut(offer, "\t")
				return slices.Contains(args, name)
			}), err
		})
	}
}

// Offered is the number of names offered to a shell.
const Offered = 100

// Takes requires exactly n arguments; what says which they are, hint how to find them. The message names the command
// as it was called, with all its parents.
func Takes(n int, what, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return failure.Usage(c.CommandPath()+" takes "+what, hint)
		}
		return nil
	}
}

// CompleteSeat offers ready seats and the tiers of vendors that have a key, and personas after @. Discovering may ask
// programs and servers on this machine, so seats take longer to complete than anything else.
func (a *Call) CompleteSeat(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	return a.Complete(c, func(ctx context.Context) (list []string, _ error) {
		if at := strings.LastIndexByte(begun, '@'); at >= 0 {
			personas, err := a.Home.Seats.Personas()
			for _, name := range personas.Names() {
				list = append(list, begun[:at+1]+name)
			}
			return list, err
		}
		all, err := a.Home.Seats.Discover(ctx)
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

// Choices returns the values a setting can have, if they are few.
func Choices(key string) []string {
	for _, s := range setting.All() {
		if s.Key == key {
			return s.Choices
		}
	}
	return nil
}

// OneOf refuses a flag whose value the setting does not allow. Empty: the flag was not given.
func OneOf(flag, value, key string) error {
	if known := Choices(key); value != "" && !slices.Contains(known, value) {
		return failure.Usage(fmt.Sprintf("--%s must be %s, not %q", flag, spelling.Either(known), value), "")
	}
	return nil
}

// Listed is the number of entries a list shows by default.
const Listed = 20
