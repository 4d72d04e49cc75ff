package scene

import (
	"cmp"
	"slices"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Run is the state of a turn: the message, the cost, the changes and denials, and how it ended. Its zero value is a turn before its first
// node.
type Run struct {
	Said    string // the person's last message
	Calls   int    // of the model, before the last one
	Spent   []spending.Share
	USD     float64
	Unknown bool          // the cost is not known, or only its minimum
	Denied  []talk.Judged // calls that a rule or the person refused, or that needed an approval nobody was there to give
	Changed []string      // files, each once
	Unkept  string        // why no snapshot of the files could be taken
	Reply   *talk.Reply   // nil: the turn has not ended
	End     tree.ID       // the node of Reply

	tasks map[tree.ID]bool // nodes of branches on which agents do tasks for this turn
}

// Node adds a committed node, and returns its ChatBody, or nil for a node of a task, which counts but does not belong to the turn itself.
func (r *Run) Node(n tree.Node) any {
	body := ChatBody(n)
	// A task's branch starts at the turn; its costs and changes are the turn's, its messages are not.
	if said, ok := body.(talk.Said); ok && said.Task != "" || r.tasks[n.Parent] {
		if r.tasks == nil {
			r.tasks = map[tree.ID]bool{}
		}
		r.tasks[n.ID] = true
		switch b := body.(type) {
		case talk.Reply:
			r.spend(cmp.Or(b.Answers, b.Model), b.Usage)
		case talk.Said, talk.Notice:
		default:
			r.take(n, body)
		}
		return nil
	}
	r.take(n, body)
	return body
}

// InTask reports whether a node that was added belongs to a task.
func (r *Run) InTask(id tree.ID) bool { return r.tasks[id] }

func (r *Run) take(n tree.Node, body any) {
	switch b := body.(type) {
	case talk.Said:
		r.Said = b.Text
	case talk.Exchange:
		r.Calls++
		r.spend(b.Model, b.Usage)
		for _, s := range b.Shows {
			for _, name := range s.Wrote {
				if !slices.Contains(r.Changed, name) {
					r.Changed = append(r.Changed, name)
				}
			}
		}
	case talk.Judged:
		if b.Verdict == "deny" || b.Verdict == "ask" && (b.Answer == "" && !b.Began || b.Answer == "deny") {
			r.Denied = append(r.Denied, b)
		}
	case material.Summary:
		r.spend(n.By, b.Usage)
	case talk.Notice:
		if b.Unkept {
			r.Unkept = b.Text
		}
	case talk.Reply:
		r.spend(cmp.Or(b.Answers, b.Model), b.Usage)
		r.Reply, r.End = &b, n.ID
	}
}

func (r *Run) spend(model string, u cost.Usage) {
	r.Spent = spending.Add(r.Spent, model, u)
	if u != (cost.Usage{}) {
		r.USD += u.USD
		r.Unknown = r.Unknown || u.Source == cost.Unknown || u.Least
	}
}

// Usage is the usage of all models together.
func (r *Run) Usage() (sum cost.Usage) {
	for _, s := range r.Spent {
		sum = sum.Add(s.Usage)
	}
	return sum
}
