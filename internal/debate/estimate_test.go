package debate_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// Each tool call sends once more what was sent before: the upper bound knows of all that a seat may make.
func TestEstimateCountsToolCalls(t *testing.T) {
	seat := table.Seat{ID: "a", Price: cost.Price{Known: true, Input: 1, Output: 1}}
	of := func(calls int) debate.Estimate {
		return debate.EstimateCost(table.Frame{Seats: []table.Seat{seat}, Limits: table.Limits{Rounds: 1, ToolCalls: calls}}, debate.Strategy{}, 40_000)
	}
	none, some, many := of(0), of(1), of(12)
	if none.Most < none.Tokens || none.High < none.Low {
		t.Errorf("the most is less than the least: %+v", none)
	}
	if some.Most-none.Most < 10_000 || many.Most < 13*10_000 || many.High <= some.High || many.Tokens != some.Tokens {
		t.Errorf("%+v, %+v, %+v", none, some, many)
	}
}
