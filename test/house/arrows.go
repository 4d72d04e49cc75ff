package house

import (
	"go/ast"
	"maps"
	"slices"
)

// arrows counts the arrows between the files of a package, and those of them that run up. An arrow goes from a file to one that declares
// what it uses: a name of the package, or a method, if one file alone has a method of that name. The files are put in an
// order in which few arrows run up: what still does is a circle that a reader has to walk.
func arrows(files []Source) (all, up int) {
	from := map[string]int{} // the file that declares a name; -1: several have a method of that name
	for i, s := range files {
		for _, name := range declared(s) {
			if at, ok := from[name]; ok && at != i {
				from[name] = -1
			} else {
				from[name] = i
			}
		}
	}
	uses := make([]map[int]bool, len(files))
	for i, s := range files {
		uses[i] = map[int]bool{}
		use := func(name string) {
			if at, ok := from[name]; ok && at >= 0 && at != i {
				uses[i][at] = true
			}
		}
		var visit func(ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				use("." + n.Sel.Name)
				ast.Inspect(n.X, visit)
				return false
			case *ast.Ident:
				use(n.Name)
			}
			return true
		}
		ast.Inspect(s.File, visit)
	}
	return rising(uses)
}

// declared are the names that a file declares for its package; methods begin with a dot.
func declared(s Source) (names []string) {
	for _, d := range s.File.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				names = append(names, "."+d.Name.Name)
			} else if d.Name.Name != "init" && d.Name.Name != "_" {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "_" })
}

// rising orders files as Eades, Lin and Smyth do, and counts the arrows that run against the order: again and again what uses nothing
// else that is left goes to the bottom, what nothing uses to the top, and without either what uses most more than it is used.
func rising(uses []map[int]bool) (all, up int) {
	left := map[int]bool{}
	for i := range uses {
		left[i] = true
		all += len(uses[i])
	}
	place := make([]int, len(uses))
	for top, bottom := 0, len(uses)-1; len(left) > 0; {
		i, down := next(uses, left)
		if delete(left, i); down {
			place[i] = bottom
			bottom--
		} else {
			place[i] = top
			top++
		}
	}
	for i := range uses {
		for j := range uses[i] {
			if place[j] < place[i] {
				up++
			}
		}
	}
	return all, up
}

// next is the file to place; down: at the bottom.
func next(uses []map[int]bool, left map[int]bool) (best int, down bool) {
	most := -len(uses)
	for _, i := range slices.Sorted(maps.Keys(left)) {
		out, in := 0, 0
		for j := range left {
			if uses[i][j] {
				out++
			}
			if uses[j][i] {
				in++
			}
		}
		if out == 0 {
			return i, true
		}
		if in == 0 {
			out += len(uses)
		}
		if out-in > most {
			best, most = i, out-in
		}
	}
	return best, false
}
