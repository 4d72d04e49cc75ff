package builtin_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// FuzzGlob: a pattern finds what it matches, as doublestar finds it on the disk, and never what lies outside or is secret.
func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{"*.go", "**/x/*", "{a,b}/**", "[a-", `\`, "./..", "a/../b", "!(x)", "**/**/**/**/*", "x/{b,y/*}.[!a]?", "../**", "/**", "x//y/", "**/.*"} {
		f.Add(pattern)
	}
	d := newDesk(f)
	root := filepath.Join(d.dir, "root")
	write(f, d.dir, "outside.go", "x")
	for _, name := range []string{"a.go", "x/b.go", "x/y/c.ts", ".env", ".hidden", "[a", "x/{b,c}", "a b/ü.md", "-", "x/y/z/id_rsa"} {
		write(f, root, name, "x")
	}
	d.env.Dir = root
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 200 || !utf8.ValidString(pattern) {
			t.Skip()
		}
		inner := *d
		inner.t = t
		out, err := inner.call("glob", "pattern", pattern)
		if err != nil || pattern == "" {
			return
		}
		var want []string
		asked := path.Clean(strings.ReplaceAll(pattern, `\`, "/"))
		if !strings.Contains(asked, "/") {
			asked = "**/" + asked
		}
		if fs.ValidPath(asked) {
			found, err := doublestar.Glob(os.DirFS(root), asked, doublestar.WithFilesOnly())
			if err != nil { // a / among the letters of a class: it can be none of them
				found = nil
			}
			for _, name := range found {
				if !builtin.Secret(name) && !slices.Contains(want, name) {
					want = append(want, name)
				}
			}
		}
		slices.Sort(want)
		got := strings.Split(strings.TrimSuffix(out.Text, "\n"), "\n")
		if out.Text == "No file fits.\n" {
			got = nil
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q gives %q, want %q", pattern, got, want)
		}
	})
}
