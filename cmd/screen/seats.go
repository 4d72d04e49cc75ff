package screen

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/tui"
)

// screenSeats are the seats there are and could be, with the models each could answer with and what signs in where something
// can.
// SignIn is a command line that the screen runs in the terminal it lends.
func (a *Screen) screenSeats(ctx context.Context) ([]tui.Seat, error) {
	all, err := a.Home.Seats.Discover(ctx)
	if err != nil {
		return nil, err
	}
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return nil, err
	}
	c, err := a.Home.Settings.Models()
	if err != nil {
		return nil, err
	}
	self, err := a.Self()
	if err != nil {
		return nil, err
	}
	var list []tui.Seat
	for _, f := range all {
		name := strings.TrimSuffix(seat.Name(f.Spec), "-cli")
		s := tui.Seat{Name: name, Spec: f.Spec, Open: f.Spec, Model: f.Model, Lineage: f.Lineage, Why: out.Homely(f.Why), Source: f.Source,
			Ready: f.Ready, Used: f.Used,
			Tier: cfg.OwnTier(name)}
		for _, c := range a.Home.Seats.Choices(c, f) {
			s.Choices = append(s.Choices, tui.Choice(c))
		}
		switch {
		case f.Source == "key" && name == home.SignsIn:
			s.SignIn, s.Browser = append(slices.Clone(self), "login", name, "--paste"), true
			s.How = "press Enter to sign in with the browser"
		case f.Source == "key":
			s.SignIn, s.How = append(slices.Clone(self), "login", name), "press Enter to add an API key"
		case f.Source == "program" && f.Unsure:
			s.SignIn, s.How, s.Unsure = []string{f.Path}, "press Enter to use it or start it", true
		case f.Source == "program" && f.Path != "":
			s.SignIn, s.How = []string{f.Path}, "press Enter to start it and sign in"
		case f.Source == "program":
			s.How = "install it and sign in, then scan again"
		case f.Source == "local":
			s.How = "start it, then scan again"
		}
		switch f.Source {
		case "key":
			s.Open = a.Home.Seats.OpenSpec(f.Spec)
		case "program":
			s.Open = name
		case "config":
			s.Spec, _, _ = strings.Cut(f.Spec, "@")
			s.Open = s.Spec
		}
		list = append(list, s)
	}
	return list, nil
}

// screenKeep keeps a setting, and says where, and what counts before it.
// A setting that is kept may have no effect, because an environment variable or a flag counts before it; then the
// person must be told.
func (a *Screen) screenKeep(key, value string) (place string, err error) {
	if err := a.Home.Settings.Keep(key, value); err != nil {
		return "", err
	}
	file, err := a.Home.Settings.File()
	if err != nil {
		return "", err
	}
	place = out.Homely(file)
	cfg, err := a.Home.Settings.Load()
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

// named is how a person knows the model that answers in a phase where spec is set, and its tier, as far as that is known.
func (a *Screen) named(spec, phase string) (name, tier string, window int) {
	if p, err := a.Home.Pages.Phase("", cmp.Or(phase, "chat")); err == nil {
		spec = a.Home.Pages.Answers(spec, p)
	}
	return a.Home.Seats.Known(spec)
}
