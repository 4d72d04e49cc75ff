package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/work/plan"
)

// No line of a change is left out of what a person reviews, and none can name another file.
func TestPatchShowsLinesThatLookLikeHeads(t *testing.T) {
	got := string(patch("--- a/x.sql\n+++ b/x.sql\n@@ -1,3 +1,3 @@\n--- drop nothing\n+++ b/harmless.go\n \n context\n" +
		"--- a/y.go\n+++ b/y.go\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n"))
	for _, want := range []string{"<td>-- drop nothing</td>", "<td>++ b/harmless.go</td>",
		`<td class="ln">3</td><td class="ln">3</td><td class="sg"> </td><td>context</td>`, "<span>y.go</span>", ">+2<", ">−2<", "No newline"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	if strings.Contains(got, "a/y.go") {
		t.Errorf("the head of the second file is shown as a line: %s", got)
	}
}

// A text begins with a capital in any script.
func TestSentence(t *testing.T) {
	for text, want := range map[string]string{"über alles.": "Über alles", "Ärger": "Ärger", "": "", "a": "A", "1.": "1"} {
		if got := sentence(text); got != want {
			t.Errorf("sentence(%q) = %q, not %q", text, got, want)
		}
	}
}

// Steps that wait for all steps of the column before have as many ways to them as there are combinations.
func TestLayOutOfDensePlans(t *testing.T) {
	var p plan.Plan
	for i := range 30 {
		for _, side := range []string{"a", "b"} {
			task := plan.Task{ID: fmt.Sprint(side, i)}
			if i > 0 {
				task.Needs = []string{fmt.Sprint("a", i-1), fmt.Sprint("b", i-1)}
			}
			p.Tasks = append(p.Tasks, task)
		}
	}
	done := make(chan layout, 1)
	go func() { done <- layOut(p) }()
	select {
	case l := <-done:
		if at := l.at["b29"]; at.x != 8+270*29 {
			t.Errorf("the last step stands at %d", at.x)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("a plan of 60 steps takes too long to draw")
	}
}
