package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocListsTheDoor holds the lists of operations.go against the code: each operation and each exported method of the Engine and of the
// libraries of its parts is named, and nothing that does not exist.
func TestDocListsTheDoor(t *testing.T) {
	doors, types := map[string]bool{}, map[string]bool{}
	doc := ""
	files, _ := filepath.Glob("*.go")
	parts, _ := filepath.Glob("*/*.go")
	for _, name := range append(files, parts...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if name == "doc.go" || name == "operations.go" {
			doc += f.Doc.Text()
		}
		of := ""
		if folder := filepath.Dir(name); folder != "." {
			of = folder + "."
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if name := door(d); name != "" {
					doors[of+name] = true
				} else if d.Recv == nil {
					types[of+d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						types[of+s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							types[of+n.Name] = true
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
	for _, m := range regexp.MustCompile(`\[\*?([A-Za-z][\w.]*)\]`).FindAllStringSubmatch(doc, -1) {
		if named[m[1]] = true; !doors[m[1]] && !types[m[1]] {
			t.Errorf("the package's page names %s, which does not exist", m[1])
		}
	}
	for name := range doors {
		if !named[name] {
			t.Errorf("operations.go does not say what %s is for", name)
		}
	}
}

// door is how operations.go names an operation, by its method Do, or an exported method of the Engine or a Library; empty: it is neither.
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
	case on == nil || !on.IsExported() || !f.Name.IsExported():
	case on.Name == "Engine" || on.Name == "Library":
		return on.Name + "." + f.Name.Name
	case f.Name.Name == "Do":
		return on.Name
	}
	return ""
}
