// Package strategy has the debate strategies, one file each. They use only what a debate.Room exports, so a strategy can also be
// written elsewhere.
//
// A strategy is a function over the verbs of a room: it decides who is asked when, never who is right. All of them end in ballots and
// claims in the one ledger, from which code decides. Only council and single have votes that no seat has influenced; the others are
// explorations, and their results are printed with that label. An error of a verb is returned as it is. A person who wants the votes
// now (Room.Polled) ends the talk at the next place.
package strategy

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
)

// registered are the strategies, in arbitrary order.
var registered []debate.Strategy

// register adds a strategy. The file that declares one calls it; flags, help and docs then include it.
func register(s debate.Strategy) debate.Strategy {
	registered = append(registered, s)
	return s
}

// All returns the strategies: council, the default, first, the others by name. The caller may change the slice.
func All() []debate.Strategy {
	rank := func(s debate.Strategy) string {
		if s.Name == council.Name {
			return ""
		}
		return s.Name
	}
	return slices.SortedFunc(slices.Values(registered), func(a, b debate.Strategy) int { return strings.Compare(rank(a), rank(b)) })
}

// Find returns the strategy with a name.
func Find(name string) (debate.Strategy, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return debate.Strategy{}, false
}

// fixed returns the Turns of a strategy that does not depend on rounds.
func fixed(n int) func(int) (int, int) { return func(int) (int, int) { return n, n } }
