package statistics

import "math"

// Agreement is how far raters agree on items, beyond chance.
type Agreement struct {
	Raw    float64 `json:"raw"`    // share of pairs of raters that agree
	Fleiss float64 `json:"fleiss"` // Fleiss' kappa: breaks down if nearly all choose one category
	AC1    float64 `json:"ac1"`    // Gwet's AC1: does not
}

// Agree measures agreement from counts: for each item, how many raters chose each category. Every item has the same categories; items
// with fewer than two raters are left out. Without items it is the zero Agreement.
//
// Fleiss, 1971, and Gwet, 2008.
func Agree(items [][]int) Agreement {
	var n, pairs float64
	share := map[int]float64{}
	k := 0
	for _, counts := range items {
		raters, same := 0, 0
		for _, c := range counts {
			raters += c
			same += c * (c - 1)
		}
		if raters < 2 {
			continue
		}
		n++
		k = max(k, len(counts))
		pairs += float64(same) / float64(raters*(raters-1))
		for c, x := range counts {
			share[c] += float64(x) / float64(raters)
		}
	}
	if n == 0 {
		return Agreement{}
	}
	a := Agreement{Raw: pairs / n}
	var fleiss, gwet float64
	for c := range k {
		p := share[c] / n
		fleiss += p * p
		gwet += p * (1 - p)
	}
	gwet /= max(1, float64(k-1))
	a.Fleiss, a.AC1 = beyond(a.Raw, fleiss), beyond(a.Raw, gwet)
	return a
}

// beyond returns agreement corrected for chance; perfect agreement is 1 even if chance alone explains it.
func beyond(raw, chance float64) float64 {
	if chance >= 1-1e-12 {
		return raw
	}
	return (raw - chance) / (1 - chance)
}

// Errors is what the mistakes of several seats have in common.
type Errors struct {
	Seats       int      `json:"seats"`
	Items       int      `json:"items"`
	Correlation float64  `json:"correlation"`     // of being wrong, mean over pairs of seats
	Effective   float64  `json:"effective_votes"` // n / (1 + (n-1) · correlation): how many independent seats they are worth
	Same        Interval `json:"wrong_agreement"` // how often two wrong seats give the same answer
	AllWrong    Interval `json:"all_wrong"`       // items on which every seat is wrong
}

// Mistakes measures Errors from answers: for each item, the class of each seat's answer, and whether it is right. An answer without a
// class is wrong and equals no other.
//
// classes and right are both indexed by item, then by seat. Correlation is the mean phi over the pairs of seats for which it is
// defined.
func Mistakes(classes [][]string, right [][]bool) Errors {
	e := Errors{Items: len(classes)}
	if e.Items == 0 {
		return e
	}
	e.Seats = len(classes[0])
	same, both, none := 0.0, 0.0, 0.0
	for i, said := range classes {
		wrong := 0
		for s := range said {
			if right[i][s] {
				continue
			}
			wrong++
			for r := range s {
				if right[i][r] {
					continue
				}
				both++
				if said[s] != "" && said[s] == said[r] {
					same++
				}
			}
		}
		if wrong == e.Seats {
			none++
		}
	}
	sum, pairs := 0.0, 0.0
	for s := range e.Seats {
		for r := range s {
			if phi, ok := together(right, r, s); ok {
				sum, pairs = sum+phi, pairs+1
			}
		}
	}
	n := float64(e.Seats)
	e.Correlation = sum / max(1, pairs)
	e.Effective = min(n, n/(1+(n-1)*max(0, e.Correlation)))
	e.Same, e.AllWrong = Wilson(same, both), Wilson(none, float64(e.Items))
	return e
}

// together returns the correlation between two seats being right. It is false if one of them always or never is.
func together(right [][]bool, r, s int) (float64, bool) {
	var n, a, b, ab float64
	for _, item := range right {
		n++
		if item[r] {
			a++
		}
		if item[s] {
			b++
		}
		if item[r] && item[s] {
			ab++
		}
	}
	spread := a * (n - a) * b * (n - b)
	if spread == 0 {
		return 0, false
	}
	return (n*ab - a*b) / math.Sqrt(spread), true
}
