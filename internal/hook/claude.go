package hook

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
)

// formClaude is the form of hooks written for Claude Code: what they read, and what they answer.
const formClaude = "claude"

// claudeEvents are its events by ours, claudeTools its tools and claudeArgs its arguments.
var (
	claudeEvents = map[Event]string{SessionStart: "SessionStart", Prompt: "UserPromptSubmit", BeforeTool: "PreToolUse",
		AfterTool: "PostToolUse", Permission: "PermissionRequest", Compact: "PreCompact", TurnDone: "Stop"}
	claudeTools = map[string]string{"bash": "Bash", "job_start": "Bash", "read": "Read", "write": "Write", "edit": "Edit",
		"multi_edit": "MultiEdit", "patch": "Edit", "grep": "Grep", "glob": "Glob", "ls": "LS", "fetch": "WebFetch",
		"web_search": "WebSearch", "task": "Task", "todo": "TodoWrite", "ask": "AskUserQuestion"}
	claudeArgs = map[string]string{"path": "file_path", "old": "old_string", "new": "new_string", "all": "replace_all"}
)

// claudeFiles are the tools whose path it calls file_path.
var claudeFiles = []string{"read", "write", "edit", "multi_edit", "patch"}

// claudeSaid is what a hook of that form reads, in the order in which Claude Code writes it.
type claudeSaid struct {
	Session    string          `json:"session_id"`
	Transcript string          `json:"transcript_path"`
	Cwd        string          `json:"cwd"`
	Mode       string          `json:"permission_mode"`
	Event      string          `json:"hook_event_name"`
	Tool       string          `json:"tool_name,omitempty"`
	Input      json.RawMessage `json:"tool_input,omitempty"`
	Response   *claudeResponse `json:"tool_response,omitempty"`
	Prompt     string          `json:"prompt,omitempty"`
	Source     string          `json:"source,omitempty"`
	Trigger    string          `json:"trigger,omitempty"`
	Answer     string          `json:"last_assistant_message,omitempty"`
}

// claudeResponse is what a call came to.
type claudeResponse struct {
	Content string `json:"content"`
	Failed  bool   `json:"is_error"`
}

// claudeInput is what a hook of that form reads.
func claudeInput(in input) ([]byte, error) {
	said := claudeSaid{Session: in.Session, Cwd: in.Cwd, Mode: "default", Event: claudeEvents[in.Event],
		Prompt: in.Prompt, Answer: in.Answer}
	if in.Tool != "" {
		said.Tool, said.Input = in.Tool, renamed(in, in.Args, claudeArgs)
		if theirs := claudeTools[in.Tool]; theirs != "" {
			said.Tool = theirs
		}
	}
	switch in.Event {
	case AfterTool:
		said.Response = &claudeResponse{in.Result.Text, in.Result.Failed}
	case SessionStart:
		said.Source = "startup"
	case Compact:
		said.Trigger = "auto"
	}
	return json.Marshal(said)
}

// renamed are arguments under other names; a file's path is whole, as those hooks expect it.
func renamed(in input, args json.RawMessage, names map[string]string) json.RawMessage {
	var all map[string]json.RawMessage
	if !slices.Contains(claudeFiles, in.Tool) || json.Unmarshal(args, &all) != nil {
		return args
	}
	out := map[string]any{}
	for key, value := range all {
		var edits []map[string]json.RawMessage
		if key == "edits" && json.Unmarshal(value, &edits) == nil {
			for i := range edits {
				edits[i] = keyed(edits[i], names)
			}
			value, _ = json.Marshal(edits)
		}
		var text string
		if key == "path" && json.Unmarshal(value, &text) == nil && !filepath.IsAbs(text) {
			value, _ = json.Marshal(filepath.Join(in.Cwd, text))
		}
		if other := names[key]; other != "" {
			key = other
		}
		out[key] = value
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return args
	}
	return raw
}

// keyed are fields under other names.
func keyed(fields map[string]json.RawMessage, names map[string]string) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(fields))
	for key, value := range fields {
		if other := names[key]; other != "" {
			key = other
		}
		out[key] = value
	}
	return out
}

// claudeReply is what a hook of that form answers, in our words. What is no JSON object is for the model, at the events at which
// it is there; keys that say nothing here are passed over.
func claudeReply(in input, text []byte) ([]byte, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, nil
	}
	if text[0] != '{' {
		if in.Event == SessionStart || in.Event == Prompt {
			return json.Marshal(map[string]any{"context": string(text)})
		}
		return nil, nil
	}
	var said struct {
		Continue                     *bool
		StopReason, Decision, Reason string
		SystemMessage                string
		Output                       struct {
			PermissionDecision, PermissionDecisionReason string
			AdditionalContext                            string
			UpdatedInput                                 json.RawMessage
			Decision                                     struct{ Behavior, Message string }
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, err
	}
	r := map[string]any{}
	put := func(key, value string) {
		if value != "" {
			r[key] = value
		}
	}
	o := said.Output
	put("context", o.AdditionalContext)
	put("reason", said.Reason)
	put("reason", o.PermissionDecisionReason)
	switch {
	case said.Continue != nil && !*said.Continue:
		r["decision"] = Deny
		put("reason", said.StopReason)
	case said.Decision == "block" || o.PermissionDecision == "deny" || o.Decision.Behavior == "deny":
		r["decision"] = Deny
		put("reason", o.Decision.Message)
	case o.PermissionDecision == "ask":
		r["decision"] = Ask
	}
	if len(o.UpdatedInput) > 0 && in.Event == BeforeTool {
		back := map[string]string{}
		for ours, theirs := range claudeArgs {
			back[theirs] = ours
		}
		r["args"] = renamed(in, o.UpdatedInput, back)
	}
	return json.Marshal(r)
}
