package home

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/catalogue"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// tiers are all of them, the cheapest first.
var tiers = []llm.Tier{llm.Small, llm.Mid, llm.Big}

// Choice is a model that a seat could answer with.
type Choice struct {
	Spec, Tier, Model string
	Price             string // in words; empty: nobody knows
}

// Choices are the models that a seat could answer with: one for each tier of its vendor, of a server on this machine those it
// has.
// Programs have no prices here: a subscription may pay for them.
func (s *Seats) Choices(c *catalogue.Catalogue, f Found) (list []Choice) {
	name, _, _ := strings.Cut(f.Spec, ":")
	vendor, price := name, true
	switch p, ok := s.home.Programs.Find(strings.TrimSuffix(name, "-cli"), ""); {
	case f.Source == "config":
		return nil
	case f.Source == "program" && ok:
		if vendor, price = Maker(c, p), false; s.home.Programs.IsVendor(p.Name) { // what it costs is between the person and the program
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

// Second is another model of a seat's vendor, to sit beside it where nobody else can: the biggest that it is not. It is empty if there
// is none to choose: a configured seat sits as it was configured.
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

// perMillion says what a million tokens cost; empty: nobody knows.
// The price is USD per million tokens.
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
