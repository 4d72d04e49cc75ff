package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/adopt"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/trust"
)

func newAdopt(a *call.Call) *cobra.Command {
	var all, yes, own bool
	c := &cobra.Command{Use: "adopt [NAME...]", Short: "Adopt commands, skills, rules, hooks and servers of other agents",
		Long: `Find what this project contains for Claude Code, Codex, Cursor and Gemini CLI: commands, skills,
rules, MCP servers, hooks and permissions. Without a NAME, list it. With a NAME, show what
would be written, ask, write it where Socrates reads it, and approve it as trust approve does. The other agent's
files are not changed.

With --user, the same for your own: ~/.claude, ~/.codex, ~/.cursor and ~/.gemini, including your
instructions and the rules that allow something. Secrets are never copied; the variables that a
server needs are listed.`,
		Example: `  socrates trust adopt
  socrates trust adopt command:review
  socrates trust adopt --all --yes
  socrates trust adopt --user`}
	c.Flags().BoolVar(&all, "all", false, "adopt everything that is new")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask (for scripts)")
	c.Flags().BoolVar(&own, "user", false, "adopt from your home folder, for all projects")
	c.RunE = func(_ *cobra.Command, args []string) error {
		dir, err := a.Home.Settings.Dir()
		if err != nil {
			return err
		}
		found, err := findAdoptable(a, dir, own)
		switch {
		case err != nil:
			return err
		case all && len(args) > 0:
			return failure.Usage("use either --all or names", "")
		// Listing changes nothing and needs no terminal.
		case !all && len(args) == 0:
			return listAdoptable(a, found, own)
		}
		if found, err = adoptable(found, args, all); err != nil {
			return err
		}
		return adoptAll(a, dir, found, all && yes, yes)
	}
	return c
}

