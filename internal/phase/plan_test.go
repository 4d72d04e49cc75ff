package phase_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/phase"
)

// S62: a plan that cannot be followed is told before anybody follows it.
func TestPlans(t *testing.T) {
	step := func(n int, lines ...string) string {
		return fmt.Sprintf("### %d. do it\n\n- %s\n", n, strings.Join(lines, "\n- "))
	}
	good := "# Plan: x\n\n- depends on: 7\n\n## Steps\n\n" + step(1, "files: a.go (change), `b/c.go` (new)", "depends on: none", "check: `curl x`") + step(2, "files: none", "depends on: 1") + step(3, "depends on: 1, 2")
	var long strings.Builder
	for n := range 10_000 {
		long.WriteString(step(n+1, "depends on: none"))
	}
	for text, want := range map[string]string{
		good: "", "1. write it\n2. check it\n": "", "": "",
		step(1, "depends on: 2") + step(2, "depends on: 1"): "step 1 depends on step 2, which does not come before it",
		step(1, "depends on: 1"):                            "step 1 depends on step 1, which",
		step(1, "depends on: 99999999999999999999"):         "which does not come before it",
		step(1, "a: b") + step(1, "a: b"):                   "step 1 should have the number 2",
		step(2, "a: b"):                                     "step 2 should have the number 1",
		step(1, "files: ../x (new)"):                        "step 1 names ../x, which is outside the project",
		step(1, "files: a, /etc/passwd (change)"):           "step 1 names /etc/passwd, which is outside",
		step(1, "files: `~/.bashrc` (change)"):              "names ~/.bashrc, which is outside",
		long.String()[:200<<10]:                             "the limit is 1000",
		long.String():                                       "it is larger than 256 KB",
		strings.Repeat(step(1, "depends on: 4"), 30):        "25 things more",
	} {
		dir := t.TempDir()
		write(t, dir, "specs/tickets/bug-x/plan.md", text)
		got := strings.Join(phase.Plans(dir), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) || len(got) > 2000 {
			t.Errorf("%.60q: %.300s, want %q", text, got, want)
		}
	}
}
