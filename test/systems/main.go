// Command systems type-checks the program and its tests for other systems, from source: go run ./test/systems windows darwin linux/arm.
// That finds what compiling for them would find in our code, in seconds; of everybody else's code only the declarations are checked.
// Without a processor it is this one; linux/arm is one of 32 bits, where an int holds less.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	failed := make(chan error)
	for _, system := range os.Args[1:] {
		go func() { failed <- check(system) }()
	}
	code := 0
	for range os.Args[1:] {
		if err := <-failed; err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// listed is a package as go list has it. With its tests it is a package of its own, "path [path.test]".
type listed struct {
	ImportPath, Dir, ForTest string
	GoFiles                  []string
	ImportMap                map[string]string
	Module                   *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

// check type-checks everything for a system, with or without a processor, and says all that is wrong. Packages come after those they import.
func check(system string) error {
	cmd := exec.Command("go", "list", "-e", "-deps", "-test", "-json=ImportPath,Dir,ForTest,GoFiles,ImportMap,Module,Error", "./...")
	goos, arch, named := strings.Cut(system, "/")
	if !named {
		arch = runtime.GOARCH
	}
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list packages for %s: %w", system, err)
	}
	c := checker{system: system, sizes: types.SizesFor("gc", arch), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return errors.Join(c.wrong...)
		} else if err != nil {
			return fmt.Errorf("read the list of packages: %w", err)
		}
		c.add(p)
	}
}

// checker is one system.
type checker struct {
	system string
	sizes  types.Sizes
	done   map[string]*types.Package
	wrong  []error
}

func (c *checker) add(p listed) {
	ours := p.Module != nil && p.Module.Main
	if p.Error != nil && ours {
		c.fail(errors.New(p.Error.Err))
	}
	if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the main package of a test is made by go
		return
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			c.fail(err)
			continue
		}
		files = append(files, f)
	}
	config := types.Config{Sizes: c.sizes, IgnoreFuncBodies: !ours, Importer: importer{c, p.ImportMap}, Error: func(err error) {
		if ours {
			c.fail(err)
		}
	}}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	c.done[p.ImportPath], _ = config.Check(path, fset, files, nil)
}

func (c *checker) fail(err error) { c.wrong = append(c.wrong, fmt.Errorf("%s: %w", c.system, err)) }

// importer finds what a package imports: its map says where a path leads to another package than its own, as for tests.
type importer struct {
	c       *checker
	mapping map[string]string
}

// Import gives what was checked before.
func (i importer) Import(path string) (*types.Package, error) {
	if to, ok := i.mapping[path]; ok {
		path = to
	}
	if p := i.c.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s was not checked before it is imported", path)
}
