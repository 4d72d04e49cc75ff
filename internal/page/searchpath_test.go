package page_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/socrates-cli/socrates/internal/page"
)

func TestSearchPath(t *testing.T) {
	text := func(name, doc string) string {
		return "---\nname: " + name + "\ndoc: " + doc + "\nargs: a, b c\n---\nLook.\n"
	}
	dir := t.TempDir()
	for name, body := range map[string]string{"a.md": text("a", "mine"), "b.md": "no head", "No Name.md": "x", ".c.md": "x", "d.txt": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "e.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	own := page.Folder{FS: fstest.MapFS{"p/a.md": {Data: []byte(text("a", "own"))}, "p/b.md": {Data: []byte(text("b", "own"))}, "p/f.md": {Data: []byte(text("f", "own"))}}, At: "p"}
	s := page.SearchPath{Form: page.Form{Noun: "note", Keys: []string{"args"}, MaxText: 100}, Places: append(page.Folders("", dir, filepath.Join(dir, "none")), own)}
	if got := strings.Join(s.Names(), " "); got != "a b e f" {
		t.Errorf("names: %s", got)
	}
	all, wrong := page.All(s, s.Find)
	if len(all) != 2 || all[0].Doc != "mine" || all[0].File != filepath.Join(dir, "a.md") || all[1].File != "" || len(all[1].SHA256) != 64 ||
		strings.Join(all[0].List("args"), "|") != "a|b|c" || all[0].Raw != text("a", "mine") {
		t.Errorf("%+v", all)
	}
	if told := errors.Join(wrong...).Error(); len(wrong) != 3 || !strings.Contains(told, "b.md:1: must begin") || !strings.Contains(told, "e.md: cannot be read: it is not a file") ||
		!strings.Contains(told, "No Name.md: its name is not a valid note name") {
		t.Errorf("%v", told)
	}
	if err := all[0].Wrong("args", "is %s", "odd"); !strings.HasSuffix(err.Error(), "a.md:4: args is odd") {
		t.Error(err)
	}
}

func TestCut(t *testing.T) {
	for raw, want := range map[string][2]string{
		"---\na: 1\n---\n\ntext\n": {"a: 1", "text"}, "\ufeff---\r\na: 1\r\n---\r\ntext": {"a: 1", "text"},
		"---\n---": {"", ""}, "no head": {"", "no head"}, "---\nopen": {"", "---\nopen"},
	} {
		head, text, ok := page.Cut(raw)
		if head != want[0] || text != want[1] || ok != (text != raw) {
			t.Errorf("%q: %q, %q, %v", raw, head, text, ok)
		}
	}
}
