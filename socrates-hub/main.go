// Command socrates-hub is socrates with what speaks to other machines: socrates runs it for its commands hub and worker. It is a program
// of its own because NATS would slow the start of every command.
package main

import (
	"os"

	"github.com/socrates-cli/socrates/cmd"
	_ "github.com/socrates-cli/socrates/internal/heap"
	"github.com/socrates-cli/socrates/socrates-hub/program"
)

func main() { os.Exit(cmd.MainWith(os.Args[1:], program.Program())) }
