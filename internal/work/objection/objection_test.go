package objection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/work/objection"
)

// An objection counts if its quote is in the change of its file, in a line that is added, taken away or beside them.
func TestRead(t *testing.T) {
	patch := "diff --git a/x/a.go b/x/a.go\n--- a/x/a.go\n+++ b/x/a.go\n@@ -1,2 +1,2 @@\n beside\n-was there\n+is there\n" +
		"diff --git a/b.go b/b.go\n+++ b/b.go\n@@ -0,0 +1 @@\n+only here\n"
	for line, want := range map[string]string{
		"- objection: x/a.go:2 `is there` it is wrong":          "[true]",
		"- objection: x/a.go:2 `was` it was needed":             "[true]",
		"- objection: x/a.go:1 `beside` it is not met":          "[true]",
		"- objection: x/a.go:1 `only here` elsewhere":           "[false]",
		"- objection: a.go:1 `is there` another file":           "[false]",
		"- objection: b.go:1 `only  here` not letter by letter": "[false]",
		"none":                                "[]",
		"**None.**":                           "[]",
		"none of the checks fail":             "[]",
		"- objection: b.go:1 without a quote": "[]",
		"I think b.go:1 `only here` is wrong": "[]",
	} {
		got := []bool{}
		list, ok := objection.Read("Well:\n"+line+"\n", patch)
		for _, o := range list {
			got = append(got, o.Found)
		}
		if is := len(list) > 0 || strings.EqualFold(strings.Trim(line, "*."), "none"); ok != is {
			t.Errorf("%s: it counts as a review: %v", line, ok)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
