// Package cost counts the tokens and cost of calls, and who stated the cost.
//
// A [Usage] can be added up over calls, vendors and processes. It keeps track of what is not known: the sum of a
// known and an unknown price is unknown, with USD as a lower bound, and Least stays set once some part is a lower
// bound. The zero value adds nothing. A [Price] converts tokens to dollars if the vendor has stated no cost.
package cost

import (
	"fmt"
	"math"
)

// Usage counts the tokens of one or more calls. Input excludes what was read from or written to the cache.
type Usage struct {
	Input      int     `json:"input"`
	Output     int     `json:"output"` // includes Reasoning
	CacheRead  int     `json:"cache_read"`
	CacheWrite int     `json:"cache_write"`
	CacheLong  int     `json:"cache_long,omitempty"` // the part of CacheWrite that is kept for an hour and costs more
	Reasoning  int     `json:"reasoning"`
	USD        float64 `json:"usd"`    // meaningful only with Source other than Unknown
	Source     Source  `json:"source"` // where USD comes from
	// Least means that part of it is a lower bound: a call failed or was cut, or a program counted nothing.
	Least bool `json:"at_least,omitempty"`
}

// Source says where a cost figure comes from.
type Source string

// The sources. A sum has the weakest of its parts.
const (
	Unknown  Source = ""         // no price is known; USD is a lower bound
	Table    Source = "table"    // tokens times the catalogue's price
	Provider Source = "provider" // stated by the vendor or its program
	Free     Source = "free"     // runs on this machine; nobody is paid
)

// Total returns all tokens, cached ones included.
func (u Usage) Total() int { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// Add sums two usages. The source of the sum is unknown as soon as one part is.
func (u Usage) Add(v Usage) Usage {
	s := u.Source
	switch {
	case u == Usage{}:
		s = v.Source
	case v == Usage{}, u.Source == v.Source:
	case u.Source == Unknown || v.Source == Unknown:
		s = Unknown
	case u.Source == Free:
		s = v.Source
	case v.Source != Free:
		s = Table
	}
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite, u.CacheLong + v.CacheLong,
		u.Reasoning + v.Reasoning, u.USD + v.USD, s, u.Least || v.Least}
}

// Money is the sum for a person: in cents, as everywhere on the screen. The exact figure is USD.
func (u Usage) Money() string {
	switch small := u.USD > 0 && u.USD < 0.005; {
	case small && (u.Least || u.Source == Unknown):
		return u.Dollars(4)
	case small && u.Source != Free:
		return "< $0.01"
	}
	return u.Dollars(2)
}

// Dollars is Money with the given digits after the point.
func (u Usage) Dollars(digits int) string {
	sum := fmt.Sprintf("$%.*f", digits, u.USD)
	switch {
	case u.Source == Free:
		return "free"
	case u.USD == 0 && u.Total() == 0 && u.Least:
		return "cost unknown"
	case u.USD == 0 && u.Source == Unknown:
		return "price unknown"
	case u.Least || u.Source == Unknown:
		return "at least " + sum
	}
	return sum
}

// Price is dollars per million tokens. Known is false when no price is listed.
type Price struct {
	Input, Output, CacheRead, CacheWrite float64
	Known                                bool
}

// Valid reports whether all prices are numbers, and none is negative: with others a budget would limit nothing.
func (p Price) Valid() bool {
	return amount(p.Input) && amount(p.Output) && amount(p.CacheRead) && amount(p.CacheWrite)
}

// Valid reports whether all counts and the cost are numbers, and none is negative.
func (u Usage) Valid() bool {
	return amount(u.USD) && min(u.Input, u.Output, u.CacheRead, u.CacheWrite, u.CacheLong, u.Reasoning) >= 0
}

func amount(x float64) bool { return x >= 0 && x <= math.MaxFloat64 }

// Of fills in u's cost from p unless u already carries one. Prices are dollars per million tokens: the sum over
// input, output, cache reads and cache writes. Writes that are kept for an hour cost twice the input.
func (p Price) Of(u Usage) Usage {
	if u.Source != Unknown || !p.Known {
		return u
	}
	if p == (Price{Known: true}) {
		u.Source = Free
		return u
	}
	long := 2 * p.Input // as charged by the one vendor that distinguishes them
	u.USD = (float64(u.Input)*p.Input + float64(u.Output)*p.Output + float64(u.CacheRead)*p.CacheRead +
		float64(u.CacheWrite-u.CacheLong)*p.CacheWrite + float64(u.CacheLong)*long) / 1e6
	u.Source = Table
	return u
}
