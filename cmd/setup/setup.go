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
package setup

import (
	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
)

// Commands are those that set socrates up, and look at what a person has.
func Commands(a *call.Call) []*cobra.Command {
	return []*cobra.Command{newSeats(a), newModels(a), newLogin(a), newLogout(a), newPersonas(a), newPhases(a), newPresets(a),
		newPermission(a),
		newConfig(a), newEvents(a), newDoctor(a), newRedact(a), newVersion(a), newUpdate(a), newTrust(a), newHooks(a), newMCP(a)}
}
