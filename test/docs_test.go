package test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/socrates-cli/socrates/cmd"
)

var update = flag.Bool("update", false, "rewrite the generated pages of docs/")

// TestDocs compares the pages of docs/ that are made from the code with the code.
func TestDocs(t *testing.T) {
	pages := cmd.Docs()
	pages["scripts.md"] = scriptsPage(t)
	pages["verdict.md"] = verdictPage(t)
	for name, want := range pages {
		path := filepath.Join("docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what the code says (%v); go test -run TestDocs -update ./test rewrites it", path, err)
		}
	}
}

// docOf is the comment of the package that a file begins with.
func docOf(t *testing.T, path string) *ast.CommentGroup {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f.Doc
}

// verdictPage is what the package of the verdict says of itself, and its examples with what they print.
func verdictPage(t *testing.T) string {
	var page strings.Builder
	page.WriteString("# The verdict\n\n")
	says := strings.Replace(docOf(t, "debate/verdict/doc.go").Text(), "Package verdict", "The package debate/verdict", 1)
	page.Write((&comment.Printer{HeadingLevel: 2, HeadingID: func(*comment.Heading) string { return "" }, DocLinkURL: func(l *comment.DocLink) string {
		return "https://pkg.go.dev/github.com/socrates-cli/socrates/debate/verdict#" + strings.TrimPrefix(l.Recv+"."+l.Name, ".")
	}}).Markdown((&comment.Parser{LookupSym: func(_, name string) bool { return name != "" }}).Parse(says)))
	page.WriteString("\n## Examples\n")
	text, err := os.ReadFile("debate/verdict/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?ms)^((?://[^\n]*\n)+)func Example\w*\(\) \{\n(.*?)\n\t// Output:\n(.*?)\n\}`).FindAllStringSubmatch(string(text), -1) {
		plain := func(lines, prefix string) string { return strings.ReplaceAll("\n"+lines, "\n"+prefix, "\n")[1:] }
		says, prints := plain(m[1], "// "), plain(plain(m[3], "\t//"), " ")
		fmt.Fprintf(&page, "\n%s\n```go\n%s\n```\n\nprints\n\n```\n%s\n```\n", says, plain(m[2], "\t"), prints)
	}
	return page.String()
}

// scriptsPage is what the package of scripts says of itself, and the example that the script scripted runs.
func scriptsPage(t *testing.T) string {
	var page strings.Builder
	page.WriteString("# Scripted models\n\n")
	form := docOf(t, "internal/llm/script/script.go")
	for _, block := range new(comment.Parser).Parse(strings.Replace(form.Text(), "Package script", "A script", 1)).Content {
		if code, ok := block.(*comment.Code); ok {
			fmt.Fprintf(&page, "```yaml\n%s```\n\n", code.Text)
			continue
		}
		page.Write(new(comment.Printer).Markdown(&comment.Doc{Content: []comment.Block{block}}))
		page.WriteString("\n")
	}
	files := map[string]string{}
	example, err := txtar.ParseFile("test/testdata/script/scripted.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range example.Files {
		files[f.Name] = string(f.Data)
	}
	fmt.Fprintf(&page, "## An example\n\nThis is helper.yaml. Next to it is greet.py, with a function that says Hello.\n\n```yaml\n%s```\n\n", files["helper.yaml"])
	fmt.Fprintf(&page, "```console\n$ socrates run --model script:helper.yaml \"Greet politely.\"\n%s%s```\n\n", files["err"], files["out"])
	page.WriteString("Two scripts that debate are in [examples/scripted](../examples/README.md).\n")
	return page.String()
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
	there := testsOfAll(t)
	for n := range 99 {
		if !strings.Contains(string(page), fmt.Sprintf("\n| S%02d | ", n+1)) {
			t.Errorf("S%02d is missing", n+1)
		}
	}
	for _, m := range regexp.MustCompile("`((?:Test|Fuzz)\\w+)`|lines (S\\d\\d)|script (\\w+)").FindAllStringSubmatch(string(page), -1) {
		_, err := os.Stat(filepath.Join("test", "testdata", "script", m[3]+".txtar"))
		if m[1] != "" && !there[m[1]] || m[2] != "" && !strings.Contains(string(lines), "\n"+m[2]+" ") || m[3] != "" && err != nil {
			t.Errorf("there is no %s", m[0])
		}
	}
}

// testsOfAll are the names of all tests and fuzz targets of the module.
func testsOfAll(t *testing.T) map[string]bool {
	t.Helper()
	there, begins := map[string]bool{}, regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range begins.FindAllStringSubmatch(string(text), -1) {
			there[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}
