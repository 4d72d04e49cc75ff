package scene

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// A turn that was cut off does not make the conversation shorter: what it is booked at is less than what the model read.
func TestWindow(t *testing.T) {
	c := NewChat("todo")
	var head tree.ID
	for i, step := range []struct {
		used cost.Usage
		want int
	}{
		{cost.Usage{Input: 16_000, Output: 30}, 16_030},
		{cost.Usage{Input: 2_000, Least: true}, 16_030},
		{cost.Usage{Input: 20_000, Least: true}, 20_000},
		{cost.Usage{Input: 3_000, Output: 10}, 3_010}, // after a summary
	} {
		n := talk.ReplyKind.New(head, "m", talk.Reply{Model: "m", State: talk.Done, Usage: step.used})
		n.Seq, head = int64(i+1), n.ID
		if c.Node(n); c.Window != step.want {
			t.Errorf("step %d: the window is %d, want %d", i, c.Window, step.want)
		}
	}
}
