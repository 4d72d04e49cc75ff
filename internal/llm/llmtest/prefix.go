package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// marks tell a server what to cache: they move, while the content around them stays the same.
var marks = pattern.Of(`,?"cache_control":\{[^}]*\},?`)

// grows returns the part of an earlier request that is not, byte for byte, the beginning of a later one: its history
// must be, and everything else must be equal. It is empty if all is right. Vendors cache the beginning of requests,
// and charge little for it; a single byte that moves costs the whole of a long conversation again.
func grows(earlier, later []byte) string {
	before, after := history(earlier), history(later)
	if len(after) < len(before) {
		return fmt.Sprintf("there are %d messages of %d", len(after), len(before))
	}
	for i, m := range before {
		is := unmarked(after[i])
		if was := unmarked(m); i == len(before)-1 && !bytes.Equal(was, is) && open(was, is) {
			continue // a person's message after results is merged with them
		} else if !bytes.Equal(was, is) {
			return fmt.Sprintf("message %d was\n%s\nand is\n%s", i, was, is)
		}
	}
	if was, is := besides(earlier), besides(later); !bytes.Equal(was, is) {
		return fmt.Sprintf("besides the messages there was\n%s\nand is\n%s", was, is)
	}
	return ""
}

// open reports whether the last message that was sent got more parts at its end.
func open(was, is []byte) bool {
	n := bytes.LastIndexByte(was, ']')
	return n > 0 && bytes.HasPrefix(is, was[:n])
}

// unmarked returns a message without its marks and the comma next to them.
func unmarked(raw []byte) []byte {
	return marks().ReplaceAllFunc(raw, func(mark []byte) []byte {
		if mark[0] == ',' && mark[len(mark)-1] == ',' {
			return []byte(",")
		}
		return nil
	})
}

// besides returns a request without its history.
func besides(body []byte) []byte {
	var fields map[string]json.RawMessage
	json.Unmarshal(body, &fields)
	for _, name := range []string{"messages", "input", "contents"} {
		delete(fields, name)
	}
	out, _ := json.Marshal(fields)
	return out
}

// examBytes requires that a request is always encoded the same way: vendors cache the beginning of requests, and
// charge for what differs.
func examBytes(t *testing.T, c *candidate) {
	schema := json.RawMessage(`{"type": "object", "properties": {"b": {"type": "string", "description": "x"},
 "a": {"type": "object", "properties": {"d": {}, "c": {}}}},
 "required": ["b"], "additionalProperties": false, "title": "t"}`)
	req := llm.Request{System: "you are terse", Shared: 7, Messages: turns(3), Schema: schema, Session: "s", Effort: "high",
		MaxTokens: 4000, Tools: []llm.Spec{{Name: "one", Doc: "first", Schema: schema}, {Name: "two", Doc: "none"}}}
	c.ask(t, req, Reply{Text: "x"})
	first := c.last().Body
	for range 20 {
		if c.ask(t, req, Reply{Text: "x"}); !bytes.Equal(c.last().Body, first) {
			t.Fatalf("once\n%s\nand once\n%s", first, c.last().Body)
		}
	}
}

// examPrefix runs fifty turns with tools, thinking and parallel calls: each request must begin with all of the
// previous one.
func examPrefix(t *testing.T, c *candidate) {
	req := llm.Request{System: "you are terse", Shared: 7, Tools: tools, Session: "s", Messages: []llm.Message{llm.UserText("begin")}}
	var last []byte
	for n := range 50 {
		r := Reply{Think: "hm", Text: "looking", Calls: []llm.Call{{Name: "read", Args: json.RawMessage(`{"path": "<a>"}`)}}}
		for range n % 4 * 7 {
			r.Calls = append(r.Calls, r.Calls[0])
		}
		if n%5 == 4 {
			r = Reply{Think: "so", Text: fmt.Sprintf("answer %d", n)}
		}
		end, _ := c.ask(t, req, r)
		now := c.last().Body
		if wrong := grows(last, now); last != nil && wrong != "" {
			t.Fatalf("request %d: %s", n, wrong)
		}
		last = now
		req.Messages = append(req.Messages, end.Message, following(end.Message))
	}
}

// turns returns n messages, as they may come from other vendors.
func turns(n int) (out []llm.Message) {
	for i := range n {
		call := llm.Call{ID: fmt.Sprintf("call_%d", i), Name: "one", Args: json.RawMessage(`{"b":"<x>"}`)}
		out = append(out, llm.UserText("say"), llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.Text{Text: "ok"}, call}},
			llm.Message{Role: llm.User, Parts: []llm.Part{llm.Result{ID: call.ID, Name: "one", Text: "x"}}}, llm.AssistantText("done"))
	}
	return append(out, llm.UserText("last"))
}
