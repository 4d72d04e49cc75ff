package cmd

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/fleet"
)

func TestWordsOfOtherProgramsNameCommands(t *testing.T) {
	there := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		there[c.CommandPath()] = true
		for _, s := range c.Commands() {
			walk(s)
		}
	}
	walk(newRoot(call.New(), fleet.Program{}))
	for path, words := range alike {
		if !there[path] {
			t.Errorf("%v: there is no %s", words, path)
		}
	}
}
