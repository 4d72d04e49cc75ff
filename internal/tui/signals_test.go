package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// A fault of ours, wherever it is, ends the screen with an error, and leaves the terminal as it was.
func TestFault(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := all.New(s, all.Wiring{})
	defer e.Close()
	in, keys := io.Pipe()
	defer keys.Close()
	var out bytes.Buffer
	w := Wiring{World: screen.World{Engine: e, Dir: t.TempDir(), Clean: func(s string) string { return s }, Redact: func(s string) string { return s },
		Slash: func(dir string) *slash.Env { return &slash.Env{Dir: dir, Begin: map[string]string{}} }},
		People: People{Model: func(context.Context) (string, error) { panic("a fault of ours") }}}
	_, err = Run(t.Context(), w, Start{}, tea.WithInput(in), tea.WithOutput(&out), tea.WithWindowSize(80, 24))
	if !errors.Is(err, ErrFault) {
		t.Errorf("the screen ended with %v", err)
	}
	if strings.Contains(out.String(), ansi.SetModeAltScreenSaveCursor) && !strings.Contains(out.String(), ansi.ResetModeAltScreenSaveCursor) {
		t.Errorf("the terminal is left as the screen had it: %q", out.String())
	}
}

// A fault beside the screen comes to the screen's own turn, with the trace of where it was.
func TestFaultBeside(t *testing.T) {
	d := New(t.Context(), Wiring{})
	got := make(chan tea.Msg)
	d.Send = func(m tea.Msg) { got <- m }
	d.Aside(func() { panic("beside") })
	defer func() {
		if text, _ := recover().(string); !strings.HasPrefix(text, "beside\n") || !strings.Contains(text, "TestFaultBeside") {
			t.Errorf("the fault says %q", text)
		}
	}()
	d.Update(<-got)
	t.Error("the fault was lost")
}
