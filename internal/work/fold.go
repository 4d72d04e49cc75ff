package work

import (
	"slices"

	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Stage is the progress of a running step, for people.
type Stage string

// The stages, in order; a conflict goes back to writing.
const (
	Writing  Stage = "writing"
	Checks   Stage = "checks"
	InQueue  Stage = "in the merge queue" // proved, and not merged yet
	Conflict Stage = "conflict"
)

// Fold computes a run from its nodes as they arrive: each is decoded once. Its zero value has seen none.
type Fold struct {
	status Status // not finalized
	begun  bool   // the first node was seen
	isRun  bool   // and it is that of a run
}

// Node applies the next node, and returns its decoded Body. Unknown kinds change nothing.
func (f *Fold) Node(n tree.Node) any {
	body := Body(n)
	if !f.begun {
		f.begun, f.status.State = true, Asked
		f.status.Frame, f.isRun = body.(record.Frame)
	}
	if f.isRun {
		f.status.apply(n.At, body)
	}
	return body
}

// Status returns the current status. ok is false if the first node was no Frame, or none has arrived.
func (f *Fold) Status() (s Status, ok bool) {
	s = f.status
	s.Tasks = slices.Clone(s.Tasks)
	s.markReady()
	return s, f.isRun
}

// Read computes a run's status from its nodes, in the order of the record. It is pure. ok is false if the first is no
// Frame.
func Read(nodes []tree.Node) (s Status, ok bool) {
	var f Fold
	for _, n := range nodes {
		f.Node(n)
	}
	return f.Status()
}
