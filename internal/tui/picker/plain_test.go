package picker

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Where signs are words, the row that is chosen has no sign that a screen reader cannot say.
func TestChosenInPlain(t *testing.T) {
	p := New(theme.Theme{Plain: true}, "Models", []Item{{Title: "one"}, {Title: "two"}})
	p.SetItems([]Item{{Title: "one", Mark: "∴", Note: "free"}, {Title: "two", Now: true, Note: "paid"}, {Title: "three", Now: true}})
	text := strings.Join(p.Lines(60, 10), "\n")
	if strings.ContainsAny(text, "●∴") || !strings.Contains(text, "current, paid") || strings.Count(text, "current") != 2 {
		t.Errorf("it shows %s", text)
	}
	for range 2 {
		p.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	}
	if text := strings.Join(p.Lines(60, 10), "\n"); strings.Count(text, ">")+strings.Count(text, "›") > 0 || !strings.Contains(text, "Selected, 3 of 3: three, current") {
		t.Errorf("it shows %s", text)
	}
}

// Read aloud, nothing in a list is cut, and a move changes one sentence: the rows change by the page.
func TestReadAloud(t *testing.T) {
	var items []Item
	for i := range 30 {
		items = append(items, Item{Title: fmt.Sprintf("item %d", i), Note: strings.Repeat("much ", 14) + "is said"})
	}
	p := New(theme.Theme{Plain: true}, "A title of a list that says at length what is chosen here, and why", items)
	p.Keys = []Key{{"ctrl+r", "rename"}, {"ctrl+d", "delete"}, {"ctrl+e", "export"}, {"ctrl+s", "make default"}}
	was := p.Lines(40, 16)
	turned := 0
	for i := 1; i < len(items); i++ {
		p.Update(tea.KeyPressMsg{Code: tea.KeyDown})
		now, changed := p.Lines(40, 16), 0
		text := strings.Join(strings.Fields(strings.Join(now, " ")), " ")
		if len(now) != 16 || strings.Contains(text, "…") || !strings.Contains(text, fmt.Sprintf("Selected, %d of 30: item %d, much", i+1, i)) ||
			!strings.Contains(text, "is said") || !strings.Contains(text, "ctrl+s make default") {
			t.Fatalf("at %d it shows %d lines\n%s", i, len(now), strings.Join(now, "\n"))
		}
		for n := range now {
			if now[n] != was[n] {
				changed++
			}
		}
		if was = now; changed > 1 {
			turned++
		}
	}
	if turned == 0 || turned > 10 {
		t.Errorf("%d of %d moves changed more than one line", turned, len(items)-1)
	}
}
