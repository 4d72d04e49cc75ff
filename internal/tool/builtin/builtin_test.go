package builtin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// call runs a tool the way an agent does.
func call(t testing.TB, dir, name, args string) (tool.Output, error) {
	t.Helper()
	for _, one := range builtin.ReadOnly() {
		if one.Name == name {
			return one.Run(t.Context(), json.RawMessage(args), tool.Env{Dir: dir})
		}
	}
	t.Fatalf("no tool %s", name)
	return tool.Output{}, nil
}

// text is what a call that succeeds gives back.
func text(t testing.TB, dir, name, args string) string {
	t.Helper()
	out, err := call(t, dir, name, args)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	if strings.ContainsAny(out.Show, "\n\x1b") || out.Show == "" {
		t.Errorf("%s %s: Show = %q, want one line", name, args, out.Show)
	}
	return out.Text
}

func write(t testing.TB, dir, name, body string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func run(t testing.TB, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestToolsAreSortedAndOnlyRead(t *testing.T) {
	var names []string
	for _, one := range builtin.ReadOnly() {
		names = append(names, one.Name)
		if one.Effect != tool.Reads || one.Doc == "" || !json.Valid(one.Described().Schema) {
			t.Errorf("%s: effect %s, doc %q, schema %s", one.Name, one.Effect, one.Doc, one.Described().Schema)
		}
	}
	for _, want := range []string{"git_diff", "git_log", "git_show", "glob", "grep", "ls", "read"} {
		if !slices.Contains(names, want) {
			t.Errorf("seats lack %s: %q", want, names)
		}
	}
	if slices.Contains(names, "git_blame") || slices.Contains(names, "git_status") {
		t.Errorf("seats have what they can do without: %q", names)
	}
	var all []string
	for _, one := range builtin.All() {
		all = append(all, one.Name)
	}
	for _, list := range [][]string{names, all} { // the order is what vendors cache, and no name is there twice
		if sorted := slices.Compact(slices.Sorted(slices.Values(list))); !slices.Equal(list, sorted) {
			t.Errorf("tools are %q, want %q", list, sorted)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f.txt", "one\r\ntwo\n\x1b[31mthree\x07\nf\xffour")
	write(t, dir, "empty", "")
	cases := []struct{ args, want string }{
		{`{"path":"f.txt"}`, "     1\tone\n     2\ttwo\n     3\tthree\n     4\tf\uFFFDour\n"},
		{`{"path":"./f.txt","from":2,"to":2}`, "     2\ttwo\n[lines 2 to 2 of 4; continue with from=3]\n"},
		{`{"path":"f.txt","from":4,"to":99}`, "     4\tf\uFFFDour\n"},
		{`{"path":"empty"}`, "The file is empty.\n"},
		{fmt.Sprintf(`{"path":%q,"to":1}`, filepath.Join(dir, "f.txt")), "     1\tone\n[lines 1 to 1 of 4; continue with from=2]\n"},
	}
	for _, c := range cases {
		if got := text(t, dir, "read", c.args); got != c.want {
			t.Errorf("read %s = %q, want %q", c.args, got, c.want)
		}
	}
}

func TestReadOfALongFileSaysHowToGoOn(t *testing.T) {
	dir := t.TempDir()
	var body strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&body, "line %d of many\n", i+1)
	}
	write(t, dir, "long", body.String())
	write(t, dir, "wide", strings.Repeat("ü", 100_000))
	var seen int
	for from := 1; from != 0; {
		got := text(t, dir, "read", fmt.Sprintf(`{"path":"long","from":%d}`, from))
		if len(got) > 33<<10 {
			t.Fatalf("%d bytes at once", len(got))
		}
		seen += strings.Count(got, "of many")
		_, next, _ := strings.Cut(got, "continue with from=")
		from = 0
		fmt.Sscanf(next, "%d", &from)
	}
	if seen != 5000 {
		t.Errorf("reading on showed %d lines of 5000", seen)
	}
	if got := text(t, dir, "read", `{"path":"wide"}`); len(got) > 2100 || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("a wide line: %d bytes, broken: %v", len(got), strings.ContainsRune(got, '\uFFFD'))
	}
}

func TestGrep(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.go", "package a\n\nfunc Foo() {}\n\n// foo bar\n")
	write(t, dir, "sub/b.txt", "foo\r\nbar\r\nfoo $\r\n")
	write(t, dir, "node_modules/x.go", "func Foo() {}\n")
	write(t, dir, "bin", "foo\x00")
	cases := []struct{ args, want string }{
		{`{"pattern":"func \\w+"}`, "a.go:3: func Foo() {}\n"},
		{`{"pattern":"foo$"}`, "sub/b.txt:1: foo\n"},
		{`{"pattern":"^foo"}`, "sub/b.txt:1: foo\nsub/b.txt:3: foo $\n"},
		{`{"pattern":"FOO","ignore_case":true,"glob":"*.go"}`, "a.go:3: func Foo() {}\na.go:5: // foo bar\n"},
		{`{"pattern":"foo","path":"sub","glob":"*.txt"}`, "sub/b.txt:1: foo\nsub/b.txt:3: foo $\n"},
		{`{"pattern":"foo\\s+bar"}`, "a.go:5: // foo bar\n"},
		{`{"pattern":"^$"}`, "a.go:2: \na.go:4: \n"},
		{`{"pattern":"\\Abar\\z"}`, "sub/b.txt:2: bar\n"},
		{`{"pattern":"(?s)package.*func"}`, "No line matches.\n"},
		{`{"pattern":"Foo","path":"node_modules"}`, "node_modules/x.go:1: func Foo() {}\n"},
		{`{"pattern":"Foo","path":"a.go"}`, "a.go:3: func Foo() {}\n"},
		{`{"pattern":"nowhere"}`, "No line matches.\n"},
	}
	for _, c := range cases {
		got := text(t, dir, "grep", c.args)
		if strings.ReplaceAll(got, ": \n", ":\n") != strings.ReplaceAll(c.want, ": \n", ":\n") {
			t.Errorf("grep %s = %q, want %q", c.args, got, c.want)
		}
	}
	for _, args := range []string{`{"pattern":"("}`, `{"pattern":""}`, `{"pattern":"x","glob":"[a"}`, `{"pattern":"a)(b"}`,
		`{"pattern":"x","path":"../"}`, `{"pattern":"x","path":"nowhere"}`} {
		if out, err := call(t, dir, "grep", args); err == nil {
			t.Errorf("grep %s = %q, want an error", args, out.Text)
		}
	}
}

func TestGrepIsBoundedAndSaysSo(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "many", strings.Repeat("needle in a haystack, again and again\n", 3000))
	write(t, dir, "wide", strings.Repeat("x", 50_000)+"needle"+strings.Repeat("y", 50_000))
	write(t, dir, "huge", strings.Repeat("needle\n", 1<<20))
	got := text(t, dir, "grep", `{"pattern":"needle"}`)
	if len(got) > 33<<10 || !strings.Contains(got, "narrow it with path") || !strings.Contains(got, "1 files larger than 4 MB") {
		t.Errorf("%d bytes, ending %q", len(got), got[len(got)-200:])
	}
	if got := text(t, dir, "grep", `{"pattern":"needle","path":"wide"}`); len(got) > 400 || !strings.Contains(got, "needle") {
		t.Errorf("a wide line: %d bytes, %.400q", len(got), got)
	}
}

func TestGlobAndLs(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.go", "12345")
	write(t, dir, "x/y/b_test.go", "")
	write(t, dir, ".env", "KEY=1")
	write(t, dir, "new\nline\x1b[2J", "")
	cases := []struct{ name, args, want string }{
		{"glob", `{"pattern":"*.go"}`, "a.go\nx/y/b_test.go\n"},
		{"glob", `{"pattern":"x/**/*.{go,ts}"}`, "x/y/b_test.go\n"},
		{"glob", `{"pattern":"./*.go","path":"x"}`, "x/y/b_test.go\n"},
		{"glob", `{"pattern":"*.zig"}`, "No file matches.\n"},
		{"glob", `{"pattern":".env*"}`, "No file matches.\n"},
		{"ls", `{}`, ".env  (never shown)\na.go  5\nnew line  0\nx/\n"},
		{"ls", `{"path":"x/"}`, "y/\n"},
	}
	for _, c := range cases {
		if got := text(t, dir, c.name, c.args); got != c.want {
			t.Errorf("%s %s = %q, want %q", c.name, c.args, got, c.want)
		}
	}
	var missing *folder.Error
	if _, err := call(t, dir, "read", `{"path":"b_tset.go"}`); !errors.As(err, &missing) || !slices.Equal(missing.Near, []string{"x/y/b_test.go"}) {
		t.Errorf("a name with a slip: %v", err)
	}
}

func TestGrepRespectsGitIgnore(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "init", "-q")
	write(t, dir, ".gitignore", "out/\n")
	write(t, dir, "out/a", "needle\n")
	write(t, dir, "vendor/b", "needle\n")
	if got := text(t, dir, "grep", `{"pattern":"needle"}`); got != "vendor/b:1: needle\n" {
		t.Errorf("grep = %q", got)
	}
	if got := text(t, dir, "grep", `{"pattern":"needle","path":"out"}`); got != "out/a:1: needle\n" {
		t.Errorf("grep in an ignored folder = %q", got)
	}
}

