package people

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/login"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat"
)

// World finds the available models, and changes their setup.
type World struct {
	// Seats finds available and possible seats; nil: it cannot look for any.
	Seats func(ctx context.Context) ([]Candidate, error)
	// Named returns the display name of the model that answers for a spec in a phase, its tier, and its window
	// in tokens, 0 if unknown; nil: the spec is shown.
	Named func(spec, phase string) (name, tier string, window int)
	// Limit returns the permission mode that limits a phase; empty: none.
	Limit func(phase string) string
	// Keep writes a setting to the person's file and applies it. It returns the place, and what overrides it.
	Keep func(key, value string) (place string, err error)
	// Login checks and stores the key of a vendor, and says where; without a key the vendor makes one in a
	// browser, and tell receives the instructions for the person.
	Login func(ctx context.Context, vendor, key string, tell func(text string)) (said string, err error)
	// Model finds the default model; it may ask programs.
	Model func(ctx context.Context) (string, error)
	// Program is the command line of this program, for what it runs in the terminal itself; nil: nothing.
	Program []string
}

// Of makes the World of a home. Model and tier were requested at the start; empty: they were not.
func Of(h *home.Home, model, tier string) World {
	program, _ := h.Settings.Self() // without it nothing that needs it is offered
	return World{Program: program,
		Seats: func(ctx context.Context) ([]Candidate, error) { return found(ctx, h) },
		Named: func(spec, phase string) (string, string, int) { return named(h, spec, phase) },
		Limit: func(phase string) string {
			p, _ := h.Pages.Phase("", phase) // the turn reports a phase that cannot be read
			return p.Mode
		},
		Keep: func(key, value string) (string, error) { return keep(h, key, value) },
		Login: func(ctx context.Context, vendor, key string, tell func(string)) (string, error) {
			return login.Save(ctx, h, vendor, key, tell)
		},
		Model: func(ctx context.Context) (string, error) { return h.Seats.Choose(ctx, model, tier) }}
}

// found returns available and possible seats, with the models each could answer with and how to sign in. SignIn
// is a command line that the screen runs in the terminal.
func found(ctx context.Context, h *home.Home) ([]Candidate, error) {
	all, err := h.Seats.Discover(ctx)
	if err != nil {
		return nil, err
	}
	cfg, err := h.Settings.Load()
	if err != nil {
		return nil, err
	}
	c, err := h.Settings.Models()
	if err != nil {
		return nil, err
	}
	self, err := h.Settings.Self()
	if err != nil {
		return nil, err
	}
	var list []Candidate
	for _, f := range all {
		name := strings.TrimSuffix(seat.Name(f.Spec), "-cli")
		s := Candidate{Name: name, Spec: f.Spec, Open: f.Spec, Model: f.Model, Lineage: f.Lineage, Why: out.Homely(f.Why), Source: f.Source,
			Ready: f.Ready, Used: f.Used,
			Tier: cfg.OwnTier(name)}
		for _, c := range h.Seats.Choices(c, f) {
			s.Choices = append(s.Choices, Choice(c))
		}
		switch {
		case f.Source == "key" && name == home.SignsIn:
			s.SignIn, s.Browser = append(slices.Clone(self), "login", name, "--paste"), true
			s.How = "Enter signs in by browser"
		case f.Source == "key":
			s.SignIn, s.How = append(slices.Clone(self), "login", name), "Enter adds an API key"
		case f.Source == "program" && f.Unsure:
			s.SignIn, s.How, s.Unsure = []string{f.Path}, "Enter uses it or starts it", true
		case f.Source == "program" && f.Path != "":
			s.SignIn, s.How = []string{f.Path}, "Enter starts it and signs in"
		case f.Source == "program":
			s.How = "install it and sign in, then scan again"
		case f.Source == "local":
			s.How = "start it, then scan again"
		}
		switch f.Source {
		case "key":
			s.Open = h.Seats.OpenSpec(f.Spec)
		case "program":
			s.Open = name
		case "config":
			s.Spec, _, _ = strings.Cut(f.Spec, "@")
			s.Open = s.Spec
		}
		list = append(list, s)
	}
	used := func(f home.Found) bool { return f.Used }
	if alone := slices.IndexFunc(all, used); alone >= 0 && !slices.ContainsFunc(all[alone+1:], used) {
		list[alone].Second = h.Seats.Second(all[alone])
	}
	return list, nil
}

// keep stores a setting, and returns its place and what overrides it. A stored setting has no effect if an
// environment variable or a flag overrides it; then the person must be told.
func keep(h *home.Home, key, value string) (place string, err error) {
	if err := h.Settings.Set(key, value); err != nil {
		return "", err
	}
	file, err := h.Settings.File()
	if err != nil {
		return "", err
	}
	place = out.Homely(file)
	cfg, err := h.Settings.Load()
	if err != nil {
		return "", err
	}
	if name, ok := strings.CutPrefix(key, "tiers."); ok && value != "" && cfg.Tier(name) != value && cfg.Wins(key) == config.User {
		key = "debate.tier"
	}
	if by := cfg.Wins(key); by != config.User && by != config.BuiltIn && by != "" {
		for _, o := range cfg.Explain(key) {
			if o.Wins {
				place += "; " + key + " of " + out.Homely(o.Place()) + " takes precedence"
			}
		}
	}
	return place, nil
}

// named returns the display name and tier of the model that answers for spec in a phase, as far as they are
// known.
func named(h *home.Home, spec, phase string) (name, tier string, window int) {
	if p, err := h.Pages.Phase("", cmp.Or(phase, "chat")); err == nil {
		spec = h.Pages.Tier(spec, p.Tier)
	}
	return h.Seats.Describe(spec)
}
