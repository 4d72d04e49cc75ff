package cli

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// claudeWork is the state of a turn that has leave to work. Before each tool use the program calls a hook of ours,
// whatever its own rules allow; where those rules or its own checks want a person, it also asks can_use_tool.
// Observed with 2.1.197 and 2.1.332, and as in code.claude.com/docs/en/agent-sdk/permissions, November 2026.
type claudeWork struct {
	leave func(context.Context, llm.Call) error // nil: the program only reads
	calls map[string]llm.Call                   // calls without a result yet, by id
	// Allowed tool uses, by id. A use that was asked about but refused is not in it.
	let map[string]bool
}

// claudeWorks are the arguments of a program that works. Its other tools reach the network or start their own agents.
var claudeWorks = []string{"--permission-mode", "default", "--permission-prompt-tool", "stdio",
	"--tools", "Read,Grep,Glob,Edit,Write,NotebookEdit,Bash"}

// newClaudeWork returns the state at the start of a turn.
func newClaudeWork(req llm.Request) claudeWork {
	return claudeWork{leave: req.Leave, calls: map[string]llm.Call{}, let: map[string]bool{}}
}

// claudeOpens makes the program ask before each tool use, for as long as a person may take. Its own system prompt
// stays: it explains its tools.
func claudeOpens(system string) object {
	const day = 24 * 60 * 60
	return object{"subtype": "initialize", "appendSystemPrompt": system,
		"hooks": object{"PreToolUse": []object{{"matcher": nil, "hookCallbackIds": []string{"leave"}, "timeout": day}}}}
}

// claudeWish is a control request of the program: a hook_callback or a can_use_tool.
type claudeWish struct {
	Subtype   string
	ToolName  string          `json:"tool_name"`
	ToolUseID string          `json:"tool_use_id"`
	Input     json.RawMessage // of the tool or the hook
}

// claudeHooked is the input of a hook.
type claudeHooked struct {
	Cwd      string
	ToolName string         `json:"tool_name"`
	Input    map[string]any `json:"tool_input"`
}

// answer returns the response to a control request. Any other request, or one without leave, is refused: an unknown
// request must not pass.
func (c *claudeTalk) answer(ctx context.Context, id string, w claudeWish) object {
	done := func(v object) object { return object{"subtype": "success", "request_id": id, "response": v} }
	switch {
	case w.Subtype == "hook_callback" && c.leave != nil:
		var h claudeHooked
		json.Unmarshal(w.Input, &h) // unreadable input is a tool without a name, which is never allowed
		out := object{"hookEventName": "PreToolUse", "permissionDecision": "allow"}
		if err := c.asksLeave(ctx, w.ToolUseID, h); err != nil {
			out["permissionDecision"], out["permissionDecisionReason"] = "deny", err.Error()
		}
		return done(object{"hookSpecificOutput": out})
	case w.Subtype == "can_use_tool" && c.leave != nil && c.let[w.ToolUseID]: // the hook has asked us; its own checks need no answer
		return done(object{"behavior": "allow", "updatedInput": w.Input})
	case w.Subtype == "can_use_tool" && c.leave != nil:
		return done(object{"behavior": "deny", "message": "refused"})
	}
	return object{"subtype": "error", "request_id": id, "error": "refused"}
}

// asksLeave asks leave for one tool use, and waits for as long as that takes. Once the turn is interrupted the answer
// is no, whatever a person says.
func (c *claudeTalk) asksLeave(ctx context.Context, id string, h claudeHooked) error {
	call := claudeCall(c.dir, id, h.ToolName, h.Input)
	if call.Name == "bash" && h.Cwd != "" { // the folder that an earlier command changed to
		call = withArg(call, "dir", h.Cwd)
	}
	err := c.leave(ctx, call)
	if ctx.Err() != nil {
		return errors.New("stopped before it began")
	}
	c.let[id] = err == nil
	return err
}

// begins records a call whose result will follow.
func (c *claudeTalk) begins(id string, call llm.Call) {
	if c.leave != nil {
		c.calls[id] = call
	}
}

// results reports the results of calls. Each is reported once, together with the call: only then is it certain that
// it ran.
func (c *claudeTalk) results(content json.RawMessage, say func(llm.Delta)) {
	var blocks []struct {
		Type      string
		ToolUseID string `json:"tool_use_id"`
		IsError   bool   `json:"is_error"`
		Content   json.RawMessage
	}
	json.Unmarshal(content, &blocks) // a string is a message to the program
	for _, b := range blocks {
		call, begun := c.calls[b.ToolUseID]
		if b.Type != "tool_result" || !begun {
			continue
		}
		delete(c.calls, b.ToolUseID)
		text := texts(b.Content)
		if _, told, ok := strings.Cut(text, " hook error: "); ok && !c.let[b.ToolUseID] { // our own refusal, as newer versions report it
			text = told
		}
		say(llm.Delta{Call: &call, Result: &llm.Result{ID: call.ID, Name: call.Name, Text: text, Failed: b.IsError}})
	}
}

// texts joins the text of content, which is a string or a list of blocks.
func texts(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	json.Unmarshal(content, &blocks) // pictures have no text
	var all []string
	for _, b := range blocks {
		all = append(all, b.Text)
	}
	return strings.Join(all, "\n")
}

// claudeTools maps its tools to our names, and claudeArgs its arguments. Other tools keep their own name, which no
// rule for our tools covers.
var (
	claudeTools = map[string]string{"Bash": "bash", "Read": "read", "Write": "write", "Edit": "edit", "NotebookEdit": "edit",
		"Grep": "grep", "Glob": "glob"}
	claudeArgs = map[string]string{"command": "command", "file_path": "path", "notebook_path": "path", "path": "path", "content": "content",
		"old_string": "old", "new_string": "new", "new_source": "new", "replace_all": "all", "pattern": "pattern", "glob": "glob"}
)

// claudeCall converts a tool use of the program to a call of ours.
func claudeCall(dir, id, name string, input map[string]any) llm.Call {
	ours, known := claudeTools[name]
	if !known {
		args, _ := json.Marshal(input) // it came from JSON
		return llm.Call{ID: id, Name: name, Args: args}
	}
	args := map[string]any{}
	for key, value := range input {
		if own := claudeArgs[key]; own != "" {
			args[own] = value
		}
	}
	return ourCall(dir, id, ours, args)
}

// ourCall makes a call of ours; paths below dir become relative to it.
func ourCall(dir, id, name string, args map[string]any) llm.Call {
	for _, key := range []string{"path", "dir"} {
		if path, ok := args[key].(string); ok {
			args[key] = filepath.ToSlash(within(dir, path))
		}
	}
	raw, _ := json.Marshal(args) // it came from JSON
	return llm.Call{ID: id, Name: name, Args: raw}
}

// withArg returns a call with one more argument.
func withArg(c llm.Call, key string, value any) llm.Call {
	args := map[string]any{}
	json.Unmarshal(c.Args, &args) // we encoded it ourselves
	args[key] = value
	c.Args, _ = json.Marshal(args)
	return c
}
