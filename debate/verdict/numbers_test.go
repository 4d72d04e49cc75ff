package verdict_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// TestExamplesHaveTheirNumbers recomputes each recorded debate as a stranger would. Sentences may differ: other versions wrote them.
// A number that was changed shows.
func TestExamplesHaveTheirNumbers(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*/debate.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	old, err := filepath.Glob("../../test/testdata/record/*.jsonl") // of rules 2, in other words
	if err != nil || len(old) == 0 {
		t.Fatal("no old records", err)
	}
	for _, path := range append(paths, old...) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var ledger verdict.Ledger
		var room struct{ Rules verdict.Rules }
		var recorded verdict.Verdict
		for line := range bytes.Lines(raw) {
			var node struct {
				Node struct {
					Kind string
					Body json.RawMessage
				}
			}
			if err := json.Unmarshal(line, &node); err != nil {
				t.Fatal(path, err)
			}
			if into := map[string]any{"room": &room, "ledger": &ledger, "verdict": &recorded}[node.Node.Kind]; into != nil {
				if err := json.Unmarshal(node.Node.Body, into); err != nil {
					t.Fatal(path, err)
				}
			}
		}
		again := verdict.Decide(ledger, room.Rules)
		if d := verdict.Differences(recorded.Numbers(), again.Numbers()); len(d) > 0 {
			t.Error(path, d)
		}
		before := recorded.Reason
		recorded.Reason += " and more"
		for i := range recorded.Score.Caps {
			recorded.Score.Caps[i].Why = "otherwise put"
		}
		if d := verdict.Differences(recorded.Numbers(), again.Numbers()); len(d) > 0 || recorded.Reason == before {
			t.Error(path, "another wording counts as a difference, or Numbers changed its receiver:", d)
		}
		recorded.Score.Value += .01
		if d := verdict.Differences(recorded.Numbers(), again.Numbers()); len(d) != 1 {
			t.Error(path, "a changed score does not show:", d)
		}
	}
}
