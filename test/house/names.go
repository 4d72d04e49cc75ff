package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
)

// Literal is the text of a string literal; empty: n is none.
func Literal(n ast.Node) string {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(lit.Value) // it was parsed
	return text
}

// Values are the string literals that the package variables of a folder have in a field, functions inside left out.
func Values(list []Source, folder, field string) map[string]bool {
	values := map[string]bool{}
	for _, s := range list {
		if s.Folder() != folder || s.Test() {
			continue
		}
		for _, d := range s.File.Decls {
			if v, ok := d.(*ast.GenDecl); !ok || v.Tok != token.VAR {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if kv, ok := n.(*ast.KeyValueExpr); ok {
					if key, ok := kv.Key.(*ast.Ident); ok && key.Name == field {
						values[Literal(kv.Value)] = true
					}
				}
				_, function := n.(*ast.FuncLit)
				return !function
			})
		}
	}
	return values
}

// Vendors are the names in a catalogue of models, and those in the list Programs of a file.
func Vendors(catalogue, programs string) (names []string, err error) {
	all, err := os.ReadFile(catalogue)
	if err != nil {
		return nil, err
	}
	for _, m := range regexp.MustCompile(`(?m)^  - name: (\w+)`).FindAllSubmatch(all, -1) {
		names = append(names, string(m[1]))
	}
	file, err := parser.ParseFile(token.NewFileSet(), programs, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == "Programs" {
			for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
				names = append(names, e.(*ast.Ident).Name)
			}
		}
		return true
	})
	return names, nil
}
