package work

import (
	"slices"

	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Stage is how far a step is that is at work, as people read it.
type Stage string

// The stages, in their order; a conflict goes back to writing.
const (
	Writing  Stage = "writing"
	Checks   Stage = "checks"
	InQueue  Stage = "in the merge queue" // proved, and not merged yet
	Conflict Stage = "conflict"
)

// Fold is a run that its nodes are still coming of: each is decoded once. Its zero value has seen none.
type Fold struct {
	status Status // before it is settled
	begun  bool   // the first node was seen
	isRun  bool   // and is that of a run
}

// Node takes in the next node, and returns what Body makes of it. Kinds it does not know change nothing.
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

// Status is the run as it stands. ok is false where the first node was no Frame, or none has come.
func (f *Fold) Status() (s Status, ok bool) {
	s = f.status
	s.Tasks = slices.Clone(s.Tasks)
	s.markReady()
	return s, f.isRun
}

// Read computes a run's state from its nodes, which are in the order of the record. It is pure.
// ok is false where the first is no Frame.
func Read(nodes []tree.Node) (s Status, ok bool) {
	var f Fold
	for _, n := range nodes {
		f.Node(n)
	}
	return f.Status()
}
