package llmtest

import (
	"embed"
	"encoding/json"
	"path"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// The book of each protocol: its vendor's documented examples, one per file, with what a server sends (stream), what
// that means (want) and how the answer must appear in the next request (back). The head says where the example is
// documented and when that was read.
//
//go:embed testdata/*/*.txtar
var book embed.FS

// example is one example of the book. Files in the archive are stream, want and back.
type example struct {
	name, source, date string
	status             int  // of an error answer; 0: a stream
	alone              bool // the vendor's own servers answer so; clouds that carry its protocol do not
	stream             string
	want               struct {
		Text, Think string
		Calls       []struct {
			ID, Name string
			Args     json.RawMessage
		}
		Stop  llm.Stop
		Why   string // of a refusal
		Usage *cost.Usage
		Error trouble.Kind
	}
	back []json.RawMessage // nil: it is an error
}

// examples returns those of a protocol.
func examples(t *testing.T, protocol string) (all []example) {
	t.Helper()
	dir := "testdata/" + protocol
	files, err := book.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := book.ReadFile(path.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, exampleOf(t, f.Name(), txtar.Parse(raw)))
	}
	return all
}

// exampleOf reads an example, and fails the test if it does not name its source.
func exampleOf(t *testing.T, name string, a *txtar.Archive) example {
	t.Helper()
	e := example{name: strings.TrimSuffix(name, ".txtar")}
	for line := range strings.Lines(string(a.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "source":
			e.source = value
		case "date":
			e.date = value
		case "alone":
			e.alone = true
		case "status":
			e.status, _ = strconv.Atoi(value)
		}
	}
	for _, f := range a.Files {
		var err error
		switch f.Name {
		case "stream":
			e.stream = string(f.Data)
		case "want":
			err = json.Unmarshal(f.Data, &e.want)
		case "back":
			err = json.Unmarshal(f.Data, &e.back)
		}
		if err != nil {
			t.Fatalf("%s, %s: %v", e.name, f.Name, err)
		}
	}
	if e.source == "" || e.date == "" || e.stream == "" {
		t.Fatalf("%s: it has no source, no date or no stream", e.name)
	}
	return e
}

// examBook reads every documented answer and sends it back.
func examBook(t *testing.T, c *candidate) {
	c.ask(t, hello, Reply{Text: "x"})
	sent := c.last().Header.Get("X-Api-Key") == ""
	for _, e := range examples(t, c.last().Protocol) {
		if e.alone && sent {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			if e.want.Error != "" {
				got := c.fail(t, Reply{Raw: e.stream, Status: e.status})
				if got.Kind != e.want.Error || !strings.Contains(got.Message, e.want.Text) {
					t.Errorf("failed as %v, want %s with %q", got, e.want.Error, e.want.Text)
				}
				return
			}
			end, deltas := c.ask(t, hello, Reply{Raw: e.stream})
			e.check(t, end, deltas)
			next := llm.Request{Tools: tools, Messages: []llm.Message{hello.Messages[0], end.Message, following(end.Message)}}
			c.ask(t, next, Reply{Text: "fine"})
			if got := between(c.last()); !reflect.DeepEqual(plain(t, got), plain(t, e.back)) {
				t.Errorf("came back as\n%s\nwant\n%s", lines(got), lines(e.back))
			}
		})
	}
}

// check compares the result of an example with what it means.
func (e example) check(t *testing.T, end llm.End, deltas []llm.Delta) {
	t.Helper()
	var think string
	for _, d := range deltas {
		think += d.Think
	}
	if end.Message.Text() != e.want.Text || think != e.want.Think || end.Stop != e.want.Stop || end.Reason != e.want.Why {
		t.Errorf("said %q, thought %q, stopped as %s: %s", end.Message.Text(), think, end.Stop, end.Reason)
	}
	calls := end.Message.Calls()
	if len(calls) != len(e.want.Calls) {
		t.Fatalf("calls %+v", calls)
	}
	for i, want := range e.want.Calls {
		if calls[i].Name != want.Name || want.ID != "" && calls[i].ID != want.ID || !sameJSON(calls[i].Args, want.Args) {
			t.Errorf("call %d is %s %s %s", i, calls[i].ID, calls[i].Name, calls[i].Args)
		}
	}
	if got := end.Usage; e.want.Usage != nil {
		if got.USD, got.Source = 0, ""; got != *e.want.Usage {
			t.Errorf("counted %+v, want %+v", got, *e.want.Usage)
		}
	}
}

// following returns what a person or our tools answer to m.
func following(m llm.Message) llm.Message {
	out := llm.Message{Role: llm.User}
	for _, call := range m.Calls() {
		out.Parts = append(out.Parts, llm.Result{ID: call.ID, Name: call.Name, Text: "done"})
	}
	return llm.Message{Role: llm.User, Parts: append(out.Parts, llm.Text{Text: "go on"})}
}

// between returns what a request contains of the assistant, as it was sent: everything between the first and the last
// message of the user.
func between(a Ask) (out []json.RawMessage) {
	for _, item := range history(a.Body) {
		var head struct{ Role, Type string }
		json.Unmarshal(item, &head)
		if head.Role == "assistant" || head.Role == "model" || head.Type == "reasoning" || head.Type == "function_call" {
			out = append(out, item)
		}
	}
	return out
}

// history returns the list of messages of a request, whatever its protocol calls it.
func history(body []byte) (items []json.RawMessage) {
	for _, name := range []string{"messages", "input", "contents"} {
		json.Unmarshal(dig(body, name), &items)
	}
	return items
}

// plain returns a list as comparable values. All made-up ids become equal.
func plain(t *testing.T, list []json.RawMessage) (out []any) {
	t.Helper()
	for _, raw := range list {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, anyID(v))
	}
	return out
}

// anyID replaces ids that an adapter makes up because the vendor sent none.
func anyID(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = anyID(v[i])
		}
	case map[string]any:
		for key, value := range v {
			if text, ok := value.(string); ok && key == "id" && strings.HasPrefix(text, "call_") && len(text) > 25 {
				v[key] = "ANY"
				continue
			}
			v[key] = anyID(value)
		}
	}
	return v
}

// lines formats a list for a test failure.
func lines(list []json.RawMessage) (out string) {
	for _, raw := range list {
		out += string(raw) + "\n"
	}
	return out
}
