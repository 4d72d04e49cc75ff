package transcript

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// gemini keeps a file for a session: a head, then messages and what changes them. Until the spring of 2026 it was one
// object. It does not say where it was held: the folder above it does.
var gemini = program{
	name: "gemini",
	home: func(env func(string) string, home string) string {
		return filepath.Join(cmp.Or(env("GEMINI_CLI_HOME"), home), ".gemini")
	},
	globs: []string{"tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl"},
	dirOf: func(file, dir string) string {
		folder := filepath.Dir(filepath.Dir(file))
		if raw, err := os.ReadFile(filepath.Join(folder, ".project_root")); err == nil {
			return strings.TrimSpace(string(raw))
		}
		if sum := sha256.Sum256([]byte(dir)); hex.EncodeToString(sum[:]) == filepath.Base(folder) {
			return dir
		}
		return ""
	},
	knows: func(head map[string]json.RawMessage) bool {
		return head["sessionId"] != nil && head["projectHash"] != nil
	},
	line: geminiLine,
}

// geminiMessage is one message.
type geminiMessage struct {
	ID, Timestamp, Type, Model string
	Content                    json.RawMessage
	Thoughts                   []struct{ Subject, Description string }
	ToolCalls                  []struct {
		ID, Name, Status string
		Args             json.RawMessage
		Result           json.RawMessage
		ResultDisplay    json.RawMessage
	}
}

// geminiLine takes a line in: a head, a message, a change of all messages or a rewind.
func geminiLine(b *builder, raw []byte) error {
	var l struct {
		geminiMessage
		SessionID, Summary string
		Messages           []geminiMessage
		Set                *struct {
			Messages []geminiMessage
			Summary  string
		} `json:"$set"`
		RewindTo string `json:"$rewindTo"`
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	b.session, b.title = cmp.Or(b.session, l.SessionID), cmp.Or(l.Summary, b.title)
	switch {
	case l.RewindTo != "":
		// The message it rewinds to is gone, too.
		b.last = b.above(l.RewindTo)
	case l.Set != nil:
		b.title = cmp.Or(l.Set.Summary, b.title)
		// The whole list stands here again: what is known already is found by its id.
		if len(l.Set.Messages) > 0 {
			b.last = -1
		}
		geminiAll(b, l.Set.Messages)
	case l.SessionID != "":
		geminiAll(b, l.Messages)
	case l.ID != "":
		geminiOne(b, l.geminiMessage)
	default:
		b.skip("unknown lines")
	}
	return nil
}

func geminiAll(b *builder, all []geminiMessage) {
	for _, m := range all {
		geminiOne(b, m)
	}
}

// geminiOne takes a message in. One that is written again with more to it is the same message.
func geminiOne(b *builder, m geminiMessage) {
	i, again := b.found(m.ID)
	again = again && m.ID != ""
	switch {
	case m.Type == "user" && again:
		b.last = i
	case m.Type == "user":
		text := texts(m.Content) // the program itself says where it is, and again what calls came to
		if !strings.HasPrefix(text, "<session_context>") && !strings.Contains(string(m.Content), `"functionResponse"`) {
			b.say(m.ID, b.last, when(m.Timestamp), text)
		}
	case m.Type == "gemini":
		if again {
			b.entries[i].parts, b.last = nil, b.entries[i].parent
		}
		e := remark{id: m.ID, parent: b.last, when: when(m.Timestamp), model: m.Model}
		var thought strings.Builder
		for _, t := range m.Thoughts {
			thought.WriteString(strings.TrimLeft(t.Subject+"\n"+t.Description, "\n"))
		}
		e.parts = append(think(thought.String()), prose(texts(m.Content))...)
		for _, c := range m.ToolCalls {
			e.parts = append(e.parts, call(c.ID, c.Name, c.Args)...)
		}
		if again {
			b.entries[i].parts = e.parts
			b.last = i
			for _, c := range m.ToolCalls {
				b.called[c.ID] = i
			}
		} else {
			b.answer(e, m.ID)
		}
		for _, c := range m.ToolCalls {
			b.result("", c.ID, geminiResult(c.Result, c.ResultDisplay), c.Status != "success")
		}
	case !slices.Contains([]string{"info", "error", "warning"}, m.Type):
		b.skip(unknown(m.Type))
	}
}

// geminiResult is what a call came to: what the model was told, else what the person was shown.
func geminiResult(result, display json.RawMessage) string {
	var told []struct {
		FunctionResponse struct {
			Response struct{ Output, Error json.RawMessage }
		}
	}
	if json.Unmarshal(result, &told) == nil && len(told) > 0 {
		r := told[0].FunctionResponse.Response
		if text := cmp.Or(texts(r.Output), texts(r.Error)); text != "" {
			return text
		}
	}
	return cmp.Or(texts(result), texts(display))
}
