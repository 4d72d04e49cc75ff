package builtin_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
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
	for _, pattern := range []string{"*.go", "**/x/*", "{a,b}/**", "[a-", `\`, "./..", "a/../b", "!(x)", "**/**/**/**/*", "x/{b,y/*}.[!a]?", "../**", "/**", "x//y/", "**/.*", `app/\[id\]/*`, `x/\*`, `a\{1,2\}`, `\*`, `[\[]a`, `{\[a,b}`, `\a.go`} {
		f.Add(pattern)
	}
	d := newBench(f)
	root := filepath.Join(d.dir, "root")
	write(f, d.dir, "outside.go", "x")
	names := []string{"a.go", "x/b.go", "x/y/c.ts", ".env", ".hidden", "[a", "x/{b,c}", "a b/ü.md", "-", "x/y/z/id_rsa", "app/[id]/page.tsx", "x/*", "a{1,2}"}
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
		asked := path.Clean(filepath.ToSlash(pattern))
		if !strings.Contains(asked, "/") {
			asked = "**/" + asked
		}
		var want []string
		beside := func(part string) bool { return part != "**" && strings.Contains(part, "**") }
		if strings.ContainsAny(asked, `[{\`) || slices.ContainsFunc(strings.Split(asked, "/"), beside) {
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
		if out.Text == "No file matches.\n" {
			got = nil
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q gives %q, want %q", pattern, got, want)
		}
	})
}

// TestGlobEscapes makes patterns of names: some signs become wildcards, the others are escaped where they mean something, or
// where they do not. Each finds its name, and what doublestar says that it matches.
func TestGlobEscapes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names there hold none of these signs, and a backslash is a slash")
	}
	d := newBench(t)
	names := []string{"app/[id]/page.tsx", "app/[...all]/page.tsx", "x/*", "x/?", "a{1,2}.go", "a1.go", `back\slash`, "[a-c]/!x", "b/!x", "(group)/[[opt]]/q.ts"}
	for _, name := range names {
		write(t, d.dir, name, "x")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		name := names[r.IntN(len(names))]
		var pattern strings.Builder
		for _, c := range name {
			switch meta := strings.ContainsRune(`*?[]{},!\`, c); {
			case c != '/' && r.IntN(8) == 0:
				pattern.WriteByte('?')
			case c != '/' && r.IntN(8) == 0 && !strings.HasSuffix(pattern.String(), "*"): // ** is another sign
				pattern.WriteByte('*')
			case c != '/' && (meta || r.IntN(8) == 0):
				pattern.WriteString(`\` + string(c))
			default:
				pattern.WriteRune(c)
			}
		}
		got := strings.Split(strings.TrimSuffix(d.must("glob", "pattern", pattern.String()).Text, "\n"), "\n")
		asked := pattern.String()
		if !strings.Contains(asked, "/") {
			asked = "**/" + asked
		}
		want := slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(name string) bool { return !doublestar.MatchUnvalidated(asked, name) })
		if !slices.Contains(got, name) || !slices.Equal(got, want) {
			t.Fatalf("%s, made of %s, gives %q, want %q", pattern.String(), name, got, want)
		}
	}
}
