package cli

import (
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/llm"
)

func Claude(o Options) llm.Model { return claude.New(o) }

func Pi(o Options) llm.Model { return pi.New(o) }

// Script is what codex has a shell run.
var Script = script

// PlacesOf are the folders and files a program keeps below the home, relative to it, if no variable moves them.
func PlacesOf(p Program, home string) (places []string) {
	is := p.reach(environ{}, Options{})
	for _, at := range slices.Concat(is.state, is.files, is.settings) {
		if rel, err := filepath.Rel(home, at); err == nil && filepath.IsLocal(rel) {
			places = append(places, filepath.ToSlash(rel))
		}
	}
	return places
}
