package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// What the console of Linux sends for F1 to F5 is read as a sequence without its end, and a letter.
func TestConsoleKeys(t *testing.T) {
	filter := consoleKeys()
	got := ""
	var d uv.EventDecoder
	for sent := []byte("A\x1b[[A\x1b[[EE\x1b[[Z"); len(sent) > 0; {
		n, event := d.Decode(sent)
		sent = sent[n:]
		msg := tea.Msg(event)
		if k, ok := event.(uv.KeyPressEvent); ok {
			msg = tea.KeyPressMsg(k)
		}
		if k, ok := filter(nil, msg).(tea.KeyPressMsg); ok {
			got += k.String() + " "
		}
	}
	if want := "A f1 f5 E Z "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
