package main_test

import (
	"flag"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/cmd"
)

var update = flag.Bool("update", false, "rewrite the generated pages of docs/")

// TestDocs compares the pages of docs/ that are made from the code with the code.
func TestDocs(t *testing.T) {
	for name, want := range cmd.Docs() {
		path := filepath.Join("docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what the code says (%v); go test -run TestDocs -update . rewrites it", path, err)
		}
	}
}

// TestDocsOfSafety looks whether every case stands on the page, and every proof of one in the tree.
func TestDocsOfSafety(t *testing.T) {
	page, err := os.ReadFile("docs/safety.md")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile("internal/permission/testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test() {
				there[f.Name.Name] = true
			}
		}
	}
	for n := range 65 {
		if !strings.Contains(string(page), fmt.Sprintf("\n| S%02d | ", n+1)) {
			t.Errorf("S%02d is missing", n+1)
		}
	}
	for _, m := range regexp.MustCompile("`((?:Test|Fuzz)\\w+)`|lines (S\\d\\d)|script (\\w+)").FindAllStringSubmatch(string(page), -1) {
		_, err := os.Stat(filepath.Join("testdata", "script", m[3]+".txtar"))
		if m[1] != "" && !there[m[1]] || m[2] != "" && !strings.Contains(string(lines), "\n"+m[2]+" ") || m[3] != "" && err != nil {
			t.Errorf("there is no %s", m[0])
		}
	}
}
