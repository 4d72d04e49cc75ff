package builtin_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

const canary = "CANARY-VALUE"

// secretFiles are names that hold the canary in the adversarial trees.
var secretFiles = []string{".env", ".env.local", "config/.ENV", "deploy.pem", "id_rsa", ".ssh/known", ".npmrc", ".netrc",
	"credentials.json", "sub/credentials", "a/secrets.yml", "terraform.tfvars", ".git-credentials"}

func TestSecret(t *testing.T) {
	for _, name := range append(secretFiles, ".git/config", "sub/.git/HEAD", ".git", `sub\.env`, ".env.", ".env ", ".env::$DATA",
		"ID_RSA", "x/server.KEY", ".aws/credentials", "prod.env", ".Git/config") {
		if !builtin.Secret(name) {
			t.Errorf("Secret(%q) = false", name)
		}
	}
	for _, name := range []string{"", ".", "main.go", ".gitignore", ".github/workflows/ci.yml", ".env.example", "environment.go",
		"keys.go", "internal/credentials/store.go", "id_rsa.pub", "pem.go", ".gitattributes", "tokens.md"} {
		if builtin.Secret(name) {
			t.Errorf("Secret(%q) = true", name)
		}
	}
}

func TestSecretsAreInNoTool(t *testing.T) {
	for _, kind := range []string{"plain folder", "repository"} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "main.go", "package main // harmless\n")
			for _, name := range secretFiles {
				write(t, dir, name, "KEY="+canary+"\n")
			}
			calls := [][2]string{{"grep", `{"pattern":"CANARY|harmless"}`}, {"ls", `{}`}, {"glob", `{"pattern":"**"}`}}
			for _, name := range secretFiles {
				calls = append(calls, [2]string{"read", fmt.Sprintf(`{"path":%q}`, name)},
					[2]string{"grep", fmt.Sprintf(`{"pattern":"CANARY","path":%q}`, name)})
			}
			if kind == "repository" {
				run(t, dir, "init", "-q")
				run(t, dir, "add", "-f", ".")
				run(t, dir, "commit", "-qm", "all of it")
				run(t, dir, "mv", ".env", "env.txt")
				write(t, dir, "env.txt", "clean now\n")
				run(t, dir, "add", "-f", ".")
				run(t, dir, "commit", "-qm", "renamed")
				write(t, dir, "id_rsa", "another "+canary)
				calls = append(calls, [2]string{"git_show", `{}`}, [2]string{"git_show", `{"rev":"HEAD~1"}`}, [2]string{"git_diff", `{}`},
					[2]string{"git_diff", `{"from":"HEAD~1","to":"HEAD"}`}, [2]string{"git_diff", `{"from":"HEAD~1"}`},
					[2]string{"git_show", `{"rev":"HEAD~1:.env"}`}, [2]string{"git_show", `{"rev":"HEAD~1","file":".env"}`},
					[2]string{"git_show", `{"rev":"HEAD~1","file":"x/../.env"}`}, [2]string{"git_show", `{"rev":"HEAD~1","path":".env"}`},
					[2]string{"git_show", `{"rev":"HEAD~1","file":"."}`}, [2]string{"git_log", `{"path":".env"}`})
			}
			said := 0
			for _, c := range calls {
				out, err := call(t, dir, c[0], c[1])
				if strings.Contains(out.Text+out.Show+fmt.Sprint(err), canary) {
					t.Errorf("%s %s shows a secret:\n%s%v", c[0], c[1], out.Text, err)
				}
				if strings.Contains(out.Text, "harmless") || strings.Contains(out.Text, "never shown") {
					said++
				}
			}
			if said == 0 {
				t.Error("nothing harmless was shown either")
			}
		})
	}
}

func TestNothingOutsideCanBeReached(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "proj")
	write(t, base, "proj-evil/f.txt", canary)
	write(t, base, "outside.txt", canary)
	write(t, dir, "in.txt", "inside\n")
	write(t, dir, ".env", canary)
	write(t, dir, "d/e/f.txt", "deep\n")
	paths := []string{"../outside.txt", "../proj-evil/f.txt", "d/../../outside.txt", base + "/outside.txt", base + "/proj-evil/f.txt",
		"/etc/passwd", "/proc/self/environ", "/proc/self/root/etc/passwd", "\x00", `\\host\share\x`, "CON:", "nul\x00.txt"}
	if runtime.GOOS != "windows" {
		links := map[string]string{"out": "../outside.txt", "abs": base, "etc": "/etc", "env": ".env", "dangling": "nowhere",
			"loop": "loop", "d/up": "../..", "d/e/root": "../..", "d/e/crooked": "root/../outside.txt"}
		for name, target := range links {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, "out", "abs/outside.txt", "etc/passwd", "env", "dangling", "loop", "d/up/outside.txt",
			"d/e/root/.env", "d/e/crooked", "d/e/root/../outside.txt")
	}
	for _, name := range paths {
		for _, tool := range []string{"read", "ls"} {
			if out, err := call(t, dir, tool, fmt.Sprintf(`{"path":%q}`, name)); err == nil {
				t.Errorf("%s %q = %q", tool, name, out.Text)
			}
		}
		if out, _ := call(t, dir, "grep", fmt.Sprintf(`{"pattern":".","path":%q}`, name)); strings.Contains(out.Text, canary) {
			t.Errorf("grep in %q = %q", name, out.Text)
		}
	}
	if got := text(t, dir, "grep", `{"pattern":"."}`); strings.Contains(got, canary) || !strings.Contains(got, "deep") {
		t.Errorf("grep = %q", got)
	}
	if runtime.GOOS != "windows" {
		if got := text(t, dir, "read", `{"path":"d/e/root/in.txt"}`); got != "     1\tinside\n" {
			t.Errorf("a link that stays inside = %q", got)
		}
	}
}

func TestHugeBinaryAndBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "bin", "a\x00b")
	write(t, dir, "sub/x", "")
	huge, err := os.Create(filepath.Join(dir, "huge"))
	if err != nil {
		t.Fatal(err)
	}
	// A gigabyte of newlines would take a gigabyte; a sparse file of NULs is binary. So: text first, then a hole.
	huge.WriteString(strings.Repeat("text\n", 20_000))
	if err := errors.Join(huge.Truncate(20<<30), huge.Close()); err != nil {
		t.Skip("no sparse files here:", err)
	}
	for name, want := range map[string]folder.Reason{"bin": folder.Binary, "huge": folder.Huge, "sub": folder.WrongKind,
		"gone": folder.Missing, "../x": folder.Outside, ".env": folder.Hidden} {
		_, err := call(t, dir, "read", fmt.Sprintf(`{"path":%q}`, name))
		if e, ok := errors.AsType[*folder.Error](err); !ok || e.Reason != want {
			t.Errorf("read %s: %v, want %s", name, err, want)
		}
	}
	if _, err := call(t, dir, "ls", `{"path":"bin"}`); err == nil {
		t.Error("ls of a file succeeded")
	}
	for _, c := range [][2]string{{"read", `{"path":3}`}, {"read", `[]`}, {"read", `{`}, {"grep", `{}`}, {"read", `{"path":"bin","from":-1}`}} {
		if out, err := call(t, dir, c[0], c[1]); err == nil {
			t.Errorf("%s %s = %q", c[0], c[1], out.Text)
		}
	}
	if _, err := call(t, filepath.Join(dir, "nowhere"), "ls", `{}`); err == nil {
		t.Error("a project that does not exist")
	}
	if _, err := call(t, dir, "git_log", `{}`); err == nil {
		t.Error("git_log without a repository")
	}
}

func TestGitToolsOfAFolderBelowTheTop(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "app")
	run(t, top, "init", "-q")
	write(t, top, "other.txt", canary+"\n")
	write(t, dir, "a.txt", "one\n")
	run(t, top, "add", ".")
	run(t, top, "commit", "-qm", "both\x1b[2J")
	write(t, top, "other.txt", canary+" again\n")
	write(t, dir, "a.txt", "two \x1b[31m\n")
	for _, c := range []struct{ name, args, want string }{
		{"git_log", `{}`, " both\n"},
		{"git_show", `{}`, "+one"},
		{"git_show", `{"file":"a.txt"}`, "     1\tone\n"},
		{"git_show", `{"file":"."}`, "     1\ta.txt\n"},
		{"git_diff", `{}`, "+two"},
		{"git_diff", `{"stat":true}`, "1 file changed"},
	} {
		got := text(t, dir, c.name, c.args)
		if !strings.Contains(got, c.want) || strings.Contains(got, canary) || strings.Contains(got, "\x1b") || strings.Contains(got, "other.txt") {
			t.Errorf("%s %s = %q, want %q in it and nothing of the folder above", c.name, c.args, got, c.want)
		}
	}
	for _, c := range [][2]string{{"git_show", `{"file":"../other.txt"}`}, {"git_diff", `{"path":"../other.txt"}`},
		{"git_show", `{"rev":"--output=x"}`}, {"git_log", `{"rev":"-p"}`}, {"git_diff", `{"from":"HEAD","to":"--no-index"}`},
		{"git_show", `{"rev":"HEAD:other.txt"}`}, {"git_diff", `{"from":"HEAD:other.txt","to":"HEAD:app/a.txt"}`}} {
		if out, err := call(t, dir, c[0], c[1]); err == nil {
			t.Errorf("%s %s = %q, want an error", c[0], c[1], out.Text)
		}
	}
}
