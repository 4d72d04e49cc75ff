package redact_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/redact"
)

// source is a megabyte of Go.
func source(tb testing.TB) string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Skip("go is not installed here")
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", "*", "*.go"))
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		b.Write(text)
		if b.Len() > 1<<20 {
			return b.String()[:1<<20]
		}
	}
	tb.Skip("Go's sources are not here")
	return ""
}

func BenchmarkSource(b *testing.B) {
	text := source(b)
	for name, r := range map[string]*redact.Redactor{"shapes": {}, "secrets": redact.New("canary-secret-one", "another-secret-of-mine")} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Bytes([]byte(text))
			}
		})
	}
}

// BenchmarkHostile has lines of a megabyte that are full of beginnings.
func BenchmarkHostile(b *testing.B) {
	for name, part := range map[string]string{
		"names": "token", "names and quotes": `"token", `, "names and blanks": "token ", "assignments": "token=", "long options": "--password ", "base64": "Z2hwX", "jwt": "eyJa-",
		"urls": "://a:", "tags": "<token ", "strings": `token="a" + `, "blocks": "token: |\n ", "keys": "api_key", "dots": "a.atlasv1.", "cookies": "cookie: a=b;", "letters": "a",
		"annotations": `@Value("a", `, "declarations": `@Value("a") token`, "gaps": `token=%s `, "formats": `"token=%s", a(`, "sections": "[token]\n#\n",
	} {
		text := strings.Repeat(part, 1<<20/len(part))
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			var r redact.Redactor
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Bytes([]byte(text))
			}
		})
	}
}
