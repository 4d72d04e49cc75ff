package markdown_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/tui/markdown"
)

// The end of a text that begins within code is code.
func TestTail(t *testing.T) {
	text := "Words.\n\n```go\na := 1\nb := 2\n```\n\nMore.\n"
	for most, want := range map[int]string{
		100: text, len(text): text, 30: "```go\na := 1\nb := 2\n```\n\nMore.\n", 22: "```go\nb := 2\n```\n\nMore.\n", 10: "\nMore.\n", 3: "",
	} {
		if got := markdown.Tail(text, most); got != want {
			t.Errorf("%d bytes: %q, want %q", most, got, want)
		}
	}
	if got, want := markdown.Tail("  ~~~go\na\nb\n  ~~~\n", 9), "~~~go\nb\n  ~~~\n"; got != want {
		t.Errorf("an indented fence: %q, want %q", got, want)
	}
	if got := markdown.Tail("äöüäöü", 5); got != "öü" {
		t.Errorf("one line: %q", got)
	}
}
