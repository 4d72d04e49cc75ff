package cmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/cmd/setup"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/tui"
)

// screenSeats are the seats there are and could be, with the models each could answer with and what signs in where something
// can.
func (a *app) screenSeats(ctx context.Context) ([]tui.Seat, error) {
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
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var list []tui.Seat
	for _, f := range all {
		name := strings.TrimSuffix(seat.Name(f.Spec), "-cli")
		s := tui.Seat{Name: name, Spec: f.Spec, Open: f.Spec, Model: f.Model, Lineage: f.Lineage, Why: out.Homely(f.Why), Source: f.Source, Ready: f.Ready, Used: f.Used,
			Tier: cfg.OwnTier(name), Choices: a.choices(c, f)}
		switch {
		case f.Source == "key" && name == setup.SignsIn:
			s.SignIn, s.How, s.Browser = []string{self, "login", name, "--paste"}, "press Enter to sign in with the browser", true
		case f.Source == "key":
			s.SignIn, s.How = []string{self, "login", name}, "press Enter to add an API key"
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
func (a *app) screenKeep(key, value string) (place string, err error) {
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

// tiers are all of them, the cheapest first.
var tiers = []llm.Tier{llm.Small, llm.Mid, llm.Big}

// choices are the models that a seat could answer with: one for each tier of its vendor, of a server on this machine those it
// has.
func (a *app) choices(c *llm.Catalogue, f home.Found) (list []tui.Choice) {
	name, _, _ := strings.Cut(f.Spec, ":")
	vendor, price := name, true
	switch p, ok := a.Home.Programs.Find(strings.TrimSuffix(name, "-cli"), ""); {
	case f.Source == "config":
		return nil
	case f.Source == "program" && ok:
		if vendor, price = home.Maker(c, p), false; a.Home.Programs.IsVendor(p.Name) { // what it costs is between the person and the program
			name = p.Name + "-cli"
		}
	}
	for _, tier := range tiers {
		info, _, err := c.Resolve(vendor, string(tier))
		if err != nil || f.Source == "local" && !slices.Contains(f.Models, info.ID) {
			continue
		}
		choice := tui.Choice{Spec: name + ":" + string(tier), Tier: string(tier), Model: info.ID}
		if price {
			choice.Price = perMillion(info.Price)
		}
		list = append(list, choice)
	}
	for _, id := range f.Models {
		if !slices.ContainsFunc(list, func(c tui.Choice) bool { return c.Model == id }) {
			list = append(list, tui.Choice{Spec: name + ":" + id, Model: id, Price: "free"})
		}
	}
	return list
}

// perMillion says what a million tokens cost; empty: nobody knows.
func perMillion(p llm.Price) string {
	dollars := func(n float64) string {
		if n == float64(int(n)) {
			return fmt.Sprintf("$%d", int(n))
		}
		return fmt.Sprintf("$%.2f", n)
	}
	switch {
	case !p.Known:
		return ""
	case p.Input == 0 && p.Output == 0:
		return "free"
	}
	return dollars(p.Input) + " in, " + dollars(p.Output) + " out"
}

// named is how a person knows the model that answers in a phase where spec is set, and its tier, as far as that is known.
func (a *app) named(spec, phase string) (name, tier string) {
	if p, err := a.Home.Pages.Phase("", cmp.Or(phase, "chat")); err == nil {
		spec = a.Home.Pages.Answers(spec, p)
	}
	name, model, _ := strings.Cut(spec, ":")
	if name == "script" {
		if m, err := script.Load(model); err == nil {
			tier = string(m.Info().Tier)
		}
		return "script:" + filepath.Base(model), tier
	}
	if p, ok := a.Home.Programs.Find(name, model); ok {
		return a.namedProgram(p, name, model)
	}
	if e, err := a.Home.Keys.Endpoint(name, model); err == nil {
		return name + ":" + e.Info.ID, string(e.Info.Tier)
	}
	return spec, ""
}

func (a *app) namedProgram(p cli.Program, name, model string) (string, string) {
	if name == seat.AgentSpec {
		return name + ":" + model, ""
	}
	if model = cmp.Or(model, p.Chosen()); model == "" {
		return name, ""
	}
	c, err := a.Home.Settings.Models()
	if err != nil {
		return name + ":" + model, ""
	}
	if info, _, err := c.Resolve(home.Maker(c, p), model); err == nil {
		return name + ":" + info.ID, string(info.Tier)
	}
	return name + ":" + model, ""
}
