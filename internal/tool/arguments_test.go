package tool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/socrates-cli/socrates/internal/tool"
)

// TestFitted: what judges a call sees it under the tool's own names, each once, as the tool takes it.
func TestFitted(t *testing.T) {
	type args struct {
		Path  string `json:"path"`
		From  int    `json:"from,omitempty"`
		Edits []struct {
			Old string `json:"old"`
		} `json:"edits,omitempty"`
	}
	known := tool.New("x", "", tool.Reads, func(context.Context, args, tool.Env) (tool.Output, error) { return tool.Output{}, nil })
	type search struct {
		Pattern string `json:"pattern,omitempty"`
		Glob    string `json:"glob,omitempty"`
	}
	finds := tool.New("y", "", tool.Reads, func(context.Context, search, tool.Env) (tool.Output, error) { return tool.Output{}, nil })
	foreign := tool.Tool{}
	foreign.Name = "mcp__a__b"
	for _, c := range []struct {
		t          tool.Tool
		args, want string
	}{
		{known, `{"filename":"prod.txt"}`, `{"path":"prod.txt"}`},
		{known, `{"path":"a","path":"b"}`, `{"path":"b"}`},
		{known, `{"path":"a > b","from":"3","explanation":"x"}`, `{"from":3,"path":"a > b"}`},
		{known, `{"file":"a","changes":[{"old_string":"1"}]}`, `{"edits":[{"old":"1"}],"path":"a"}`},
		{known, `{"Path":"a"}`, ""},
		{known, `{"path":"a","file":"b"}`, ""},
		{finds, `{"glob_pattern":"*.go"}`, `{"glob":"*.go"}`}, // and never the pattern
		{foreign, `{"path":"a","path":"b","n":12345678901234567890}`, `{"n":12345678901234567890,"path":"b"}`},
		{foreign, `[1]`, ""},
	} {
		got, err := c.t.Fitted(json.RawMessage(c.args))
		if (err == nil) != (c.want != "") || err == nil && string(got) != c.want {
			t.Errorf("%s becomes %s, %v; want %s", c.args, got, err, c.want)
		}
	}
}
