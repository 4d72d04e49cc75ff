package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocListsTheDoor holds the lists of doc.go against the code: each operation and each method of the Engine is named, and nothing
// that does not exist.
func TestDocListsTheDoor(t *testing.T) {
	doors, types := map[string]bool{}, map[string]bool{}
	doc := ""
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() == "doc.go" {
			doc = f.Doc.Text()
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if name := door(d); name != "" {
					doors[name] = true
				} else if d.Recv == nil {
					types[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						types[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							types[n.Name] = true
						}
					}
				}
			}
		}
	}
	if len(doors) < 90 {
		t.Errorf("only %d operations and methods were found", len(doors))
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`\[\*?([A-Z][\w.]*)\]`).FindAllStringSubmatch(doc, -1) {
		if named[m[1]] = true; !doors[m[1]] && !types[m[1]] {
			t.Errorf("doc.go names %s, which does not exist", m[1])
		}
	}
	for name := range doors {
		if !named[name] {
			t.Errorf("doc.go does not say what %s is for", name)
		}
	}
}

// door is how doc.go names an operation, by its method do, or an exported method of the Engine; empty: it is neither.
func door(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	on, _ := of.(*ast.Ident)
	switch {
	case on == nil || !on.IsExported():
	case f.Name.Name == "do":
		return on.Name
	case on.Name == "Engine" && f.Name.IsExported():
		return "Engine." + f.Name.Name
	}
	return ""
}
