// Package phase is what an agent is told: pages for the phases of its work, for commands and for tickets, the skills and
// conventions it finds in a project, and the system prompt made of them. It runs nothing and asks nobody.
//
// Four sorts of pages have one form, a head between lines of three dashes and a text (package page): phases (Phase),
// commands (Command), templates of tickets (Template) and roles of helpers (Roles). Those of the person come before
// those that the program brings, and the first of a name counts. A project brings commands, which run only once they
// are trusted, and roles, which can narrow what a helper may do and lift nothing; it brings no phases.
//
// Gather looks at a folder once, when a conversation begins: facts, conventions (AGENTS.md and what others have in its
// place), skills, roles. The Facts are kept with the conversation. System makes the prompt of a phase from them, with
// what changes least in front, so that vendors can keep it: the same arguments give the same bytes.
//
// What comes from a project is told as what it is. It stands between fences, nothing in it is hidden (letters that
// cannot be seen are shown, and a person is warned), and the rules above it hold. Whether a tool may be used is not
// decided here: a Phase says what it allows, and the gate asks.
//
// Reading fails page by page: a page that is wrong is left out and told, as an error or as a sentence for a person; the
// others are there. Nothing is cached, so a page that is changed holds from the next look on. All functions are safe
// for concurrent use.
package phase

