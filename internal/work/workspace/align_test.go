package workspace_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Every line that a run left in a file is found after a squash, braces and blank lines too, whatever somebody put around it since; where
// little of it is left, only lines that say something are.
func TestAlign(t *testing.T) {
	var kept []workspace.Line
	for step := range 4 {
		for _, text := range []string{fmt.Sprintf("func step%d() {", step), "\treturn", "}", ""} {
			kept = append(kept, workspace.Line{Commit: fmt.Sprint(step), Text: text})
		}
	}
	text := []string{"// above", ""}
	want := []string{"", ""}
	for i, l := range kept {
		if i == 6 {
			text, want = append(text, "\tprintln(\"in between\")"), append(want, "")
		}
		text, want = append(text, l.Text), append(want, l.Commit)
	}
	text, want = append(text, "}"), append(want, "")
	for i := range text {
		if got := workspace.Align(text, i+1, kept); got != want[i] {
			t.Errorf("line %d %q is of %q, want %q", i+1, text[i], got, want[i])
		}
	}
	alone := slices.Concat([]string{"func other() {", "\treturn", "}"}, []string{"func step3() {"})
	for line, of := range map[int]string{1: "", 2: "", 3: "", 4: "3", 0: "", 5: ""} {
		if got := workspace.Align(alone, line, kept); got != of {
			t.Errorf("line %d of another text is of %q, want %q", line, got, of)
		}
	}
}
