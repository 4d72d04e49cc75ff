package hook

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/tool"
)

// A hook written for Claude Code reads what that writes, and its answers count as ours do.
func TestClaudeForm(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	dir := t.TempDir()
	output := func(inner string) string { return `{"hookSpecificOutput":{` + inner + `}}` }
	for say, want := range map[string]Answer{
		output(`"permissionDecision":"deny","permissionDecisionReason":"no"`): {Decision: Deny, Reason: "no"},

		output(`"permissionDecision":"ask"`):   {Decision: Ask, Reason: "the hook h says so"},
		output(`"permissionDecision":"allow"`): {},

		`{"decision":"block","reason":"never"}`:  {Decision: Deny, Reason: "never"},
		`{"continue":false,"stopReason":"stop"}`: {Decision: Deny, Reason: "stop"},

		output(`"updatedInput":{"file_path":"b.txt","old_string":"1","new_string":"2"},"other":1`): {Args: json.RawMessage(`b.txt`)},

		`checked`: {},
		``:        {},
	} {
		if err := os.WriteFile(filepath.Join(dir, "say"), []byte(say), 0o600); err != nil {
			t.Fatal(err)
		}
		h := Hook{Name: "h", On: []Event{BeforeTool}, Form: formClaude,
			Command: []string{"sh", "-c", `cat > "$CLAUDE_PROJECT_DIR"/in; cat say`}}
		got, err := Set{Hooks: []Hook{h}, Dir: dir, Session: "s"}.Before(context.Background(),
			Call{Tool: "edit", Args: json.RawMessage(`{"path":"a.txt","old":"1","new":"2"}`)})
		if err != nil || len(got.Warnings) > 0 || got.Decision != want.Decision || got.Reason != want.Reason {
			t.Errorf("%s: %+v %v", say, got, err)
		}
		args := string(got.Args)
		ours := strings.Contains(args, `"old":"1"`) && strings.Contains(args, "b.txt")
		if (want.Args == nil) != (args == "") || want.Args != nil && !ours {
			t.Errorf("%s: args %s", say, args)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, "in"))
	var said map[string]any
	if err != nil || json.Unmarshal(raw, &said) != nil {
		t.Fatal(err, string(raw))
	}
	in, _ := said["tool_input"].(map[string]any)
	if said["hook_event_name"] != "PreToolUse" || said["tool_name"] != "Edit" ||
		in["file_path"] != filepath.Join(dir, "a.txt") || in["old_string"] != "1" {
		t.Error(string(raw))
	}
}

// A hook written for Claude Code is asked about each file that one call changes, with the texts that go and come.
func TestClaudeFormOfChanges(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	dir := t.TempDir()
	h := Hook{Name: "h", On: []Event{BeforeTool}, Form: formClaude, Guard: true,
		Command: []string{"sh", "-c", `cat >in; cat in >>all; grep -q prod.txt in && exit 2; exit 0`}}
	set := Set{Hooks: []Hook{h}, Dir: dir, Session: "s"}
	for name, c := range map[string]struct {
		changes []tool.Change
		broken  error
		want    Decision
	}{
		"neither file is guarded": {changes: []tool.Change{{Path: "a.txt", Old: "1", New: "2"}, {Path: "b.txt"}}},
		"the second is":           {changes: []tool.Change{{Path: "a.txt"}, {Path: "prod.txt"}}, want: Deny},
		"nobody can tell":         {broken: errors.New("it is no patch"), want: Deny},
	} {
		got, err := set.Before(context.Background(), Call{Tool: "patch", Args: json.RawMessage(`{"patch":"…"}`),
			Changes: func(json.RawMessage) ([]tool.Change, error) { return c.changes, c.broken }})
		if err != nil || got.Decision != c.want {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	got, err := set.Before(context.Background(), Call{Tool: "multi_edit", Args: json.RawMessage(`{"path":"c.txt","edits":[{"old":"3","new":"4","all":true}]}`)})
	if err != nil || got.Decision != "" {
		t.Errorf("%+v %v", got, err)
	}
	all, err := os.ReadFile(filepath.Join(dir, "all"))
	for _, want := range []string{`a.txt","new_string":"2","old_string":"1"`, `"edits":[{"new_string":"4","old_string":"3","replace_all":true}]`} {
		if err != nil || !strings.Contains(string(all), want) {
			t.Errorf("no hook was told %s: %s", want, all)
		}
	}
}
