package home

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/catalogue"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/seat"
)

// tiers lists all tiers, the cheapest first.
var tiers = []llm.Tier{llm.Small, llm.Mid, llm.Big}

// Choice is a model that a seat could answer with.
type Choice struct {
	Spec, Tier, Model string
	Price             string // in words; empty: unknown
}

// Choices returns the models that a seat could answer with: one for each tier of its vendor, or those of a
// server on this machine. Programs have no prices here: a subscription may pay for them.
func (s *Seats) Choices(c *catalogue.Catalogue, f Found) (list []Choice) {
	name, _, _ := strings.Cut(f.Spec, ":")
	vendor, price := name, true
	switch p, ok := s.home.Programs.Find(strings.TrimSuffix(name, "-cli"), ""); {
	case f.Source == "config":
		return nil
	case f.Source == "program" && ok:
		if vendor, price = Maker(c, p), false; s.home.Programs.IsVendor(p.Name) { // the program's cost is between it and the person
			name = p.Name + "-cli"
		}
	}
	for _, tier := range tiers {
		info, _, err := c.Resolve(vendor, string(tier))
		if err != nil || f.Source == "local" && !slices.Contains(f.Models, info.ID) {
			continue
		}
		choice := Choice{Spec: name + ":" + string(tier), Tier: string(tier), Model: info.ID}
		if price {
			choice.Price = perMillion(info.Price)
		}
		list = append(list, choice)
	}
	for _, id := range f.Models {
		if !slices.ContainsFunc(list, func(c Choice) bool { return c.Model == id }) {
			list = append(list, Choice{Spec: name + ":" + id, Model: id, Price: "free"})
		}
	}
	return list
}

// Second returns another model of a seat's vendor, to join it if no other seat is available: the biggest other
// one. It is empty if there is no choice: a configured seat stays as configured.
func (s *Seats) Second(f Found) (spec string) {
	c, err := s.home.Settings.Models()
	if err != nil {
		return ""
	}
	for _, choice := range slices.Backward(s.Choices(c, f)) {
		if choice.Model != f.Model && choice.Spec != f.Spec {
			return choice.Spec
		}
	}
	return ""
}

// perMillion formats the price of a million tokens in USD; empty: unknown.
func perMillion(p cost.Price) string {
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

// ErrNoModel means that no model is set up.
var ErrNoModel error = failure.New(failure.ExitAuth, "auth", "no model is set up: no API key, no signed-in program, no local server",
	SetUpHint)

// Choose returns the model of a conversation: the named one, else the settings', else the first that is found.
// A tier applies if the spec names no model. It warns the person of anything doubtful.
func (ss *Seats) Choose(ctx context.Context, spec, tier string) (string, error) {
	spec, err := ss.ChooseQuietly(ctx, spec, tier)
	if err == nil {
		ss.WarnUnlisted(spec)
		ss.home.Programs.WarnOpen(spec, ss.home.Programs.Open(spec))
	}
	return spec, err
}

// ChooseQuietly is Choose without warnings, for callers that only test whether a conversation can begin. The
// settings' model is checked before it is used, so that a misspelt one is reported with its line.
func (ss *Seats) ChooseQuietly(ctx context.Context, spec, tier string) (string, error) {
	cfg, err := ss.home.Settings.Load()
	if err != nil {
		return "", err
	}
	if spec == "" {
		if spec = cfg.String("chat.model"); spec != "" {
			if err := ss.Check(cfg, "chat.model", spec); err != nil {
				return "", err
			}
		}
	}
	if spec == "" {
		all, err := ss.Discover(ctx)
		if err != nil {
			return "", err
		}
		for _, f := range all {
			if f.Ready && f.IsModel() {
				if spec = f.Spec; f.Source == "key" && cfg.String("debate.tier") == "" { // the phase chooses its model
					spec = ss.OpenSpec(f.Spec)
				}
				break
			}
		}
	}
	if spec == "" {
		return "", ErrNoModel
	}
	return seat.AtTier(spec, tier), nil
}

// SetUpHint says how to set up a model.
const SetUpHint = "connect one: socrates login (an API key or the browser), sign in to claude or codex, or start a local model; " +
	"to see a turn without one: socrates run --model rehearsal \"Where are sessions kept?\""

// Check returns an error with the place of the setting if it names an unknown seat.
func (ss *Seats) Check(cfg *config.Config, key, spec string) error {
	c, err := ss.home.Settings.Models()
	if err != nil {
		return err
	}
	name := seat.Name(spec)
	names := ss.Names(c, cfg, name)
	if slices.Contains(names, name) {
		return nil
	}
	wrong := &config.Error{Message: key + ": unknown seat " + name, Hint: failure.Nearest(name, names)}
	for _, o := range cfg.Explain(key) {
		if o.Wins {
			wrong.File, wrong.Line = o.File, o.Line
		}
	}
	return wrong
}

// wantedTier returns the tier for a vendor's seat that names none.
func wantedTier(cfg *config.Config, vendor string) llm.Tier {
	return llm.Tier(cmp.Or(cfg.Tier(vendor), string(llm.Mid)))
}

// OpenSpec removes the model from a vendor's spec, unless a program has that name.
func (ss *Seats) OpenSpec(spec string) string {
	if _, ok := ss.home.Programs.Find(seat.Name(spec), ""); ok {
		return spec
	}
	return seat.Name(spec)
}

// Tiered adds a tier to a spec that names no model, if its program or vendor has that tier. The spec wins over
// the settings' model of a program or provider, and that over a tier.
func (ss *Seats) Tiered(cfg *config.Config, spec, tier string) string {
	if tier == "" || strings.Contains(spec, ":") {
		return spec
	}
	vendor, named := spec, spec
	if p, ok := ss.home.Programs.Find(spec, ""); ok {
		if cfg.String("programs."+cli.SettingName(p.Name)+".model") != "" {
			return spec
		}
		if c, err := ss.home.Settings.Models(); err == nil {
			vendor = Maker(c, p)
		}
		if ss.home.Programs.IsVendor(p.Name) {
			named = p.Name + "-cli"
		}
	}
	if p, ok := provider(cfg, spec); ok && p.Model != "" {
		return spec
	}
	if c, err := ss.home.Settings.Models(); err == nil { // whoever makes the model reports an unreadable catalogue
		for _, v := range c.Vendors() {
			if v.Name == vendor && v.Tiers[llm.Tier(tier)] != "" {
				return named + ":" + tier
			}
		}
	}
	return spec
}
