package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// Where a project says what it wants, relative to its folder.
const (
	HooksFile  = ".socrates/hooks.yaml"
	MCPFile    = ".mcp.json"
	ConfigFile = ".socrates/config.yaml"
	SetupFile  = ".socrates/workspace.yaml"
	commands   = ".socrates/commands"
	skills     = ".agents/skills"
)

// largest is how many bytes of a file with definitions are read.
const largest = 256 << 10

// Collect returns what the project in dir wants to run, of some kinds or of all, by kind and name. A file that cannot be understood is
// an item
// with a problem, so that what was meant to guard is not lost in silence.
// The error is about the folder itself. It reads everything again at each call.
func Collect(dir string, kinds ...ItemKind) ([]Item, error) {
	real, err := Project(dir)
	if err != nil {
		return nil, err
	}
	c := collector{dir: real}
	for _, look := range []struct {
		kind ItemKind
		at   func()
	}{{Hook, c.hooks}, {MCP, c.servers}, {Check, c.checks}, {Command, c.pages}, {Skill, c.skills}, {Setup, c.setup}} {
		if len(kinds) == 0 || slices.Contains(kinds, look.kind) {
			look.at()
		}
	}
	return c.items, nil
}

// Lent is the item of an MCP server that by brings to a project, with the project's files that argv would run.
// by says who brings it, in the place of a file. It has a hash as the project's own have, so that a changed script asks
// again.
func Lent(dir, name, by string, definition any, argv []string) (Item, error) {
	real, err := Project(dir)
	if err != nil {
		return Item{}, err
	}
	c := collector{dir: real}
	c.add(Item{Kind: MCP, Name: name, Path: by}, definition, argv)
	return c.items[0], nil
}

// Project is the name a project's approvals are kept under: its folder without links.
// Two paths that lead to one folder have one name, so an approval holds for both.
func Project(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("the project folder %s: %w", dir, err)
	}
	return abs, nil
}

// Still looks again and says in an error if an item is not what it was, byte for byte.
// Only the kind of the item is collected again. Whoever runs something calls it last, after all waiting and asking.
func Still(dir string, was Item) error {
	now, err := Collect(dir, was.Kind)
	if err != nil {
		return err
	}
	for _, i := range now {
		if i.ID() == was.ID() && i.SHA256 == was.SHA256 && i.Problem == "" {
			return nil
		}
	}
	return fmt.Errorf("the %s %s has changed since it was approved; see: socrates trust show %s", was.Kind, was.Name, was.ID())
}

// collector gathers the items of one project. Its methods add to items, a problem as an item of its own.
type collector struct {
	dir   string
	items []Item
}

// cleanName is what the name of an item may be: it is typed, printed and kept.
var cleanName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// read returns a file with definitions; nothing if there is none.
// A link is followed: what it leads to is read, and its bytes are what is approved.
func (c *collector) read(kind ItemKind, file string) []byte {
	r := reader{dir: c.dir}
	full := filepath.Join(c.dir, filepath.FromSlash(file))
	if _, err := os.Lstat(full); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	raw, err := r.bytes(full, largest)
	if err != nil {
		c.items = append(c.items, Item{Kind: kind, Name: path.Base(file), Path: file, Problem: err.Error()}.seal())
		return nil
	}
	return raw
}

// broken enters a file that cannot be understood, in place of all that it may define.
func (c *collector) broken(kind ItemKind, file string, err error) {
	c.items = append(c.items, Item{Kind: kind, Name: path.Base(file), Path: file,
		Problem: "it cannot be parsed: " + err.Error()}.seal())
}

// add enters an item with all it would run. argv is nil where only files are looked at.
// The first problem found is the one that is told. A check's name is its command line, so it may hold anything.
func (c *collector) add(i Item, definition any, argv []string, files ...string) {
	r := reader{dir: c.dir}
	if definition != nil {
		raw, err := json.Marshal(definition)
		if err != nil {
			c.broken(i.Kind, i.Path, err)
			return
		}
		i.Definition = raw
	}
	if object, ok := definition.(map[string]any); ok {
		if err := exact(object, fields); err != nil {
			i.Problem = err.Error()
		}
	}
	if !cleanName().MatchString(i.Name) && i.Kind != Check {
		i.Problem = "its name may have only letters, digits, dots, dashes and underscores, at most 64"
	}
	for _, f := range files {
		r.add(filepath.Join(c.dir, filepath.FromSlash(f)))
	}
	r.command(argv)
	i.Files = r.files
	if i.Problem == "" {
		i.Problem = r.problem
	}
	c.items = append(c.items, i.seal())
}

