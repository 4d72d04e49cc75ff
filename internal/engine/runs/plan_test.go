package runs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/store"
)

// A run's name is small letters, digits and dashes, at most 40, and one run's alone; without one it is made of what was asked.
func TestNames(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := all.New(s, all.Wiring{})
	defer e.Close()
	for _, c := range []struct{ name, refused string }{
		{strings.Repeat("a", 40), ""}, {strings.Repeat("a", 41), "invalid run name"}, {"A", "invalid run name"}, {"a/b", "invalid run name"},
		{"one", ""}, {"one", "run one already exists"}, {"", ""}, {"", ""},
	} {
		_, err := e.Do(t.Context(), runs.Begin{Dir: "/p", Name: c.name, Asked: "Fix the test"})
		r, _ := err.(*engine.Refusal)
		if c.refused == "" && err != nil || c.refused != "" && (r == nil || !strings.HasPrefix(r.Message, c.refused)) {
			t.Errorf("%q: %v, not %q", c.name, err, c.refused)
		}
	}
}
