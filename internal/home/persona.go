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

// Personas is where personas are looked for.
func (ss *Seats) Personas() (persona.Folder, error) {
	file, err := ss.home.Settings.File()
	return persona.Folder{Dir: filepath.Join(filepath.Dir(file), "personas")}, err
}

// FindPersona opens the page of a name.
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

// Persona takes a spec apart: the model, and the page of its persona if it has one. Its text is as it is kept.
// A page that cannot be used is an error, never a seat without its persona.
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

// WarnPersonas says of each page at the table that something in it may lead the seat.
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