// unadopted describes what the project holds for other agents that is not used here; empty: nothing. It skips what
// cannot be read: trust adopt says why.
func unadopted(a *call.Call) string {
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return ""
	}
	found, _ := adopt.Find(dir)
	var kinds, from []string
	count := map[adopt.Target]int{}
	for _, p := range found {
		if p.State != adopt.New {
			continue
		}
		count[p.Kind]++
		if folder, _, _ := strings.Cut(p.From, "/"); !slices.Contains(from, folder) {
			from = append(from, folder)
		}
	}
	for _, k := range []adopt.Target{adopt.Command, adopt.Skill, adopt.Server, adopt.Hook, adopt.Permission, adopt.Instructions} {
		if n := count[k]; n > 0 {
			kinds = append(kinds, out.Count(n, pieceWords[k]))
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	return clean.Reveal(strings.Join(from, ", ")) + " has " + strings.Join(kinds, ", ") + " for other agents, not used here"
}

// alsoUnadopted returns unadopted as a sentence after another, with the command to run.
func alsoUnadopted(a *call.Call, before string) string {
	if has := unadopted(a); has != "" {
		return before + has + ". List and adopt: socrates trust adopt"
	}
	return ""
}

// pieceWords name the kinds of pieces.
var pieceWords = map[adopt.Target]string{adopt.Command: "command", adopt.Skill: "skill", adopt.Server: "MCP server", adopt.Hook: "hook",
	adopt.Permission: "rule", adopt.Instructions: "file"}

// findAdoptable searches the project, or the person's own folders.
func findAdoptable(a *call.Call, dir string, own bool) ([]adopt.Piece, error) {
	if !own {
		return adopt.Find(dir)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	file, err := a.Home.Settings.File()
	if err != nil {
		return nil, err
	}
	return adopt.FindOwn(os.Getenv, home, file)
}

// listAdoptable lists what was found. Names and notes come from the project and are shown with invisible characters
// revealed.
func listAdoptable(a *call.Call, found []adopt.Piece, own bool) error {
	none, again, at := "This project contains nothing for other agents.\n", "socrates trust adopt", ""
	if own {
		none, again, at = "Your home folder contains nothing for other agents.\n", again+" --user", "~/"
	}
	list := out.List[adopt.Piece]{Rows: append([]adopt.Piece{}, found...), None: none,
		Line: func(p adopt.Piece) string {
			from := at + clean.Reveal(p.From)
			if filepath.IsAbs(p.From) { // a variable gave another folder
				from = clean.Reveal(p.From)
			}
			line := fmt.Sprintf("%-9s %-12s %s  %s", p.State, p.Kind, clean.Reveal(p.Name), from)
			if p.Note != "" {
				line += "\n          " + clean.Reveal(p.Note)
			}
			return line + "\n"
		}}
	if len(found) > 0 {
		list.Then = "\nAdopt one: " + again + " NAME; all that is new: " + again + " --all\n"
	}
	return list.Write(a.Out)
}

// adoptable returns the named pieces that can be adopted. A name may be that of several kinds; each is included. One
// that cannot be adopted refuses all, before anything is written.
func adoptable(found []adopt.Piece, names []string, all bool) (list []adopt.Piece, err error) {
	var ids []string
	for _, p := range found {
		ids = append(ids, p.ID())
		if all && p.State == adopt.New {
			list = append(list, p)
		}
	}
	for _, name := range names {
		before := len(list)
		for _, p := range found {
			if p.ID() != name && p.Name != name {
				continue
			}
			if p.State != adopt.New {
				why := strings.TrimSpace(string(p.State) + " " + p.Note)
				return nil, failure.Usage(clean.Reveal(p.ID())+" cannot be adopted: "+why, "see: "+again(p))
			}
			list = append(list, p)
		}
		if len(list) == before {
			return nil, failure.Usage(fmt.Sprintf("this project contains nothing named %q for other agents", name),
				failure.Nearest(name, ids))
		}
	}
	return list, nil
}

// again returns the command that lists where a piece was found.
func again(p adopt.Piece) string {
	if p.Below != "" {
		return "socrates trust adopt --user"
	}
	return "socrates trust adopt"
}

// adoptAll shows each piece, asks, writes it and approves the result. Unread rules that allow something are skipped:
// unread is true if nothing was named and nobody is asked. It opens the store of approvals first: a piece that was
// written but could not be approved would exist and not run.
func adoptAll(a *call.Call, dir string, pieces []adopt.Piece, unread, yes bool) error {
	if unread {
		before := len(pieces)
		pieces = slices.DeleteFunc(pieces, func(p adopt.Piece) bool { return p.Widens })
		if n := before - len(pieces); n > 0 {
			defer a.Out.Tell("Left out " + out.Count(n, "rule") + " that would allow something: name them, or leave out --yes to be " +
				"asked\n")
		}
	}
	if len(pieces) == 0 {
		a.Out.Tell("Nothing to adopt.\n")
		return nil
	}
	if !yes && !a.Attended() {
		return failure.Usage("cannot ask for approval: not a terminal", "inspect with socrates trust adopt --output json, then add --yes")
	}
	if _, err := a.Home.Approvals.Store(); err != nil { // before anything is written
		return err
	}
	for _, p := range pieces {
		if !yes {
			from, text := clean.Reveal(p.From), clean.Reveal(p.Text)
			if p.Note != "" {
				text += clean.Reveal(p.Note) + "\n"
			}
			fmt.Fprintf(a.Out.Err, "%s %s, from %s, into %s:\n%s\n", p.Kind, clean.Reveal(p.Name), from, place(p), text)
			line, err := a.ReadLine("\nAdopt it? [y/N] ")
			// A no to one piece does not answer for the others.
			if answer := strings.ToLower(line); err != nil || answer != "y" && answer != "yes" {
				continue
			}
		}
		if err := p.Write(dir); err != nil {
			return err
		}
		if p.Below == "" { // a person's own pieces need no approval
			if err := approveAdopted(a, p, yes); err != nil {
				return err
			}
		}
		line := fmt.Sprintf("adopted: %s %s into %s\n", p.Kind, clean.Reveal(p.Name), place(p))
		if yes && p.Note != "" {
			line += "  " + clean.Reveal(p.Note) + "\n"
		}
		a.Out.Tell(line)
	}
	return nil
}

// place names where a piece goes, for a person.
func place(p adopt.Piece) string {
	if p.Below == "" {
		return p.To
	}
	return filepath.Join(p.Below, filepath.FromSlash(p.To))
}

// approveAdopted approves what a piece became. The person was shown the piece; anything else approved with it is
// shown first. What is found again must define what was shown. It asks again about files that the piece would run and
// that were not part of it.
func approveAdopted(a *call.Call, p adopt.Piece, yes bool) error {
	w, err := a.Home.Approvals.Here()
	if err != nil {
		return err
	}
	for _, i := range w.Items {
		// Rules and pages without scripts become no item: they need no approval.
		if i.ID() != p.ID() || i.Scope != w.Project || i.Problem != "" || i.State == trust.Approved {
			continue
		}
		if !p.Defines(i.Item) {
			return failure.New(failure.ExitConfig, "trust", fmt.Sprintf("%s changed after it was shown; it is not approved",
				clean.Reveal(p.ID())), "see: socrates trust show "+clean.Reveal(p.ID()))
		}
		if beyond := func(f trust.File) bool { return !p.Holds(f) }; !yes && slices.ContainsFunc(i.Files, beyond) {
			if ok, err := consent(a, i); err != nil || !ok {
				return err
			}
		}
		return w.Store.Approve(i.Scope, i.Item)
	}
	return nil
}
