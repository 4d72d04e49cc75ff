// Package strategy holds the ways to debate, a file each. They stand on what a debate.Room exports, and so can one that is written
// elsewhere.
package strategy

import "github.com/socrates-cli/socrates/internal/debate"

// All are the ways to debate, the default first.
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
