// Package adopt finds the files that a project or a home folder has for other agents (instructions, commands, skills, rules,
// MCP servers, hooks, permissions) and converts them to the form this program reads. What it writes into a project runs only
// once it was approved, like anything else of a project.
//
// Find looks at the folders of four agents (.claude, .cursor, .gemini, .codex) in a project, FindOwn at those in a
// person's home. Both return a Piece for each thing, with where it would go (To), what would stand there (Text) and its
// State. Nothing is written by looking. Piece.Write writes one that is New: a file of its own, or an entry in a file
// that others share (.mcp.json, .socrates/hooks.yaml, config.yaml), of which everything else is kept.
//
// A project can only narrow what its person allowed, and that holds for what is adopted: rules that deny or ask are
// taken over, rules that allow are left out with the reason; a person's own are taken over, and say so (Widens). A rule
// that cannot be said here word by word is left out, too, rather than said in a weaker form; a matcher of hooks that
// names no tool of ours likewise. Commands that another agent would run while it reads a page become words that ours is
// told, so they go through the gate.
//
// A secret is never copied. A server's variable or header that holds one is named and has to be set where the person
// keeps such; what holds one elsewhere is left out.
//
// A person approves what is written before it is. Piece.Defines and Piece.Holds then say whether an item that trust
// finds afterwards is that very piece, so that one consent is enough and covers nothing else.
//
// Reading is bounded (largest, and the number of files of a folder), leaves links alone where writing is concerned, and
// never fails on a single file: what cannot be read is left out, or not there. Find needs the project to hold still
// while it looks; calls for different projects may run at once.
package adopt

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
)

// Target is what a piece becomes.
type Target string

// The kinds, by the names that trust has for them where it has one.
const (
	Command      Target = "command"
	Skill        Target = "skill"
	Server       Target = "mcp"
	Hook         Target = "hook"
	Permission   Target = "permission"
	Instructions Target = "instructions"
)

// State is whether a piece is in use.
type State string

// The states. Used needs nothing: this program reads it where it is.
const (
	New     State = "new"
	Adopted State = "adopted"
	Taken   State = "taken" // its place holds something else, or a link
	Used    State = "used"
	Left    State = "left out"
)

// Piece is one thing of another agent.
// It comes from Find and is not changed. A Piece that is Left has no To and cannot be written.
type Piece struct {
	Kind  Target `json:"kind"`
	Name  string `json:"name"`
	From  string `json:"from"` // relative to the project or home, with slashes
	To    string `json:"to,omitempty"`
	Below string `json:"below,omitempty"` // the folder that To is relative to; empty: the project
	State State  `json:"state"`
	Note  string `json:"note,omitempty"` // what is different here, or why it is left out
	Text  string `json:"text,omitempty"` // what is written
	// Widens: it allows what would be asked about, so nobody should take it unread.
	Widens bool   `json:"widens,omitempty"`
	files  []file // of a folder
	merge  merge  // into a file that holds others; nil: the text is the file
	value  any    // what is merged
}

// file is a file to be written, relative to To.
type file struct {
	name string
	data []byte
	mode fs.FileMode
}

// merge is a file with a piece in it, made of the file as it is. It is the same file if the piece is there already.
type merge func(was []byte) ([]byte, error)

// ID names a piece among all of a project.
func (p Piece) ID() string { return string(p.Kind) + ":" + p.Name }

// Larger files are passed over, as if they were not there.
const largest = 256 << 10 // bytes of a file that is looked at

// mostBelow is how many files of a folder are looked at.
const mostBelow = 500

// finder gathers the pieces of a project, or of a person's home.
type finder struct {
	root   *os.Root // where it looks
	own    *own     // nil: a project
	pieces []Piece
	known  map[string]bool // their ids
}

// own are the places that a person's own pieces go to, and come from.
type own struct {
	home     string // skills
	dir      string // of the settings: commands and instructions
	settings string // the name of their file
	moved    map[string]moved
}

// moved is where a person keeps what is a folder of their home for others.
type moved struct {
	root *os.Root
	name string // the folder
}

// movedBy are the variables that name such folders.
var movedBy = map[string]string{".claude": "CLAUDE_CONFIG_DIR", ".codex": "CODEX_HOME"}

// Find returns what the project in dir holds for other agents, by kind and name.
// An error is about the folder itself. Files that AGENTS.md and its like are, and roles, are listed as Used: they need
// nothing.
func Find(dir string) ([]Piece, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", dir, err)
	}
	defer root.Close()
	return (&finder{root: root, known: map[string]bool{}}).find(), nil
}

