package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestExamplesReplay runs every recorded debate of examples/ again: the decision must be the one beside it, byte for byte.
func TestExamplesReplay(t *testing.T) {
	records, err := filepath.Glob("examples/*/debate.jsonl")
	if err != nil || len(records) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, record := range records {
		c := exec.Command(os.Args[0], "debate", "--replay", record)
		c.Args[0] = "socrates"
		c.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
		got, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", record, err)
		}
		decision := filepath.Join(filepath.Dir(record), "decision.md")
		if *update {
			if err := os.WriteFile(decision, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(decision); err != nil || string(want) != string(got) {
			t.Errorf("%s does not replay to %s (%v)", record, decision, err)
		}
	}
}
