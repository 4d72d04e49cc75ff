package house

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// Folds are the functions that decode nodes of more than one kind by themselves, with where they are: such a one folds a record,
// which internal/scene does for debates and conversations and internal/work for runs. To ask one node whether it is of one kind is no fold.
func Folds(files []Source) (found []string) {
	for _, s := range files {
		for _, d := range s.File.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			kinds := map[string]bool{}
			ast.Inspect(fn, func(n ast.Node) bool {
				if kind := decoded(n); kind != "" {
					kinds[kind] = true
				}
				return true
			})
			if len(kinds) > 1 {
				found = append(found, fmt.Sprintf("%s: %s decodes %s", s.At(fn.Pos()), fn.Name.Name,
					strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")))
			}
		}
	}
	return found
}

// decoded is the kind of node that an expression decodes, as in talk.SayKind.Of(n); empty: it is no such call.
func decoded(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return ""
	}
	way, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"Of", "All", "Body"}, way.Sel.Name) {
		return ""
	}
	name := ""
	switch of := way.X.(type) {
	case *ast.Ident:
		name = of.Name
	case *ast.SelectorExpr:
		name = fmt.Sprint(of.X, ".", of.Sel.Name)
	}
	if !strings.HasSuffix(name, "Kind") {
		return ""
	}
	return name
}
