// Package setup holds the commands that set socrates up and show what is set up: seats, models, logins, settings,
// permissions, what projects may run, personas, phases, hooks, servers, and whether all of it works.
//
// The data lives in internal/home (settings, seats, keys, approvals, servers); the commands only ask, show and write.
// None of them calls a model, except seats try, doctor --try and what a person chooses while connecting.
//
// Settings are written to the person's own file, never to a project's. A key is typed unseen, checked with its vendor
// unless --no-check, and kept in the system's keyring or a file that only the person can read; it is never an
// argument and never printed. What a project wants to run is shown exactly, with invisible characters written out,
// before anybody is asked about it.
//
// Exit codes: 0; 1 a failed check of doctor, an event that was not delivered, an update or a server that failed; 2 a
// wrong name, key or flag, or a question when nobody can be asked; 3 an invalid configuration or something of a
// project that may not be used; 4 a key or a sign-in that was refused; 5 a vendor that did not answer.
//
// Files: one for each noun (config, doctor, event, hooks, mcp, models, permission, persona, phase, preset, seats,
// trust, update, version), four for login, and connect.go for the first minutes of a person without any model. why.go
// explains what the gate would decide and is used by tests and other programs, so it answers thousands of lines like
// one. pages.go is what personas and phases share.
//
// Commands that list print all they know, in JSON as well; whether something is ready, approved or used is a field,
// never an exit code, except if that was the question (doctor, trust). Commands that ask do so on stderr, even with
// --quiet, and refuse if nobody can answer instead of taking silence for consent.
package setup

import (
	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
)

// Setup has the commands that set up and show a person's settings, keys and programs.
type Setup struct{ *call.Call }

// New returns the setup commands of a call.
func New(a *call.Call) *Setup { return &Setup{a} }

// Commands returns the setup commands; those given are added below mcp.
func (s *Setup) Commands(mcp ...*cobra.Command) []*cobra.Command {
	a := s.Call
	return []*cobra.Command{newSeats(a), newModels(a), newLogin(a), newLogout(a), newPersonas(a), newPhases(a), newPresets(a),
		newPermission(a),
		newConfig(a), newEvents(a), newDoctor(a), newRedact(a), newVersion(a), newUpdate(a), newTrust(a), newHooks(a), newMCP(a, mcp...)}
}
