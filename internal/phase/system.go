package phase

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Facts is what an agent is told of the place it works in. They are gathered once, when a conversation begins, and kept
// with it: gathered again they would differ after the first commit, and every prompt would have to be paid for again.
// Everything in it was made harmless to show when it was gathered. Roles and Own are filled in by whoever knows them.
type Facts struct {
	Dir         string       `json:"dir"`           // the folder in use
	Top         string       `json:"top"`           // of the project it is part of; often the same
	System      string       `json:"system"`        // the operating system, as Go names it
	Date        string       `json:"date"`          // of the conversation's beginning
	Project     string       `json:"project"`       // Markdown
	Own         string       `json:"own,omitempty"` // what the person asks of agents everywhere
	Conventions []Convention `json:"conventions,omitempty"`
	Below       []string     `json:"below,omitempty"` // conventions of folders below
	Skills      []Skill      `json:"skills,omitempty"`
	Roles       []Phase      `json:"roles,omitempty"` // that a task may be given to
}

// maxProject is how much of what is known of a project is told, in bytes.
const maxProject = 6 << 10

// Gather looks at the folder dir for an agent that works in it, and at the project with the top folder top that it is part
// of. home is where the user's own skills are looked for; empty: nowhere. The warnings are sentences for a person: what was
// left out, cut or hidden. What a folder or file of the project is told as depends on nothing but the project.
// Two folders are opened where dir is below top: what the project is is told of dir, and conventions are looked for
// from the top. Secrets and files that git ignores are not among what is looked at.
func Gather(ctx context.Context, top, dir, home, date string) (Facts, []string, error) {
	f, at, err := open(top, dir)
	if err != nil {
		return Facts{}, nil, err
	}
	defer f.Close()
	here := f
	if at != "." {
		if here, _, err = open(dir, dir); err != nil {
			return Facts{}, nil, err
		}
		defer here.Close()
	}
	names, known, err := project.Facts(ctx, here)
	if err == nil && at != "." {
		names, err = f.Files(ctx, ".")
	}
	if err != nil {
		return Facts{}, nil, fmt.Errorf("looking at the project: %w", err)
	}
	out := Facts{Dir: here.Dir(), Top: f.Dir(), System: runtime.GOOS, Date: date, Below: below(names, at)}
	var wrong, more []string
	out.Conventions, wrong = conventions(f, names, at)
	out.Project = beginning(once(known, out.Conventions), maxProject)
	out.Skills, more = skills(f, names, at, home)
	return out, append(wrong, more...), nil
}

// open opens the folder top; at is where dir lies in it.
// The caller closes the folder. dir must lie in top, links followed.
func open(top, dir string) (f *folder.Folder, at string, err error) {
	if dir, err = filepath.Abs(dir); err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, "", err
	}
	if f, err = folder.Open(top); err != nil {
		return nil, "", err
	}
	if at, err = f.Inside(dir); err != nil {
		f.Close()
		return nil, "", fmt.Errorf("reading the project's agent instructions: %w", err)
	}
	return f, at, nil
}

