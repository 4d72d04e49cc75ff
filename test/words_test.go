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
)

// TestReplacedWords keeps phrases that were replaced, a line each in testdata/replaced-*.txt, out of what a person reads: the
// strings of the program and its pages. CHANGELOG.md and docs/house.md quote them.
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
			if page == "docs/house.md" {
				continue
			}
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
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					text, _ := strconv.Unquote(lit.Value)
					look(set.Position(lit.Pos()).String(), strings.ReplaceAll(text, "\n", " "))
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
