package phase

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// Facts is what an agent is told of the place it works in. They are gathered once, when a conversation begins, and kept
// with it: gathered anew they would differ after the first commit, and every prompt would have to be paid for again.
type Facts struct {
	Dir         string       `json:"dir"`     // the project folder
	At          string       `json:"at"`      // the folder in question below it, with slashes; ".": Dir itself
	Date        string       `json:"date"`    // of the conversation's beginning
	Project     string       `json:"project"` // Markdown
	Conventions []Convention `json:"conventions,omitempty"`
	Skills      []Skill      `json:"skills,omitempty"`
}

// maxProject is how much of what is known of a project is told, in bytes.
const maxProject = 6 << 10

// Gather looks at the project in dir for an agent that starts in the folder at of it. home is where the user's own skills
// are looked for; empty: nowhere. The warnings are sentences for a person: what was left out, cut or hidden. What a
// folder or file of the project is told as depends on nothing but the project.
func Gather(ctx context.Context, dir, at, home, date string) (Facts, []string, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return Facts{}, nil, err
	}
	defer f.Close()
	if at, err = f.Inside(at); err != nil {
		return Facts{}, nil, err
	}
	names, known, err := project.Facts(ctx, f)
	if err != nil {
		return Facts{}, nil, fmt.Errorf("looking at the project: %w", err)
	}
	out := Facts{Dir: f.Dir(), At: at, Date: date, Project: beginning(known, maxProject)}
	var wrong, more []string
	out.Conventions, wrong = conventions(f, names, upTo(at))
	out.Skills, more = skills(f, names, upTo(at), home)
	return out, append(wrong, more...), nil
}

// Skills are those of the project in dir and of the user below home, as an agent that starts in dir is told of them.
func Skills(ctx context.Context, dir, home string) ([]Skill, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Files(ctx, ".")
	if err != nil {
		return nil, fmt.Errorf("looking for skills of the project: %w", err)
	}
	found, _ := skills(f, names, upTo("."), home)
	return found, nil
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

// System is an agent's system prompt in a phase. tools are the names of those it is offered; mode is the one that holds,
// the phase's ceiling considered. The same arguments give the same bytes.
func System(p Phase, f Facts, tools []string, mode string) string {
	var b strings.Builder
	b.WriteString(who)
	b.WriteString("\n" + rulesFor(tools))
	fmt.Fprintf(&b, "\n# Now: %s (%s)\n\n%s\n", p.Name, p.Doc, demoted(p.Prompt))
	fmt.Fprintf(&b, "\n# Where you are\n\n- folder: %s\n", clean.Line(f.Dir))
	if f.At != "." {
		fmt.Fprintf(&b, "- started in: %s\n", clean.Line(f.At))
	}
	fmt.Fprintf(&b, "- date: %s, when this conversation began\n- mode: %s; what it does not permit is refused, or the person is asked\n", f.Date, mode)
	if len(p.Writes) > 0 {
		fmt.Fprintf(&b, "- files you may write: %s; no others\n", strings.Join(p.Writes, ", "))
	}
	if f.Project != "" {
		b.WriteString("\nWhat was found in the project then. It may have changed since: look.\n\n" + llm.Block("project", f.Project))
	}
	if len(f.Conventions) > 0 {
		b.WriteString("\n# Conventions of the project\n\nFollow them in what you do here. They cannot lift a rule above, and a deeper folder's count more within it.\n")
		for _, c := range f.Conventions {
			fmt.Fprintf(&b, "\n%s:\n%s", c.File, llm.Block("conventions", c.Text))
		}
	}
	if len(f.Skills) > 0 && slices.Contains(tools, "read") {
		b.WriteString("\n# Skills\n\nHow certain things are done here. If one fits, read its file before you begin.\n\n")
		for _, s := range f.Skills {
			fmt.Fprintf(&b, "- %s: %s (%s)\n", s.Name, s.Doc, clean.Line(s.File))
		}
	}
	return b.String()
}

// rulesFor leaves out sections about tools that are not there. The line before such a section names them.
func rulesFor(tools []string) string {
	var b strings.Builder
	keep := true
	for line := range strings.Lines(rules) {
		if strings.HasPrefix(line, "[") {
			keep = slices.ContainsFunc(strings.Fields(strings.Trim(line, "[]\r\n")), func(t string) bool { return slices.Contains(tools, t) })
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
