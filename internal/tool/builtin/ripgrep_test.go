package builtin

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/project/folder"
)

// What we find rg must find too: it is only asked where we need not look.
func TestRipgrepMissesNothing(t *testing.T) {
	if ripgrep() == "" {
		t.Skip("no rg here")
	}
	dir := t.TempDir()
	pieces := []string{"foo", "bar", " ", "FOO", "_", "é", "ß", "ſ", "K", "k", "\t", "\r", "(", "[", "&&", "~", "-", "\u00a0", "\u200b", "9", "٣", "\ufeff", "{", "\\b", "日本"}
	random := rand.New(rand.NewPCG(1, 2))
	var names []string
	for i := range worthIt + 200 {
		var body strings.Builder
		for range random.IntN(6) {
			for range random.IntN(4) {
				body.WriteString(pieces[random.IntN(len(pieces))])
			}
			body.WriteString([]string{"\n", "\r\n", ""}[random.IntN(3)])
		}
		if i%50 == 0 {
			body.WriteString("\x00")
		}
		name := fmt.Sprintf("-%d.txt", i)
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Skipf("no git here: %s", out)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*9.txt\n!-99.txt\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, pattern := range []string{`\w+\d`, `\bK?[of]+\b`, `\B.\B`, `(?i)[k]`, `(?i)ſ|ß`, `[^a-z]{3}`, `^$`, `^[^ ]*$`, `[or]$`, `[&~-]{2}`, `\x{e9}|\x{65e5}`, `foo|bar`,
		`[[:upper:]]{3}`, `\pL{4}`, `\s\S`, `\\[b]|\{`, `(?:[f]oo){2}`, `[\[\]]`, `.`, `\QK\E?\(|9`, `(?U)[f].*[r]`, `^(|bar)[f]`, `\D\W`, `(?s).[^x]`, `[$]|[é]$`} {
		s, err := newSearch(pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		may := s.ripgrep(t.Context(), f, names)
		if may == nil {
			t.Errorf("%s: rg was not asked, or did not understand %s", pattern, s.rust())
			continue
		}
		found, asked := 0, 0
		for i, name := range names {
			if may[i] {
				asked++
			}
			if body, err := f.Read(name, largest); err == nil && len(s.file(body)) > 0 {
				if found++; !may[i] {
					t.Errorf("%s: rg says there is no match in %q", pattern, body)
				}
			}
		}
		if asked > found+300 { // it sees CR at the end of a line
			t.Errorf("%s: rg named %d files, %d have a match", pattern, asked, found)
		}
	}
}
