// Package queue is a project's queue of prompts, executed one run after the other, as recorded in its nodes. It is
// pure.
//
// One tree per project holds it: the added prompts, the run of each, its end, and a person's orders. Read folds it;
// internal/engine/queues executes it, and ensures that only one process does.
//
// A run that waits for a person ends its prompt, so that the next can begin. Two failures in a row stop the queue,
// because the third would most likely fail for the same reason and cost money.
package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// The kinds of a queue's nodes. Its root is a Frame.
const (
	FrameKind tree.Kind[Frame] = "queue"
	AddKind   tree.Kind[Added] = "queue.add"
	BeginKind tree.Kind[Begun] = "queue.begin"
	EndKind   tree.Kind[Ended] = "queue.end"
	OrderKind tree.Kind[Order] = "queue.word"
)

// Frame names the project of a queue.
type Frame struct {
	Dir string `json:"dir"` // the project's folder
}

// Added is a prompt, and how to execute it.
type Added struct {
	Number int      `json:"number"` // from 1, each once
	Text   string   `json:"text"`
	Data   string   `json:"data,omitempty"`  // hash of the attached texts
	Files  []string `json:"files,omitempty"` // names of the attached files
	Way    way.Way  `json:"way"`
}

// Begun assigns a prompt its run.
type Begun struct {
	Number int    `json:"number"`
	Run    string `json:"run"`
}

// Ended is the end of its run.
type Ended struct {
	Number int    `json:"number"`
	Run    string `json:"run"`
	State  string `json:"state"`         // of the run; failed also if it could not begin
	Why    string `json:"why,omitempty"` // if it failed or waits for a person
}

// Order is a person's order to a queue: run, stop, or drop a prompt.
type Order struct {
	Verb   string `json:"verb"`
	Number int    `json:"number,omitempty"`
}

// The states of a prompt without an ended run. Otherwise it has the state of its run.
const (
	Waiting = "waiting"
	Working = "working"
	Dropped = "dropped"
)

// MostFailures is how many consecutive failures stop the queue.
const MostFailures = 2

// Item is a prompt with its state. State is one of the constants here or, once its run has ended, a state of
// internal/work.
type Item struct {
	Added
	State string    `json:"state"`
	Run   string    `json:"run,omitempty"`
	Why   string    `json:"why,omitempty"`
	At    time.Time `json:"at"` // when it was added
}

// Queue is a queue as folded from its nodes.
type Queue struct {
	Dir      string `json:"dir"`
	Items    []Item `json:"prompts"`
	Stopped  bool   `json:"stopped"`  // a person stopped it
	Failures int    `json:"failures"` // consecutive, since it was last started
}

// Broken reports that the queue has stopped by itself.
func (q *Queue) Broken() bool { return q.Failures >= MostFailures }

// Next returns the prompt to continue with: one whose run was interrupted, else the first that waits. nil: none. It
// may be called while a queue is stopped; the caller checks whether to continue.
func (q *Queue) Next() *Item {
	for _, state := range []string{Working, Waiting} {
		if i := slices.IndexFunc(q.Items, func(i Item) bool { return i.State == state }); i >= 0 {
			return &q.Items[i]
		}
	}
	return nil
}

// Item finds a prompt by its number; nil: none.
func (q *Queue) Item(number int) *Item {
	i := slices.IndexFunc(q.Items, func(i Item) bool { return i.Number == number })
	if i < 0 {
		return nil
	}
	return &q.Items[i]
}

// Read computes a queue from its nodes; ok reports that it is one.
func Read(nodes []tree.Node) (q Queue, ok bool) {
	if len(nodes) == 0 {
		return q, false
	}
	f, ok := FrameKind.Of(nodes[0])
	q.Dir, q.Items = f.Dir, []Item{}
	for _, n := range nodes {
		q.Take(n)
	}
	return q, ok
}

// Take folds one node. Nodes must come in order.
func (q *Queue) Take(n tree.Node) {
	if a, ok := AddKind.Of(n); ok {
		q.Items = append(q.Items, Item{Added: a, State: Waiting, At: n.At})
	}
	if b, ok := BeginKind.Of(n); ok {
		if i := q.Item(b.Number); i != nil {
			i.State, i.Run = Working, b.Run
		}
	}
	if e, ok := EndKind.Of(n); ok {
		if i := q.Item(e.Number); i != nil {
			i.State, i.Why = e.State, e.Why
		}
		if q.Failures++; e.State != "failed" {
			q.Failures = 0
		}
	}
	if w, ok := OrderKind.Of(n); ok {
		switch w.Verb {
		case "run":
			q.Stopped, q.Failures = false, 0
		case "stop":
			q.Stopped = true
		case "drop":
			if i := q.Item(w.Number); i != nil {
				i.State = Dropped
			}
		}
	}
}

// Title returns a prompt on one line.
func (i Item) Title() string {
	first, _, _ := strings.Cut(strings.TrimSpace(i.Text), "\n")
	return first
}

// Line returns the line about a node of a queue, as it happens.
func (q *Queue) Line(n tree.Node) string {
	if a, ok := AddKind.Of(n); ok {
		return fmt.Sprintf("prompt %d · waits: %s", a.Number, Item{Added: a}.Title())
	}
	if b, ok := BeginKind.Of(n); ok {
		return fmt.Sprintf("prompt %d · run %s begins; watch it: socrates work watch %s", b.Number, b.Run, b.Run)
	}
	if e, ok := EndKind.Of(n); ok {
		text := fmt.Sprintf("prompt %d · %s", e.Number, e.State)
		if e.Why != "" {
			text += ": " + e.Why
		}
		return text
	}
	return ""
}

// End says where a queue stopped, and what to do next.
func (q *Queue) End() string {
	left := 0
	for _, i := range q.Items {
		if i.State == Waiting || i.State == Working {
			left++
		}
	}
	switch {
	case q.Broken():
		return fmt.Sprintf("queue: stopped after %d failures in a row, %d left; see why: socrates work queue list; "+
			"then: socrates work queue run", q.Failures, left)
	case left > 0:
		return fmt.Sprintf("queue: stopped, %d left; continue: socrates work queue run", left)
	}
	return "queue: empty; accept what is done: socrates work board"
}
