package verdict

import "slices"

// heirs returns the claims that may be checked: one of those for one option that cite the same evidence. Since version 5 that is the
// one whose check has begun, unless judges refuted it: otherwise a nonsense claim that cites the lines of a true one would keep the
// true one from being checked. Before version 5 it is the one begun first, else the one drawn first.
func (d *docket) heirs() map[*exhibit]bool {
	heirs := make(map[*exhibit]bool, len(d.exhibits))
	if !d.r.SameLines {
		d.firstOfEach(heirs)
		return heirs
	}
	var begun []*exhibit
	for i := range d.exhibits {
		if x := &d.exhibits[i]; x.spent && x.settled() != Fail {
			begun = append(begun, x)
		}
	}
	for i := range d.exhibits {
		x := &d.exhibits[i]
		heirs[x] = x.spent || !slices.ContainsFunc(begun, func(y *exhibit) bool { return y.option == x.option && y.sameEvidence(x) })
	}
	return heirs
}

// firstOfEach chooses as the versions before 5 do.
func (d *docket) firstOfEach(heirs map[*exhibit]bool) {
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
	type cited struct {
		option int
		place  string
	}
	taken := map[cited]bool{}
	for _, x := range order {
		at := cited{x.option, x.claim.Evidence.place()}
		heirs[x], taken[at] = !taken[at], true
	}
}

// sameEvidence reports whether two claims cite the same evidence: quotes that code found on lines of which one is in both, whatever
// part is quoted and whatever place was stated; one command, whatever is expected of it; otherwise identical evidence.
func (x *exhibit) sameEvidence(y *exhibit) bool {
	a, b := x.claim.Evidence, y.claim.Evidence
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Kind == "command":
		return slices.Equal(a.Command, b.Command)
	case a.Kind == "quote" && x.found.lined() && y.found.lined():
		return x.found.File == y.found.File && x.found.Line <= y.found.end() && y.found.Line <= x.found.end()
	}
	return a.place() == b.place()
}

// lined reports whether a proof names lines; end returns the last of them.
func (p *Proof) lined() bool { return p != nil && p.Line > 0 }
func (p *Proof) end() int    { return max(p.Line, p.Last) }
