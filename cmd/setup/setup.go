// Package setup holds the commands that set socrates up and look at what a person has: seats, models, logins, settings, permissions,
// what projects may run, personas, phases, hooks, servers, and whether all of it works.
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
