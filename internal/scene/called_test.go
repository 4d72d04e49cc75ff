package scene

import (
	"encoding/json"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
)

// What a seat looked at is told in words, not as the arguments of its call.
func TestCalled(t *testing.T) {
	for args, want := range map[string]string{
		`{"path":"hours.py","from":5,"to":9}`: "read hours.py:5-9",
		`{"path":"hours.py","from":5,"to":5}`: "read hours.py:5",
		`{"path":"hours.py"}`:                 "read hours.py",
		`{"depth":2}`:                         `read {"depth":2}`,
	} {
		if got := called(llm.Call{Name: "read", Args: json.RawMessage(args)}); got != want {
			t.Errorf("%s is told as %s, not as %s", args, got, want)
		}
	}
}
