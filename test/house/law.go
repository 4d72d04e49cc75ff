package house

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// fronts are what shows the record to people and programs.
var fronts = []string{"cmd/", "internal/acp", "internal/door", "internal/serve", "internal/slash", "internal/tui"}

// Folds are the functions of front ends that decode nodes of more than one kind by themselves, with where they are: such a one folds
// a record, which internal/scene does for debates and conversations and internal/work for runs. To ask a node whether it is of one kind
// is no fold.
func Folds(files []Source) (found []string) {
	for _, s := range files {
		if !slices.ContainsFunc(fronts, func(at string) bool { return strings.HasPrefix(s.Path, at) }) {
			continue
		}
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
				found = append(found, fmt.Sprintf("%s: %s decodes %s: take them from scene.RoomBody, scene.ChatBody or work.Body",
					s.At(fn.Pos()), fn.Name.Name, strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")))
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
	if of := name(way.X); strings.HasSuffix(of, "Kind") {
		return of
	}
	return ""
}

// verbs are the commands that every noun has in common, as the first word of their Use.
var verbs = []string{"list", "show", "search", "rm", "remove", "delete", "forget", "drop", "restore", "prune"}

// makers are the methods and functions that make them of a row of package noun.
var makers = []string{"List", "Lists", "Search", "Show", "Shows", "Remove", "Drops", "Restores", "Prune"}

// Verbs are the commands of that kind that no row of package noun makes, with where they are.
func Verbs(files []Source) (found []string) {
	for _, s := range files {
		if s.Folder() == "cmd/call/noun" {
			continue
		}
		made := map[ast.Node]bool{} // what is handed to a maker, where it stands or by its name
		names := map[string]bool{}
		ast.Inspect(s.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if way, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(makers, way.Sel.Name) {
				for _, arg := range call.Args {
					if name, ok := arg.(*ast.Ident); ok {
						names[name.Name] = true
					}
					made[arg] = true
				}
			}
			return true
		})
		ast.Inspect(s.File, func(n ast.Node) bool {
			if set, ok := n.(*ast.AssignStmt); ok && len(set.Lhs) == 1 { // c := &cobra.Command{…}, which a maker gets later
				if name, ok := set.Lhs[0].(*ast.Ident); ok && names[name.Name] {
					made[set.Rhs[0]] = true
				}
			}
			set, ok := n.(*ast.AssignStmt)
			if ok && slices.ContainsFunc(set.Lhs, func(to ast.Expr) bool { return strings.HasSuffix(name(to), ".Use") }) {
				found = append(found, s.At(set.Pos()).String()+": a command is named where it is made, in its literal")
			}
			if at, ok := n.(*ast.UnaryExpr); ok && !made[at] {
				if verb := verb(at.X); verb != "" {
					found = append(found, fmt.Sprintf("%s: the command %s is made by hand: make it of a row of package noun",
						s.At(at.Pos()), verb))
				}
			}
			return true
		})
	}
	return found
}

// verb is what a cobra.Command is called, if it is one of verbs.
func verb(n ast.Expr) string {
	made, ok := n.(*ast.CompositeLit)
	if !ok || fmt.Sprint(made.Type) != "&{cobra Command}" {
		return ""
	}
	for _, e := range made.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok || fmt.Sprint(field.Key) != "Use" {
			continue
		}
		if text, ok := field.Value.(*ast.BasicLit); ok {
			word, _, _ := strings.Cut(strings.Trim(text.Value, `"`), " ")
			if slices.Contains(verbs, word) {
				return word
			}
		}
	}
	return ""
}

// mouths are the folders below internal that may write to the terminal: what all output goes through, and programs of their own that a
// process starts before there is an output.
var mouths = []string{"internal/out", "internal/process", "internal/sandbox", "internal/sandbox/child"}

// Prints are the places below internal that write to the terminal or know flags, which is the affair of cmd and internal/out.
func Prints(files []Source) (found []string) {
	for _, s := range files {
		if !strings.HasPrefix(s.Path, "internal/") {
			continue
		}
		for _, i := range s.File.Imports {
			if strings.HasPrefix(i.Path.Value, `"github.com/spf13/`) {
				found = append(found, s.At(i.Pos()).String()+": flags and commands belong in cmd")
			}
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok || slices.Contains(mouths, s.Folder()) {
				return true
			}
			if of := name(e); strings.HasPrefix(of, "fmt.Print") || of == "os.Stdout" || of == "os.Stderr" {
				found = append(found, s.At(n.Pos()).String()+": "+of+" passes by internal/out, which cleans and redacts")
			}
			return true
		})
	}
	return found
}

// name is an expression of one or two names as it is written; empty: it is another one.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			return of.Name + "." + e.Sel.Name
		}
	}
	return ""
}
