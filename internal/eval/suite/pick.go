package suite

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
)

// ErrFew means that a suite has fewer items than requested.
var ErrFew = errors.New("has fewer items")

// Pick draws n of a suite's items, in an order that depends on the seed; n 0 takes all. It keeps only drawn items in memory. It
// returns the first error that the suite yields.
//
// It reads the suite once (Vitter's algorithm R), all of it even for a few items.
func Pick(items iter.Seq2[Item, error], n int, seed uint64) ([]Item, error) {
	rng := rand.New(rand.NewPCG(seed, 0x7069636b))
	type drawn struct {
		at   uint64
		item Item
	}
	var kept []drawn
	seen := 0
	for it, err := range items {
		if err != nil {
			return nil, err
		}
		seen++
		// Drawn for each item, kept or not, so that an item's position does not depend on n.
		at := rng.Uint64()
		switch i := rng.IntN(seen); {
		case n <= 0 || len(kept) < n:
			kept = append(kept, drawn{at, it})
		case i < n:
			kept[i] = drawn{at, it}
		}
	}
	if n > seen {
		return nil, fmt.Errorf("%w: %d", ErrFew, seen)
	}
	slices.SortFunc(kept, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.item.ID, b.item.ID)) })
	out := make([]Item, len(kept))
	for i, d := range kept {
		out[i] = d.item
	}
	return out, nil
}
