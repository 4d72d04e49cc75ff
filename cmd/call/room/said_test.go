package room

import (
	"slices"
	"testing"
)

// What can be said to a debate is offered: its words first, then the seats that one of them is about.
func TestSaid(t *testing.T) {
	seats := []string{"codex", "claude"}
	if got := said("/dr", seats); !slices.Contains(got, "/drop") || !slices.Contains(got, "/help") || slices.Contains(got, "codex") {
		t.Errorf("at the beginning: %q", got)
	}
	if got := said("/drop c", seats); !slices.Equal(got, seats) {
		t.Errorf("behind a word: %q", got)
	}
	for _, text := range []string{"", "co", "/drop codex x"} {
		if got := said(text, seats); len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}
