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
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/keyring"
	"github.com/socrates-cli/socrates/internal/login"
)

// newLogout returns the command logout. It removes what login kept and nothing else: keys in the environment stay,
// and are named.
func newLogout(a *call.Call) *cobra.Command {
	var all bool
	c := &cobra.Command{Use: "logout VENDOR", Short: "Remove a stored API key",
		Long: `Remove a vendor's saved API key and its key reference in your config. The key stays valid at the
vendor; if others may know it, revoke it there.`,
		Example: `  socrates logout openai
  socrates logout --all`,
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			return completeVendors(a, c, args, begun)
		},
		Args: func(_ *cobra.Command, args []string) error {
			if all == (len(args) == 1) || len(args) > 1 {
				return failure.Usage("logout takes one vendor, or --all", "see which keys exist with: socrates login status")
			}
			return nil
		}}
	c.Flags().BoolVar(&all, "all", false, "remove all saved keys and references")
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
			// Rows of one vendor stand together.
			names = slices.Compact(names)
		} else if _, err := login.Access(a.Home, args[0]); err != nil &&
			!slices.ContainsFunc(rows, func(r keyRow) bool { return r.Vendor == args[0] }) {
			return err
		}
		return logoutOf(a, names)
	}
	return c
}

// forgotten is what happened to a vendor's keys.
type forgotten struct {
	Vendor string   `json:"vendor"`
	Forgot []string `json:"forgot"` // places
	Left   []string `json:"left"`   // sources that still give a key, in words
}

// One failure does not keep the others from being removed; all failures are returned together.
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
		said := "no saved key."
		if len(f.Forgot) > 0 {
			said = "removed the key from " + strings.Join(f.Forgot, " and ") + "."
		}
		a.Out.Tell(name + ": " + said + "\n")
		for _, left := range f.Left {
			a.Out.Tell("It still has a key: " + left + ".\n")
		}
		if name == home.SignsIn && len(f.Forgot) > 0 {
			a.Out.Tell("The key stays valid until you delete it at https://openrouter.ai/settings/keys\n")
		}
	}
	if a.Out.Format != "text" && failed == nil {
		return a.Out.JSON(all)
	}
	if len(all) == 0 && failed == nil {
		a.Out.Tell("No saved keys.\n")
	}
	return failed
}

// forgetKey removes what is kept of a vendor and reports what still gives a key. The key itself stays valid: only the
// vendor can revoke it.
func forgetKey(a *call.Call, name string) (forgotten, error) {
	f := forgotten{Vendor: name, Forgot: []string{}, Left: []string{}}
	r, err := a.Home.Keys.Keyring()
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
		return f, nil // a removed provider has no other source of a key
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
		// A key written into the config itself is the person's text, and another layer's setting is not ours: neither
		// is removed.
		if access.Secret.IsReference() && cfg.Wins(key) == config.User {
			if err := config.Set(file, key, ""); err != nil {
				return f, err
			}
			f.Forgot = append(f.Forgot, "config ("+access.Secret.String()+")")
		} else {
			f.Left = append(f.Left, key+" is set in "+filepath.Base(file)+" or by an environment variable")
		}
	}
	if access.FromEnv != "" {
		f.Left = append(f.Left, access.FromEnv+" is set")
	}
	return f, nil
}
