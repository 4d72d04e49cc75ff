package transcript

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
)

// codex keeps a file for a session: each line a time, a type and a payload. Before September 2025 a line was the payload alone.
var codex = program{
	name: "codex",
	home: func(env func(string) string, home string) string {
		return cmp.Or(env("CODEX_HOME"), filepath.Join(home, ".codex"))
	},
	globs: []string{"sessions/*/*/*/rollout-*.jsonl", "sessions/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl"},
	knows: func(head map[string]json.RawMessage) bool {
		return head["payload"] != nil || head["id"] != nil && head["instructions"] != nil
	},
	line: codexLine,
}

// codexAside are lines and items that are not part of what was said, or say again what others do.
var codexAside = []string{"token_usage_record", "world_state", "event_msg", "ghost_snapshot", "other", "security_risk_score",
	"realtime_item", "compaction", "context_compaction", "state"}

// codexOwn is how what the program itself says on the user's side begins.
var codexOwn = []string{"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<permissions instructions>",
	"<turn_aborted>", "<skill>", "<apps_instructions>", "<INSTRUCTIONS>"}

// codexPayload is what a line says.
type codexPayload struct {
	Type, ID, Cwd, Model, Role, Name, Message string
	CallID                                    string `json:"call_id"`
	NumTurns                                  int    `json:"num_turns"`
	Content, Arguments, Input, Output, Action json.RawMessage
	Summary                                   []struct{ Text string }
}

// codexLine takes a line in, of either form.
func codexLine(b *builder, raw []byte) error {
	var l struct {
		Timestamp, Type string
		Payload         json.RawMessage
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	if l.Payload == nil {
		l.Payload, l.Type = raw, "response_item"
		if b.session == "" {
			l.Type = "session_meta"
		}
	}
	var p codexPayload
	if l.Type == "turn_context" { // of which one word matters, and others are of other shapes
		var turn struct{ Model, Cwd string }
		json.Unmarshal(l.Payload, &turn)
		b.model, b.dir = cmp.Or(turn.Model, b.model), cmp.Or(b.dir, turn.Cwd)
		return nil
	}
	if err := json.Unmarshal(l.Payload, &p); err != nil {
		if slices.Contains(codexAside, l.Type) {
			return nil
		}
		return err
	}
	e := remark{parent: b.last, when: when(l.Timestamp), model: b.model}
	switch {
	case l.Type == "session_meta":
		b.session, b.dir = cmp.Or(b.session, p.ID), cmp.Or(b.dir, p.Cwd)
	case l.Type == "response_item":
		codexItem(b, p, e)
	case l.Type == "compacted":
		if e.summary, e.from = strings.TrimSpace(p.Message), b.last; e.summary != "" {
			b.put(e)
		} else { // what it stands for stays
			b.skip("summaries that only the vendor can read")
		}
	case l.Type == "event_msg" && p.Type == "thread_rolled_back":
		b.back(p.NumTurns)
	case !slices.Contains(codexAside, l.Type):
		b.skip(unknown(l.Type))
	}
	return nil
}

// back goes on from before the last n things the person said.
func (b *builder) back(n int) {
	for ; n > 0 && b.last >= 0; b.last = b.entries[b.last].parent {
		if b.entries[b.last].say != "" {
			n--
		}
	}
}

// codexItem takes in what was said, called or came back.
func codexItem(b *builder, p codexPayload, e remark) {
	switch p.Type {
	case "message":
		text := texts(p.Content)
		own := func(begins string) bool { return strings.HasPrefix(strings.TrimSpace(text), begins) }
		switch {
		case p.Role == "assistant":
			e.parts = prose(text)
			b.answer(e, "")
		case p.Role == "user" && !slices.ContainsFunc(codexOwn, own):
			b.say(p.ID, b.last, e.when, text)
		}
	case "reasoning":
		var all []string
		for _, s := range p.Summary {
			all = append(all, s.Text)
		}
		e.parts = think(strings.Join(all, "\n\n"))
		b.answer(e, "")
	case "function_call", "custom_tool_call", "local_shell_call":
		args := p.Input
		if p.Arguments != nil {
			args = p.Arguments
		} else if p.Action != nil {
			args = p.Action
		}
		var inner string
		// Arguments are JSON written as a text.
		if json.Unmarshal(args, &inner) == nil && json.Valid([]byte(inner)) {
			args = json.RawMessage(inner)
		}
		e.parts = call(cmp.Or(p.CallID, p.ID), cmp.Or(p.Name, "shell"), args)
		b.answer(e, "")
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		text, failed := codexOutput(p.Output)
		b.result("", p.CallID, text, failed)
	default:
		if !slices.Contains(codexAside, p.Type) {
			b.skip("unknown items (" + clean.Line(p.Type) + ")")
		}
	}
}

// codexOutput is what a call came to: a text, parts, or an object with a content.
func codexOutput(raw json.RawMessage) (text string, failed bool) {
	var o struct {
		Content json.RawMessage
		Success *bool
	}
	if json.Unmarshal(raw, &o) == nil && o.Content != nil {
		return texts(o.Content), o.Success != nil && !*o.Success
	}
	text = texts(raw)
	var inner struct {
		Output   *string
		Metadata struct {
			ExitCode int `json:"exit_code"`
		}
	}
	if json.Unmarshal([]byte(text), &inner) == nil && inner.Output != nil {
		return *inner.Output, inner.Metadata.ExitCode != 0
	}
	return text, false
}