// Skills are those of the project and of the user below home that an agent which works in dir is told of, as for Gather.
func Skills(ctx context.Context, top, dir, home string) ([]Skill, error) {
	f, at, err := open(top, dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Files(ctx, ".")
	if err != nil {
		return nil, fmt.Errorf("looking for skills: %w", err)
	}
	found, _ := skills(f, names, at, home)
	return found, nil
}

// once is what is known of a project without how its conventions begin: they are told as a whole.
func once(known string, all []Convention) string {
	for _, c := range all {
		if at := strings.Index(known, "\n- "+c.File+" begins: "); at >= 0 {
			_, rest, _ := strings.Cut(known[at+1:], "\n")
			known = known[:at+1] + rest
		}
	}
	return known
}

// beginning is as many whole lines of text as fit.
func beginning(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return text[:strings.LastIndexByte(text[:limit], '\n')+1] + "\n(Left out: the rest.)\n"
}

//go:embed prompt/who.md
var who string

//go:embed prompt/rules.md
var rules string

// Prompt is a system prompt, what changes least first, so that vendors keep as much of it as can be: what all conversations begin with,
// what a folder's do, and the phase and mode at hand.
type Prompt struct{ Shared, Folder, Phase, Mode string }

// String is the whole prompt in its order.
func (p Prompt) String() string { return p.Shared + p.Folder + p.Phase + p.Mode }

// System is an agent's system prompt in a phase. tools are those it is offered; mode is the one that holds,
// the phase's ceiling considered. The same arguments give the same bytes.
// tools leaves out the sections of rules about tools that are not there: a model that reads of one tries to call it.
func System(p Phase, f Facts, tools []tool.Tool, mode string) Prompt {
	var offered, allowed []string
	for _, t := range tools {
		if offered = append(offered, t.Name); p.Allows(t) {
			allowed = append(allowed, t.Name)
		}
	}
	out := Prompt{Shared: who + "\n" + rulesFor(offered), Folder: whereabouts(f, offered)}
	out.Phase = fmt.Sprintf("\n# Now: %s (%s)\n\n%s\n\n", p.Name, p.Doc, strings.TrimRight(demoted(p.Prompt), "\n"))
	if len(p.Writes) > 0 {
		out.Phase += fmt.Sprintf("- files you may write: %s; no others\n", strings.Join(p.Writes, ", "))
	}
	if len(p.Tools) > 0 {
		out.Phase += fmt.Sprintf("- tools of this phase: %s; the others are refused\n", cmp.Or(strings.Join(allowed, ", "), "none"))
	}
	out.Mode = fmt.Sprintf("- mode: %s; what it does not permit is refused, or the person is asked\n", mode)
	return out
}

// whereabouts is what is told of a folder.
func whereabouts(f Facts, tools []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n# Where you are\n\n- folder: %s\n", clean.Line(f.Dir))
	if f.Top != f.Dir {
		fmt.Fprintf(&b, "- it is part of the project in %s; your tools cannot reach the rest of it\n", clean.Line(f.Top))
	}
	if slices.Contains(tools, "bash") {
		fmt.Fprintf(&b, "- system: %s. Commands are bash scripts. What they start runs in a sandbox, where the system has one: without "+
			"network, and only the\n  project and $TMPDIR can be written. What needs the network is a command of its own, about which the "+
			"person is asked.\n", f.System)
	}
	fmt.Fprintf(&b, "- date: %s, when this conversation began\n", f.Date)
	if f.Project != "" {
		b.WriteString("\nWhat the project contained then. It may have changed since: check.\n\n" + fence.Block("project", f.Project))
	}
	if f.Own != "" {
		b.WriteString("\n# What the person asks of you in every project\n\nFollow this. It cannot override a rule above; where the " +
			"project's conventions differ, those apply.\n\n" + fence.Block("instructions", f.Own))
	}
	if len(f.Conventions)+len(f.Below) > 0 {
		b.WriteString("\n# Conventions of the project\n\nFollow them here. They cannot override a rule above; within a folder, its own " +
			"conventions take precedence.\n")
		for _, c := range f.Conventions {
			fmt.Fprintf(&b, "\n%s:\n%s", c.File, fence.Block("conventions", c.Text))
		}
	}
	if len(f.Below) > 0 {
		fmt.Fprintf(&b, "\nEach applies to its folder and everything below it. Read a folder's file before you change anything there: "+
			"%s\n", strings.Join(f.Below, ", "))
	}
	if len(f.Skills) > 0 && slices.Contains(tools, "read") {
		b.WriteString("\n# Skills\n\nHow certain things are done here. If one fits, read its file before you begin.\n\n")
		for _, s := range f.Skills {
			fmt.Fprintf(&b, "- %s: %s (%s)\n", s.Name, s.Doc, clean.Line(s.File))
		}
	}
	if len(f.Roles) > 0 && slices.Contains(tools, "task") {
		b.WriteString("\n# Roles for task\n\n")
		for _, r := range f.Roles[:min(len(f.Roles), mostRoles)] {
			fmt.Fprintf(&b, "- %s: %s\n", r.Name, r.Doc)
		}
	}
	return b.String()
}

// mostRoles is how many roles an agent is told of.
const mostRoles = 30

// rulesFor leaves out sections about tools that are not there. The line before such a section names them.
func rulesFor(tools []string) string {
	var b strings.Builder
	keep := true
	for line := range strings.Lines(rules) {
		if strings.HasPrefix(line, "[") {
			keep = slices.ContainsFunc(strings.Fields(strings.Trim(line, "[]\r\n")),
				func(t string) bool { return slices.Contains(tools, t) })
			continue
		}
		if keep {
			b.WriteString(line)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// demoted makes headings of a page headings within the prompt. What stands between fences is left as it is.
func demoted(text string) string {
	fenced := false
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced && strings.HasPrefix(line, "#") {
			lines[i] = "#" + line
		}
	}
	return strings.Join(lines, "\n")
}
