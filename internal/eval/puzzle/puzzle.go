// Package puzzle generates suites from a seed. Code makes the items, so their truth is known; they have no licence and cannot have
// leaked.
//
// A [Generator] draws items from random numbers; [Generator.Items] numbers them, so that a name, a number of items and a seed define
// a whole suite and nothing needs to be stored or downloaded. Every item has exactly one right answer, which each kind ensures as it
// draws: by solving the puzzle, by running both versions of a program, by checking every rule.
//
// The items of a seed must never change, or figures of different versions could not be compared: a new idea is a new kind. The draws
// of a kind have a fixed order: inserting one would change all later ones.
package puzzle

import (
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/socrates-cli/socrates/internal/eval/suite"
)

// Generator is a generator of items.
// draw must depend on rng alone.
type Generator struct {
	Name string                          `json:"name"`
	Doc  string                          `json:"doc"`
	draw func(rng *rand.Rand) suite.Item // without an id
}

// Generators returns all generators, by name.
func Generators() []Generator {
	return []Generator{
		{"arithmetic", "chains of 4 to 12 sums in words; open, the answer is a number", arithmetic},
		{"bugs", "a small Go program with a failing test: which of its 4 functions is wrong?",
			func(rng *rand.Rand) suite.Item { return Plant(rng).Item }},
		{"config", "a configuration that breaks one of 4 rules: which?", contradiction},
		{"knights", "who of 3 to 5 people is a knight, a knave or a spy? one of 4 answers fits", knights},
	}
}

// Named finds a generator.
func Named(name string) (Generator, bool) {
	i := slices.IndexFunc(Generators(), func(k Generator) bool { return k.Name == name })
	if i < 0 {
		return Generator{}, false
	}
	return Generators()[i], true
}

// redraws is how often a repeated question is redrawn before it is accepted anyway.
const redraws = 100

// Items makes n items. The first items of a seed are the same whatever n is. No question repeats until the kind runs out of them.
func (k Generator) Items(n int, seed uint64) iter.Seq2[suite.Item, error] {
	return func(yield func(suite.Item, error) bool) {
		seen := map[uint64]bool{}
		for i := range n {
			rng := rand.New(rand.NewPCG(seed, hash(k.Name, fmt.Sprint(i))))
			it := k.draw(rng)
			for try := 0; seen[mark(it)] && try < redraws; try++ {
				it = k.draw(rng)
			}
			seen[mark(it)] = true
			it.ID = fmt.Sprintf("%s-%d-%05d", k.Name, seed, i+1)
			if !yield(it, nil) {
				return
			}
		}
	}
}

// mark identifies a question. The order of its options does not matter.
func mark(it suite.Item) uint64 {
	words := append([]string{it.Question}, slices.Sorted(slices.Values(it.Options))...)
	for _, name := range slices.Sorted(maps.Keys(it.Files)) {
		words = append(words, name, it.Files[name])
	}
	return hash(words...)
}

func hash(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// pick draws n different elements of a list.
func pick[T any](rng *rand.Rand, list []T, n int) []T {
	out := slices.Clone(list)
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:n]
}

// one draws one element of a list.
func one[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }
