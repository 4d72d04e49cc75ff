// Package house counts what a newcomer to this repository has to hold in mind. The limits are in arch_test.go, and
// go test -v -run TestHouse . prints the counters; docs/house.md has them from before the house was put in order.
package house

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Source is a file of Go.
type Source struct {
	Path  string // from the top of the repository, with slashes
	Text  string
	File  *ast.File
	Files *token.FileSet
}

// Sources are all files of Go below a folder, tests too, but for test data and hidden folders.
func Sources(top string) (out []Source, err error) {
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != top) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, path)
		out = append(out, Source{filepath.ToSlash(name), string(text), f, fset})
		return err
	})
	return out, err
}

// Test says whether the file is compiled for tests only.
func (s Source) Test() bool { return strings.HasSuffix(s.Path, "_test.go") }

// Folder is where the file is; empty: at the top.
func (s Source) Folder() string {
	if dir := filepath.ToSlash(filepath.Dir(s.Path)); dir != "." {
		return dir
	}
	return ""
}

// Lines is how many lines the file has.
func (s Source) Lines() int { return s.Files.File(s.File.Pos()).LineCount() }

// At says where something is, for people.
func (s Source) At(p token.Pos) token.Position { return s.Files.Position(p) }

// Span is how many lines something takes.
func (s Source) Span(n ast.Node) int { return s.At(n.End()).Line - s.At(n.Pos()).Line + 1 }

// Counters are what there is, by name.
type Counters struct {
	Methods, Exports, Funcs map[string]int // of a type, of a package, fields of a struct that are functions
	Whole                   map[string]int // methods of a type with those of the types of its package that it embeds
	Arrows, Up              map[string]int // between the files of a package; see arrows
	Lines, Comments         int
	types                   map[string]typed
	Long                    []string // where lines of more columns than are allowed are; a schema in a field's tag cannot be broken
}

// Count counts files, of which none should be a test. most is how many columns a line may have.
func Count(files []Source, most int) *Counters {
	c := &Counters{Whole: map[string]int{}, Methods: map[string]int{}, Exports: map[string]int{}, Funcs: map[string]int{},
		Arrows: map[string]int{}, Up: map[string]int{}}
	packages := map[string][]Source{}
	c.types = declaredTypes(files)
	for _, s := range files {
		for i, line := range strings.Split(strings.TrimSuffix(s.Text, "\n"), "\n") {
			if c.Lines++; len([]rune(strings.ReplaceAll(line, "\t", "    "))) > most && !strings.Contains(line, " jsonschema:") {
				c.Long = append(c.Long, fmt.Sprintf("%s:%d", s.Path, i+1))
			}
		}
		for _, group := range s.File.Comments {
			c.Comments += s.Span(group)
		}
		for _, d := range s.File.Decls {
			c.declared(s, d)
		}
		at := cmp.Or(s.Folder(), "main")
		packages[at] = append(packages[at], s)
	}
	for name, files := range packages {
		c.Arrows[name], c.Up[name] = arrows(files)
		parts := embedded(files)
		for of := range parts {
			c.Whole[name+"."+of] = c.whole(name, of, parts, map[string]bool{})
		}
	}
	return c
}

// embedded are the types that each struct of a package embeds from that package.
func embedded(files []Source) map[string][]string {
	parts := map[string][]string{}
	for _, s := range files {
		for _, d := range s.File.Decls {
			g, _ := d.(*ast.GenDecl)
			if g == nil {
				continue
			}
			for _, spec := range g.Specs {
				t, _ := spec.(*ast.TypeSpec)
				if t == nil {
					continue
				}
				st, _ := t.Type.(*ast.StructType)
				if st == nil {
					continue
				}
				for _, f := range st.Fields.List {
					of := f.Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					if id, ok := of.(*ast.Ident); ok && len(f.Names) == 0 {
						parts[t.Name.Name] = append(parts[t.Name.Name], id.Name)
					}
				}
			}
		}
	}
	return parts
}

// whole counts each type once, however often it is embedded.
func (c *Counters) whole(at, of string, parts map[string][]string, seen map[string]bool) int {
	if seen[of] {
		return 0
	}
	seen[of] = true
	n := c.Methods[at+"."+of]
	for _, part := range parts[of] {
		n += c.whole(at, part, parts, seen)
	}
	return n
}

func (c *Counters) declared(s Source, d ast.Decl) {
	at := cmp.Or(s.Folder(), "main")
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			c.Methods[at+"."+Receiver(d)]++
		} else if d.Name.IsExported() {
			c.Exports[at]++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					c.Exports[at]++
				}
				if st, ok := spec.Type.(*ast.StructType); ok {
					c.Funcs[at+"."+spec.Name.Name] = c.functions(typed{st, s})
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					if n.IsExported() {
						c.Exports[at]++
					}
				}
			}
		}
	}
}

// Receiver is the type that a method is of.
func Receiver(d *ast.FuncDecl) string {
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	switch index := of.(type) {
	case *ast.IndexExpr:
		of = index.X
	case *ast.IndexListExpr:
		of = index.X
	}
	return fmt.Sprint(of)
}

// functions counts the fields of a struct that are functions, or lists or tables of them, also where their type or the struct that
// embeds them has a name: a count that a name escapes is none.
func (c *Counters) functions(at typed) (n int) {
	for _, f := range at.Expr.(*ast.StructType).Fields.List {
		of := f.Type
		for {
			if list, ok := of.(*ast.ArrayType); ok {
				of = list.Elt
			} else if table, ok := of.(*ast.MapType); ok {
				of = table.Value
			} else {
				break
			}
		}
		is := c.named(typed{of, at.Source})
		switch is.Expr.(type) {
		case *ast.FuncType:
			n += max(1, len(f.Names))
		case *ast.StructType:
			if len(f.Names) == 0 {
				n += c.functions(is)
			}
		}
	}
	return n
}

// typed is a type, and the file that says so.
type typed struct {
	ast.Expr
	Source
}

// named follows a name to the type of ours that it stands for.
func (c *Counters) named(at typed) typed {
	for range 8 { // names of names
		name, in := "", at.Folder()
		switch is := at.Expr.(type) {
		case *ast.Ident:
			name = is.Name
		case *ast.SelectorExpr:
			name, in = is.Sel.Name, at.imported(fmt.Sprint(is.X))
		}
		found, ok := c.types[in+"."+name]
		if !ok {
			break
		}
		at = found
	}
	return at
}

// imported is the folder of ours that a file calls by a name; empty: none.
func (s Source) imported(name string) string {
	for _, i := range s.File.Imports {
		path, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "github.com/socrates-cli/socrates/")
		if ours && (i.Name == nil && path[strings.LastIndexByte(path, '/')+1:] == name || i.Name != nil && i.Name.Name == name) {
			return path
		}
	}
	return ""
}

// declaredTypes are the types of files, by folder and name.
func declaredTypes(files []Source) map[string]typed {
	types := map[string]typed{}
	for _, s := range files {
		for _, d := range s.File.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				for _, spec := range g.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						types[s.Folder()+"."+t.Name.Name] = typed{t.Type, s}
					}
				}
			}
		}
	}
	return types
}
