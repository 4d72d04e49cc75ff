package out

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/redact"
)

// TestFlow: what is written while a text grows is the text, however it comes, and no line is too long that could be broken.
func TestFlow(t *testing.T) {
	const text = "One two three four five six seven.\n\n- a list item that is long enough\n\n```go\nfunc thisIsALineOfCode(that, isNotBroken int)\n```\nend"
	const broken = "One two three four \nfive six seven.\n\n- a list item that \nis long enough\n\n```go\nfunc thisIsALineOfCode(that, isNotBroken int)\n```\nend\n"
	const secret = "sk-ant-api03-Abcdefghijklmnopqrstuvwxyz0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, c := range []struct {
		name, text, want string
		width            int
	}{
		{"a pipe", text, text + "\n", 0},
		{"a screen", text, broken, 20},
		{"a secret", "the key " + secret + " is mine", "the key [redacted", 0},
		{"escapes", "a\x1b[31mb\x1b[0m\rc", "ab\nc\n", 0},
		{"ends of lines", "a\n\n\n", "a\n", 0},
		{"nothing", "", "", 20},
	} {
		for size := range 9 {
			var res strings.Builder
			f := &Flow{width: c.width, out: func(s string) error { res.WriteString(s); return nil }}
			f.to = redact.New().Writer(f)
			for at := 0; size > 0 && at < len(c.text); at += size {
				f.Grow(c.text[:at])
			}
			f.End(c.text)
			if got := res.String(); got != c.want && (c.name != "a secret" || strings.Contains(got, "Abcdef") || !strings.HasPrefix(got, c.want)) {
				t.Errorf("%s, in pieces of %d:\n%q\nnot\n%q", c.name, size, got, c.want)
			}
		}
	}
}
