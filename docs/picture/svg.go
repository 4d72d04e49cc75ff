package main

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/terminal"
)

// A cell is wide and high so many units of a picture; around the screen there is a margin and above it the bar of a window.
const (
	cellWidth, cellHeight = 8.4, 18.0
	margin, bar           = 16.0, 36.0
)

// Colours of a terminal that no program set.
const ground, ink = "#16181d", "#d8dbe2"

var palette = [16]string{"#3b4048", "#e06c75", "#98c379", "#e5b567", "#61afef", "#c678dd", "#56b6c2", "#d8dbe2",
	"#7f848e", "#ff7b86", "#b5e890", "#ffd580", "#82c7ff", "#e08fff", "#7fe0ec", "#ffffff"}

// look is how a run of cells is drawn.
type look struct {
	fore, back   string
	bold, italic bool
	under, strip bool
	faint        bool
}

// shot is a screen, or its first rows, as a picture has it.
type shot struct {
	width, height float64
	body          string
	seconds       float64 // it is shown in a film
}

// shoot takes a shot of a screen, or of its first rows. whole keeps rows at the end on which nothing stands.
func shoot(t *terminal.Terminal, first int, whole bool) (s shot) {
	var b strings.Builder
	t.View(func(cols, rows int, title string, cursor *uv.Position, cell func(x, y int) *uv.Cell) {
		for !whole && rows > 1 && blank(cols, rows-1, cell) && (cursor == nil || cursor.Y < rows-1) {
			rows--
		}
		rows = min(rows, first)
		s.width, s.height = float64(cols)*cellWidth+2*margin, float64(rows)*cellHeight+bar+margin
		if title != "" {
			fmt.Fprintf(&b, `<text x="%.0f" y="23" fill="#7f848e" text-anchor="middle">%s</text>`+"\n", s.width/2, html.EscapeString(title))
		}
		for y := range rows {
			row(&b, cols, y, cell)
		}
		if cursor != nil && cursor.Y < rows {
			rect(&b, float64(cursor.X), float64(cursor.Y), 1, 1, ink, 0.5)
		}
	})
	s.body = b.String()
	return s
}

// svg is a picture of shots, one after the other if there are several; who wants no motion is shown the last.
func svg(label string, shots ...shot) string {
	var b strings.Builder
	w, h, all := 0.0, 0.0, 0.0
	for _, s := range shots {
		w, h, all = max(w, s.width), max(h, s.height), all+s.seconds
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" `+
		`aria-label="%s">`+"\n", w, h, w, h, html.EscapeString(label))
	if len(shots) > 1 {
		b.WriteString("<style>.f{visibility:hidden}")
		for i, at := 0, 0.0; i < len(shots); i++ {
			fmt.Fprintf(&b, "@keyframes f%d{0%%{visibility:hidden}%.2f%%{visibility:visible}%.2f%%,100%%{visibility:hidden}}"+
				"#f%d{animation:f%d %.1fs step-end infinite}", i, 100*at/all, 100*(at+shots[i].seconds)/all, i, i, all)
			at += shots[i].seconds
		}
		fmt.Fprintf(&b, "@media(prefers-reduced-motion:reduce){.f{animation:none!important}"+
			"#f%d{visibility:visible}}</style>\n", len(shots)-1)
	}
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`, ground)
	for i := range 3 {
		fmt.Fprintf(&b, `<circle cx="%d" cy="18" r="5" fill="#555"/>`, 20+16*i)
	}
	b.WriteString(`<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" ` +
		`shape-rendering="crispEdges">` + "\n")
	for i, s := range shots {
		if len(shots) > 1 {
			fmt.Fprintf(&b, `<g class="f" id="f%d">%s</g>`+"\n", i, s.body)
		} else {
			b.WriteString(s.body)
		}
	}
	b.WriteString("</g></svg>\n")
	return b.String()
}

func blank(cols, y int, cell func(x, y int) *uv.Cell) bool {
	for x := range cols {
		if c := cell(x, y); c != nil && (strings.TrimSpace(c.Content) != "" || c.Style.Bg != nil) {
			return false
		}
	}
	return true
}

