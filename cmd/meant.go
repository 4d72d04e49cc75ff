package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// alike has words by which other programs call what a command of ours does.
var alike = map[string][]string{
	"socrates chat":      {"talk"},
	"socrates config":    {"settings", "set"},
	"socrates login":     {"auth", "signin"},
	"socrates personas":  {"agents"},
	"socrates run":       {"ask", "exec", "prompt"},
	"socrates tree back": {"rewind", "checkpoint"},
	"socrates tree list": {"session", "sessions", "history", "conversations", "threads", "last", "continue"},
	"socrates tree undo": {"revert"},
	"socrates update":    {"upgrade"},
	"socrates work list": {"jobs", "runs"},
}

// namedAtMost is how many commands or names a hint lists: who reads more than these reads the help.
const namedAtMost = 4

// meant is a hint about an unknown subcommand of c: commands below c that have this name, or that other programs call so, else the
// nearest name.
func meant(c *cobra.Command, word string) string {
	var paths, names []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, s := range c.Commands() {
			if !s.IsAvailableCommand() {
				continue
			}
			if s.Name() == word || s.HasAlias(word) || slices.Contains(alike[s.CommandPath()], word) {
				paths = append(paths, s.CommandPath())
			}
			walk(s)
		}
	}
	walk(c)
	for _, s := range c.Commands() {
		names = append(names, s.Name())
	}
	help := "list them with: " + c.CommandPath() + " --help"
	switch {
	case len(paths) > namedAtMost:
		return "several commands have one: " + strings.Join(paths[:namedAtMost], ", ") + ", …; " + help
	case len(paths) > 0:
		return "did you mean: " + strings.Join(paths, ", or ")
	case len(names) > 2*namedAtMost && spelling.Nearest(word, names) == "":
		return help
	}
	return failure.Nearest(word, names)
}
