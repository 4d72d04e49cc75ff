package frame

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/failure"
)

func strategyNames() []string {
	var names []string
	for _, s := range strategy.All() {
		names = append(names, s.Name)
	}
	return names
}

// sparing returns the names of the strategies that leave out seats whose votes could change nothing.
func sparing() (names []string) {
	for _, s := range strategy.All() {
		if s.Spares {
			names = append(names, s.Name)
		}
	}
	return names
}

// strategy returns the strategy that the settings name; an unknown name is an error.
func (a *Framer) strategy() (debate.Strategy, error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return debate.Strategy{}, err
	}
	name := c.String("debate.strategy")
	if s, ok := strategy.Find(name); ok {
		return s, nil
	}
	for _, o := range c.Explain("debate.strategy") {
		if o.Wins && o.Layer != config.Flag { // a mistake in a file is reported with its line
			return debate.Strategy{}, &config.Error{File: o.File, Line: o.Line, Message: "debate.strategy: unknown strategy " + name,
				Hint: failure.Nearest(name, strategyNames())}
		}
	}
	return debate.Strategy{}, failure.Usage("unknown strategy "+name, failure.Nearest(name, strategyNames()))
}

// refineRules returns the rules of the strategy refine from the settings. A setting that is not given keeps the
// default, which the record then holds in full.
func (a *Framer) refineRules() (verdict.RefineRules, error) {
	c, err := a.Home.Settings.Load()
	r := verdict.DefaultRules().Refine
	if err != nil {
		return r, err
	}
	by := map[string]float64{}
	for kind, usual := range r.Thresholds {
		key := "refine.threshold"
		if kind != "" {
			key += "_" + kind
		}
		by[kind] = cmp.Or(c.Float(key), c.Float("refine.threshold"), usual)
	}
	r.Thresholds = by
	r.MinRounds = cmp.Or(c.Int("refine.min_rounds"), r.MinRounds)
	r.Warning = cmp.Or(c.Float("refine.warning"), r.Warning)
	r.Stagnation = cmp.Or(c.Float("refine.stagnation"), r.Stagnation)
	r.Abort = cmp.Or(c.Float("refine.abort"), r.Abort)
	return r, nil
}

// learning says how much of what was learned from outcomes counts: on, lower or off.
func (a *Framer) learning() string {
	c, err := a.Home.Settings.Load()
	if err != nil { // reported by whoever needs the settings
		return ""
	}
	return c.String("debate.learn")
}

// deep reports whether evidence is checked as thoroughly as possible.
func (a *Framer) deep() bool {
	c, err := a.Home.Settings.Load()
	return err == nil && c.String("debate.checking") == "deep" // reported by whoever needs the settings
}

// suits returns an error if a strategy cannot be followed with these seats and flags. It changes limits: a strategy
// that does not spare seats has no economy, and one with rounds of its own keeps them unless a person set another
// number.
func (a *Framer) suits(s debate.Strategy, d *Flags, seats []table.Seat, limits *table.Limits) error {
	if len(seats) < s.Least {
		return failure.Usage(fmt.Sprintf("the strategy %s needs %d seats, but only %d are available", s.Name, s.Least, len(seats)),
			"add seats with --seat; list them with: socrates seats")
	}
	if !s.Spares {
		if d.Set.Given("debate.economy") {
			return failure.Usage("--economy has no effect in the strategy "+s.Name, "it applies to: "+strings.Join(sparing(), ", "))
		}
		limits.Economy = ""
	}
	c, err := a.Home.Settings.Load()
	if err != nil {
		return err
	}
	set := false
	for _, o := range c.Explain("debate.rounds") {
		set = set || o.Wins && o.Layer != "built in"
	}
	switch {
	case s.Rounds == 0 && d.Set.Given("debate.rounds"):
		return failure.Usage("--rounds has no effect in the strategy "+s.Name, "leave it out")
	case !set:
		limits.Rounds = s.Rounds
	}
	return nil
}
