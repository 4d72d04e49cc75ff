package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/persona"
	"github.com/socrates-cli/socrates/internal/project"
)

func newPersonas(a *call.Call) *cobra.Command {
	c := &cobra.Command{Use: "personas", Short: "List, show and create personas",
		Long: `A persona is a page that tells a seat where to look for evidence; use it as SPEC@NAME. Your
personas are in the folder personas next to your config.yaml. They extend the built-in ones and
override those of the same name. A project's personas are not read: they would reach every model
before you had seen them.

A persona does not say what to conclude and cannot change the form of a reply. It adds breadth,
not accuracy: assigning roles to models, above all devil's advocate, has been measured to make
panels less accurate. Two personas on one model still count as one lineage.`,
		Example: `  socrates debate --seat claude@security --seat codex "May the token be logged?"
  socrates personas show security
  socrates personas new storage`,
	}
	list := func(*cobra.Command, []string) error { return listPersonas(a) }
	c.RunE = list
	one := func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return failure.Usage(c.CommandPath()+" takes one name", "list personas with: socrates personas")
		}
		return nil
	}
	names := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		personas, err := a.Home.Seats.Personas()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return personas.Names(), cobra.ShellCompDirectiveNoFileComp
	}
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List personas", Args: cobra.NoArgs, RunE: list},
		&cobra.Command{Use: "show NAME", Short: "Print a persona and its warnings", Args: one, ValidArgsFunction: names,
			RunE: func(_ *cobra.Command, args []string) error { return showPersona(a, args[0]) }},
		&cobra.Command{Use: "new NAME", Short: "Create a persona to edit (never overwrites)", Args: one, ValidArgsFunction: names,
			RunE: func(_ *cobra.Command, args []string) error { return newPersona(a, args[0]) }},
	)
	return c
}

// personaRow is a persona as `socrates personas` lists it.
type personaRow struct {
	persona.Persona
	Origin   string            `json:"origin"` // built in or yours
	Findings []project.Finding `json:"findings"`
}

func newPersonaRow(p persona.Persona) personaRow {
	return personaRow{p, origin(p.File), append([]project.Finding{}, persona.Lint(p.Text)...)}
}

func listPersonas(a *call.Call) error {
	personas, err := a.Home.Seats.Personas()
	if err != nil {
		return err
	}
	all, wrong := personas.All()
	for _, err := range wrong {
		a.Out.Warn(err.Error())
	}
	rows := []personaRow{}
	for _, p := range all {
		rows = append(rows, newPersonaRow(p))
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(rows)
	}
	for _, r := range rows {
		fmt.Fprint(a.Out, out.Fit(os.Stdout, fmt.Sprintf("%-11s %-8s  %s\n", r.Name, r.Origin, r.Doc), strings.Repeat(" ", 22)))
	}
	a.Out.Tell("\nUse one as SPEC@NAME, for example --seat claude@security. A persona says where to\nlook, not what to conclude; assigned roles make panels less accurate.\n")
	return nil
}

func showPersona(a *call.Call, name string) error {
	p, err := a.Home.Seats.FindPersona(name)
	if err != nil {
		return err
	}
	row := newPersonaRow(p)
	if a.Out.Format != "text" {
		return a.Out.JSON(row)
	}
	personas, err := a.Home.Seats.Personas()
	if err != nil {
		return err
	}
	text, err := personas.Page(name)
	if err != nil {
		return err
	}
	fmt.Fprint(a.Out, strings.TrimRight(text, "\n")+"\n")
	for _, f := range row.Findings {
		a.Out.Warn(fmt.Sprintf("%s line %d of the text: %s %q: %s", name, f.Line, f.Kind, f.Word, f.Why))
	}
	return nil
}

func newPersona(a *call.Call, name string) error {
	personas, err := a.Home.Seats.Personas()
	if err != nil {
		return err
	}
	return newPage(a, "persona", name, "seat it with SPEC@"+name, personas.New)
}

// newPage writes a page to begin with. then says what to do once it is edited.
func newPage(a *call.Call, noun, name, then string, write func(name string) (string, error)) error {
	if !page.CleanName(name) {
		return failure.Usage(fmt.Sprintf("%q is not a valid %s name", name, noun),
			"use a lower-case letter, then lower-case letters, digits and dashes (at most 40)")
	}
	file, err := write(name)
	if p, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrExist) {
		return failure.Usage(p.Path+" already exists", "edit it, or use another name")
	}
	if err != nil {
		return fmt.Errorf("write the %s %s: %w", noun, name, err)
	}
	a.Out.Tell("Created " + file + ". Edit it, then " + then + ".\n")
	return nil
}

// origin says whose a page is.
func origin(file string) string {
	if file != "" {
		return "yours"
	}
	return "built in"
}
