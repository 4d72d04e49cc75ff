package debate

import (
	"fmt"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/out"
)

// helpStrategies explains when to use which strategy. --strategy help prints it, where a person looks for the names.
func (a *commands) helpStrategies() error {
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

// strategyHelp explains when to use which strategy.
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

// StrategyFacts describes the rounds, seats and turns of a strategy in words, for docs/strategies.
func (*Debates) StrategyFacts(s debate.Strategy) string { return strategyFacts(s) }

func strategyFacts(s debate.Strategy) string {
	rounds := "No rounds"
	if s.Rounds > 0 {
		rounds = "One round by default (--rounds)"
		if s.Rounds > 1 {
			rounds = fmt.Sprintf("%d rounds by default (--rounds)", s.Rounds)
		}
	}
	// Rounds end early if nobody disagrees any more.
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
