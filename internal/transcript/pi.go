package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/llm"
)

// pi keeps a file for a session: entries that name the one before them, so that a session is a tree. Before its version 2
// they named none.
var pi = program{
	name: "pi",
	home: func(env func(string) string, home string) string {
		return cmp.Or(env("PI_CODING_AGENT_DIR"), filepath.Join(home, ".pi", "agent"))
	},
	globs: []string{"sessions/*/*.jsonl"},
	knows: func(head map[string]json.RawMessage) bool {
		return string(head["type"]) == `"session"` && head["id"] != nil && head["cwd"] != nil
	},
	line: piLine,
}

// piAside are entries that are not part of what was said.
var piAside = []string{"model_change", "thinking_level_change", "custom"}

// piMessage is a message of an entry.
type piMessage struct {
	Role, Model, ToolCallID, ToolName, Command, Output, Summary string
	Content                                                     json.RawMessage
	IsError                                                     bool
}

// piLine takes an entry in.
func piLine(b *builder, raw []byte) error {
	var l struct {
		Type, ID, Timestamp, Cwd, Summary, FirstKeptEntryID, TargetID, Label, Name string
		ParentID                                                                   *string
		Content                                                                    json.RawMessage
		Message                                                                    piMessage
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	parent := b.last
	if l.ParentID != nil {
		parent = b.indexOf(*l.ParentID)
	}
	e := remark{id: l.ID, parent: parent, when: when(l.Timestamp)}
	switch l.Type {
	case "session":
		b.session, b.dir = cmp.Or(b.session, l.ID), cmp.Or(b.dir, l.Cwd)
	case "message":
		piSaid(b, l.Message, e)
	case "compaction":
		e.summary, e.from = cmp.Or(l.Summary, "-"), parent
		if _, ok := b.at[l.FirstKeptEntryID]; ok {
			e.from = b.above(l.FirstKeptEntryID)
		}
		b.put(e)
	case "branch_summary":
		e.added = "[Result of another branch]\n" + l.Summary
		b.put(e)
	case "custom_message":
		e.added = texts(l.Content)
		b.added(e)
	case "session_info":
		b.title = cmp.Or(clean.Line(l.Name), b.title)
	case "label":
		if i, ok := b.found(l.TargetID); ok && l.Label != "" {
			b.labels[l.Label] = i
		}
	default:
		if !slices.Contains(piAside, l.Type) {
			b.skip(unknown(l.Type))
		}
	}
	// What is left out must still lead from what follows it to what came before.
	if _, ok := b.at[l.ID]; !ok && l.Type != "session" {
		b.name(l.ID, parent)
	}
	return nil
}

// added puts text in that no turn answers; none: nothing.
func (b *builder) added(e remark) {
	if e.added != "" {
		b.put(e)
	}
}

// piSaid takes a message in, by who it is from.
func piSaid(b *builder, m piMessage, e remark) {
	switch m.Role {
	case "user":
		b.say(e.id, e.parent, e.when, texts(m.Content))
	case "assistant":
		e.model = m.Model
		e.parts = piParts(b, m.Content)
		b.answer(e, "")
	case "toolResult":
		b.result(e.id, m.ToolCallID, texts(m.Content), m.IsError)
	case "bashExecution":
		e.added = fmt.Sprintf("[The person ran: %s]\n%s", m.Command, m.Output)
		b.put(e)
	case "branchSummary", "compactionSummary", "custom", "hookMessage":
		e.added = cmp.Or(m.Summary, texts(m.Content))
		b.added(e)
	default:
		b.skip(unknown(m.Role))
	}
}

func piParts(b *builder, content json.RawMessage) (parts []llm.Part) {
	var list []struct {
		Type, Text, Thinking, ID, Name string
		Arguments                      json.RawMessage
	}
	if json.Unmarshal(content, &list) != nil {
		return prose(texts(content))
	}
	for _, c := range list {
		switch c.Type {
		case "text":
			parts = append(parts, prose(c.Text)...)
		case "thinking":
			parts = append(parts, think(c.Thinking)...)
		case "toolCall":
			parts = append(parts, call(c.ID, c.Name, c.Arguments)...)
		default:
			b.skip("unknown parts of answers (" + clean.Line(c.Type) + ")")
		}
	}
	return parts
}