// hooks enters the hooks of a project, each with the files of its command. A file without the key hooks is broken
// rather than empty: its author meant something.
func (c *collector) hooks() {
	raw := c.read(Hook, HooksFile)
	var file struct {
		Hooks map[string]map[string]any `yaml:"hooks"`
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		c.broken(Hook, HooksFile, err)
		return
	}
	if len(raw) > 0 && file.Hooks == nil {
		c.broken(Hook, HooksFile, errors.New(`it must begin with "hooks:" and name each hook below it`))
	}
	for _, name := range slices.Sorted(maps.Keys(file.Hooks)) {
		h := file.Hooks[name]
		c.add(Item{Kind: Hook, Name: name, Path: HooksFile}, h, words(h["command"]))
	}
}

// servers enters the MCP servers of a project. One that is disabled is none.
func (c *collector) servers() {
	raw := c.read(MCP, MCPFile)
	if raw == nil {
		return
	}
	servers, err := Servers(raw)
	if err != nil {
		c.broken(MCP, MCPFile, err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		s := servers[name]
		if s["disabled"] == true {
			continue
		}
		program, _ := s["command"].(string)
		c.add(Item{Kind: MCP, Name: name, Path: MCPFile}, s, append([]string{program}, words(s["args"])...))
	}
}

// checks are the commands a project's settings name, which its settings alone cannot allow.
// A line that stands twice is one check. Both ways to write the key count.
func (c *collector) checks() {
	raw := c.read(Check, ConfigFile)
	var flat struct {
		Checks struct {
			Commands []string `yaml:"commands"`
		} `yaml:"checks"`
		Commands []string `yaml:"checks.commands"`
	}
	if err := yaml.Unmarshal(raw, &flat); err != nil {
		return // the settings say what is wrong with them
	}
	for _, line := range slices.Compact(slices.Sorted(slices.Values(append(flat.Checks.Commands, flat.Commands...)))) {
		c.add(Item{Kind: Check, Name: line, Path: ConfigFile}, line, strings.Fields(line))
	}
}

// Workspace is what SetupFile says, and the Definition of its item.
type Workspace struct {
	Copy  []string `yaml:"copy" json:"copy,omitempty"`   // globs of files that git ignores
	Run   []string `yaml:"run" json:"run,omitempty"`     // a command
	Ports int      `yaml:"ports" json:"ports,omitempty"` // how many
}

// mostPorts is how many ports each workspace may get.
const mostPorts = 20

// setup enters what the workspaces of a run get. A key that nothing reads is a problem: its author meant something.
func (c *collector) setup() {
	raw := c.read(Setup, SetupFile)
	if raw == nil {
		return
	}
	var w Workspace
	in := yaml.NewDecoder(bytes.NewReader(raw))
	in.KnownFields(true)
	err := in.Decode(&w)
	switch {
	case err == nil && (w.Ports < 0 || w.Ports > mostPorts):
		err = fmt.Errorf("ports must be between 0 and %d", mostPorts)
	case err == nil && len(w.Run) > 0 && w.Run[0] == "":
		err = errors.New("run must begin with a program")
	}
	for _, glob := range w.Copy {
		if err == nil && (!filepath.IsLocal(filepath.FromSlash(glob)) || !doublestar.ValidatePattern(glob)) {
			err = fmt.Errorf("copy: %q is not a path or glob below the project", glob)
		}
	}
	if err != nil {
		c.broken(Setup, SetupFile, err)
		return
	}
	c.add(Item{Kind: Setup, Name: "workspace", Path: SetupFile}, w, w.Run)
}

// pages enters the command pages of a project: text that becomes a prompt, so the file itself is all there is.
func (c *collector) pages() {
	for _, e := range c.list(commands) {
		if name, ok := strings.CutSuffix(e.Name(), ".md"); ok {
			file := path.Join(commands, e.Name())
			c.add(Item{Kind: Command, Name: name, Path: file}, nil, nil, file)
		}
	}
}

// skills enters those that hold something that can be run: mere text is only read.
func (c *collector) skills() {
	for _, e := range c.list(skills) {
		dir := path.Join(skills, e.Name())
		r := reader{dir: c.dir}
		r.folder(filepath.Join(c.dir, filepath.FromSlash(dir)))
		if r.problem == "" && !slices.ContainsFunc(r.files, File.runs) {
			continue
		}
		i := Item{Kind: Skill, Name: e.Name(), Path: dir, Files: r.files, Problem: r.problem}
		if !cleanName().MatchString(i.Name) {
			i.Problem = "its name may have only letters, digits, dots, dashes and underscores, at most 64"
		}
		c.items = append(c.items, i.seal())
	}
}

// A folder that cannot be listed has none: nothing in it can be named, so nothing in it runs.
func (c *collector) list(dir string) []os.DirEntry {
	all, _ := os.ReadDir(filepath.Join(c.dir, filepath.FromSlash(dir))) // most projects have none
	return all
}

// words are the texts of a list.
func words(list any) []string {
	all, _ := list.([]any)
	var out []string
	for _, w := range all {
		out = append(out, fmt.Sprint(w))
	}
	return out
}
