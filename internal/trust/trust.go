// Package trust compares what a project wants to run with what the person approved. An approval is of a content, to the byte:
// what changes afterwards is not trusted until it is approved again.
//
// A repository may bring hooks, MCP servers, checks, command pages, skills and a set-up of workspaces. Each is an Item: its definition, and
// every file of the project it would run, with bytes and mode. Collect finds them, Store keeps which contents a person
// approved, Store.State compares the two. Only what is Approved runs, and whoever runs it takes the Definition from the
// Item that was compared and asks Still just before: between the look and the run the file may have changed.
//
// What is found errs on the side of too much. A name in a comment counts as a file that is run; a file that two readers
// could understand differently (a key twice, a key in another case) is a Problem. An item with a Problem can be neither
// approved nor run, and is listed, so that a guard which somebody meant to have is not lost in silence. What cannot be
// seen is what a program puts together while it runs; the sandbox is for that.
//
// Text is what a person reads before approving. Control characters and letters that cannot be seen are shown in it,
// files that are not text or too large by their hash alone.
//
// Nothing here starts a program or asks anybody. Collect only reads, never waits for a pipe, and is safe for concurrent
// use; a Store is for one goroutine, while several processes may change its file.
package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/socrates-cli/socrates/internal/clean"
)

// ItemKind is what an item is.
type ItemKind string

// The kinds.
const (
	Hook    ItemKind = "hook"
	MCP     ItemKind = "mcp"     // a server that offers tools
	Tool    ItemKind = "tool"    // what a server said of one of its tools: NAME is SERVER/TOOL
	Command ItemKind = "command" // a page that becomes a prompt
	Check   ItemKind = "check"   // a command that tells whether a claim is true
	Skill   ItemKind = "skill"   // a folder of text and scripts an agent may use
	Setup   ItemKind = "setup"   // what the workspaces of a run get besides their files
)

// Item is one thing that runs, or widens what may run, once it is approved.
// The zero Item is nothing; Collect, Lent and Offer make them. Kind and Name together are unique in a project: see ID.
type Item struct {
	Kind ItemKind `json:"kind"`
	Name string   `json:"name"`
	Path string   `json:"path"` // the file that names it, relative to the project with slashes
	// SHA256 is over everything below that makes it what it is, and over the bytes and mode bits of Files.
	SHA256 string `json:"sha256"`
	Text   string `json:"text"` // the same for an eye: nothing in it is hidden
	Files  []File `json:"files"`
	// Definition is what its file says of it, as JSON. Whoever runs it reads this and not the file again.
	Definition json.RawMessage `json:"definition,omitempty"`
	Problem    string          `json:"problem,omitempty"` // why it can be neither approved nor run
}

// ID names an item among all of a project.
// It is what a person types: hook:lint.
func (i Item) ID() string { return string(i.Kind) + ":" + i.Name }

// File is a file an item is made of or would run.
// Size and text are for the eye only; the hash is over Path, Link, Mode and SHA256.
type File struct {
	Path   string `json:"path"`           // relative to the project with slashes; of a link that leads outside: absolute
	Link   string `json:"link,omitempty"` // where it leads, of a link
	Mode   string `json:"mode"`
	SHA256 string `json:"sha256"`
	text   string // empty: not shown
	size   int64
}

// State is whether an item may run.
type State string

// The states. Only what is Approved runs.
const (
	Approved State = "approved"
	New      State = "new"
	Changed  State = "changed"  // another content of that name was approved
	Unusable State = "unusable" // see Item.Problem
)

// seal computes what is hashed and shown of an item from the rest of it.
// Files are sorted first, so the order in which they were found does not count. Whatever is added to what is hashed
// makes every approval there is void.
func (i Item) seal() Item {
	slices.SortFunc(i.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	sum := sha256.New()
	json.NewEncoder(sum).Encode(struct { // into a hash nothing can fail
		Kind       ItemKind
		Name, Path string
		Definition json.RawMessage
		Files      []File
	}{i.Kind, i.Name, i.Path, i.Definition, i.Files})
	i.SHA256 = hex.EncodeToString(sum.Sum(nil))
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s, named in %s\n", i.Kind, i.Name, i.Path)
	if len(i.Definition) > 0 {
		var value any
		json.Unmarshal(i.Definition, &value) // we wrote it
		raw, _ := json.MarshalIndent(value, "", "  ")
		out.WriteString(unescape.Replace(string(raw)) + "\n")
	}
	for _, f := range i.Files {
		link := ""
		if f.Link != "" {
			link = " -> " + f.Link
		}
		fmt.Fprintf(&out, "\n--- %s%s (mode %s)\n", f.Path, link, f.Mode)
		switch {
		case f.text == "" && f.size > 0:
			fmt.Fprintf(&out, "(%d bytes that are not shown; sha256 %s)\n", f.size, f.SHA256)
		case f.text != "":
			out.WriteString(strings.TrimSuffix(f.text, "\n") + "\n")
		}
	}
	i.Text = clean.Reveal(out.String())
	return i
}

// unescape shows signs as they are that JSON escapes for the sake of HTML.
var unescape = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// Offer is the item of a tool that a server offers. server says what is started or reached, tool what was said of it.
func Offer(server, tool, origin string, definition any) (Item, error) {
	raw, err := json.Marshal(definition)
	if err != nil {
		return Item{}, fmt.Errorf("keeping what %s says of %s: %w", server, tool, err)
	}
	return Item{Kind: Tool, Name: server + "/" + tool, Path: origin, Definition: raw}.seal(), nil
}

// difference is what changed between two texts, as a unified diff.
// It never fails: its edits come from the same two texts.
func difference(before, after string) string {
	diff, err := udiff.ToUnified("approved", "now", before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil { // edits overlap, which those of Lines do not
		panic(err)
	}
	return diff
}

// Of says whether an item is a tool of a server.
func Of(i Item, server string) bool {
	return i.Kind == Tool && strings.HasPrefix(i.Name, server+"/")
}
