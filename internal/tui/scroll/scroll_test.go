package scroll

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// wrapped are blocks of letters that are broken to a width.
func wrapped(blocks []string, w int) Blocks {
	return Blocks{N: len(blocks), Wide: w, Draw: func(i int) (out []string) {
		for text := blocks[i]; text != ""; {
			n := min(w, len(text))
			out, text = append(out, text[:n]), text[n:]
		}
		return out
	}}
}

// Whatever size a window becomes, it is full as long as there is something to fill it with, and shows the block it showed.
func TestResize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.StringMatching(`[a-z]{0,300}`), 1, 8).Draw(t, "blocks")
		width := rapid.IntRange(1, 60)
		height := rapid.IntRange(1, 30)
		s := &Scroll{}
		s.Lines(wrapped(blocks, 20), 10)
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			w, h := width.Draw(t, "w"), height.Draw(t, "h")
			b := wrapped(blocks, w)
			s.Lines(b, h)
			s.Move(b, rapid.IntRange(-40, 10).Draw(t, "by"))
			s.Lines(b, h)
			w, h = width.Draw(t, "w"), height.Draw(t, "h")
			b = wrapped(blocks, w)
			got, all := s.Lines(b, h), 0
			for i := range b.N {
				all += len(b.Draw(i))
			}
			if len(got) != min(h, all) {
				t.Fatalf("%d lines of %d in %d rows", len(got), all, h)
			}
		}
	})
}

// A person who scrolled up sees the same place of a long reply when the window grows, and not its end.
func TestResizeStays(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "%-10s", fmt.Sprint("line", i))
	}
	blocks := []string{"question", text.String()}
	s := &Scroll{}
	s.Lines(wrapped(blocks, 10), 20)
	s.Move(wrapped(blocks, 10), -40)
	if got := s.Lines(wrapped(blocks, 10), 20)[0]; strings.TrimSpace(got) != "line40" {
		t.Fatalf("begins with %q", got)
	}
	if got := s.Lines(wrapped(blocks, 20), 20)[0]; !strings.HasPrefix(got, "line40") {
		t.Errorf("twice as wide it begins with %q", got)
	}
	if got := s.Lines(wrapped(blocks, 10), 20)[0]; !strings.HasPrefix(got, "line40") {
		t.Errorf("as narrow as before it begins with %q", got)
	}
}
