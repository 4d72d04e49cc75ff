// Package picture draws pictures among the cells of the screen, in the way that the terminal knows.
//
// Kitty and Ghostty are sent a picture once, and draw it wherever its placeholders stand: those are letters, so they scroll, are cut
// and covered like text. iTerm2's pictures and sixel are painted over cells: cells are kept free for them, and a picture is painted when
// all of its cells are in sight and stand still; when they move, the screen is redrawn without it ([Album.Place]).
//
// What a terminal can do is asked, once a picture is to be drawn: [Ask] and [Terminal] say how. Nothing here writes or reads. Package clean
// takes kitty's placeholder out of texts of others.
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

// The ways there are. A terminal that knows none shows a line of text.
const (
	None  Way = "off"
	Kitty Way = "kitty"
	ITerm Way = "iterm2"
	Sixel Way = "sixel"
)

// Most cells of a picture.
const (
	mostColumns = 60
	mostRows    = 12
)

// usualCell is taken for the pixels of a cell where the terminal does not say.
var usualCell = image.Pt(8, 16)

// Fit is how many cells a picture of some pixels takes: no more than it needs, within bounds, as wide as high.
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

// Cells are the rows that a picture stands in. Copied, they are nothing: all of them are decoration.
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

// free is the ink of a row that is kept free for a picture. It draws nothing, and is how the place is found again.
func free(id uint32, row int) theme.Ink {
	return theme.Decoration.And(theme.Ink(fmt.Sprintf("38;5;%d;48;5;%d;49", id&0xff, row)))
}

// Send is what a terminal is told once so that it can draw a picture, of which these are the bytes of a PNG, in its placeholders.
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

// Forget is what a terminal is told when a picture is not drawn any more.
func Forget(id uint32, tmux bool) string {
	return through(ansi.KittyGraphics(nil, "a=d", "d=I", "q=2", fmt.Sprintf("i=%d", id)), tmux)
}

func through(text string, tmux bool) string {
	if tmux {
		return ansi.TmuxPassthrough(text)
	}
	return text
}

// paint is a picture at a place of the screen, for terminals that paint over cells.
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
