// Package login gets a vendor's key, from a person or in the browser, has the vendor check it, and keeps it.
//
// Commands and the screen log in through it: it asks nothing itself and writes nothing to a terminal. A key is known to the redactor
// before anything can be said about it, and is checked before it is kept, so a typo does not replace a key that works.
package login

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/llm/cli"
)

// Vendors are the vendors and providers that may have a key.
// Errors of the settings give no names; whoever goes on with a name reports them.
func Vendors(h *home.Home) []string {
	c, err := h.Settings.Models()
	if err != nil {
		return nil
	}
	cfg, err := h.Settings.Load()
	if err != nil {
		return nil
	}
	var names []string
	for _, v := range c.Vendors() {
		if len(v.KeyEnv) > 0 {
			names = append(names, v.Name)
		}
	}
	for _, p := range cfg.Providers() {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Access is the endpoint of a vendor whose key can be kept.
// Each of its refusals says what to do instead: a program signs in by itself, a local server needs no key.
func Access(h *home.Home, name string) (home.Endpoint, error) {
	if slices.Contains(Vendors(h), name) {
		e, err := h.Keys.Access(name)
		if err == nil && e.URL == "" {
			err = failure.Usage(name+" has no base URL", "set providers."+name+".base_url")
		}
		return e, err
	}
	if slices.ContainsFunc(cli.Programs, func(p cli.Program) bool { return p.Name == strings.TrimSuffix(name, "-cli") }) {
		return home.Endpoint{}, failure.Usage(name+" has its own login, which Socrates uses",
			"start "+name+" and sign in there; API keys can be saved for: "+strings.Join(Vendors(h), ", "))
	}
	if _, err := h.Keys.Access(name); err == nil {
		return home.Endpoint{}, failure.Usage(name+" needs no key", "")
	}
	if _, err := h.Settings.Models(); err != nil {
		return home.Endpoint{}, err
	}
	if _, err := h.Settings.Load(); err != nil {
		return home.Endpoint{}, err
	}
	return home.Endpoint{}, failure.Usage("unknown vendor "+name, failure.Nearest(name, Vendors(h)))
}
