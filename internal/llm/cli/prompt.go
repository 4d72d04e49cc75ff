package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// prompt is what one turn sends to a program.
type prompt struct {
	text   string
	images []llm.Attachment
}

// unheard returns what a process that knows said must still be told: the user's messages since the last answer. It is
// nil if the process does not know what comes before them, or if it knows anything else, unless the request omits
// part of the history. Messages are compared as plain writes them, in order. A rewritten history, such as a summary,
// matches nothing, and the caller starts again.
func unheard(said []string, req llm.Request) []llm.Message {
	n := len(req.Messages)
	for n > 0 && req.Messages[n-1].Role == llm.User {
		n--
	}
	for _, m := range req.Messages[:n] {
		i := slices.Index(said, plain(m))
		if i < 0 || i > 0 && !req.Omits {
			return nil
		}
		said = said[i+1:]
	}
	if len(said) > 0 && !req.Omits || n == len(req.Messages) {
		return nil
	}
	return req.Messages[n:]
}

// plain returns a message as one text: what a program sees of it, and what two histories are compared by.
func plain(m llm.Message) string { return string(m.Role) + "\n" + body(m) }

// body returns a message's text; what cannot be passed to a program is described in words. Thoughts are left out.
func body(m llm.Message) string {
	var out []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			out = append(out, p.Text)
		case llm.Attachment:
			out = append(out, "[image]") // the same whether its bytes are known or not
		case llm.Call:
			out = append(out, fmt.Sprintf("[called %s %s]", p.Name, p.Args))
		case llm.Result:
			out = append(out, fmt.Sprintf("[result of %s]\n%s", p.Name, p.Text))
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// compose writes messages as one prompt: the last one as it is, the earlier ones before it as a delimited transcript.
// Pictures of all messages go with the last, since programs accept them only there.
func compose(messages []llm.Message) prompt {
	last := messages[len(messages)-1]
	in := prompt{text: body(last)}
	for _, m := range messages {
		for _, p := range m.Parts {
			if img, ok := p.(llm.Attachment); ok {
				in.images = append(in.images, img)
			}
		}
	}
	if len(messages) == 1 {
		return in
	}
	tag := freeTag(messages)
	var b strings.Builder
	fmt.Fprintf(&b, "<%ss>\n", tag)
	for _, m := range messages[:len(messages)-1] {
		fmt.Fprintf(&b, "<%s from=%q>\n%s\n</%s>\n", tag, m.Role, body(m), tag)
	}
	fmt.Fprintf(&b, "</%ss>\n\nThose are the earlier messages of this conversation; those from \"assistant\" are yours. "+
		"Answer this message:\n\n%s", tag, in.text)
	in.text = b.String()
	return in
}

// freeTag returns a name for the delimiters that occurs in no message.
func freeTag(messages []llm.Message) string {
	tag := "message"
	for n := 2; ; n++ {
		taken := false
		for _, m := range messages {
			taken = taken || strings.Contains(body(m), "</"+tag)
		}
		if !taken {
			return tag
		}
		tag = fmt.Sprintf("message-%d", n)
	}
}

// withSystem puts a system prompt before the first message, for programs that have no place for it.
func withSystem(system, text string) string {
	return "These are your instructions for the whole conversation:\n\n" + system +
		"\n\nThe instructions end here. The first message follows.\n\n" + text
}

// withSchema asks for an answer that follows schema, for programs that cannot be told so turn by turn.
func withSchema(text string, schema json.RawMessage) string {
	if schema == nil {
		return text
	}
	return text + "\n\nAnswer with one JSON object and nothing else. It must follow this JSON Schema:\n" + string(schema)
}

// unfence removes a Markdown fence around a JSON answer. A text that is not JSON inside a fence stays as it is.
func unfence(s string) string {
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, "```"); ok {
		inner = strings.TrimSuffix(strings.TrimPrefix(inner, "json"), "```")
		if json.Valid([]byte(inner)) {
			return strings.TrimSpace(inner)
		}
	}
	return s
}
