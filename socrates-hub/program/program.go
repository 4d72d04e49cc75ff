// Package program does what the commands hub and worker say: it joins the parts of internal/fleet with what a person has here, and with
// the pages of package serve.
package program

import "github.com/socrates-cli/socrates/cmd/fleet"

// Program is what the commands run where this package is linked in.
func Program() fleet.Program { return fleet.Program{Hub: runHub, Worker: runWorker} }