// FindOwn returns what a person's home holds for other agents, as Find does of a project. settings is the person's file of settings,
// which need not exist. env says where the person has moved a folder to.
func FindOwn(env func(string) string, home, settings string) ([]Piece, error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", home, err)
	}
	defer root.Close()
	f := &finder{root: root, known: map[string]bool{}, own: &own{home, filepath.Dir(settings), filepath.Base(settings), map[string]moved{}}}
	for folder, variable := range movedBy {
		if to := env(variable); filepath.IsAbs(to) && filepath.Clean(to) != filepath.Join(home, folder) {
			at, err := os.OpenRoot(to) // the folder of others is not looked at either way: it is not in use
			if err == nil {
				defer at.Close()
			}
			f.own.moved[folder] = moved{at, filepath.ToSlash(filepath.Clean(to))}
		}
	}
	return f.find(), nil
}

// at is where a file or folder is looked for, and its name there; nil: nowhere. shown is its name for a person.
func (f *finder) at(name string) (root *os.Root, in, shown string) {
	first, rest, _ := strings.Cut(name, "/")
	if f.own == nil {
		return f.root, name, name
	}
	if first == ".claude.json" { // it lies in the folder, where that was moved
		first, rest = ".claude", first
	}
	m, ok := f.own.moved[first]
	if !ok {
		return f.root, name, name
	}
	return m.root, cmp.Or(rest, "."), path.Join(m.name, rest)
}

// find looks for all kinds.
func (f *finder) find() []Piece {
	f.commands()
	f.skills()
	f.rules()
	f.servers()
	f.settings()
	f.permissions()
	f.instructions()
	for i := range f.pieces {
		if p := &f.pieces[i]; p.State == "" {
			f.settle(p)
		}
	}
	slices.SortStableFunc(f.pieces, func(a, b Piece) int { return strings.Compare(a.ID(), b.ID()) })
	return f.pieces
}

// settle says whether a piece is where it would be written, and of one that cannot be written, why.
// A piece of several files is Adopted if all are there as they would be written, Taken as soon as one place holds
// something else.
func (f *finder) settle(p *Piece) {
	root := f.root
	if p.Below != "" {
		var err error
		if root, err = os.OpenRoot(p.Below); err != nil { // it is made when something is written
			p.State = New
			return
		}
		defer root.Close()
	}
	p.State = Adopted
	for _, one := range p.all() {
		to := path.Join(p.To, one.name)
		have, err := regular(root, to) // also through a link: what it holds is in use
		want, taken := one.data, err == nil
		var unfit error
		if p.merge != nil {
			want, unfit = p.merge(have)
			taken = unfit != nil
		}
		if err == nil && unfit == nil && bytes.Equal(have, want) {
			continue
		}
		p.State = New
		if _, why := target(root, to); why != nil && !errors.Is(why, fs.ErrNotExist) {
			taken, unfit = true, why
		}
		if unfit != nil {
			p.Note = clean.Line(unfit.Error())
		}
		if taken {
			p.State = Taken
			return
		}
	}
}

// all are the files of a piece.
func (p Piece) all() []file {
	if len(p.files) > 0 {
		return p.files
	}
	return []file{{data: []byte(p.Text), mode: 0o644}}
}

// read is a file of the project; false: there is none that can be read.
func (f *finder) read(name string) (string, bool) {
	raw, err := f.bounded(name, largest)
	return strings.TrimPrefix(string(raw), "\ufeff"), err == nil
}

// bounded is a file of so many bytes at most.
func (f *finder) bounded(name string, most int64) ([]byte, error) {
	root, name, _ := f.at(name)
	if root == nil {
		return nil, fs.ErrNotExist
	}
	return within(root, name, most)
}

// below are the files below a folder, relative to it, in order.
// Links and what is no ordinary file are passed over. A folder with more than mostBelow files is cut there.
func (f *finder) below(folder string) (names []string) {
	root, folder, _ := f.at(folder)
	if root == nil {
		return nil
	}
	fs.WalkDir(root.FS(), folder, func(at string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && len(names) < mostBelow {
			names = append(names, strings.TrimPrefix(at, folder+"/"))
		}
		return nil // a folder that is missing or cannot be read has none
	})
	return names
}

// add enters a piece. The first of an id counts.
// A later piece of the same id is listed as left out, so that nobody looks for it in vain.
func (f *finder) add(p Piece) {
	if f.known[p.ID()] {
		p.State, p.Note = Left, "the name is already used"
	}
	f.known[p.ID()] = true
	if f.own != nil && p.State == "" && secret(p.Text) { // a project keeps what it has; a person's would spread
		p.State, p.To, p.Note = Left, "", "it may contain a secret; secrets are not copied"
	}
	p.Note = clean.Line(p.Note)
	_, _, p.From = f.at(p.From)
	f.pieces = append(f.pieces, p)
}

// leave enters something that is not adopted, and says why.
func (f *finder) leave(kind Target, name, from, why string) {
	f.add(Piece{Kind: kind, Name: name, From: from, State: Left, Note: why})
}

// plain is a name as pages and skills have them.
// At most 60 small letters, digits and single dashes. Empty if the name has none of them.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	name = strings.Trim(name, "-")
	return strings.Trim(name[:min(len(name), 60)], "-")
}
