package picture

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/llm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// flag16 is a picture of two colours, 16 by 13 pixels.
func flag16() image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 16, 13))
	for y := range 13 {
		for x := range 16 {
			m.Set(x, y, map[bool]color.Color{true: color.RGBA{255, 0, 0, 255}, false: color.White}[x < 8])
		}
	}
	return m
}

// What a terminal is sent for a picture, byte for byte.
func TestSent(t *testing.T) {
	body := []byte(strings.Repeat("PNG", 1100)) // two pieces
	id := uint32(7<<24 | first)
	var out strings.Builder
	write := func(name, text string) { fmt.Fprintf(&out, "== %s\n%q\n", name, text) }
	write("kitty", Send(id, body, 3, 2, false))
	write("kitty in tmux", Send(id, []byte("PNG"), 3, 2, true))
	write("kitty's cells", strings.Join(Cells(Kitty, id, 3, 2), "\n"))
	write("kitty forgets", Forget(id, false))
	write("cells kept free", strings.Join(Cells(Sixel, id, 3, 2), "\n"))
	write("iterm2", paint(ITerm, image.Pt(2, 4), []byte("PNG"), nil, 3, 2))
	write("sixel", paint(Sixel, image.Pt(2, 4), nil, flag16(), 2, 1))
	const file = "testdata/sent.golden"
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(want), "\r\n", "\n") != out.String() {
		t.Errorf("%s differs (%v) from:\n%s", file, err, out.String())
	}
}

