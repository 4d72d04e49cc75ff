package house

import (
	"go/ast"
	"go/token"
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
