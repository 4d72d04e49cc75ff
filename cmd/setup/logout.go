package setup

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyring"
)

func newLogout(a *call.Call) *cobra.Command {
	var all bool
	c := &cobra.Command{Use: "logout VENDOR", Short: "Forget a kept key, and where one is",
		Long: `Forget the key of a vendor that socrates login keeps, and the reference in your config to where
one is. The vendor is not told: a key that others may know must be withdrawn there.`,
		Example: `  socrates logout openai
  socrates logout --all`,
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			return completeVendors(a, c, args, begun)
		},
		Args: func(_ *cobra.Command, args []string) error {
			if all == (len(args) == 1) || len(args) > 1 {
				return failure.Usage("logout takes one vendor, or --all", "socrates login status shows whose keys are there")
			}
			return nil
		}}
	c.Flags().BoolVar(&all, "all", false, "forget every kept key, and every reference")
	c.RunE = func(_ *cobra.Command, args []string) error {
		rows, err := keyRows(a)
		if err != nil {
			return err
		}
		names := args
		if all {
			for _, r := range rows {
				names = append(names, r.Vendor)
			}
			names = slices.Compact(names)
		} else if _, err := accessToLogin(a, args[0]); err != nil && !slices.ContainsFunc(rows, func(r keyRow) bool { return r.Vendor == args[0] }) {
			return err
		}
		return logoutOf(a, names)
	}
	return c
}

// forgotten is what became of a vendor's keys.
type forgotten struct {
	Vendor string   `json:"vendor"`
	Forgot []string `json:"forgot"` // places
	Left   []string `json:"left"`   // what still gives a key, in words
}

func logoutOf(a *call.Call, names []string) error {
	all := []forgotten{}
	var failed error
	for _, name := range names {
		f, err := forgetKey(a, name)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		all = append(all, f)
		if a.Out.Format != "text" {
			continue
		}
		said := "no key is kept."
		if len(f.Forgot) > 0 {
			said = "forgotten is the key in the " + strings.Join(f.Forgot, ", and in the ") + "."
		}
		a.Out.Tell(name + ": " + said + "\n")
		for _, left := range f.Left {
			a.Out.Tell("It still has a key: " + left + ".\n")
		}
		if name == SignsIn && len(f.Forgot) > 0 {
			a.Out.Tell("The key itself lives on until you delete it: https://openrouter.ai/settings/keys\n")
		}
	}
	if a.Out.Format != "text" && failed == nil {
		return a.Out.JSON(all)
	}
	if len(all) == 0 && failed == nil {
		a.Out.Tell("No key is kept.\n")
	}
	return failed
}

func forgetKey(a *call.Call, name string) (forgotten, error) {
	f := forgotten{Vendor: name, Forgot: []string{}, Left: []string{}}
	r, err := a.Home.Keys.Ring()
	if err != nil {
		return f, err
	}
	e, err := r.Look(name)
	if err == nil {
		if err = r.Delete(name); err == nil {
			f.Forgot = append(f.Forgot, string(e.Place))
		}
	}
	if err != nil && !errors.Is(err, keyring.ErrNone) {
		return f, fmt.Errorf("log out of %s: %w", name, err)
	}
	access, err := a.Home.Keys.Access(name)
	if err != nil {
		return f, nil // a provider that is gone can have nothing else
	}
	if !access.Secret.IsZero() {
		key := "providers." + name + ".key"
		cfg, err := a.Home.Settings.Load()
		if err != nil {
			return f, err
		}
		file, err := a.Home.Settings.File()
		if err != nil {
			return f, err
		}
		if access.Secret.IsReference() && cfg.Wins(key) == config.User {
			if err := config.Set(file, key, ""); err != nil {
				return f, err
			}
			f.Forgot = append(f.Forgot, "config ("+access.Secret.String()+")")
		} else {
			f.Left = append(f.Left, key+" is set, in "+filepath.Base(file)+" or by a variable")
		}
	}
	if access.FromEnv != "" {
		f.Left = append(f.Left, access.FromEnv+" is set")
	}
	return f, nil
}
