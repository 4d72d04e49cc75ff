package tui

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
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
	w := Wiring{Home: homeOf(t, t.TempDir(), same, same)} // whoever asks for an engine that is not there is at fault
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
	d := New(t.Context(), Wiring{Home: homeOf(t, t.TempDir(), same, same)}, Start{})
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

// The screen stands on four things, and is handed no functions by the program: what it needs of that it finds in engine and home.
func TestWiring(t *testing.T) {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Wiring]()) {
		names = append(names, f.Name)
	}
	if want := []string{"Engine", "Home", "Theme", "Terminal"}; !slices.Equal(names, want) {
		t.Errorf("the wiring is %v, not %v", names, want)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Start]()) {
		if f.Name != "Owes" && (f.Type.Kind() == reflect.Func || f.Type.Kind() == reflect.Interface) {
			t.Errorf("%s is a %s", f.Name, f.Type)
		}
	}
}
