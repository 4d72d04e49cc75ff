package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/cmd"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
)

// TestEveryStrategyHasAnExample looks for the record of each.
func TestEveryStrategyHasAnExample(t *testing.T) {
	for _, s := range strategy.All() {
		if _, err := os.Stat(filepath.Join("examples", s.Name, "debate.jsonl")); err != nil {
			t.Error(err)
		}
	}
}

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
		name := filepath.Base(filepath.Dir(record))
		page, text := filepath.Join("docs", "strategies", name+".md"), cmd.StrategyPage(name, string(got))
		if *update {
			if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(page); err != nil || string(want) != text {
			t.Errorf("%s is not what the code says (%v); go test -run TestExamples -update ./test rewrites it", page, err)
		}
	}
}