// ls, glob and grep leave out the same: what git ignores and does not track, unless path leads there.
func TestLsRespectsGitIgnore(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "init", "-q")
	for _, name := range []string{"a.go", "b.log", "kept.log", "out/x/c.go", "sub/d.go", "sub/e.log", "own/f.go", "empty/g.log"} {
		write(t, dir, name, "12345")
	}
	write(t, dir, ".gitignore", "out/\nown\n*.log\n")
	run(t, dir, "add", "-f", "kept.log", "own/f.go")
	for _, c := range []struct{ args, want string }{
		{`{}`, ".git  (never shown)\n.gitignore  15\na.go  5\nempty/\nkept.log  5\nown/\nsub/\n[2 names ignored by git, left out]\n"},
		{`{"path":"sub/"}`, "d.go  5\n[1 name ignored by git, left out]\n"},
		{`{"path":"out"}`, "x/\n"},
		{`{"path":"./out/x"}`, "c.go  5\n"},
		{`{"path":"empty"}`, "[1 name ignored by git, left out]\n"},
	} {
		if got := text(t, dir, "ls", c.args); got != c.want {
			t.Errorf("ls %s = %q, want %q", c.args, got, c.want)
		}
	}
	// Where everything is ignored nothing is shown, unless the folder itself is: then it is no part of that repository.
	write(t, dir, ".gitignore", "*\n")
	run(t, dir, "rm", "-q", "--cached", "kept.log", "own/f.go")
	for tool, pattern := range map[string]string{"glob": `"pattern":"*",`, "grep": `"pattern":"12345",`, "ls": ""} {
		for _, c := range []struct {
			dir, path string
			shown     bool
		}{{dir, ".", false}, {dir, "sub", true}, {filepath.Join(dir, "sub"), ".", true}} {
			got := text(t, c.dir, tool, "{"+pattern+`"path":"`+c.path+`"}`)
			if strings.Contains(got, "d.go") != c.shown || strings.Contains(got, "a.go") {
				t.Errorf("%s %s in %s = %q", tool, c.path, c.dir, got)
			}
		}
	}
}

func BenchmarkGrep(b *testing.B) {
	dir := b.TempDir()
	filler := strings.Repeat("func handle(w http.ResponseWriter, r *http.Request) error { return nil }\n", 50)
	for i := range 10_000 {
		write(b, dir, fmt.Sprintf("d%d/f%d.go", i%100, i), filler+fmt.Sprintf("// file %d ends\n", i))
	}
	run(b, dir, "init", "-q")
	run(b, dir, "add", ".")
	for _, c := range []struct{ name, args string }{
		{"literal", `{"pattern":"file 7777 ends"}`}, {"words", `{"pattern":"file\\s+77\\d+ ends"}`}, {"none", `{"pattern":"[A-Z]{9,}"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := call(b, dir, "grep", c.args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
