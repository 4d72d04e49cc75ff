package tui

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// same is a text as it is.
func same(s string) string { return s }

// A fault of ours, wherever it is, ends the screen with an error, and leaves the terminal as it was.
func TestFault(t *testing.T) {
	in, keys := io.Pipe()
	defer keys.Close()
	var out bytes.Buffer
	w := Wiring{Home: homeOf(t, t.TempDir(), same, same), Dir: t.TempDir()} // whoever asks for an engine that is not there is at fault
	_, err := Run(t.Context(), w, Start{}, tea.WithInput(in), tea.WithOutput(&out), tea.WithWindowSize(80, 24))
	if !errors.Is(err, ErrFault) {
		t.Errorf("the screen ended with %v", err)
	}
	if strings.Contains(out.String(), ansi.SetModeAltScreenSaveCursor) && !strings.Contains(out.String(), ansi.ResetModeAltScreenSaveCursor) {
		t.Errorf("the terminal is left as the screen had it: %q", out.String())
	}
}

// A fault beside the screen comes to the screen's own turn, with the trace of where it was.
func TestFaultBeside(t *testing.T) {
	d := New(t.Context(), Wiring{Home: homeOf(t, t.TempDir(), same, same)})
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

// What the screen needs of the program it finds in engine and home; it is handed no functions.
func TestWiring(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Wiring]()) {
		if f.Type.Kind() == reflect.Func || f.Type.Kind() == reflect.Interface {
			t.Errorf("%s is a %s", f.Name, f.Type)
		}
	}
}
