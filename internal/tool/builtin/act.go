package builtin

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// deed is what we read of a call of a program's own tool, which is worded like one of ours.
type deed struct {
	Path, Command, Dir, URL, Content, Old, New, Diff string
	Paths, Deletes                                   []string
	All                                              bool
}

// Acts returns what a program that works in dir is about to do by a call of its own. The call has the name of our
// similar tool: bash, read, grep, glob, ls, write, edit, delete or fetch. A call of another name may do anything.
//
// Nothing is run or written. To show a change it reads the file that is about to be written, if that is an ordinary
// one.
func Acts(dir string, c llm.Call) (acts []tool.Act) {
	var d deed
	if err := json.Unmarshal(c.Args, &d); err != nil {
		return []tool.Act{{Effect: tool.Runs, Argv: []string{c.Name}, Dir: dir, Text: c.Name + " " + string(c.Args),
			Unknown: "what its arguments say"}}
	}
	paths := d.Paths
	if d.Path != "" || len(paths)+len(d.Deletes) == 0 {
		paths = append(paths, cmp.Or(d.Path, "."))
	}
	switch c.Name {
	case "bash":
		return []tool.Act{d.script(dir)}
	case "read", "grep", "glob", "ls":
		for _, path := range paths {
			acts = append(acts, tool.Act{Effect: tool.Reads, Path: at(dir, path), Dir: dir, Text: path})
		}
	case "write", "edit", "delete":
		for _, path := range paths {
			acts = append(acts, d.change(c.Name, at(dir, path), path, len(paths) == 1))
		}
		for _, path := range d.Deletes {
			acts = append(acts, d.change("delete", at(dir, path), path, false))
		}
	case "fetch":
		return []tool.Act{{Effect: tool.Sends, URL: d.URL}}
	default:
		return []tool.Act{{Effect: tool.Runs, Argv: []string{c.Name, string(c.Args)}, Dir: dir, Text: c.Name + " " + string(c.Args)}}
	}
	return acts
}

// script returns the act of a command in the program's own shell.
func (d deed) script(dir string) tool.Act {
	if d.Dir != "" {
		dir = at(dir, d.Dir)
	}
	vars := Variables()
	script, err := shell.Parse(d.Command, shell.Context{Dir: dir,
		Var: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }})
	if err != nil {
		return tool.Act{Effect: tool.Runs, Argv: []string{"bash", "-c", d.Command}, Dir: dir, Text: d.Command, Unknown: err.Error()}
	}
	return tool.Act{Effect: tool.Runs, Script: script, Dir: dir, Text: d.Command}
}

// change returns the act of writing or deleting one file; whole says that the arguments are about it alone.
func (d deed) change(name, path, shown string, whole bool) tool.Act {
	a := tool.Act{Effect: tool.Writes, Path: path, Text: shown}
	switch {
	case name == "delete":
		a.Lost = "the file is deleted"
		return a
	case d.Diff != "":
		a.Text = plainly(d.Diff)
		return a
	}
	was, err := ordinary(path)
	now := d.Content
	switch {
	case errors.Is(err, errNotOrdinary), !whole || err != nil && name == "edit" || !folder.Text(was):
		return a
	case name == "edit" && d.All:
		now = strings.ReplaceAll(string(was), d.Old, d.New)
	case name == "edit":
		now = strings.Replace(string(was), d.Old, d.New, 1)
	}
	from := "a/" + shown
	if err != nil {
		from = "/dev/null"
	}
	a.Text = cmp.Or(unified(from, "b/"+shown, string(was), now), shown)
	return a
}

// errNotOrdinary is why a file is not read to show its changes.
var errNotOrdinary = errors.New("not an ordinary file")

// ordinary reads a file that a program names and nobody has decided about yet: reading a pipe or a device might never
// end.
func ordinary(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > folder.Most) {
		err = errNotOrdinary
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// at returns a path that a program names in dir, with links followed.
func at(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return shell.Real(path)
}