// row draws a row: what lies behind the letters, then runs of letters that look alike. A letter that is not ASCII stands
// alone, as fonts differ in how wide they make it, and lines and blocks are drawn so that they meet.
func row(b *strings.Builder, cols, y int, cell func(x, y int) *uv.Cell) {
	for x := 0; x < cols; {
		l, end := of(cell(x, y)), x+1
		for end < cols && of(cell(end, y)).back == l.back {
			end++
		}
		if l.back != ground {
			rect(b, float64(x), float64(y), float64(end-x), 1, l.back, 1)
		}
		x = end
	}
	for x := 0; x < cols; {
		c := cell(x, y)
		l, end, run := of(c), x+1, letters(c)
		if c != nil && c.Width > 1 {
			end = x + c.Width
		}
		for first := run; end < cols && of(cell(end, y)) == l && joins(first, letters(cell(end, y))); end++ {
			run += letters(cell(end, y))
		}
		if shape(b, run, float64(x), float64(y), l) {
			run = ""
		}
		text(b, run, x, y, end-x, l)
		x = end
	}
}

func letters(c *uv.Cell) string {
	if c == nil || c.Content == "" {
		return " "
	}
	return c.Content
}

// joins says whether a letter can be drawn together with those before it.
func joins(first, next string) bool {
	return ascii(first) && ascii(next) || first == next && (first == "─" || first == "━")
}

func ascii(s string) bool { return len(s) == 1 }

func text(b *strings.Builder, run string, x, y, width int, l look) {
	if !l.under && !l.strip { // blanks at the ends are nothing to see
		x += len(run) - len(strings.TrimLeft(run, " "))
		short := strings.Trim(run, " ")
		width -= len(run) - len(short)
		run = short
	}
	if run == "" {
		return
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" fill="%s"`, margin+float64(x)*cellWidth, bar+float64(y)*cellHeight+13,
		float64(width)*cellWidth, l.fore)
	for _, a := range []struct {
		on   bool
		text string
	}{{run[0] >= 0x80, ` lengthAdjust="spacingAndGlyphs"`}, {l.bold, ` font-weight="bold"`}, {l.italic, ` font-style="italic"`},
		{l.faint, ` opacity="0.6"`}, {l.under, ` text-decoration="underline"`}, {l.strip, ` text-decoration="line-through"`}} {
		if a.on {
			b.WriteString(a.text)
		}
	}
	if l.under || l.strip || strings.Contains(run, "  ") { // browsers make one of several blanks
		run = strings.ReplaceAll(run, " ", "\u00a0")
	}
	fmt.Fprintf(b, ">%s</text>\n", html.EscapeString(run))
}

func rect(b *strings.Builder, x, y, w, h float64, fill string, opacity float64) {
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"`, margin+x*cellWidth, bar+y*cellHeight, w*cellWidth,
		h*cellHeight, fill)
	if opacity < 1 {
		fmt.Fprintf(b, ` opacity="%.2f"`, opacity)
	}
	b.WriteString("/>\n")
}

// of is how a cell looks.
func of(c *uv.Cell) look {
	if c == nil {
		return look{fore: ink, back: ground}
	}
	has := func(a uint8) bool { return c.Style.Attrs&a != 0 }
	l := look{fore: hex(c.Style.Fg, ink), back: hex(c.Style.Bg, ground), bold: has(uv.AttrBold), faint: has(uv.AttrFaint),
		italic: has(uv.AttrItalic),
		under:  c.Style.Underline != uv.UnderlineNone, strip: has(uv.AttrStrikethrough)}
	if has(uv.AttrReverse) {
		l.fore, l.back = l.back, l.fore
	}
	return l
}

