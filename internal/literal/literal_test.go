package literal

import (
	"html"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"pgregory.net/rapid"
)

// drawn returns what a reader of the Markdown sees of a text between two words of a paragraph.
func drawn(t interface{ Fatal(...any) }, markdown string) string {
	var b strings.Builder
	err := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Convert([]byte(markdown), &b)
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var hard = []string{"shop/__init__.py:1", "*args, **kwargs", "a * b", "snake_case and _private_", "`code`", "a``b", "<b>x</b>", "&lt;", "&",
	"# heading", "#7 is open", "> quote", "- item", "--flag", "---", "+ plus", "1. one", "12) x", "[x](y)", "[ ] todo", "![a](b)", "~~gone~~",
	"~/a and ~/b", "x~y~z", `C:\dir\_x`, `ends in \`, `a\`, "a|b", "===", "two\nlines", "", "__", "*", "[a]: b", "https://x.example/_a_/__b__",
	"see https://x.example/a_b.", "models/gpt_4*"}

func TestText(t *testing.T) {
	for _, s := range hard {
		if got, want := drawn(t, Text(s)), shown(s); got != want {
			t.Errorf("%q as %q is drawn as %q, not %q", s, Text(s), got, want)
		}
		if got, want := drawn(t, "- **"+Text(s)+"x** y"), "<ul>\n<li><strong>"+strings.TrimSuffix(strings.TrimPrefix(shown(s+"x"), "<p>"),
			"</p>\n")+"</strong> y</li>\n</ul>\n"; got != want && !strings.HasPrefix(s, "https") && s != "" {
			t.Errorf("%q in bold, as %q, is drawn as %q, not %q", s, Text(s), got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "_", "*", "`", "\\", "~", "[", "]", "(", ")", "<", "&", "lt;", " ", "|",
			"#", "-", "1", ".", ">", "=", "!", ":", "ä", "/"})).Draw(t, "parts"), "")
		s = strings.Join(strings.Fields(s), " ")
		if got, want := drawn(t, Text(s)), shown(s); got != want {
			t.Fatalf("%q as %q is drawn as %q, not %q", s, Text(s), got, want)
		}
		if got := Plain(Text(s)); got != s {
			t.Fatalf("%q as %q is back %q", s, Text(s), got)
		}
		table := drawn(t, "| a | b |\n|---|---|\n| "+Text(s)+" | "+Cell(s)+" |\n")
		if s != "" && !strings.Contains(table, "<td>"+escape(s)+"</td>\n<td><code>"+escape(s)+"</code></td>") {
			t.Fatalf("%q in a table is drawn as %s", s, table)
		}
	})
}

// shown is a paragraph of HTML that shows a text.
func shown(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if s == "" {
		return ""
	}
	body := escape(s)
	if at := strings.Index(s, "https://"); at >= 0 && strings.Contains(s, "/_a_/") {
		body = `<a href="` + s + `">` + s + "</a>"
	}
	return "<p>" + body + "</p>\n"
}

func escape(s string) string {
	return strings.NewReplacer("&#39;", "'", "&#34;", "&quot;").Replace(html.EscapeString(s))
}

func TestPlain(t *testing.T) {
	for _, s := range hard {
		if got, want := Plain(Text(s)), strings.ReplaceAll(s, "\n", " "); got != want {
			t.Errorf("%q as %q is back %q", s, Text(s), got)
		}
	}
	for _, same := range []string{"`a\\.b` and \\d", "```go", "a ` b"} {
		if Plain(same) != same {
			t.Errorf("%q became %q", same, Plain(same))
		}
	}
}
