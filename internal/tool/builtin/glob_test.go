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

// FuzzGlob: a pattern finds what doublestar says that it matches, which is what doublestar finds on the disk (of braces,
// classes and ** beside letters it has two opinions), and never what lies outside or is secret.
func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{"*.go", "**/x/*", "{a,b}/**", "[a-", `\`, "./..", "a/../b", "!(x)", "**/**/**/**/*", "x/{b,y/*}.[!a]?", "../**", "/**", "x//y/", "**/.*"} {
		f.Add(pattern)
	}
	d := newDesk(f)
	root := filepath.Join(d.dir, "root")
	write(f, d.dir, "outside.go", "x")
	names := []string{"a.go", "x/b.go", "x/y/c.ts", ".env", ".hidden", "[a", "x/{b,c}", "a b/ü.md", "-", "x/y/z/id_rsa"}
	for _, name := range names {
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
		asked := path.Clean(strings.ReplaceAll(pattern, `\`, "/"))
		if !strings.Contains(asked, "/") {
			asked = "**/" + asked
		}
		var want []string
		beside := func(part string) bool { return part != "**" && strings.Contains(part, "**") }
		if strings.ContainsAny(asked, "[{") || slices.ContainsFunc(strings.Split(asked, "/"), beside) {
			if strings.HasSuffix(asked, "/**") {
				asked += "/*" // no file is a folder
			}
			want = slices.Clone(names)
			want = slices.DeleteFunc(want, func(name string) bool { ok, err := doublestar.Match(asked, name); return err != nil || !ok })
		} else if fs.ValidPath(asked) {
			if want, err = doublestar.Glob(os.DirFS(root), asked, doublestar.WithFilesOnly()); err != nil {
				t.Fatalf("%q: %v", asked, err)
			}
		}
		want = slices.DeleteFunc(want, builtin.Secret)
		slices.Sort(want)
		want = slices.Compact(want)
		got := strings.Split(strings.TrimSuffix(out.Text, "\n"), "\n")
		if out.Text == "No file fits.\n" {
			got = nil
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q gives %q, want %q", pattern, got, want)
		}
	})
}
