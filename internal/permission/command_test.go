package permission_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/shell"
)

func policy(t testing.TB, mode permission.Mode) (permission.Policy, string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "src/b.go", ".env", "docs/c.md"} {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink("/etc", filepath.Join(dir, "out"))
	p, err := permission.NewPolicy(mode, dir)
	if err != nil {
		t.Fatal(err)
	}
	p.Home = "/home/person"
	return p, p.Workspace[0]
}

func where(dir string) shell.Context {
	vars := map[string]string{"HOME": "/home/person", "USER": "person", "PATH": "/usr/bin:/bin"}
	return shell.Context{Dir: dir, Var: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }}
}

// verdict is a line of testdata/commands.txt: the case of docs/safety.md it stands for, or daily, for what agents run every
// day; the mode; the verdict; the script, quoted as Go does where it holds what cannot be seen.
type verdict struct{ id, mode, want, script string }

func verdicts(t testing.TB) (out []verdict) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the paths in it are those of Unix")
	}
	text, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(f) < 4 {
			continue
		}
		if f[3][0] == '"' {
			if f[3], err = strconv.Unquote(f[3]); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		out = append(out, verdict{f[0], f[1], f[2], f[3]})
	}
	return out
}

// A person is told which files are meant where that is not what they read.
func TestElsewhere(t *testing.T) {
	p, dir := policy(t, permission.Paranoid)
	if err := os.Symlink("src", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a b"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"touch src/b.go": "", "touch ./src/../src/b.go": "", "touch 'a b'": "", "touch link/b.go": "src/b.go", "cd src; touch b.go": "", "echo x > link/b.go": "src/b.go",
		"touch *.txt": "a.txt", "touch $PWD/link/new": "src/new", "cp a.txt src": "src/a.txt", "cat link/b.go": "src/b.go", "go test": "",
	} {
		got := ""
		for _, part := range p.Script(script, where(dir)).Parts {
			for _, path := range part.Elsewhere() {
				rel, _ := filepath.Rel(dir, path)
				got += filepath.ToSlash(rel)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

func TestCommands(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	for _, c := range verdicts(t) {
		p.Mode = permission.Mode(c.mode)
		if d := p.Script(c.script, where(dir)); string(d.Verdict) != c.want {
			t.Errorf("%s in mode %s: %q: %s (%s), want %s", c.id, c.mode, c.script, d.Verdict, d.Reason, c.want)
		}
	}
}

// No mode allows what a stricter one denies or asks about.
func TestModesAreCeilings(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	weight := map[permission.Verdict]int{"allow": 0, "ask": 1, "deny": 2}
	for _, c := range verdicts(t) {
		last := 2
		for _, p.Mode = range permission.Modes() {
			d := p.Script(c.script, where(dir))
			if weight[d.Verdict] > last {
				t.Errorf("%q: mode %s is stricter than the one before: %s", c.script, p.Mode, d.Verdict)
			}
			last = weight[d.Verdict]
		}
	}
}

// BenchmarkScript decides about commands as they come: go test -run '^$' -bench Script ./internal/permission.
func BenchmarkScript(b *testing.B) {
	p, dir := policy(b, permission.Balanced)
	all, at := verdicts(b), where(dir)
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			p.Script(all[i%len(all)].script, at)
		}
	})
}
