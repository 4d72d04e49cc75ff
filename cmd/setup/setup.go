// Package setup holds the commands that set socrates up and look at what a person has: seats, models, logins, settings, permissions,
// what projects may run, personas, phases, hooks, servers, and whether all of it works.
//
// What they look at lives in internal/home (settings, seats, keys, approvals, servers); the commands only ask, show and
// write. None of them calls a model, except seats try, doctor --try and what a person chooses while connecting.
//
// Settings are written to the person's own file, never to a project's. A key is typed unseen, checked with its vendor
// unless --no-check, and kept in the system's keyring or a file that only the person can read; it is never an argument
// and never printed. What a project wants to run is shown as it is, with letters that cannot be seen written out,
// before anybody is asked about it.
//
// Exit codes: 0; 1 a failed check of doctor, an event that was not delivered, an update or a server that failed; 2 a
// wrong name, key or flag, or a question where nobody can be asked; 3 a configuration that is wrong or something of a
// project that may not be used; 4 a key or a sign-in that was refused; 5 a vendor that did not answer.
//
// How the files lie: a file for each noun (config, doctor, event, hooks, mcp, models, permission, persona, phase,
// preset, seats, trust, update, version), four for login, and connect.go for the first minutes of a person without any
// model. why.go explains what the gate would decide and is used by tests and other programs, so it answers thousands of
// lines as it answers one. pages.go is what personas and phases share.
//
// Commands that list answer with all they know, in JSON as well; whether something is ready, approved or used is a
// field, never an exit code, except where it was asked (doctor, trust). Commands that ask do so on stderr, even with
// --quiet, and refuse where nobody can answer instead of taking silence for consent.
package setup

import (
	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
)

// Setup is what a person has, in a call: it is set up, looked at and asked about here.
type Setup struct{ *call.Call }

// New is the setup of a call.
func New(a *call.Call) *Setup { return &Setup{a} }

// Commands are those that set socrates up, and look at what a person has; below mcp hang the given ones, too.
func (s *Setup) Commands(mcp ...*cobra.Command) []*cobra.Command {
	a := s.Call
	return []*cobra.Command{newSeats(a), newModels(a), newLogin(a), newLogout(a), newPersonas(a), newPhases(a), newPresets(a),
		newPermission(a),
		newConfig(a), newEvents(a), newDoctor(a), newRedact(a), newVersion(a), newUpdate(a), newTrust(a), newHooks(a), newMCP(a, mcp...)}
}
