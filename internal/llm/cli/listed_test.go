package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

// TestProgramsAreListed looks for what a new program needs beside its own file: the names that steer it in a project, the folders it
// keeps in a home, and its lines on the page people read.
func TestProgramsAreListed(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/programs.md")
	if err != nil {
		t.Fatal(err)
	}
	work, seats, found := strings.Cut(string(raw), "\n## The programs\n")
	_, work, other := strings.Cut(work, "\n## At work\n")
	if !found || !other {
		t.Fatal("docs/programs.md: the sections At work and The programs are gone")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, p := range cli.Programs {
		if !sensitive.Steers("." + p.Name + "/settings.json") {
			t.Errorf("%s: add .%s, and its other settings in a project, to steering in internal/project/sensitive/steer.go", p.Name, p.Name)
		}
		places := cli.PlacesOf(p, home)
		if len(places) == 0 {
			t.Errorf("%s: its reach names nothing in a home", p.Name)
		}
		for _, place := range places {
			if !strings.HasPrefix(place, ".cache/") && !sensitive.HomeSecret(place) {
				t.Errorf("%s: add %s to homeSecrets in internal/project/sensitive/steer.go", p.Name, place)
			}
		}
		if !strings.Contains(seats, "\n| `"+p.Name+"` |") {
			t.Errorf("%s: add a row to The programs in docs/programs.md", p.Name)
		}
		if !strings.Contains(work, "`"+p.Name+"`") {
			t.Errorf("%s: say under At work in docs/programs.md how it asks, or that it only reads", p.Name)
		}
	}
}
