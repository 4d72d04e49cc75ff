package permission_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/shell"
)

// daily is a line of testdata/agents.txt.
type daily struct{ set, kind, script string }

func dailies(t *testing.T) (out []daily) {
	t.Helper()
	text, err := os.ReadFile("testdata/agents.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if slices.Contains([]string{"seen", "unseen", "second", "third", "fourth", "extra"}, f[0]) {
			out = append(out, daily{f[0], f[1], strings.ReplaceAll(f[2], `\n`, "\n")})
		}
	}
	return out
}

// In balanced, where a sandbox holds, what developers' agents run is let run, and nothing of what is dangerous.
func TestDaily(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths in it are those of Unix")
	}
	p, dir := policy(t, permission.Balanced)
	p.Confined, p.Deep, p.Temp = true, true, []string{shell.Real(os.TempDir())}
	for _, name := range []string{"package.json", "composer.json"} {
		os.WriteFile(filepath.Join(dir, name), []byte(`{"scripts": {"lint": "x", "build": "x", "typecheck": "x", "csfix": "x"}}`), 0o644)
	}
	allowed, of, chains := map[string]int{}, map[string]int{}, map[string]int{}
	for _, c := range dailies(t) {
		d := p.Script(c.script, where(dir))
		switch {
		case c.kind == "danger" && d.Verdict == permission.Allow:
			t.Errorf("%s: dangerous, and allowed: %q", c.set, c.script)
		case c.kind == "danger":
		default:
			of[c.set]++
			if d.Verdict == permission.Allow || d.Waits() { // what waits begins unasked
				allowed[c.set]++
				chains[c.kind]++
			} else {
				t.Logf("%s %s: %s %q: %s", c.set, c.kind, d.Verdict, c.script, d.Reason)
			}
		}
	}
	for set, n := range of {
		t.Logf("%s: %d of %d allowed", set, allowed[set], n)
		if n != 100 || allowed[set] < 85 {
			t.Errorf("%s: %d of %d allowed, want 85 of 100", set, allowed[set], n)
		}
	}
}

// What looks at changed files starts unasked where a sandbox holds it and a call of it would be allowed, and nowhere else.
func TestUnasked(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	p.Confined = true
	start := func(argv ...string) *exec.Cmd { return &exec.Cmd{Path: "/usr/bin/" + argv[0], Args: argv, Dir: dir} }
	for _, argv := range [][]string{{"gopls"}, {"pyright-langserver", "--stdio"}, {"typescript-language-server", "--stdio"}, {"tsc", "--lsp", "--stdio"},
		{"rust-analyzer"}, {"clangd"}, {"gofmt", "-d", "a.go"}, {"ruff", "format", "--diff", "a.py"}, {"prettier", "--check", "a.css"}} {
		if !p.Unasked(start(argv...)) {
			t.Errorf("%q may not start", argv)
		}
		for name, other := range map[string]func(*permission.Policy){
			"no sandbox": func(p *permission.Policy) { p.Confined = false },
			"plan":       func(p *permission.Policy) { p.Mode = permission.Plan },
			"a rule": func(p *permission.Policy) {
				rule, err := permission.ParseRule("deny bash " + argv[0] + "*")
				if p.Rules = []permission.Rule{rule}; err != nil {
					t.Error(err)
				}
			},
		} {
			q := p
			if other(&q); q.Unasked(start(argv...)) && !(name == "plan" && argv[0] == "gofmt") {
				t.Errorf("%s: %q starts", name, argv)
			}
		}
	}
	if p.Unasked(start("curl", "http://example.com")) || p.Unasked(start("rm", "-rf", ".")) {
		t.Error("what would be asked about starts")
	}
}
