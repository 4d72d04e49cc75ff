package work_test

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// What is said at the end of a run names its state, why it is in it, if there is a reason, and the command that goes on from there.
func TestEnd(t *testing.T) {
	stuck := []work.Task{{Task: plan.Task{ID: "1", Title: "One"}, State: work.Done}, {Task: plan.Task{ID: "2", Title: "Two"}, State: work.Person, Why: []string{"a file too many"}}}
	for _, c := range []struct {
		status work.Status
		want   string
	}{
		{work.Status{State: work.Done, Tasks: stuck[:1]}, "done, 1 of 1 step merged|review it: socrates work review r|accept it: socrates work accept r"},
		{work.Status{State: work.Person, Tasks: stuck}, "waits for you, 1 of 2 steps merged|step 2 (Two): a file too many|" +
			"inspect it: socrates work show r|then approve, retry or skip the step, and continue: socrates work resume r"},
		{work.Status{State: work.Planned, Tasks: stuck[:1]}, "planned, 1 of 1 step merged|execute it: socrates execute r"},
		{work.Status{State: work.Paused}, "paused|continue it: socrates work resume r"},
		{work.Status{State: work.Paused, Halted: "no executor"}, "paused|no step can start: no executor|continue it: socrates work resume r"},
	} {
		c.status.Frame = record.Frame{Run: "r"}
		got := (&work.Teller{Status: c.status}).End()
		if want := "run r: " + strings.ReplaceAll(c.want, "|", "\n"); got != want {
			t.Errorf("%s\nis not\n%s", got, want)
		}
	}
}
