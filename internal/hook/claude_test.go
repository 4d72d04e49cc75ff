package hook

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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
