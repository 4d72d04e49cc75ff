package scene

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/debate/motion"
)

const reply = `Here it is:
` + "```json" + `
{"option": "B", "other": "", "summary": "I hold \"that\" — with reasons:\n\n1. one\n2. \ud83d\ude42 two", "claims": [
 {"text": "It is quicker", "kind": "logic", "impact": 4, "option": "A", "supports": false, "evidence": {"kind": "quote", "file": "a.go", "line": 12, "quote": "x := 1", "command": [], "url": ""}},
 {"text": "It was tried", "option": "B", "supports": true, "evidence": {"kind": "command", "command": ["go", "test"], "quote": ""}},
 {"text": "It is written", "option": "B", "supports": true, "evidence": {"kind": "source", "url": "https://example.org"}}],
 "stances": [{"claim": "c1", "stance": "OBJECT", "why": "no", "cites": ["c2"]}], "because": ["c1", "c3"],
 "judgements": [{"item": 1, "entails": "yes", "why": "so"}], "options": ["one", "two"], "change_my_mind": "a measurement", "confidence": 0.75}
` + "```\n"

var (
	labels  = map[string]string{"A": "B", "B": "A", "c1": "c7"}
	options = motion.Letters([]string{"one writer", "a pool"})
)

func TestReadable(t *testing.T) {
	const want = `Here it is:

**A: one writer**

I hold "that" — with reasons:

1. one
2. 🙂 two

- It is quicker *(against B: a pool)*  
  ` + "`x := 1`" + ` a.go:12
- It was tried *(for A: one writer)*  
  ` + "`go test`" + `
- It is written *(for A: one writer)*  
  https://example.org
- **OBJECT** c7: no
because of c7, c3
- item 1: yes: so
- one
- two

*Would change its mind:* a measurement

*Confidence:* 0.75`
	if got := Readable(reply, labels, options); got != want {
		t.Errorf("%s", got)
	}
	for text, want := range map[string]string{
		"": "", "  plain words\n": "plain words", "{": "", "so: {": "so:", `{"option": "`: "", `{"summary": "half`: "half", `{"claims": [{"text": "half`: "- half",
		`{"claims": [`: "", `["a"`: `["a"`, `{"a": tr`: "tr", `{"summary": "a\u00`: "a", `{"summary": "b\ud83d`: "b", `{"summary": "\ud83dx"}`: "\ufffdx", `{}`: "{}", `{"x": {"y": [`: "",
		`{"summary": "s"} and more`: "s", strings.Repeat(`{"a":`, 100) + "1": "",
	} {
		if got := Readable(text, labels, options); got != want && !(want == "{}" && got == "") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What is read of a reply that is cut anywhere is the beginning of what is read of more of it, but for the last line, which
// grows.
func TestReadableGrows(t *testing.T) {
	before := ""
	for i := range reply {
		now := Readable(reply[:i], labels, options)
		kept := before[:strings.LastIndexByte("\n"+before, '\n')]
		if i > strings.IndexByte(reply, '{') && !strings.HasPrefix(now, kept) {
			t.Fatalf("after %q\nit was %q\nand is %q", reply[:i], before, now)
		}
		before = now
	}
}

func FuzzReadable(f *testing.F) {
	for i := 0; i < len(reply); i += 7 {
		f.Add(reply[:i])
	}
	f.Add(strings.Repeat("[", 100))
	f.Add(`{"a": "\ud800\udc00\u12"}`)
	f.Fuzz(func(t *testing.T, text string) {
		got := Readable(text, labels, options)
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q is no text", got)
		}
		if len(got) > 20*len(text)+200 {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
	})
}