import (
	"embed"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Phase is a page that makes an agent behave: what it is told, and the most it may do.
// It comes from Find, All or Roles and is not changed. The zero Phase allows everything and says nothing.
type Phase struct {
	Name string `json:"name"`
	Doc  string `json:"doc"` // one line
	// of the model that answers, where the person named none: small, mid or big; empty: whatever is set
	Tier   string   `json:"tier,omitempty"`
	Tools  []string `json:"tools,omitempty"`  // names, globs and effects, as of tool.In; empty: all
	Mode   string   `json:"mode,omitempty"`   // a ceiling: the conversation's mode or this one, whichever is stricter
	Writes []string `json:"writes,omitempty"` // globs of the only files it may write; empty: the mode decides alone
	Next   string   `json:"next,omitempty"`   // the phase that follows when this one is done, or with a slash the command
	Prompt string   `json:"prompt,omitempty"`
	File   string   `json:"file,omitempty"` // empty: it comes with the program
	SHA256 string   `json:"sha256"`         // of the whole page: what somebody trusts who trusts it
}

// Allows says whether the phase may use a tool.
func (p Phase) Allows(t tool.Tool) bool { return t.In(p.Tools) }

// Leads is the phase that follows after a turn that wrote these files, relative to the project folder: there is one, and
// where the phase is there to write certain files, one of them was written.
// A planner that only talked has not planned: without one of its files nothing follows.
func (p Phase) Leads(wrote []string) (next string, ok bool) {
	return p.Next, p.Next != "" && (len(p.Writes) == 0 || slices.ContainsFunc(wrote, p.MayWrite))
}

// MayWrite says whether a file, relative to the project folder and with slashes, is one the phase may write if its mode
// permits it.
func (p Phase) MayWrite(file string) bool {
	return len(p.Writes) == 0 || slices.ContainsFunc(p.Writes,
		func(glob string) bool { return doublestar.MatchUnvalidated(glob, path.Clean(file)) })
}

//go:embed phase/*.md command/*.md template/*.md
var own embed.FS

// maxPrompt is how long a prompt may be, in bytes: about 4,000 tokens.
const maxPrompt = 16 << 10

// phases is where the pages of phases are looked for: the person's folders, then our own.
func phases(dirs []string) page.SearchPath {
	return page.SearchPath{Places: append(page.Folders(dirs...), page.Folder{FS: own, At: "phase"}),
		Form: page.Form{Noun: "phase", MaxText: maxPrompt, Keys: []string{"tier", "tools", "mode", "writes", "next"},
			Empty: "write instructions for the agent"}}
}

// What tier and mode may be. The empty one leaves it to whatever is set.
var (
	tiers = []string{"", "small", "mid", "big"}
	modes = []string{"", "plan", "paranoid", "balanced", "yolo"}
)

// Find opens the page of a phase. It is looked for in dirs, in this order, before those that come with the program. The
// error is page.ErrUnknown, or a *page.Error that says what is wrong with the page.
func Find(name string, dirs ...string) (Phase, error) {
	pages := phases(dirs)
	p, err := pages.Find(name)
	if err != nil {
		return Phase{}, err
	}
	out := Phase{Name: p.Name, Doc: p.Doc, Tier: p.Get("tier"), Tools: p.List("tools"), Mode: p.Get("mode"), Writes: p.List("writes"),
		Next:   p.Get("next"),
		Prompt: p.Text, File: p.File, SHA256: p.SHA256}
	if !slices.Contains(tiers, out.Tier) {
		return Phase{}, p.Wrong("tier", "must be small, mid or big, not %s", out.Tier)
	}
	if !slices.Contains(modes, out.Mode) {
		return Phase{}, p.Wrong("mode", "must be plan, paranoid, balanced or yolo, not %s", out.Mode)
	}
	if err := checkTools(p, out.Tools); err != nil {
		return Phase{}, err
	}
	for _, glob := range out.Writes {
		if !doublestar.ValidatePattern(glob) || !localGlob(glob) {
			return Phase{}, p.Wrong("writes", "has %s, which is not a path or pattern below the project folder", glob)
		}
	}
	if names := pages.Names(); out.Next != "" && out.Next[0] != '/' && !slices.Contains(names, out.Next) {
		if best := spelling.Nearest(out.Next, names); best != "" {
			return Phase{}, p.Wrong("next", "names an unknown phase: %s (did you mean %s?)", out.Next, best)
		}
		return Phase{}, p.Wrong("next", "names an unknown phase: %s", out.Next)
	}
	return out, nil
}

// localGlob says whether a pattern stays below the folder it is for.
func localGlob(glob string) bool {
	return !path.IsAbs(glob) && glob == path.Clean(glob) && glob != ".." && !(len(glob) > 2 && glob[:3] == "../")
}

// checkTools finds patterns that no name can fit. Whether there is a tool of a name is known only where tools are made.
func checkTools(p page.Page, tools []string) error {
	for _, glob := range tools {
		if strings.HasPrefix(glob, "[") && !strings.HasSuffix(glob, "]") { // a list as YAML writes it, split at its commas
			return p.Wrong("tools", "begins a list with %s; write names separated by commas, without brackets", glob)
		}
		if _, err := path.Match(strings.TrimPrefix(glob, "-"), ""); err != nil {
			return p.Wrong("tools", "has %s, which is not a pattern", glob)
		}
	}
	return nil
}

// All returns every phase that can be used, by name, and what is wrong with the others.
func All(dirs ...string) ([]Phase, []error) {
	return page.All(phases(dirs), func(name string) (Phase, error) { return Find(name, dirs...) })
}

// Names are the names there are phases for, usable or not, in order.
func Names(dirs ...string) []string { return phases(dirs).Names() }

// Page is the whole page of a phase as its author wrote it.
func Page(name string, dirs ...string) (string, error) {
	p, err := phases(dirs).Find(name)
	return p.Raw, err
}

// New writes a page into dir to begin with, the program's own if it has one of that name, and returns its path. It never
// overwrites: an existing page is an fs.ErrExist.
// dir is made if need be.
func New(dir, name string) (string, error) { return phases(nil).New(dir, name, blank) }

// blank is the page that a new phase of an unknown name begins as.
const blank = `---
# A phase tells an agent what to do and limits what it may do. Lines like this one are for you.
# tier: the model used if you name none: its vendor's small, mid or big one.
# tools: names, patterns such as git_*, or effects (socrates tool list shows them); an effect means every tool that has it,
# -NAME excludes a tool, and without this line all tools are available.
# mode: the most permissive mode: plan, paranoid, balanced or yolo. writes: patterns of the only files it may write.
# next: the phase that follows. For a complete example: socrates phases show planner
name: NAME
doc: what it is for, in one line
tools: reads, ask, todo
mode: plan
---
Investigate what the person asks about, and change nothing.

Say where you found each thing, and list what you looked for but did not find.
`
