package transcript

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
)

// claude keeps a file for a session, a line for each block of an answer. Lines name the one before them; a rewound
// conversation goes on from an earlier one. Results name the line of their call, so that of several calls at once only one
// is on the way to what follows.
var claude = program{
	name: "claude",
	home: func(env func(string) string, home string) string {
		return cmp.Or(env("CLAUDE_CONFIG_DIR"), filepath.Join(home, ".claude"))
	},
	globs: []string{"projects/*/*.jsonl"},
	knows: func(head map[string]json.RawMessage) bool {
		return head["type"] != nil && (head["sessionId"] != nil || head["uuid"] != nil || head["leafUuid"] != nil)
	},
	line: claudeLine,
}

// claudeAside are lines that are not part of what was said.
var claudeAside = []string{"queue-operation", "last-prompt", "mode", "attachment", "progress", "file-history-snapshot", "permission-mode",
	"agent-name", "agent-setting", "agent-color", "ai-title", "tag", "pr-link", "worktree-state", "content-replacement", "checkpoint",
	"attribution-snapshot", "marble-origami-commit", "saved_hook_context", "task-summary", "tombstone", "speculation-accept",
	"bridge-session", "file-history-delta"}

// claudeLine takes a line in. Fields it does not name are ignored, so newer versions can be read as far as they say
// the same.
func claudeLine(b *builder, raw []byte) error {
	var l struct {
		Type, UUID, SessionID, Summary, CustomTitle, Timestamp, Cwd string
		ParentUUID, LogicalParentUUID                               *string
		IsSidechain, IsMeta, IsCompactSummary                       bool
		Message                                                     struct {
			ID, Model string
			Content   json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	b.session, b.dir = cmp.Or(b.session, l.SessionID), cmp.Or(b.dir, l.Cwd)
	parent := -1
	// After a summary the real parent is not there, and the logical one says what it goes on from.
	if up := cmp.Or(l.ParentUUID, l.LogicalParentUUID); up != nil {
		parent = b.indexOf(*up)
	} else if l.UUID == "" {
		parent = b.last
	}
	at := when(l.Timestamp)
	switch {
	case l.IsSidechain:
		b.skip("lines of sub-agents")
	case l.Type == "custom-title" || l.Type == "summary":
		b.title = clean.Line(cmp.Or(l.CustomTitle, b.title, l.Summary))
	case l.Type == "user" && l.IsCompactSummary:
		b.put(remark{id: l.UUID, parent: parent, from: parent, when: at, summary: cmp.Or(texts(l.Message.Content), "-")})
	case l.Type == "user":
		claudeUser(b, l.UUID, parent, remark{when: at, added: texts(l.Message.Content)}, l.IsMeta, l.Message.Content)
	case l.Type == "assistant":
		e := remark{id: l.UUID, parent: parent, when: at, model: l.Message.Model}
		for _, c := range claudeBlocks(l.Message.Content) {
			switch c.Type {
			case "text":
				e.parts = append(e.parts, prose(c.Text)...)
			case "thinking":
				e.parts = append(e.parts, think(c.Thinking)...)
			case "tool_use":
				e.parts = append(e.parts, call(c.ID, c.Name, c.Input)...)
			case "redacted_thinking":
			default:
				b.skip("unknown parts of answers (" + clean.Line(c.Type) + ")")
			}
		}
		b.answer(e, l.Message.ID)
	default:
		if !slices.Contains(claudeAside, l.Type) && l.Type != "system" {
			b.skip(unknown(l.Type))
		}
		b.name(l.UUID, parent)
	}
	return nil
}

// claudeBlock is a part of what was said, in the vendor's form.
type claudeBlock struct {
	Type, Text, Thinking, ID, Name string
	ToolUseID                      string `json:"tool_use_id"`
	IsError                        bool   `json:"is_error"`
	Input, Content                 json.RawMessage
}

// claudeBlocks are the blocks of content; a bare text is one.
func claudeBlocks(content json.RawMessage) (blocks []claudeBlock) {
	if json.Unmarshal(content, &blocks) != nil {
		return []claudeBlock{{Type: "text", Text: texts(content)}}
	}
	return blocks
}

// claudeUser takes in a line of the user's side: results, or what the person said. What the program itself puts there is left out.
func claudeUser(b *builder, id string, parent int, e remark, meta bool, content json.RawMessage) {
	var said []string
	results := false
	for _, c := range claudeBlocks(content) {
		switch c.Type {
		case "tool_result":
			results = true
			b.result(id, c.ToolUseID, texts(c.Content), c.IsError)
		case "text":
			said = append(said, c.Text)
		default:
			said = append(said, "["+clean.Line(c.Type)+"]")
		}
	}
	text := strings.Join(said, "\n")
	switch {
	case results:
	case meta || strings.HasPrefix(text, "<local-command-") || strings.HasPrefix(text, "<command-name>"):
		b.name(id, parent)
	default:
		b.say(id, parent, e.when, text)
	}
}
