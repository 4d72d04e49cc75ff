package diagnose_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/diagnose"
)

// TestRealServers has the language servers and formatters that are installed find a fault, and miss it once it is mended.
func TestRealServers(t *testing.T) {
	for program, c := range map[string]struct {
		file, wrong, right string
		beside             map[string]string
		want               []string
	}{
		"gopls": {"a.go", "package a\n\nfunc F() int { return \"x\" }\n", "package a\n\nfunc F() int { return 1 }\n",
			map[string]string{"go.mod": "module a\n\ngo 1.24\n"}, []string{"a.go:3:23: cannot use"}},
		"pyright-langserver": {"a.py", "x: int = 'a'\n", "x: int = 1\n", nil, []string{`a.py:1:10: Type "Literal['a']" is not assignable`}},
		"typescript-language-server": {"a.ts", "const n: string = 1;\n", "const n: string = \"1\";\n",
			map[string]string{"tsconfig.json": `{"compilerOptions":{"strict":true}}`}, []string{"a.ts:1:7: Type 'number' is not assignable"}},
		"basedpyright-langserver": {"a.py", "x: int = 'a'\n", "x: int = 1\n", nil, []string{`a.py:1:10: Type "Literal['a']" is not assignable`}},
		"pylsp":                   {"a.py", "x = (\n", "x = 1\n", nil, []string{"a.py:"}},
		"vtsls": {"a.ts", "const n: string = 1;\n", "const n: string = \"1\";\n",
			map[string]string{"tsconfig.json": `{"compilerOptions":{"strict":true}}`}, []string{"a.ts:1:7: Type 'number' is not assignable"}},
		"tsc": {"a.ts", "const n: string = 1;\n", "const n: string = \"1\";\n",
			map[string]string{"tsconfig.json": `{"compilerOptions":{"strict":true}}`}, []string{"a.ts:1:7: Type 'number' is not assignable"}},
		"svelteserver": {"a.svelte", "<script lang=\"ts\">\n  const n: string = 1;\n</script>\n<p>{n}</p>\n",
			"<script lang=\"ts\">\n  const n: string = \"1\";\n</script>\n<p>{n}</p>\n", nil, []string{"a.svelte:2:9: Type 'number' is not assignable"}},
		"biome":                {"a.css", "a{color:red}\n", "a {\n\tcolor: red;\n}\n", map[string]string{"biome.json": "{}"}, []string{"biome", "a.css"}},
		"clangd":               {"a.c", "int main(void) { return x; }\n", "int main(void) { return 0; }\n", nil, []string{"a.c:1:25: Use of undeclared identifier 'x'"}},
		"rust-analyzer":        {"src/lib.rs", "pub fn f() -> i32 { \"x\" \n", "pub fn f() -> i32 {\n    1\n}\n", map[string]string{"Cargo.toml": "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"}, []string{"src/lib.rs:1:", "Syntax Error"}},
		"intelephense":         {"a.php", "<?php\nstrlenn('x');\n", "<?php\nstrlen('x');\n", nil, []string{"a.php:2:1: Undefined function"}},
		"bash-language-server": {"a.sh", "#!/bin/sh\nif true\n", "#!/bin/sh\ntrue\n", nil, []string{"a.sh:"}},
		"prettier":             {"a.css", "a{color:red}\n", "a {\n  color: red;\n}\n", map[string]string{".prettierrc": "{}"}, []string{"prettier on a.css", "a.css"}},
	} {
		t.Run(program, func(t *testing.T) {
			name, _, _ := strings.Cut(program, " ")
			if _, err := exec.LookPath(name); err != nil {
				t.Skip(err)
			}
			out, err := exec.Command(name, "--version").CombinedOutput()
			if name == "rust-analyzer" && err != nil {
				t.Skipf("rustup's stand-in for what is not installed: %v: %.80s", err, out)
			}
			if version := strings.TrimPrefix(string(out), "Version "); name == "tsc" && version < "7" {
				t.Skipf("its language server came with TypeScript 7: %s", version)
			}
			if seven, err := exec.Command("tsc", "--version").Output(); name == "typescript-language-server" && err == nil &&
				strings.TrimPrefix(string(seven), "Version ") >= "7" {
				t.Skipf("it needs a TypeScript before 7, which has no server for it: %s", seven)
			}
			alone(t, name)
			if _, err := exec.LookPath("shellcheck"); name == "bash-language-server" && err != nil {
				t.Skip(err)
			}
			dir := t.TempDir()
			for name, text := range c.beside {
				os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
			}
			os.MkdirAll(filepath.Dir(filepath.Join(dir, c.file)), 0o700)
			d := &diagnose.Servers{}
			defer d.Close()
			change := func(text string) string {
				os.WriteFile(filepath.Join(dir, c.file), []byte(text), 0o600)
				return d.Examine(t.Context(), dir, environ, []string{c.file}, freely)
			}
			said := ""
			for range 150 { // until it has started, which takes minutes where ten programs share a core
				if said = change(c.wrong); said != "" {
					break
				}
			}
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("it said\n%s\nnot %s", said, want)
				}
			}
			if said := change(c.right); said != "" {
				t.Errorf("of what is right it said\n%s", said)
			}
		})
	}
}

// alone leaves a program on the PATH, and none that is asked before it.
func alone(t *testing.T, name string) {
	dir := t.TempDir()
	for _, need := range []string{name, "node", "go"} {
		if at, err := exec.LookPath(need); err == nil {
			os.Symlink(at, filepath.Join(dir, need))
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

func environ(temp string) []string { return append(os.Environ(), "TMPDIR="+temp) }

func freely(*exec.Cmd) (func() error, error) { return func() error { return nil }, nil }
