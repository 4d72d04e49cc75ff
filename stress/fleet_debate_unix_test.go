//go:build unix

package stress_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
)

// voter says what a seat answers in each round. hangs: it never answers the first.
func voter(seat int, vote string, hangs bool) string {
	wait := 0
	if hangs {
		wait = 600_000
	}
	return fmt.Sprintf(`info: {id: model%[1]d, lineage: house%[1]d}
rules:
  - act: blind
    delay_ms: %[3]d
    reply: '{"option": "{{option "%[2]s"}}", "other": "", "summary": "seat %[1]d", "change_my_mind": "a measurement", "confidence": 0.8,
      "claims": [{"text": "seat %[1]d has measured %[2]s", "kind": "logic", "impact": 5, "option": "{{option "%[2]s"}}", "supports": true,
       "evidence": {"kind": "quote", "file": "f.txt", "line": %[1]d, "quote": "line %[1]d", "command": [], "expect": "", "url": ""}}]}'
    usage: {input: 100, output: 1%[1]d}
  - act: cross
    reply: '{"option": "{{option "%[2]s"}}", "because": [], "stances": [], "claims": []}'
  - act: verify
    reply: '{"judgements": [{"item": 1, "entails": "yes", "bears": "yes", "grave": "", "why": "it says so"}]}'
`, seat, vote, wait)
}

// A debate of five seats over three workers of one pool, of which one is killed while it answers for two seats in the blind round, comes to
// what one machine makes of the same replies: the verdict, its ledger and all that is told of them are equal, byte for byte.
func TestFleetDebates(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	f := newFleet(t)
	f.lease = "2s"
	f.startHub()
	project := filepath.Join(f.dir, "project")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(project, "f.txt"), "line 1\nline 2\nline 3\nline 4\nline 5\n")
	var here, there []string
	for i, vote := range []string{"keep one", "keep one", "use many", "keep one", "use many"} {
		seat := string(rune('a' + i))
		write(t, filepath.Join(project, seat+"-all.yaml"), voter(i+1, vote, false)) // what the seat of a pool is called
		here, there = append(here, "--seat", "script:"+seat+"-all.yaml"), append(there, "--seat", "worker:all/"+seat)
		for worker, seats := range map[string]string{"w0": "ab", "w1": "abcd", "w2": "abce"} {
			if !strings.Contains(seats, seat) {
				continue
			}
			f.offers[worker] = append(f.offers[worker], "--seat", "script:"+seat+".yaml")
			if err := os.MkdirAll(filepath.Join(f.dir, worker), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(f.dir, worker, seat+".yaml"), voter(i+1, vote, worker == "w0"))
		}
	}
	for _, worker := range []string{"w0", "w1", "w2"} {
		f.join(worker)
	}
	f.hold(true, "w1", "w2")
	far := f.debate("hub", there)
	for _, seat := range []string{"a", "b"} {
		if f.workers["w0"].await(seat+": task .* began") == nil {
			t.Fatal("w0 has ended")
		}
	}
	f.hold(false, "w1", "w2")
	f.workers["w0"].Process.Kill()
	f.workers["w0"].Wait()
	at, near := <-far, <-f.debate("alone", here)
	f.holders("w0", 2)
	f.holders("w1", -1)
	f.holders("w2", -1)
	if len(at.Claims) != 5 || len(at.Checks) == 0 || at.Tokens.Input == 0 {
		t.Errorf("%d claims, %d checks, %+v", len(at.Claims), len(at.Checks), at.Tokens)
	}
	for what, of := range map[string]func(debate.Result) any{
		"the ledger":  func(r debate.Result) any { return timeless(r).Ledger() },
		"the verdict": func(r debate.Result) any { return r.Verdict() },
		"the result":  func(r debate.Result) any { return timeless(r) },
	} {
		a, err := json.Marshal(of(at))
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(of(near))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s of the fleet and of one machine differ, %v:\n%s\n%s", what, err, a, b)
		}
	}
	t.Logf("%s: %s, score %.2f", at.Outcome, at.Winner, at.Score.Value)
}

// timeless is a result without when and where it was made.
func timeless(r debate.Result) debate.Result {
	r.Room, r.Record, r.Started, r.DurationMS, r.Seats = "", "", time.Time{}, 0, slices.Clone(r.Seats)
	for i := range r.Seats {
		r.Seats[i].Spec, r.Seats[i].MS = "", 0
	}
	r.Checks = slices.Clone(r.Checks)
	for i := range r.Checks {
		r.Checks[i].MS = 0
	}
	return r
}

// hold has workers take no tasks, or take them again.
func (f *fleet) hold(back bool, workers ...string) {
	f.Helper()
	for _, name := range workers {
		if _, err := f.client().Pause(f.Context(), name, back); err != nil {
			f.Fatal(err)
		}
	}
}

// debate begins one in the project, and gives what it comes to.
func (f *fleet) debate(home string, seats []string) <-chan debate.Result {
	c := f.command(home, filepath.Join(filepath.Dir(f.second), "socrates"), slices.Concat([]string{"debate", "--output", "json", "--seed", "7",
		"--no-history", "--option", "keep one", "--option", "use many"}, seats, []string{"Which of the two?"})...)
	c.Dir = filepath.Join(f.dir, "project")
	ended := make(chan debate.Result, 1)
	go func() {
		defer close(ended)
		var r debate.Result
		out, err := c.Output()
		if json.Unmarshal(out, &r) != nil || r.Schema == "" {
			said := ""
			if e, ok := err.(*exec.ExitError); ok {
				said = string(e.Stderr)
			}
			f.Errorf("the debate of %s: %v\n%s\n%s", home, err, out, said)
		}
		ended <- r
	}()
	return ended
}

// holders wants so many claims of a worker, -1: any but none. All of one that was killed were done by others.
func (f *fleet) holders(worker string, want int) {
	f.Helper()
	db := f.table()
	defer db.Close()
	var claims, own int
	if err := db.QueryRow("SELECT count(*), count(*) FILTER (WHERE task.worker = claim.worker AND state = 'done') FROM claim "+
		"JOIN task ON name = task WHERE claim.worker = ?", worker).Scan(&claims, &own); err != nil {
		f.Fatal(err)
	}
	if want >= 0 && (claims != want || own != 0) || want < 0 && claims == 0 {
		f.Errorf("%s had %d tasks and did %d", worker, claims, own)
	}
}
