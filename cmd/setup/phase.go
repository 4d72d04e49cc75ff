package setup

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/phase"
)

// newPhases returns the command phases. An invalid page is named, and does not fall back on the built-in page of that
// name, which would do something else than the person wrote.
func newPhases(a *call.Call) *cobra.Command {
	c := &cobra.Command{Use: "phases", Short: "List, show and create phases",
		Long: `A phase is a page that tells an agent what to do and limits what it may do: the tier of its
model, its tools, the highest permission mode, and the next phase. socrates clarifies the request,
planner writes a plan, /exec executes it, reviewer checks the result; chat is for everything
else. refiner, analyst and task are those of socrates do.

Your phases are in the folder phases next to your config.yaml. They extend the built-in ones and
override those of the same name.`,
		Example: `  socrates phases show planner
  socrates phases new planner     # your own copy, to edit
  socrates phases path planner`,
	}
	phases := pages[phaseRow]{is: "phase", are: "phases", rows: func() ([]phaseRow, []error, error) { return phaseRows(a) },
		head: func(r phaseRow) (string, string, string) { return r.Name, r.File, r.Doc },
		find: func(name string) (phaseRow, error) { return findPhase(a, name) },
		then: func(name string) string { return "see it with: socrates phases show " + name },
	}
	phases.text = func(name string) (string, error) {
		dir, err := a.Home.Pages.PhaseDir()
		if err != nil {
			return "", err
		}
		return phase.Page(name, dir)
	}
	phases.write = func(name string) (string, error) {
		dir, err := a.Home.Pages.PhaseDir()
		if err != nil {
			return "", err
		}
		return phase.New(dir, name)
	}
	names := phases.commands(a, c)
	c.AddCommand(&cobra.Command{Use: "path [NAME]", Short: "Print the path of your phases, or of one", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: names,
		RunE:              func(_ *cobra.Command, args []string) error { return phasePath(a, phases.named, args) }})
	return c
}

// phaseRow is a phase as `socrates phases` lists it.
type phaseRow struct {
	phase.Phase
	Origin string `json:"origin"` // built in or yours
}

// phaseRows returns all phases, and the errors of unusable pages.
func phaseRows(a *call.Call) ([]phaseRow, []error, error) {
	dir, err := a.Home.Pages.PhaseDir()
	if err != nil {
		return nil, nil, err
	}
	all, wrong := phase.All(dir)
	rows := []phaseRow{}
	for _, p := range all {
		rows = append(rows, phaseRow{p, origin(p.File)})
	}
	return rows, wrong, nil
}

// findPhase finds a phase; an unknown name is refused with the nearest.
func findPhase(a *call.Call, name string) (phaseRow, error) {
	dir, err := a.Home.Pages.PhaseDir()
	if err != nil {
		return phaseRow{}, err
	}
	p, err := phase.Find(name, dir)
	if errors.Is(err, page.ErrUnknown) {
		err = failure.Usage("unknown phase "+name, failure.Nearest(name, phase.Names(dir)))
	}
	return phaseRow{p, origin(p.File)}, err
}

// The path of a page that does not exist is printed as well: an editor can create it.
func phasePath(a *call.Call, named func(string) error, args []string) error {
	file, err := a.Home.Pages.PhaseDir()
	if err != nil {
		return err
	}
	if len(args) == 1 {
		if err := named(args[0]); err != nil {
			return err
		}
		if file = filepath.Join(file, args[0]+".md"); !call.Exists(file) {
			a.Out.Tell("This file does not exist yet. Create it with: socrates phases new " + args[0] + "\n")
		}
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(map[string]string{"path": file})
	}
	fmt.Fprintln(a.Out, file)
	return nil
}

//go:embed phases.md
var phasesDoc string

// PhasesPage is the page of docs/ on phases, commands and templates.
func (*Setup) PhasesPage() string {
	var phases, commands, templates, pages strings.Builder
	phases.WriteString("| phase | tier | at most | tools | may write only | then |\n|---|---|---|---|---|---|\n")
	commands.WriteString("| command | |\n|---|---|\n")
	templates.WriteString("| template | | goes to |\n|---|---|---|\n")
	all, _ := phase.All()
	for _, p := range all {
		fmt.Fprintf(&phases, "| [%s](#%s): %s | %s | %s | %s | %s | %s |\n", p.Name, p.Name, p.Doc, p.Tier, cmp.Or(p.Mode, "any mode"),
			cmp.Or(strings.Join(p.Tools, ", "), "all"), strings.Join(p.Writes, ", "), p.Next)
		fmt.Fprintf(&pages, "\n### %s\n\n````markdown\n%s\n````\n", p.Name, p.Prompt)
	}
	own, _ := phase.Commands("", "")
	for _, c := range own {
		fmt.Fprintf(&commands, "| `/%s` | %s |\n", strings.TrimSpace(c.Name+" "+c.Args), c.Doc)
		fmt.Fprintf(&pages, "\n### /%s\n\n````markdown\n%s\n````\n", c.Name, c.Prompt)
	}
	kinds, _ := phase.Templates()
	for _, t := range kinds {
		fmt.Fprintf(&templates, "| %s | %s | `%s` |\n", t.Name, t.Doc, t.Path)
	}
	return strings.NewReplacer("{{phases}}", phases.String(), "{{commands}}", commands.String(), "{{templates}}", templates.String(),
		"{{pages}}\n", strings.TrimPrefix(pages.String(), "\n")).Replace(phasesDoc)
}
