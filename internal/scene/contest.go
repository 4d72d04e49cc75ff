package scene

import (
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Contest is the state of an evaluation. Its zero value is the state before the first node.
type Contest struct {
	Name    string
	Expects int // outcomes
	Came    int
	Right   int // of those that came
	Usage   cost.Usage
	Calls   int // of models
}

// contestBody decodes a node of an evaluation, as RoomBody does for a debate: seats reply the same way in both.
func contestBody(n tree.Node) any {
	switch n.Kind {
	case string(contest.PlanKind):
		return contest.PlanKind.Body(n)
	case string(contest.ChosenKind):
		return contest.ChosenKind.Body(n)
	case string(contest.OutcomeKind):
		return contest.OutcomeKind.Body(n)
	}
	return RoomBody(n)
}

// Node adds a committed node, and returns its contestBody. The cost of every reply counts, also in rooms whose outcome
// was recorded before.
func (c *Contest) Node(n tree.Node) any {
	body := contestBody(n)
	switch b := body.(type) {
	case contest.Plan:
		c.Name, c.Expects = b.Name, b.Expected()
	case exchange.Reply:
		c.Usage, c.Calls = c.Usage.Add(b.Took()), c.Calls+b.Calls
	case contest.Outcome:
		if c.Came++; b.Right {
			c.Right++
		}
	}
	return body
}