// A placeholder is one cell however a terminal counts, and names its row, its column and its picture.
func TestPlaceholders(t *testing.T) {
	for _, row := range Cells(Kitty, 255<<24|last, mostColumns, mostRows) {
		if n, wc := ansi.StringWidth(row), ansi.StringWidthWc(row); n != mostColumns || wc != mostColumns {
			t.Errorf("a row of %d cells is %d and %d wide", mostColumns, n, wc)
		}
		if cell := ansi.Cut(row, 1, 2); strings.Count(ansi.Strip(cell), "")-1 != 4 {
			t.Errorf("a cell is %q", cell)
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		pixels, cell        image.Point
		room, columns, rows int
	}{
		{image.Pt(1, 1), image.Pt(10, 20), 80, 1, 1},
		{image.Pt(300, 120), image.Pt(10, 20), 80, 30, 6},
		{image.Pt(300, 120), image.Point{}, 80, 38, 8},
		{image.Pt(2000, 100), image.Pt(10, 20), 80, 60, 2},
		{image.Pt(100, 2000), image.Pt(10, 20), 80, 2, 12},
		{image.Pt(2000, 2000), image.Pt(10, 20), 20, 20, 10},
		{image.Pt(2000, 1), image.Pt(10, 20), 80, 60, 1},
		{image.Point{}, image.Pt(10, 20), 80, 1, 1},
	} {
		if w, h := Fit(c.pixels, c.cell, c.room); w != c.columns || h != c.rows {
			t.Errorf("%v in cells of %v: %d × %d, want %d × %d", c.pixels, c.cell, w, h, c.columns, c.rows)
		}
	}
}

// The way is what the terminal says, in whatever order. Only one that says it knows placeholders is asked in the letters of kitty.
func TestHear(t *testing.T) {
	name := func(s string) any { return tea.TerminalVersionMsg{Name: s} }
	plain, sixel := uv.PrimaryDeviceAttributesEvent{62, 22}, uv.PrimaryDeviceAttributesEvent{62, 4, 22}
	ok, no := uv.KittyGraphicsEvent{Payload: []byte("OK")}, uv.KittyGraphicsEvent{Payload: []byte("ENOTSUPPORTED")}
	for _, c := range []struct {
		told  []any
		asked bool
		want  Way
	}{
		{[]any{plain}, false, None},
		{[]any{sixel}, false, Sixel},
		{[]any{name("XTerm(390)"), sixel}, false, Sixel},
		{[]any{name("iTerm2 3.5.0"), plain}, false, ITerm},
		{[]any{name("WezTerm 20240203"), sixel}, false, ITerm},
		{[]any{name("kitty(0.35.2)"), plain, ok, plain}, true, Kitty},
		{[]any{name("ghostty 1.0.1"), plain, ok, plain}, true, Kitty},
		{[]any{name("kitty(0.20)"), plain, no, plain}, true, None},
		{[]any{name("kitty(0.20)"), plain, plain}, true, None},
		{[]any{name("Konsole 24"), sixel}, false, Sixel},
	} {
		var told Terminal
		asked, got, over := false, None, false
		for _, m := range c.told {
			next, way, done := told.Hear(m)
			asked = asked || next == AskKitty
			if done {
				got, over = way, true
			}
		}
		if got != c.want || asked != c.asked || !over {
			t.Errorf("%v: %s, asked %v, over %v", c.told, got, asked, over)
		}
	}
	for answer, want := range map[string]Way{"on kitty(0.35.2)\n": Kitty, "all ghostty 1.0.1": Kitty, "1 kitty(0.3)": Kitty, "0 kitty(0.3)": None,
		"off kitty(0.35.2)": None, "on iTerm2 3.5": None, "on ": None, "": None} {
		if got := OfTmux(answer); got != want {
			t.Errorf("tmux says %q: %s", answer, got)
		}
	}
}

// Pictures of the album are made once, keep their own numbers, and are painted only where all of their cells are in sight.
func TestAlbum(t *testing.T) {
	a := NewAlbum(7, false)
	a.Way = Sixel
	of := func(blob string) llm.Attachment { return llm.Attachment{MIME: "image/png", Blob: blob} }
	one, two := of("one"), of("two")
	for range 2 {
		if a.Rows(one, 80) != nil || a.Rows(two, 80) != nil {
			t.Fatal("rows of what is not ready")
		}
	}
	if a.Rows(llm.Attachment{MIME: llm.PDF, Blob: "pdf"}, 80); len(a.wanted) != 2 {
		t.Fatalf("wanted: %v", a.wanted)
	}
	for _, w := range a.Wants() {
		a.Rows(one, 80) // which is drawn while it is made
		a.Ready(w, flag16())
	}
	first, second := a.Rows(one, 80), a.Rows(two, 80)
	if a.Waits() || len(first) != 1 || len(second) != 1 || first[0] == second[0] {
		t.Fatalf("waits %v, %q, %q", a.Waits(), first, second)
	}
	if a.Rows(one, 1) != nil {
		t.Error("it is drawn where it has no room")
	}
	screen := []string{"text", "  " + first[0], ""}
	if !a.Found(screen) || a.Found(screen) || a.Stale() {
		t.Error("it is where it was")
	}
	if got := a.Paint(); !strings.HasPrefix(got, "\x1b7\x1b[2;3H\x1bP") || strings.Count(got, "\x1bP") != 1 {
		t.Errorf("painted: %q", got)
	}
	if a.Found(screen) || !a.Found([]string{"  " + first[0], "", ""}) || !a.Stale() || a.Stale() {
		t.Error("it did not move, or was not painted")
	}
	a.Ready(Wanted{Key: "high"}, image.NewRGBA(image.Rect(0, 0, 16, 40)))
	high := a.Rows(of("high"), 80)
	if a.Found(high[:2]); len(a.seen) != 0 || len(high) != 3 {
		t.Errorf("a part of it is painted: %v of %d rows", a.seen, len(high))
	}
	if a.Found(append([]string{""}, high...)); len(a.seen) != 1 || a.seen[0].at != image.Pt(0, 1) {
		t.Errorf("all of it: %v", a.seen)
	}
	a.Ready(Wanted{Key: "broken"}, nil)
	if a.Rows(of("broken"), 80) != nil || a.Waits() {
		t.Error("what cannot be read is wanted again and again")
	}
	a.Way = Kitty
	for i := range 2 * last {
		a.Ready(Wanted{Key: fmt.Sprint(i)}, flag16())
	}
	if n := len(a.shown); n > last {
		t.Errorf("%d pictures with %d numbers", n, last)
	}
	var none *Album
	if none.Rows(one, 80) != nil || none.Found(screen) || none.Waits() || none.Clear() != "" {
		t.Error("a screen without pictures draws one")
	}
}
