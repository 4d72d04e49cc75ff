package slash

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The plans of tickets are offered by their names in the project, and flags with them.
func TestPlanNames(t *testing.T) {
	env := newEnv(t)
	for _, ticket := range []string{"b", "a"} {
		dir := filepath.Join(env.Dir, "specs", "tickets", ticket)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "plan.md"), []byte("# plan\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{"/exec spe": "specs/tickets/a/plan.md specs/tickets/b/plan.md", "/useplan specs/tickets/b": "specs/tickets/b/plan.md",
		"/exec specs/tickets/a/plan.md --r": "--race --review", "/exec none": ""} {
		if got := strings.Join(Complete(t.Context(), env, line), " "); got != want {
			t.Errorf("%q becomes %q, not %q", line, got, want)
		}
	}
}
