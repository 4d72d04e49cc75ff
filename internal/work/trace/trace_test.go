package trace_test

import (
	"reflect"
	"testing"

	"github.com/socrates-cli/socrates/internal/work/trace"
)

// The marks of a message are found wherever a squash or a rebase left them, and nothing else is one.
func TestMarks(t *testing.T) {
	one := "Make add add\n\nadd 2 3 is 5\n\nSocrates-Run: repair\nSocrates-Task: 1\nSocrates-Attempt: 2\nSocrates-Executor: script:a: b\n"
	mark := trace.Mark{Run: "repair", Step: "1", Attempt: 2, Executor: "script:a: b"}
	for message, want := range map[string][]trace.Mark{
		"":  nil,
		one: {mark},
		"Squashed commit of the following:\n\ncommit abc\n\n    Socrates-Run: repair\n    Socrates-Task: 3\n\ncommit def\n\n" + one: {
			{Run: "repair", Step: "3"}, mark},
		"Socrates-Task: 1\n":          nil,
		"Socrates-Run: lost\nnothing": nil,
	} {
		if got := trace.Marks(message); !reflect.DeepEqual(append([]trace.Mark{}, got...), append([]trace.Mark{}, want...)) {
			t.Errorf("%q: %+v", message, got)
		}
	}
}
