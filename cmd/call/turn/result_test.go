package turn_test

import (
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/cmd/call/turn"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

func TestResultAfterAnother(t *testing.T) {
	first := turn.Result{Turns: 2, MS: 30, USD: 0.5, Known: true, Changed: []string{"a.go", "b.go"},
		Usage: map[string]cost.Usage{"m": {Input: 10, Output: 5, USD: 0.5}}}
	second := turn.Result{Turns: 1, MS: 12, USD: 0.25, Known: true, Changed: []string{"b.go", "c.go"},
		Usage: map[string]cost.Usage{"m": {Input: 4, Output: 1, USD: 0.25}}}
	second.After(first)
	if used := second.Usage["m"]; second.Turns != 3 || second.MS != 42 || second.USD != 0.75 || used.Input != 14 || used.Output != 6 {
		t.Errorf("both together are %+v", second)
	}
	if want := []string{"b.go", "c.go", "a.go"}; !slices.Equal(second.Changed, want) {
		t.Errorf("changed are %v, not %v", second.Changed, want)
	}
}
