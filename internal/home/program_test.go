package home_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/home"
)

// A program that shares its name with a vendor's API is meant by the bare name, and with a model only by NAME-cli. One that shares
// its name with none is meant either way.
func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	h := home.New(home.Outside{})
	for _, row := range []struct{ name, model, program string }{
		{"gemini", "", "gemini"},
		{"gemini", "big", ""},
		{"gemini-cli", "", "gemini"},
		{"gemini-cli", "big", "gemini"},
		{"claude", "", "claude"},
		{"claude", "big", "claude"},
		{"openai", "", ""},
		{"openai", "big", ""},
		{"nobody", "", ""},
	} {
		if p, ok := h.Programs.Find(row.name, row.model); p.Name != row.program || ok != (row.program != "") {
			t.Errorf("%s:%s is the program %q, not %q", row.name, row.model, p.Name, row.program)
		}
	}
}
