package test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/socrates-cli/socrates/cmd"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/receipt"
)

// TestEveryStrategyHasAnExample looks for the record of each. With -update it records one that is missing.
func TestEveryStrategyHasAnExample(t *testing.T) {
	for _, s := range strategy.All() {
		record := filepath.Join("examples", s.Name, "debate.jsonl")
		_, err := os.Stat(record)
		if err != nil && *update {
			err = example(t, s, record)
		}
		if err != nil {
			t.Errorf("%v; go test ./test -run Example -update records it", err)
		}
	}
}

// example records a debate of the rehearsal panel over the project in testdata/shop.txtar.
func example(t *testing.T, s debate.Strategy, record string) error {
	home, question := t.TempDir(), "Should we keep sessions in memory or move to Redis?"
	if s.Estimates {
		question = "How many lines mention Redis?"
	}
	shop, err := txtar.ParseFile("test/testdata/shop.txtar")
	if err != nil {
		return err
	}
	dir := filepath.Join(home, "shop")
	if err := txtar.Write(shop, dir); err != nil {
		return err
	}
	file, err := filepath.Abs(record)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	c := exec.Command(os.Args[0], "debate", "--seat", "rehearsal", "--seed", "7", "--strategy", s.Name, "--record", file, question)
	c.Args[0], c.Dir = "socrates", dir
	c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
	said, _ := c.CombinedOutput() // the exit code says what was decided
	raw, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	// The folder is part of the record, and so of its hash.
	raw = bytes.ReplaceAll(raw, []byte(home), []byte("/home/you"))
	r, err := receipt.Open(file, raw)
	if err != nil {
		return err
	}
	res, err := debate.Summarize(r.Nodes)
	if err != nil {
		return err
	}
	return os.WriteFile(file, bytes.ReplaceAll(raw, []byte(r.Hash), []byte(res.Record)), 0o644)
}

// TestExamplesReplay runs every recorded debate of examples/ again: the decision must be the one beside it, byte for byte, and verify
// finds nothing that does not follow. -update has the end of a record say what this version makes of the rest.
func TestExamplesReplay(t *testing.T) {
	records, err := filepath.Glob("examples/*/debate.jsonl")
	if err != nil || len(records) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, record := range records {
		run := func(args ...string) ([]byte, error) {
			c := exec.Command(os.Args[0], args...)
			c.Args[0] = "socrates"
			c.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
			return c.Output()
		}
		got, err := run("debate", "--replay", record)
		if err != nil {
			t.Fatalf("%s: %v", record, err)
		}
		checked, err := run("verify", record)
		if err != nil && *update {
			lines, lost := run("debate", "--replay", record, "--output", "stream-json")
			if lost == nil {
				lost = endAs(record, lines)
			}
			if lost != nil {
				t.Fatalf("%s: %v", record, lost)
			}
			checked, err = run("verify", record)
		}
		if err != nil {
			t.Errorf("verify %s: %v\n%s", record, err, checked)
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

// TestOldRecordsReplay: this version replays and verifies what earlier ones recorded under rules 2, and words it in its own way.
func TestOldRecordsReplay(t *testing.T) {
	records, err := filepath.Glob("test/testdata/record/*.jsonl")
	if err != nil || len(records) == 0 {
		t.Fatalf("no records: %v", err)
	}
	for _, record := range records {
		for _, args := range [][]string{{"debate", "--replay", record}, {"verify", record}} {
			c := exec.Command(os.Args[0], args...)
			c.Args[0] = "socrates"
			c.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
			said, _ := c.CombinedOutput()
			if code := c.ProcessState.ExitCode(); code != 0 && (args[0] != "verify" || code != 10) {
				t.Errorf("%v ended with %d:\n%s", args, code, said)
			}
		}
	}
}

// endAs gives a record the last line of a stream.
func endAs(record string, stream []byte) error {
	raw, err := os.ReadFile(record)
	if err != nil {
		return err
	}
	raw, stream = bytes.TrimSpace(raw), bytes.TrimSpace(stream)
	nodes, end := raw[:bytes.LastIndexByte(raw, '\n')+1], stream[bytes.LastIndexByte(stream, '\n')+1:]
	return os.WriteFile(record, append(append(slices.Clip(nodes), end...), '\n'), 0o644)
}
