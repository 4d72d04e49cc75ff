package table

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
)

// TestRealTable seats every real program that is here in one room, beside a seat of each wire, all served by one
// loopback model server: all vote, there is a decision, and nothing is left running.
func TestRealTable(t *testing.T) {
	names := guest.Names()
	if len(names) == 0 {
		t.Skip("no SOCRATES_TEST_NAME names a real program")
	}
	specs := []string{"anthropic:small", "openai:small", "gemini:small"}
	for _, name := range names {
		specs = append(specs, guest.Spec(name, ""))
	}
	res := sitting{patience: "60s"}.run(t, specs...) // a dozen programs start at once
	if res.ExitCode != 0 || res.Winner == "" {
		t.Errorf("exit %d, outcome %s: %s", res.ExitCode, res.Outcome, res.text)
	}
	if len(res.Seats) != len(specs) {
		t.Errorf("%d seats for %d", len(res.Seats), len(specs))
	}
	for _, s := range res.Seats {
		if s.Status != "voted" && s.Status != "abstained" {
			t.Errorf("%s is %s: %s", s.ID, s.Status, s.Reason)
		}
	}
	t.Logf("%d real programs: %s", len(names), strings.Join(names, ", "))
}

// BenchmarkRealTable reports the most memory our process and all of the programs' held in that room, in MiB. It looks at
// each request that reaches the server; what a process held most is told by the system.
func BenchmarkRealTable(b *testing.B) {
	specs := []string{"anthropic:small", "openai:small", "gemini:small"}
	for _, name := range guest.Names() {
		specs = append(specs, guest.Spec(name, ""))
	}
	for b.Loop() {
		var mu sync.Mutex
		most, home, ours := map[int]int{}, "", 0
		look := func(_ llmtest.Ask, pid int) {
			mu.Lock()
			defer mu.Unlock()
			if ours = pid; home == "" {
				environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
				_, after, _ := strings.Cut(string(environ), "HOME=")
				home, _, _ = strings.Cut(after, "\x00")
			}
			for _, p := range guest.Living(home) {
				most[p] = max(most[p], held(p))
			}
		}
		res := sitting{patience: "60s", seen: look}.run(b, specs...)
		theirs := 0
		for pid, kB := range most {
			if pid != ours {
				theirs += kB
			}
		}
		b.ReportMetric(float64(most[ours])/1024, "ours-MiB")
		b.ReportMetric(float64(theirs)/1024, "theirs-MiB")
		b.ReportMetric(float64(len(res.Seats)), "seats")
	}
}

// held is the most memory a process has held, in kB; 0: it is gone.
func held(pid int) (kB int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Sscan(after, &kB)
	return kB
}
