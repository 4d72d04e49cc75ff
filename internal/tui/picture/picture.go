// Package picture draws pictures among the cells of the screen, with a protocol that the terminal supports.
//
// Kitty and Ghostty are sent a picture once, and draw it wherever its placeholders are: those are letters, so
// they scroll, are cut and covered like text. iTerm2's pictures and sixel are painted over cells: cells are
// reserved for them, and a picture is painted when all of its cells are visible and do not move; when they
// move, the screen is redrawn without it ([Album.Found]).
//
// The terminal is asked what it supports when the first picture is to be drawn: see [Ask] and [Terminal].
// Nothing here writes or reads. Package clean removes kitty's placeholder from untrusted text.
package picture

import (
	"encoding/base64"
	"fmt"
	"image"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Way is how a terminal draws pictures.
type Way string

// The ways. A terminal that supports none shows a line of text.
const (
	None  Way = "off"
	Kitty Way = "kitty"
	ITerm Way = "iterm2"
	Sixel Way = "sixel"
)

// The maximum size of a picture in cells.
const (
	mostColumns = 60
	mostRows    = 12
)

// usualCell is the assumed size of a cell in pixels if the terminal does not report it.
var usualCell = image.Pt(8, 16)

// Fit returns the cells of a picture: no more than it needs, within limits, with its proportions.
func Fit(pixels, cell image.Point, room int) (columns, rows int) {
	if cell.X <= 0 || cell.Y <= 0 {
		cell = usualCell
	}
	w, h := max(1, pixels.X), max(1, pixels.Y)
	width, height := min(mostColumns, room)*cell.X, mostRows*cell.Y
	if w > width {
		w, h = width, max(1, h*width/w)
	}
	if h > height {
		w, h = max(1, w*height/h), height
	}
	return (w + cell.X - 1) / cell.X, (h + cell.Y - 1) / cell.Y
}

// Cells returns the rows of a picture. They are decoration, so that copying them gives nothing.
func Cells(w Way, id uint32, columns, rows int) []string {
	out := make([]string, rows)
	ink := theme.Decoration.And(theme.Ink(fmt.Sprintf("38;5;%d", id&0xff)))
	for row := range out {
		if w != Kitty {
			out[row] = free(id, row).On(strings.Repeat(" ", columns))
			continue
		}
		var b strings.Builder
		for column := range columns {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(row))
			b.WriteRune(kitty.Diacritic(column))
			b.WriteRune(kitty.Diacritic(int(id >> 24)))
		}
		out[row] = ink.On(b.String())
	}
	return out
}

// free returns the ink of a row reserved for a picture. It draws nothing, and identifies the row later.
func free(id uint32, row int) theme.Ink {
	return theme.Decoration.And(theme.Ink(fmt.Sprintf("38;5;%d;48;5;%d;49", id&0xff, row)))
}

// Send returns what a terminal is sent once so that it can draw a picture, the bytes of a PNG, in its
// placeholders.
func Send(id uint32, png []byte, columns, rows int, tmux bool) string {
	all := base64.StdEncoding.EncodeToString(png)
	options := []string{"a=T", "U=1", "f=100", "q=2", fmt.Sprintf("i=%d", id), fmt.Sprintf("c=%d", columns), fmt.Sprintf("r=%d", rows)}
	var out strings.Builder
	for first := true; first || all != ""; first = false {
		n := min(kitty.MaxChunkSize, len(all))
		more := "m=0"
		if n < len(all) {
			more = "m=1"
		}
		out.WriteString(through(ansi.KittyGraphics([]byte(all[:n]), append(options, more)...), tmux))
		options, all = []string{"q=2"}, all[n:]
	}
	return out.String()
}

// Forget returns what a terminal is sent when a picture is no longer drawn.
func Forget(id uint32, tmux bool) string {
	return through(ansi.KittyGraphics(nil, "a=d", "d=I", "q=2", fmt.Sprintf("i=%d", id)), tmux)
}

func through(text string, tmux bool) string {
	if tmux {
		return ansi.TmuxPassthrough(text)
	}
	return text
}

// paint returns a picture at a position of the screen, for terminals that paint over cells.
func paint(w Way, at image.Point, png []byte, pixels image.Image, columns, rows int) string {
	var body string
	if w == ITerm {
		body = ansi.ITerm2(fmt.Sprintf("File=inline=1;size=%d;width=%d;height=%d;preserveAspectRatio=1;doNotMoveCursor=1:%s",
			len(png), columns, rows, base64.StdEncoding.EncodeToString(png)))
	} else {
		body = sixels(pixels)
	}
	return ansi.SaveCursor + ansi.CursorPosition(at.X+1, at.Y+1) + body + ansi.RestoreCursor
}
