// Package strategy holds the ways to debate, a file each. They stand on what a debate.Room exports, and so can one
// that is written elsewhere.
//
// A strategy is a function over the verbs of a room: it says who is asked when, and never who is right. All of them
// end in ballots and claims in the one ledger, from which code decides. Only council and single have votes that no
// seat has influenced; the others are explorations, which is printed wherever their result is. An error of a verb is
// returned as it is. A person who wants the votes now (Room.Polled) ends the talk at the next place.
package strategy

import "github.com/socrates-cli/socrates/internal/debate"

// All are the ways to debate, the default first.
// A new strategy is a file and a line here; help, docs and flags follow.
func All() []debate.Strategy {
	return []debate.Strategy{council, single, parallel, roundrobin, adversarial, advocate, roundtable, refine, delphi}
}

// Find is the strategy of a name.
func Find(name string) (debate.Strategy, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return debate.Strategy{}, false
}

// fixed is the turns of a strategy that does not depend on rounds.
func fixed(n int) func(int) (int, int) { return func(int) (int, int) { return n, n } }
