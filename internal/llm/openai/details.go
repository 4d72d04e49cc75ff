package openai

import (
	"bytes"
	"encoding/json"

	"github.com/socrates-cli/socrates/internal/llm"
)

// detail is a piece of reasoning as a reseller sends it; all its fields are kept.
type detail map[string]json.RawMessage

// merge adds the pieces of one event. Pieces of one text are joined, as if they had come in one; everything else goes
// back as it is.
func merge(all, more []detail) []detail {
	for _, d := range more {
		if n := len(all) - 1; n >= 0 && d.continues(all[n]) {
			all[n].join(d)
			continue
		}
		all = append(all, d)
	}
	return all
}

// continues reports whether a piece continues the last one.
func (d detail) continues(last detail) bool {
	const text = `"reasoning.text"`
	return string(d["type"]) == text && string(last["type"]) == text && bytes.Equal(d["index"], last["index"])
}

// join appends the text of more, and takes fields that were unknown: of any other field the first value that is not
// null counts. A signature comes with the last piece.
func (d detail) join(more detail) {
	for key, value := range more {
		var was, is string
		if key == "text" && json.Unmarshal(d[key], &was) == nil && json.Unmarshal(value, &is) == nil {
			d[key], _ = json.Marshal(was + is)
		} else if have := d[key]; len(have) == 0 || string(have) == "null" {
			d[key] = value
		}
	}
}

// keep marks what is worth caching: the shared part of the system prompt, all of it, and the last two messages that
// are not the model's. All text is written as parts, so that only the marks change from request to request. The
// vendor accepts four marks.
func keep(messages []object, req llm.Request) {
	mark := object{"type": "ephemeral"}
	left := 2
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		text, ok := m["content"].(string)
		if ok && text != "" {
			m["content"] = []object{{"type": "text", "text": text}}
		}
		parts, ok := m["content"].([]object)
		if !ok || len(parts) == 0 {
			continue
		}
		switch last := parts[len(parts)-1]; {
		case m["role"] == "system" && req.Shared > 0 && req.Shared < len(text):
			m["content"] = []object{{"type": "text", "text": text[:req.Shared], "cache_control": mark},
				{"type": "text", "text": text[req.Shared:], "cache_control": mark}}
		case m["role"] == "system":
			last["cache_control"] = mark
		case m["role"] != "assistant" && left > 0 && req.Session != "" && last["type"] == "text":
			last["cache_control"], left = mark, left-1
		}
	}
}
