package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestReplacedWords keeps phrases that were replaced, a line each in testdata/replaced-*.txt, out of what a person reads: the
// strings of the program, its pages, its plugin and what installs it. CHANGELOG.md and docs/house.md quote them.
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
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{".github", "cmd", "docs", "examples", "internal", "packaging", "plugin"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			read := slices.Contains([]string{".js", ".json", ".md", ".sh", ".toml", ".yaml", ".yml"}, filepath.Ext(path))
			if read && !strings.Contains(filepath.ToSlash(path), "/testdata/") {
				pages = append(pages, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range append(pages, "action.yml", ".goreleaser.yaml") {
		if slices.Contains([]string{"docs/house.md", "CHANGELOG.md"}, filepath.ToSlash(page)) { // which say what was replaced
			continue
		}
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		look(page, strings.Join(strings.Fields(string(raw)), " "))
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
				if e, ok := n.(ast.Expr); ok {
					if text, whole := literal(e); text != "" {
						look(set.Position(e.Pos()).String(), strings.ReplaceAll(text, "\n", " "))
						return !whole
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

// literal is the text of a string that is written in one piece or in several, without what is not text; whole says that all of
// it is text.
func literal(e ast.Expr) (text string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ = strconv.Unquote(e.Value)
			return text, true
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, one := literal(e.X)
			right, two := literal(e.Y)
			if left != "" || right != "" {
				return left + right, one && two
			}
		}
	}
	return "", false
}
