package verdict

import (
	"slices"
	"strconv"
	"strings"
)

// heirs are the claims that stand for their evidence: of those for one option that cite the same, what was begun first, else what is
// drawn first.
func (d *docket) heirs() map[*exhibit]bool {
	order := make([]*exhibit, len(d.exhibits))
	for i := range d.exhibits {
		order[i] = &d.exhibits[i]
	}
	slices.SortFunc(order, func(a, b *exhibit) int {
		switch {
		case a.spent != b.spent && a.spent, a.spent == b.spent && d.before(a, b):
			return -1
		}
		return 1
	})
	heirs := make(map[*exhibit]bool, len(order))
	at := map[string][]*exhibit{}
	for _, x := range order {
		area := strconv.Itoa(x.option) + "\x00" + d.area(x)
		if !slices.ContainsFunc(at[area], func(y *exhibit) bool { return d.sameEvidence(x, y) }) {
			heirs[x] = true
			at[area] = append(at[area], x)
		}
	}
	return heirs
}

// area is where evidence lies; only what lies in one can be the same.
func (d *docket) area(x *exhibit) string {
	switch e := x.claim.Evidence; {
	case d.r.SameLines && e.Kind == "quote":
		return "quote\x00" + x.file()
	case d.r.SameLines && e.Kind == "command":
		return "command\x00" + strings.Join(e.Command, "\x00") // whatever is expected of it
	default:
		return e.place()
	}
}

// sameEvidence says whether two claims of one area cite the same: quotes that share a line, or else whatever the area tells.
func (d *docket) sameEvidence(x, y *exhibit) bool {
	if !d.r.SameLines || x.claim.Evidence.Kind != "quote" {
		return true
	}
	a, b := x.line(), y.line()
	if a == 0 || b == 0 {
		return x.claim.Evidence.place() == y.claim.Evidence.place()
	}
	return a <= b+y.more() && b <= a+x.more()
}

// file is where code found a quote, or else where it was said to be.
func (x *exhibit) file() string {
	if x.found != nil && x.found.File != "" {
		return x.found.File
	}
	return x.claim.Evidence.File
}

// line is the first line of a quote where code found it, or else where it was said to be; 0: nobody said.
func (x *exhibit) line() int {
	if x.found != nil && x.found.Line > 0 {
		return x.found.Line
	}
	return x.claim.Evidence.Line
}

// more is how many lines a quote has after its first.
func (x *exhibit) more() int { return strings.Count(strings.TrimSpace(x.claim.Evidence.Quote), "\n") }
