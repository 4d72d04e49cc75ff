package test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// replacedNames are parts of names that were replaced, with what we say for them. A desk is the screen's alone.
var replacedNames = map[string]string{"heed": "apply", "heeds": "apply", "heeded": "applied", "purse": "budget", "purses": "budgets",
	"heard": "search", "apart": "diff", "carry": "transfer, execute", "carried": "transfer, execute", "carrying": "transfer, execute",
	"kin": "descendants", "shelf": "what it holds", "shelves": "what they hold", "sweep": "what it removes", "swept": "what is gone",
	"special": "what it holds", "desk": "what it holds"}

// partsOf are the words a name is put together from, in small letters.
func partsOf(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return r == ' ' || r == '_' })
}

// TestReplacedWords keeps phrases that were replaced, a line each in testdata/replaced-*.txt, out of what a person reads: the
// strings of the program and its pages. CHANGELOG.md may quote them. It keeps replaced names out of the code, too.
func TestReplacedWords(t *testing.T) {
	lists, err := filepath.Glob("test/testdata/replaced-*.txt")
	if err != nil || len(lists) == 0 {
		t.Fatal("no list of replaced phrases", err)
	}
	var phrases []string
	for _, name := range lists {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				phrases = append(phrases, line)
			}
		}
	}
	look := func(place, text string) {
		for _, phrase := range phrases {
			if strings.Contains(text, phrase) {
				t.Errorf("%s: %q was replaced; docs/words.md and the lines around it say how we put it now", place, phrase)
			}
		}
	}
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/strategies/*.md", "cmd/*.md"} {
		pages, _ := filepath.Glob(pattern)
		for _, page := range pages {
			raw, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range bytes.Split(raw, []byte("\n")) {
				look(fmt.Sprintf("%s:%d", page, i+1), string(line))
			}
		}
	}
	for _, folder := range []string{"cmd", "debate", "internal"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					if n.Kind == token.STRING {
						text, _ := strconv.Unquote(n.Value)
						look(set.Position(n.Pos()).String(), strings.ReplaceAll(text, "\n", " "))
					}
				case *ast.Ident:
					for _, part := range partsOf(n.Name) {
						now := replacedNames[part]
						if screen := part == "desk" && strings.HasPrefix(filepath.ToSlash(path), "internal/tui/"); now != "" && !screen {
							t.Errorf("%s: %s: %q was replaced: say %s; see docs/words.md", set.Position(n.Pos()), n.Name, part, now)
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
