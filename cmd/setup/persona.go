package setup

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/persona"
	"github.com/socrates-cli/socrates/internal/project"
)

// newPersonas returns the command personas. Pages of a project are not used; text that may lead a seat is a warning
// and never excludes a page.
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
	personas := pages[personaRow]{is: "persona", are: "personas", rows: func() ([]personaRow, []error, error) { return personaRows(a) },
		foot: "\nUse one as SPEC@NAME, for example --seat claude@security. A persona says where to\n" +
			"look, not what to conclude; assigned roles make panels less accurate.\n",
		head: func(r personaRow) (string, string, string) { return r.Name, r.File, r.Doc },
		find: func(name string) (personaRow, error) {
			p, err := a.Home.Seats.FindPersona(name)
			return newPersonaRow(p), err
		},
		warnings: personaRow.warnings,
		then:     func(name string) string { return "seat it with SPEC@" + name },
	}
	personas.text = func(name string) (string, error) {
		all, err := a.Home.Seats.Personas()
		if err != nil {
			return "", err
		}
		return all.Page(name)
	}
	personas.write = func(name string) (string, error) {
		all, err := a.Home.Seats.Personas()
		if err != nil {
			return "", err
		}
		return all.New(name)
	}
	personas.commands(a, c)
	return c
}

// personaRow is a persona as `socrates personas` lists it.
type personaRow struct {
	persona.Persona
	Origin   string            `json:"origin"` // built in or yours
	Findings []project.Finding `json:"findings"`
}

// Text that would lead its seat is reported as in a shared context.
func newPersonaRow(p persona.Persona) personaRow {
	return personaRow{p, origin(p.File), append([]project.Finding{}, persona.Lint(p.Text)...)}
}

// personaRows returns all personas, and the errors of unusable pages.
func personaRows(a *call.Call) ([]personaRow, []error, error) {
	personas, err := a.Home.Seats.Personas()
	if err != nil {
		return nil, nil, err
	}
	all, wrong := personas.All()
	rows := []personaRow{}
	for _, p := range all {
		rows = append(rows, newPersonaRow(p))
	}
	return rows, wrong, nil
}

// warnings are the findings as sentences.
func (r personaRow) warnings() (list []string) {
	for _, f := range r.Findings {
		list = append(list, fmt.Sprintf("%s line %d of the text: %s %q: %s", r.Name, f.Line, f.Kind, f.Word, f.Why))
	}
	return list
}
