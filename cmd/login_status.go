package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/keyring"
)

// What becomes of a key.
const (
	keyUsed    = "used"
	keySecond  = "not-used" // another one of its vendor counts first
	keyExpired = "expired"
	keyMissing = "missing" // it is said where it is, and there is nothing
)

// keyRow is one key of a vendor, or where one should be.
type keyRow struct {
	Vendor    string       `json:"vendor"`
	Source    string       `json:"source"`              // config, environment, keyring or file
	Reference string       `json:"reference,omitempty"` // env:NAME, file:PATH, a variable's name, or stars
	Kind      keyring.Kind `json:"kind"`
	State     string       `json:"state"`
	Hint      string       `json:"hint,omitempty"` // its last four letters
	Added     time.Time    `json:"added,omitzero"`
	Expires   time.Time    `json:"expires,omitzero"`
	Why       string       `json:"why,omitempty"`
}

func newLoginStatus(a *app) *cobra.Command {
	return &cobra.Command{Use: "status", Short: "List the keys that are there, where each is and when it ends",
		Long: `List the keys of all vendors: those that are kept, and those in the environment and in your
config, in the order in which they count. No vendor is asked, and no keyring is opened.`,
		Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
			rows, err := a.keyRows()
			if err != nil {
				return err
			}
			if a.format != "text" {
				return a.printJSON(rows)
			}
			for _, r := range rows {
				fmt.Fprint(a.out, fit(os.Stdout, fmt.Sprintf("%-12s %-12s %s\n", r.Vendor, r.Source, r.text()), strings.Repeat(" ", 26)))
			}
			if len(rows) == 0 {
				a.tellPerson("There is no key. Keep one with: socrates login\n")
			}
			return nil
		}}
}

func (r keyRow) text() string {
	var parts []string
	add := func(cond bool, text string) {
		if cond {
			parts = append(parts, text)
		}
	}
	add(r.Reference != "", r.Reference)
	add(r.Hint != "", "…"+r.Hint)
	add(r.Kind == keyring.OAuth, "from the browser")
	add(!r.Added.IsZero(), "added "+ago(r.Added))
	add(!r.Expires.IsZero() && r.State != keyExpired, "expires "+day(r.Expires))
	add(r.State == keyExpired, "expired "+day(r.Expires)+": socrates login "+r.Vendor)
	add(r.Why != "", r.Why)
	return strings.Join(parts, ", ")
}

// keyRows are the keys of all vendors, each vendor's in the order in which they count.
func (a *app) keyRows() ([]keyRow, error) {
	r, err := a.ring()
	if err != nil {
		return nil, err
	}
	entries, broken := r.List()
	names := a.keyedNames()
	for _, e := range entries {
		if !slices.Contains(names, e.Vendor) {
			names = append(names, e.Vendor) // a provider that is no longer in the settings
		}
	}
	out := []keyRow{}
	for _, name := range names {
		e, _ := a.access(name)
		out = append(out, e.keyRows(name, entries)...)
	}
	if broken != nil {
		a.warn(broken.Error())
	}
	return out, nil
}

func (e endpoint) keyRows(name string, entries []keyring.Entry) []keyRow {
	var out []keyRow
	counts := ""
	add := func(r keyRow, what string) {
		r.Vendor = name
		switch {
		case counts != "" && r.State != keyExpired:
			r.State, r.Why = keySecond, "not used: "+counts+" counts first"
		case r.State == "":
			r.State = keyUsed
		}
		if counts == "" {
			counts = what
		}
		out = append(out, r)
	}
	if !e.secret.IsZero() {
		r := keyRow{Source: "config", Reference: e.secret.String(), Kind: keyring.Key}
		if _, err := e.secret.Reveal(os.LookupEnv); err != nil {
			r.State, r.Why = keyMissing, because(errors.Unwrap(err))
			if r.Why == "" {
				r.Why = "there is nothing"
			}
		}
		add(r, "your config")
	}
	if e.fromEnv != "" {
		add(keyRow{Source: "environment", Reference: e.fromEnv, Kind: keyring.Key}, e.fromEnv)
	}
	for _, k := range entries {
		if k.Vendor == name {
			r := keyRow{Source: string(k.Place), Kind: k.Kind, Hint: k.Hint, Added: k.Added, Expires: k.Expires}
			if k.Expired() {
				r.State = keyExpired
			}
			add(r, string(k.Place))
		}
	}
	return out
}

