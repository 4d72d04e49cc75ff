package debate

import "context"

// Strategy is a way to debate: it asks and records, and never returns a verdict. Whatever it does ends in ballots and
// claims in the one ledger.
type Strategy struct {
	Name, Doc string
	When      string // whom it serves and whom not, in a sentence or two
	Least     int    // seats it needs
	Rounds    int    // what Limits.Rounds is unless a person says; 0: rounds have no meaning in it
	// Explores: seats talk before they vote, so the votes are not independent and the score says less.
	Explores bool
	// Turns is how often one seat speaks, at least and at most; judging evidence is left out.
	Turns func(rounds int) (least, most int)
	Run   func(ctx context.Context, r *Room) error
}

// Strategies are the ways to debate, the default first.
func Strategies() []Strategy {
	return []Strategy{council, single, parallel, roundrobin, adversarial, advocate, roundtable, refine, delphi}
}

// FindStrategy is the strategy of a name.
func FindStrategy(name string) (Strategy, bool) {
	for _, s := range Strategies() {
		if s.Name == name {
			return s, true
		}
	}
	return Strategy{}, false
}

// ExplorationNotice stands above what a strategy found in which seats talked before they voted.
const ExplorationNotice = "Exploration: the seats talked before they voted, so their votes are not independent. For a decision that must hold, use --strategy council."

// fixed is the turns of a strategy that does not depend on rounds.
func fixed(n int) func(int) (int, int) { return func(int) (int, int) { return n, n } }
