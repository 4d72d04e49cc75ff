package tool_test

import (
	"context"
	"errors"
	"testing"

	"github.com/socrates-cli/socrates/internal/tool"
)

// Where nobody is there to allow anything, whatever has to be asked for is refused; otherwise the answer is whoever's is asked, and all
// acts of a call are in one question.
func TestMay(t *testing.T) {
	if err := (tool.Env{}).May(t.Context(), tool.Act{Effect: tool.Runs}); err == nil {
		t.Error("allowed by nobody")
	}
	denied := errors.New("no")
	for _, want := range []error{nil, denied} {
		var asked []tool.Act
		env := tool.Env{Allow: func(_ context.Context, acts ...tool.Act) error {
			asked = append(asked, acts...)
			return want
		}}
		if err := env.May(t.Context(), tool.Act{Path: "a"}, tool.Act{Path: "b"}); err != want || len(asked) != 2 || asked[1].Path != "b" {
			t.Errorf("%v, not %v; asked for %+v", err, want, asked)
		}
	}
}
