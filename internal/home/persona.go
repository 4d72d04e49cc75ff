package home

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/persona"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Personas returns the folder of personas.
func (ss *Seats) Personas() (persona.Folder, error) {
	file, err := ss.home.Settings.File()
	return persona.Folder{Dir: filepath.Join(filepath.Dir(file), "personas")}, err
}

// FindPersona opens a persona by name.
func (ss *Seats) FindPersona(name string) (persona.Persona, error) {
	personas, err := ss.Personas()
	if err != nil {
		return persona.Persona{}, err
	}
	p, err := personas.Find(name)
	if errors.Is(err, page.ErrUnknown) {
		return p, failure.Usage("unknown persona "+name, failure.Nearest(name, personas.Names()))
	}
	return p, err
}

// Persona splits a spec into the model and the page of its persona, if it has one. The text is unchanged. An
// unusable page is an error: a seat never loses its persona silently.
func (ss *Seats) Persona(spec string) (bare string, p table.Persona, err error) {
	bare, name := persona.Split(strings.TrimSpace(spec))
	if name == "" {
		return bare, p, nil
	}
	page, err := ss.FindPersona(name)
	if err != nil {
		if f, ok := errors.AsType[*failure.Error](err); ok {
			f.Message = "seat " + spec + ": " + f.Message
		}
		return bare, p, err
	}
	if scheme.Of(bare).Rules {
		return bare, p, failure.Usage("seat "+spec+": the rehearsal panel is rule-based and takes no persona",
			"use it as "+bare)
	}
	return bare, table.Persona{Name: name, Text: ss.home.Clean(page.Text)}, nil
}

// WarnPersonas warns of each persona of the panel whose text may lead its seat.
func (ss *Seats) WarnPersonas(seats []table.Seat) {
	told := map[string]bool{}
	for _, s := range seats {
		if n := len(persona.Lint(s.Persona.Text)); n > 0 && !told[s.Persona.Name] {
			told[s.Persona.Name] = true
			ss.home.Warn(fmt.Sprintf("the persona %s has %d warnings (text that may bias its seat); list them with: socrates personas "+
				"show %s", s.Persona.Name, n,
				s.Persona.Name))
		}
	}
}
