package setup

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/phase"
)

func newPhases(a *call.Call) *cobra.Command {
	c := &cobra.Command{Use: "phases", Short: "List, show and create phases",
		Long: `A phase is a page that tells an agent what to do and limits what it may do: the tier of its
model, its tools, the highest permission mode, and the phase that follows. socrates clarifies the
request, planner writes a plan, executor carries it out, reviewer checks the result; chat is for
everything else.

Your phases are in the folder phases next to your config.yaml. They extend the built-in ones and
override those of the same name.`,
		Example: `  socrates phases show planner
  socrates phases new planner     # your own copy, to edit
  socrates phases path planner`,
	}
	list := func(*cobra.Command, []string) error { return listPhases(a) }
	c.RunE = list
	one := func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return failure.Usage(c.CommandPath()+" takes one name", "list phases with: socrates phases")
		}
		return nil
	}
	names := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		dir, err := a.Home.Pages.PhaseDir()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return phase.Names(dir), cobra.ShellCompDirectiveNoFileComp
	}
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List phases", Args: cobra.NoArgs, RunE: list},
		&cobra.Command{Use: "show NAME", Short: "Print a phase", Args: one, ValidArgsFunction: names,
			RunE: func(_ *cobra.Command, args []string) error { return showPhase(a, args[0]) }},
		&cobra.Command{Use: "path [NAME]", Short: "Print the path of your phases, or of one", Args: cobra.MaximumNArgs(1), ValidArgsFunction: names,
			RunE: func(_ *cobra.Command, args []string) error { return phasePath(a, args) }},
		&cobra.Command{Use: "new NAME", Short: "Create a phase to edit (never overwrites)", Args: one, ValidArgsFunction: names,
			RunE: func(_ *cobra.Command, args []string) error {
				dir, err := a.Home.Pages.PhaseDir()
				if err != nil {
					return err
				}
				return newPage(a, "phase", args[0], "see it with: socrates phases show "+args[0], func(name string) (string, error) {
					return phase.New(dir,
						name)
				})
			}},
	)
	return c
}

// phaseRow is a phase as `socrates phases` lists it.
type phaseRow struct {
	phase.Phase
	Origin string `json:"origin"` // built in or yours
}

func listPhases(a *call.Call) error {
	dir, err := a.Home.Pages.PhaseDir()
	if err != nil {
		return err
	}
	all, wrong := phase.All(dir)
	for _, err := range wrong {
		a.Out.Warn(err.Error())
	}
	rows := []phaseRow{}
	for _, p := range all {
		rows = append(rows, phaseRow{p, origin(p.File)})
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(rows)
	}
	for _, r := range rows {
		fmt.Fprint(a.Out, out.Fit(os.Stdout, fmt.Sprintf("%-11s %-8s  %s\n", r.Name, r.Origin, r.Doc), strings.Repeat(" ", 22)))
	}
	return nil
}

func showPhase(a *call.Call, name string) error {
	dir, err := a.Home.Pages.PhaseDir()
	if err != nil {
		return err
	}
	p, err := phase.Find(name, dir)
	if errors.Is(err, page.ErrUnknown) {
		return failure.Usage("unknown phase "+name, failure.Nearest(name, phase.Names(dir)))
	}
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(phaseRow{p, origin(p.File)})
	}
	text, err := phase.Page(name, dir)
	if err != nil {
		return err
	}
	fmt.Fprint(a.Out, strings.TrimRight(text, "\n")+"\n")
	return nil
}

func phasePath(a *call.Call, args []string) error {
	file, err := a.Home.Pages.PhaseDir()
	if err != nil {
		return err
	}
	if len(args) == 1 {
		if !page.CleanName(args[0]) {
			return failure.Usage(fmt.Sprintf("%q is not a valid phase name", args[0]),
				"use a lower-case letter, then lower-case letters, digits and dashes (at most 40)")
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
func PhasesPage() string {
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
