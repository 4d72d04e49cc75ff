package review_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/review"
	"github.com/socrates-cli/socrates/internal/work/trace"
)

const patch = `diff --git a/a.go b/a.go
index 1..2 100644
--- a/a.go
+++ b/a.go
@@ -1,2 +1,4 @@ package a
+func Tested() {}
+func Half() {}
 x
@@ -10,2 +12,3 @@ func Old() {
+	y := Forgotten()
 z
diff --git a/a_test.go b/a_test.go
index 1..2 100644
--- a/a_test.go
+++ b/a_test.go
@@ -1 +1,2 @@
+func TestTested(t *testing.T) { Tested() }
 t
diff --git a/other.go b/other.go
new file mode 100644
--- /dev/null
+++ b/other.go
@@ -0,0 +1 @@
+package a
`

// What its step does not name stands first, then what no test mentions; what a new test runs and the test itself stand last.
func TestOrder(t *testing.T) {
	task := plan.Task{ID: "1", Files: []plan.File{{Name: "a.go"}, {Name: "a_test.go"}}}
	passed := proof.Outcome{Passed: true}
	step := trace.Step{ID: "1", Checks: []proof.Ran{{Command: []string{"go", "test"}, After: passed}},
		Claims: []plan.Point{{ID: "c1", Kind: "accepted claim", Text: "it must be tested"}}}
	hunks, err := review.Order([]review.Change{{Step: step, Task: task, Patch: patch}},
		func(word string) (bool, error) { return word == "Tested", nil })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range hunks {
		got = append(got, h.File+": "+strings.Join(h.Reasons, "; "))
	}
	want := []string{"other.go: other.go is not among the files of its step", "a.go: no test mentions Old", "a.go: no test mentions Half", "a_test.go: "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if h := hunks[1]; h.Line != 12 || h.Added != 1 || h.Removed != 0 || len(h.Claims) != 1 || h.Checks[0] != "go test" {
		t.Errorf("%+v", h)
	}
	step.Checks[0].Base = passed
	hunks, err = review.Order([]review.Change{{Step: step, Task: task, Patch: patch}}, func(string) (bool, error) { return true, nil })
	if err != nil || !strings.Contains(hunks[len(hunks)-2].Reasons[0], "also passed before the change") || len(hunks[len(hunks)-1].Reasons) > 0 {
		t.Errorf("%v %+v", err, hunks)
	}
}
