package cmd

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

func strategyNames() []string {
	var names []string
	for _, s := range strategy.All() {
		names = append(names, s.Name)
	}
	return names
}

// helpStrategies prints which strategy serves whom.
func (a *app) helpStrategies() error {
	if a.Out.Format == "text" {
		fmt.Fprint(a.Out, out.Fit(os.Stdout, strategyHelp(), "    "))
		return nil
	}
	type row struct {
		Name    string `json:"name"`
		Doc     string `json:"doc"`
		When    string `json:"when"`
		Seats   int    `json:"seats"`
		Rounds  int    `json:"rounds"`
		Explore bool   `json:"exploration"`
	}
	rows := []row{}
	for _, s := range strategy.All() {
		rows = append(rows, row{s.Name, s.Doc, s.When, s.Least, s.Rounds, s.Explores})
	}
	return a.Out.JSON(rows)
}

// strategyHelp says which strategy serves whom.
func strategyHelp() string {
	var b strings.Builder
	for _, s := range strategy.All() {
		fmt.Fprintf(&b, "%s\n", s.Name)
		for _, text := range []string{s.Doc + ".", s.When, strategyFacts(s)} {
			b.WriteString("    " + strings.ToUpper(text[:1]) + text[1:] + "\n")
		}
	}
	return b.String()
}

func strategyFacts(s debate.Strategy) string {
	rounds := "No rounds"
	if s.Rounds > 0 {
		rounds = "One round by default (--rounds)"
		if s.Rounds > 1 {
			rounds = fmt.Sprintf("%d rounds by default (--rounds)", s.Rounds)
		}
	}
	least, most := s.Turns(s.Rounds)
	turns := fmt.Sprintf("each seat speaks %d to %d times", least, most)
	if least == most && least == 1 {
		turns = "each seat speaks once"
	} else if least == most {
		turns = fmt.Sprintf("each seat speaks %d times", least)
	}
	kind := "Votes are blind."
	if s.Explores {
		kind = "Exploration: seats talk before they vote."
	}
	seats := "one seat"
	if s.Least > 1 {
		seats = fmt.Sprintf("at least %d seats", s.Least)
	}
	return fmt.Sprintf("%s; %s; %s. %s", rounds, seats, turns, kind)
}

// strategy is the way to debate that the settings name, which must be one there is.
func (a *app) strategy() (debate.Strategy, error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return debate.Strategy{}, err
	}
	name := c.String("debate.strategy")
	if s, ok := strategy.Find(name); ok {
		return s, nil
	}
	for _, o := range c.Explain("debate.strategy") {
		if o.Wins && o.Layer != config.Flag { // a mistake in a file is told with its line
			return debate.Strategy{}, &config.Error{File: o.File, Line: o.Line, Message: "debate.strategy: unknown strategy " + name, Hint: failure.Nearest(name, strategyNames())}
		}
	}
	return debate.Strategy{}, failure.Usage("unknown strategy "+name, failure.Nearest(name, strategyNames()))
}

// refineRules are the rules of the strategy refine as the settings have them.
func (a *app) refineRules() (verdict.RefineRules, error) {
	c, err := a.Home.Settings.Load()
	r := verdict.DefaultRules().Refine
	if err != nil {
		return r, err
	}
	if at := c.Float("refine.threshold"); at > 0 {
		r.Thresholds = map[string]float64{"": at}
	}
	r.MinRounds = cmp.Or(c.Int("refine.min_rounds"), r.MinRounds)
	r.Warning = cmp.Or(c.Float("refine.warning"), r.Warning)
	r.Stagnation = cmp.Or(c.Float("refine.stagnation"), r.Stagnation)
	r.Abort = cmp.Or(c.Float("refine.abort"), r.Abort)
	return r, nil
}

// deep says whether evidence is checked as thoroughly as can be.
func (a *app) deep() bool {
	c, err := a.Home.Settings.Load()
	return err == nil && c.String("debate.checking") == "deep" // whoever needs settings has told
}

// chose says whether a setting was given as a flag; a debate of the screen or the chat has none.
func (d *debateFlags) chose(key string) bool {
	value := d.set[key]
	return value != nil && *value != ""
}

// suits says whether a strategy can be followed with these seats and flags, and gives it its own number of rounds
// unless a person set one.
func (a *app) suits(s debate.Strategy, d *debateFlags, seats []debate.SeatInfo, limits *debate.Limits) error {
	if len(seats) < s.Least {
		return failure.Usage(fmt.Sprintf("the strategy %s needs %d seats, but only %d are available", s.Name, s.Least, len(seats)),
			"add seats with --seat; list them with: socrates seats")
	}
	if !s.Spares {
		if d.chose("debate.economy") {
			return failure.Usage("--economy has no effect in the strategy "+s.Name, "it applies only to the council")
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
	case s.Rounds == 0 && d.chose("debate.rounds"):
		return failure.Usage("--rounds has no effect in the strategy "+s.Name, "leave it out")
	case !set:
		limits.Rounds = s.Rounds
	}
	return nil
}