func hex(c color.Color, otherwise string) string {
	switch n := c.(type) {
	case nil:
		return otherwise
	case ansi.BasicColor:
		return palette[n&15]
	case ansi.IndexedColor:
		if n < 16 {
			return palette[n]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// arms are the lines a letter has from the middle of its cell: up, right, down, left; 2 is a heavy one.
var arms = map[string]string{"─": "0101", "│": "1010", "┌": "0110", "┐": "0011", "└": "1100", "┘": "1001", "├": "1110", "┤": "1011",
	"┬": "0111", "┴": "1101", "┼": "1111",
	"╭": "0110", "╮": "0011", "╰": "1100", "╯": "1001", "╴": "0001", "╵": "1000", "╶": "0100", "╷": "0010",
	"━": "0202", "┃": "2020", "┏": "0220", "┓": "0022", "┗": "2200", "┛": "2002", "┣": "2220", "┫": "2022", "┳": "0222", "┻": "2202",
	"╋": "2222", "╸": "0002", "╺": "0200"}

// blocks are the parts of a cell that a letter fills: left, top, width, height in eighths.
var blocks = map[string][4]float64{"█": {0, 0, 8, 8}, "▀": {0, 0, 8, 4}, "▄": {0, 4, 8, 4}, "▌": {0, 0, 4, 8}, "▐": {4, 0, 4, 8},
	"▎": {0, 0, 2, 8}, "▏": {0, 0, 1, 8}, "▍": {0, 0, 3, 8},
	"▋": {0, 0, 5, 8}, "▊": {0, 0, 6, 8}, "▉": {0, 0, 7, 8}, "▁": {0, 7, 8, 1}, "▂": {0, 6, 8, 2}, "▃": {0, 5, 8, 3}, "▅": {0, 3, 8, 5},
	"▆": {0, 2, 8, 6}, "▇": {0, 1, 8, 7},
	"░": {0, 0, 8, 8}, "▒": {0, 0, 8, 8}, "▓": {0, 0, 8, 8}}

var shades = map[string]float64{"░": 0.25, "▒": 0.5, "▓": 0.75}

// shape draws a letter that is lines or a block, or a run of a line that goes across; false if it is another.
func shape(b *strings.Builder, run string, x, y float64, l look) bool {
	if p, ok := blocks[run]; ok {
		opacity := 1.0
		if s, ok := shades[run]; ok {
			opacity = s
		}
		rect(b, x+p[0]/8, y+p[1]/8, p[2]/8, p[3]/8, l.fore, opacity)
		return true
	}
	letter := string([]rune(run)[:1])
	if arms[letter] == "" {
		return false
	}
	left, top := margin+x*cellWidth, bar+y*cellHeight
	right := left + cellWidth*float64(len([]rune(run)))
	weight := 1
	if strings.Contains(arms[letter], "2") {
		weight = 2
	}
	fmt.Fprintf(b, `<path d="%s" stroke="%s" stroke-width="%d" fill="none"`, path(letter, left, top, right, top+cellHeight), l.fore, weight)
	if strings.Contains("╭╮╰╯", letter) {
		b.WriteString(` shape-rendering="geometricPrecision"`)
	}
	if l.faint {
		b.WriteString(` opacity="0.6"`)
	}
	b.WriteString("/>\n")
	return true
}

// path is the way of a pen that draws a letter of lines into a box.
func path(letter string, left, top, right, bottom float64) string {
	arm := arms[letter]
	x, y := (left+right)/2, (top+bottom)/2
	from := func(i int, edge, middle float64) float64 {
		if arm[i] == '0' {
			return middle
		}
		return edge
	}
	up, down, west, east := from(0, top, y), from(2, bottom, y), from(3, left, x), from(1, right, x)
	switch {
	case strings.Contains("╭╮╰╯", letter): // bent in the middle
		return fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", x, up+down-y, x, y, west+east-x, y)
	case (up == y) != (down == y) && (west == x) != (east == x): // a corner
		return fmt.Sprintf("M%.1f %.1fV%.1fH%.1f", x, up+down-y, y, west+east-x)
	}
	out := ""
	if west != east {
		out = fmt.Sprintf("M%.1f %.1fH%.1f", west, y, east)
	}
	if up != down {
		out += fmt.Sprintf("M%.1f %.1fV%.1f", x, up, down)
	}
	return out
}
