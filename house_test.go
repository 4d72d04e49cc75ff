package main_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// The limits of the house. What is above them today is listed with its number, which may only fall: whoever lowers it lowers the
// line here, too. go test -v -run TestHouse . prints all the counters.
const (
	mostMethods = 40  // of one type
	mostExports = 30  // of one package
	mostColumns = 140 // of a line
	mostFuncs   = 12  // fields of one struct that are functions
)

// tall are the types with more methods.
var tall = map[string]int{}

// wide are the packages that export more names. The data types of the verdict may.
var wide = map[string]int{
	"debate/verdict": 84,
}

// wired are the structs with more fields that are functions.
var wired = map[string]int{}

// longLines is how many lines are longer.
const longLines = 892

// counters are what a newcomer has to hold in mind, by name.
type counters struct {
	methods, exports, funcs map[string]int
	lines, long, comments   int
}

func count(t *testing.T) counters {
	c := counters{methods: map[string]int{}, exports: map[string]int{}, funcs: map[string]int{}}
	for _, s := range sources(t) {
		if s.test() || slices.Contains(programs, s.folder()) {
			continue
		}
		text, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if c.lines++; len([]rune(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    "))) > mostColumns {
				c.long++
			}
		}
		for _, group := range s.file.Comments {
			c.comments += s.fset.Position(group.End()).Line - s.fset.Position(group.Pos()).Line + 1
		}
		for _, d := range s.file.Decls {
			c.declared(s, d)
		}
	}
	return c
}

func (c counters) declared(s source, d ast.Decl) {
	at := cmp.Or(s.folder(), "main")
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			if d.Name.IsExported() {
				c.exports[at]++
			}
			return
		}
		of := d.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if index, ok := of.(*ast.IndexExpr); ok {
			of = index.X
		}
		c.methods[at+"."+fmt.Sprint(of)]++
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					c.exports[at]++
				}
				if st, ok := spec.Type.(*ast.StructType); ok {
					c.funcs[at+"."+spec.Name.Name] = functions(st)
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					if n.IsExported() {
						c.exports[at]++
					}
				}
			}
		}
	}
}

func functions(st *ast.StructType) (n int) {
	for _, f := range st.Fields.List {
		if _, ok := f.Type.(*ast.FuncType); ok {
			n += max(1, len(f.Names))
		}
	}
	return n
}

// TestHouse keeps the house from growing: no type, package or struct gets larger than the limit, or than it is today.
func TestHouse(t *testing.T) {
	c := count(t)
	t.Logf("%d lines, %.1f %% of them comments; %d lines of more than %d columns", c.lines, 100*float64(c.comments)/float64(c.lines), c.long, mostColumns)
	for _, rule := range []struct {
		what  string
		found map[string]int
		most  int
		today map[string]int
	}{{"methods", c.methods, mostMethods, tall}, {"exported names", c.exports, mostExports, wide}, {"fields that are functions", c.funcs, mostFuncs, wired}} {
		names := slices.SortedFunc(maps.Keys(rule.found), func(a, b string) int { return cmp.Compare(rule.found[b], rule.found[a]) })
		for i, name := range names {
			n, known := rule.found[name], rule.today[name]
			if i < 8 || n > rule.most {
				t.Logf("%-28s %4d %s", name, n, rule.what)
			}
			switch limit := max(rule.most, known); {
			case n > limit:
				t.Errorf("%s has %d %s, the limit is %d", name, n, rule.what, limit)
			case known > 0 && n < known:
				t.Errorf("%s has %d %s: lower the %d in house_test.go, or take the line out", name, n, rule.what, known)
			}
		}
	}
	if c.long > longLines {
		t.Errorf("%d lines are longer than %d columns, there were %d", c.long, mostColumns, longLines)
	}
}
