package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/config/setting"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// newConfig is the command config, which lists every setting with its value and where that comes from.
func newConfig(a *call.Call) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Show and change settings",
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.Home.Settings.Load()
			if err != nil {
				return err
			}
			if a.Out.Format != "text" {
				return a.Out.JSON(cfg.All())
			}
			for _, o := range cfg.All() {
				fmt.Fprintf(a.Out, "%-28s %-24s %s\n", o.Key, out.Clip(blank(o.Value), 40), o.Place())
			}
			return nil
		}}
	one := func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return failure.Usage(c.CommandPath()+" takes one key", "socrates config lists all keys")
		}
		return nil
	}
	c.AddCommand(newConfigInit(a),
		&cobra.Command{Use: "get KEY", Short: "Print the effective value", Args: one, ValidArgsFunction: completeKeys(false),
			RunE: func(_ *cobra.Command, args []string) error {
				origins, err := origins(a, args[0])
				if err != nil {
					return err
				}
				value := ""
				for _, o := range origins {
					if o.Wins {
						value = o.Value
					}
				}
				fmt.Fprintln(a.Out, value)
				return nil
			}},
		&cobra.Command{Use: "explain KEY", Short: "Show a setting's value in every layer", Args: one,
			ValidArgsFunction: completeKeys(false), RunE: func(_ *cobra.Command, args []string) error {
				return explainKey(a, args[0])
			}},
		&cobra.Command{Use: "set KEY VALUE", Short: "Set a value in your config file, keeping comments",
			ValidArgsFunction: completeKeys(true), Args: func(c *cobra.Command, args []string) error {
				if len(args) != 2 {
					return failure.Usage("set takes a key and a value", `for example: socrates config set seats "claude, openai:big"`)
				}
				return nil
			}, RunE: func(_ *cobra.Command, args []string) error {
				file, err := a.Home.Settings.File()
				if err != nil {
					return err
				}
				if err := a.Home.Settings.Write(file, args[0], args[1]); err != nil {
					return err
				}
				a.Out.Tell("Saved to " + file + ".\n")
				return nil
			}},
		&cobra.Command{Use: "unset KEY", Short: "Remove a value from your config file", Args: one,
			ValidArgsFunction: completeKeys(false), RunE: func(_ *cobra.Command, args []string) error {
				file, err := a.Home.Settings.File()
				if err != nil {
					return err
				}
				if err := config.Unset(file, args[0]); err != nil {
					return err
				}
				a.Out.Tell("Removed from " + file + ".\n")
				return nil
			}},
		&cobra.Command{Use: "path", Short: "Print the path of your config file", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				file, err := a.Home.Settings.File()
				if err != nil {
					return err
				}
				if a.Out.Format != "text" {
					return a.Out.JSON(map[string]string{"path": file})
				}
				fmt.Fprintln(a.Out, file)
				return nil
			}},
	)
	return c
}

// origins returns the layers of a key, which must exist. A key that is set nowhere has no origins and no error.
func origins(a *call.Call, key string) ([]config.Origin, error) {
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return nil, err
	}
	origins := cfg.Explain(key)
	// A key with a placeholder (providers.<name>.key) has origins under its real name.
	if len(origins) > 0 {
		return origins, nil
	}
	var names []string
	for _, s := range setting.All() {
		if s.Key == key {
			return nil, nil // it exists but has no value
		}
		if !strings.Contains(s.Key, "<") {
			names = append(names, s.Key)
		}
	}
	return nil, failure.Usage("unknown setting "+key, "closest settings: "+strings.Join(closest(key, names), ", ")+
		"; list all with: socrates config")
}

// closest returns the three names most similar to a key, as a whole or in a part. A mistyped key often has one part
// right: debate.budget for debate.budget_usd.
func closest(key string, names []string) []string {
	far := func(name string) int {
		d := spelling.Distance(key, name)
		for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '_' }) {
			d = min(d, 1+spelling.Distance(key, part))
		}
		return d
	}
	slices.SortStableFunc(names, func(a, b string) int { return far(a) - far(b) })
	return names[:min(3, len(names))]
}

// explainKey shows all layers of a key, the winning one with a star, and why others were refused.
func explainKey(a *call.Call, key string) error {
	origins, err := origins(a, key)
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(origins)
	}
	for _, s := range setting.All() {
		if s.Key == key {
			fmt.Fprintf(a.Out, "%s (%s): %s\nEnvironment: %s. In a project's file: %s.\n", s.Key, s.Type, s.Doc, s.Env(), s.Project)
		}
	}
	for _, o := range origins {
		mark := " "
		if o.Wins {
			mark = "*"
		}
		fmt.Fprintf(a.Out, "%s %-12s %-30s %s  %s\n", mark, o.Layer, blank(o.Value), o.Place(), o.Note)
	}
	return nil
}

// blank returns a value, or a dash to keep columns aligned.
func blank(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// completeKeys offers settings, and after a key its possible values, if values is set.
func completeKeys(values bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (list []string, _ cobra.ShellCompDirective) {
		switch {
		case len(args) == 1 && values:
			return call.Choices(args[0]), cobra.ShellCompDirectiveNoFileComp
		case len(args) == 0:
			for _, s := range setting.All() {
				list = append(list, s.Key+"\t"+s.Doc)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}
