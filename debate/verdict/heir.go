package verdict

import (
	"slices"
	"strconv"
	"strings"
)

// heirs are the claims that stand for their evidence: of those for one option that cite the same, what was begun first, else what is
// drawn first. Since version 5 only a claim that can be checked, or was, stands for others, and one that judges refuted does no more:
// else whoever cites the lines of a true claim beside nonsense keeps it from being checked.
func (d *docket) heirs(may func(x *exhibit) bool) map[*exhibit]bool {
	var order []*exhibit
	for i := range d.exhibits {
		if x := &d.exhibits[i]; !d.r.SameLines || may(x) {
			order = append(order, x)
		}
	}
	slices.SortFunc(order, func(a, b *exhibit) int {
		switch {
		case a.spent != b.spent && a.spent, a.spent == b.spent && d.before(a, b):
			return -1
		}
		return 1
	})
	heirs, taken := make(map[*exhibit]bool, len(order)), map[string]bool{}
	for _, x := range order {
		at := strconv.Itoa(x.option) + "\x00" + d.cited(x)
		if taken[at] {
			continue
		}
		heirs[x] = true
		taken[at] = !d.r.SameLines || x.settled() != Fail
	}
	return heirs
}

// cited is what a claim cites, the same for two that cite the same: since version 5 the lines where code found a quote, whatever part of
// them is quoted and wherever it was said to be, and a command whatever is expected of it.
func (d *docket) cited(x *exhibit) string {
	switch e := x.claim.Evidence; {
	case d.r.SameLines && e.Kind == "quote" && x.found != nil && x.found.Line > 0:
		first := x.found.Line
		return "quote\x00" + x.found.File + "\x00" + strconv.Itoa(first) + "\x00" + strconv.Itoa(max(first, x.found.Last))
	case d.r.SameLines && e.Kind == "command":
		return "command\x00" + strings.Join(e.Command, "\x00")
	default:
		return e.place()
	}
}
