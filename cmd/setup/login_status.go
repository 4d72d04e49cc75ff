package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/keyring"
	"github.com/socrates-cli/socrates/internal/login"
	"github.com/socrates-cli/socrates/internal/out"
)

// States of a key.
const (
	keyUsed    = "used"
	keySecond  = "not-used" // another key of its vendor takes precedence
	keyExpired = "expired"
	keyMissing = "missing" // it is configured, but its source has no key
)

// keyRow is one key of a vendor, or a place where one should be. Hint is what a person recognizes a key by; nothing
// else of it is ever shown.
type keyRow struct {
	Vendor    string         `json:"vendor"`
	Source    string         `json:"source"`              // config, environment, keyring or file
	Reference string         `json:"reference,omitempty"` // env:NAME, file:PATH, a variable's name, or stars
	Kind      keyring.Origin `json:"kind"`
	State     string         `json:"state"`
	Hint      string         `json:"hint,omitempty"` // its last four letters
	Added     time.Time      `json:"added,omitzero"`
	Expires   time.Time      `json:"expires,omitzero"`
	Why       string         `json:"why,omitempty"`
}

// newLoginStatus is the command login status.
func newLoginStatus(a *call.Call) *cobra.Command {
	return noun.Noun[keyRow]{Call: a, Is: "API key", Are: "API keys", Path: "socrates login", First: "Add one with: socrates login",
		Rows: noun.Found(func(context.Context, noun.Query) ([]keyRow, error) { return keyRows(a) }),
		Line: func(r keyRow) string {
			return out.Fit(os.Stdout, fmt.Sprintf("%-12s %-12s %s\n", r.Vendor, r.Source, r.text()), strings.Repeat(" ", 26))
		},
	}.Lists(&cobra.Command{Use: "status [WORDS]", Short: "List keys, where each comes from, when it expires",
		Long: `List the API keys of all vendors: saved, in the environment and in your config, in order of
precedence. No vendor is contacted and no keyring is opened.`,
	})
}

// text describes a key without showing it.
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
	add(!r.Added.IsZero(), "added "+out.Ago(r.Added))
	add(!r.Expires.IsZero() && r.State != keyExpired, "expires "+day(r.Expires))
	add(r.State == keyExpired, "expired "+day(r.Expires)+": socrates login "+r.Vendor)
	add(r.Why != "", r.Why)
	return strings.Join(parts, ", ")
}

// keyRows returns the keys of all vendors, each vendor's in order of precedence.
func keyRows(a *call.Call) ([]keyRow, error) {
	r, err := a.Home.Keys.Keyring()
	if err != nil {
		return nil, err
	}
	kept, broken := r.List()
	names := login.Vendors(a.Home)
	for _, e := range kept {
		if !slices.Contains(names, e.Vendor) {
			names = append(names, e.Vendor) // a provider that is no longer in the settings
		}
	}
	list := []keyRow{}
	for _, name := range names {
		e, _ := a.Home.Keys.Access(name)
		list = append(list, rowsOf(e, name, kept)...)
	}
	// Keys that could be read are listed all the same.
	if broken != nil {
		a.Out.Warn(broken.Error())
	}
	return list, nil
}

// The order is that of precedence: config, environment, keyring, file. An expired one is skipped.
func rowsOf(e home.Endpoint, name string, kept []keyring.KeyInfo) []keyRow {
	var list []keyRow
	// counts is the source of the key that is used; empty: none so far.
	counts := ""
	add := func(r keyRow, what string) {
		r.Vendor = name
		switch {
		case counts != "" && r.State != keyExpired:
			r.State, r.Why = keySecond, "not used: "+counts+" takes precedence"
		case r.State == "":
			r.State = keyUsed
		}
		if counts == "" {
			counts = what
		}
		list = append(list, r)
	}
	if !e.Secret.IsZero() {
		r := keyRow{Source: "config", Reference: e.Secret.String(), Kind: keyring.Key}
		if _, err := e.Secret.Reveal(os.LookupEnv); err != nil {
			r.State, r.Why = keyMissing, failure.Because(errors.Unwrap(err))
			if r.Why == "" {
				r.Why = "it is empty"
			}
		}
		add(r, "your config")
	}
	if e.FromEnv != "" {
		add(keyRow{Source: "environment", Reference: e.FromEnv, Kind: keyring.Key}, e.FromEnv)
	}
	for _, k := range kept {
		if k.Vendor == name {
			r := keyRow{Source: string(k.Place), Kind: k.Kind, Hint: k.Hint, Added: k.Added, Expires: k.Expires}
			if k.Expired() {
				r.State = keyExpired
			}
			add(r, string(k.Place))
		}
	}
	return list
}

// day formats the local date of a time.
func day(t time.Time) string { return t.Local().Format(time.DateOnly) }
