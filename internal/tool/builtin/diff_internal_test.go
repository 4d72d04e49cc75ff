package builtin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// git applies what unified writes, numbers and all, without looking for another place.
func TestUnifiedIsWhatGitReads(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	dir := t.TempDir()
	line := rapid.SampledFrom([]string{"a", "b", "c", "", "-- x", "++ y", "é"})
	text := rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(line, 0, 60).Draw(t, "lines"), "\n")
		if rapid.Bool().Draw(t, "newline") && s != "" {
			s += "\n"
		}
		return s
	})
	full := filepath.Join(dir, "f")
	rapid.Check(t, func(t *rapid.T) {
		before := text.Draw(t, "before")
		lines := strings.SplitAfter(before, "\n")
		for range rapid.IntRange(1, 5).Draw(t, "changes") { // few of them, so that there are several hunks
			lines[rapid.IntRange(0, len(lines)-1).Draw(t, "at")] = text.Draw(t, "new")
		}
		after := strings.Join(lines, "")
		if before == after || before == "" || after == "" {
			return
		}
		if err := os.WriteFile(full, []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		diff := unified("a/f", "b/f", before, after)
		cmd := exec.Command("git", "apply", "--verbose", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
		out, err := cmd.CombinedOutput()
		got, _ := os.ReadFile(full)
		if err != nil || string(got) != after || strings.Contains(string(out), "offset") {
			t.Fatalf("%v: %s\n%q became %q, want %q by\n%s", err, out, before, got, after, diff)
		}
	})
}