func newLogout(a *app) *cobra.Command {
	var all bool
	c := &cobra.Command{Use: "logout VENDOR", Short: "Forget a kept key, and where one is",
		Long: `Forget the key of a vendor that socrates login keeps, and the reference in your config to where
one is. The vendor is not told: a key that others may know must be withdrawn there.`,
		Example: `  socrates logout openai
  socrates logout --all`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.keyedNames(), cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(_ *cobra.Command, args []string) error {
			if all == (len(args) == 1) || len(args) > 1 {
				return usage("logout takes one vendor, or --all", "socrates login status shows whose keys are there")
			}
			return nil
		}}
	c.Flags().BoolVar(&all, "all", false, "forget every kept key, and every reference")
	c.RunE = func(_ *cobra.Command, args []string) error {
		rows, err := a.keyRows()
		if err != nil {
			return err
		}
		names := args
		if all {
			for _, r := range rows {
				names = append(names, r.Vendor)
			}
			names = slices.Compact(names)
		} else if _, err := a.accessToLogin(args[0]); err != nil && !slices.ContainsFunc(rows, func(r keyRow) bool { return r.Vendor == args[0] }) {
			return err
		}
		return a.logout(names)
	}
	return c
}

// forgotten is what became of a vendor's keys.
type forgotten struct {
	Vendor string   `json:"vendor"`
	Forgot []string `json:"forgot"` // places
	Left   []string `json:"left"`   // what still gives a key, in words
}

func (a *app) logout(names []string) error {
	all := []forgotten{}
	var failed error
	for _, name := range names {
		f, err := a.forget(name)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		all = append(all, f)
		if a.format != "text" {
			continue
		}
		said := "no key is kept."
		if len(f.Forgot) > 0 {
			said = "forgotten is the key in the " + strings.Join(f.Forgot, ", and in the ") + "."
		}
		a.tellPerson(name + ": " + said + "\n")
		for _, left := range f.Left {
			a.tellPerson("It still has a key: " + left + ".\n")
		}
		if name == signsIn && len(f.Forgot) > 0 {
			a.tellPerson("The key itself lives on until you delete it: https://openrouter.ai/settings/keys\n")
		}
	}
	if a.format != "text" && failed == nil {
		return a.printJSON(all)
	}
	if len(all) == 0 && failed == nil {
		a.tellPerson("No key is kept.\n")
	}
	return failed
}

func (a *app) forget(name string) (forgotten, error) {
	f := forgotten{Vendor: name, Forgot: []string{}, Left: []string{}}
	r, err := a.ring()
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
	access, err := a.access(name)
	if err != nil {
		return f, nil // a provider that is gone can have nothing else
	}
	if !access.secret.IsZero() {
		key := "providers." + name + ".key"
		cfg, err := a.settings()
		if err != nil {
			return f, err
		}
		file, err := a.userFile()
		if err != nil {
			return f, err
		}
		if access.secret.IsReference() && cfg.Wins(key) == config.User {
			if err := config.Set(file, key, ""); err != nil {
				return f, err
			}
			f.Forgot = append(f.Forgot, "config ("+access.secret.String()+")")
		} else {
			f.Left = append(f.Left, key+" is set, in "+filepath.Base(file)+" or by a variable")
		}
	}
	if access.fromEnv != "" {
		f.Left = append(f.Left, access.fromEnv+" is set")
	}
	return f, nil
}
