// Package strategy holds the debate strategies, one file each. They stand on what a debate.Room exports, and so can one that is
// written elsewhere.
//
// A strategy is a function over the verbs of a room: it says who is asked when, and never who is right. All of them
// end in ballots and claims in the one ledger, from which code decides. Only council and single have votes that no
// seat has influenced; the others are explorations, which is printed wherever their result is. An error of a verb is
// returned as it is. A person who wants the votes now (Room.Polled) ends the talk at the next place.
package strategy

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
)

// registered are the strategies, in no order that counts.
var registered []debate.Strategy

// register adds a strategy. The file that declares one calls it; flags, help and docs follow.
func register(s debate.Strategy) debate.Strategy {
	registered = append(registered, s)
	return s
}

// All are the ways to debate: council, the default, first, the others by name. The slice is the caller's.
func All() []debate.Strategy {
	rank := func(s debate.Strategy) string {
		if s.Name == council.Name {
			return ""
		}
		return s.Name
	}
	return slices.SortedFunc(slices.Values(registered), func(a, b debate.Strategy) int { return strings.Compare(rank(a), rank(b)) })
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
