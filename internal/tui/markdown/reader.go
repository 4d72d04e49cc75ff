package markdown

import (
	"bytes"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

const (
	longest  = 8 << 10 // a longer block is shown as plain text, as it arrives
	longList = 4 << 10 // a longer list is drawn in parts
	sure     = 1000    // a line with this many bytes is neither blank nor a fence, whatever its rest
)

type blockKind int

const (
	prose  blockKind = iota // drawn when it is complete
	fenced                  // code between fences, drawn line by line
	plain                   // too long, drawn row by row
)

// reader is the state at a position of a text. Nothing of it depends on what follows, so that a text that grew
// looks like one that came whole.
type reader struct {
	kind      blockKind
	from, pos int    // in Text.text: the current block, the unread rest
	blank     bool   // the line before was blank
	offset    int    // where the texts of the list items begin, if the block begins with a list
	due       bool   // a blank line is due before the next block
	mid       bool   // a line is drawn in part
	fence     string // the fence that began the code
	indent    int
	scan      scanner
	lang      string // of the code, until its first row is drawn
	begun     bool   // its first row is drawn
}

// line reads a complete line, which begins at pos.
func (x *Text) line(line string) {
	next := x.pos + len(line) + 1
	switch {
	case x.kind == prose:
		x.prose(line)
	case x.mid || x.kind == plain && !blank(line) || x.kind == fenced && len(line) > longest:
		x.rows(line, true)
		x.mid = false
	case x.kind == plain || closes(line, x.fence):
		x.kind, x.from, x.due, x.blank, x.offset = prose, next, true, true, 0
	default:
		if x.theme.Plain && x.lang != "" {
			x.emit(spokenLang(x.theme, x.lang))
			x.lang = ""
		}
		code := strings.TrimPrefix(line, strings.Repeat(" ", x.indent))
		for _, row := range codeRows(x.theme, x.scan.line(code), x.width-4) {
			row = groundedRow(x.theme, x.lang, row, x.width)
			if !x.begun {
				row = begun(x.theme, row)
			}
			x.emit([]string{row})
			x.lang, x.begun = "", true
		}
	}
	x.pos = next
}

func (x *Text) prose(line string) {
	indent, mark := opens(line)
	if mark != "" && (x.offset == 0 || indent < x.offset) {
		x.flush(x.pos)
		lang := firstWord(line[indent+len(mark):])
		x.kind, x.fence, x.indent, x.scan, x.lang = fenced, mark, indent, newScanner(x.theme, lang), clean.Line(lang)
		x.begun = false
		return
	}
	x.cut(line)
	x.blank = blank(line)
	if x.blank && x.from == x.pos {
		x.from += len(line) + 1
		return
	}
	if at := item(line); at > 0 && (x.offset > 0 || x.from == x.pos) {
		x.offset = at
	}
	if x.pos+len(line)-x.from > longest {
		x.give(x.pos + len(line))
	}
}

// cut ends the current block if the following line does not belong to it.
func (x *Text) cut(line string) {
	switch {
	case line == "" || line[0] == ' ' || line[0] == '\t':
	case x.offset > 0 && item(line) > 0:
		if x.pos-x.from > longList {
			x.flush(x.pos)
			x.due = x.blank
		}
	case x.blank:
		x.flush(x.pos)
	}
}

// flush draws the block that ends at to.
func (x *Text) flush(to int) {
	if x.kind != prose || to <= x.from {
		return
	}
	x.emit(draw(x.theme, x.text[x.from:to:to], x.width))
	x.from, x.offset, x.due = to, 0, true
}

// give draws the block up to a position as plain text, and so does what follows.
func (x *Text) give(to int) {
	x.kind = plain
	for line := range bytes.Lines(x.text[x.from:to]) {
		x.rows(strings.TrimSuffix(string(line), "\n"), true)
	}
}

// part reads an incomplete line, if it is so long that it is drawn as plain text.
func (x *Text) part(line []byte) {
	if x.kind == prose && len(line) >= sure && x.pos+len(line)-x.from > longest {
		x.cut(string(line[:sure]))
		x.blank = false
		if x.pos+len(line)-x.from > longest {
			x.give(x.pos)
		}
	}
	if x.kind != prose && (x.mid || len(line) > longest) {
		n := x.rows(string(line), false)
		x.pos, x.mid = x.pos+n, x.mid || n > 0
	}
}

// rows draws a line, or the continuation of one, without colour, and returns how much of it. If the line is
// incomplete the last row is left: it may not be full.
func (x *Text) rows(line string, whole bool) int {
	first, rest, prefix := x.width, x.width, ""
	if x.kind == fenced {
		first, rest, prefix = x.width-4, x.width-4-len(Mark), theme.Decoration.On("  ")
		if x.theme.Plain {
			prefix = "  "
		}
	}
	if x.mid {
		first = rest
	}
	spans := hard(line, first, rest)
	if !whole {
		spans = spans[:len(spans)-1]
	}
	n := 0
	for _, s := range spans {
		row := prefix
		if x.kind == fenced && (x.mid || s.from > 0) {
			row += theme.Decoration.And(x.theme.Line).On(Mark)
		}
		if row = strings.TrimRight(row+paint(line, nil, s), " "); x.kind == fenced && !x.begun {
			row = begun(x.theme, row)
		}
		x.emit([]string{row})
		x.begun = true
		n = s.to
	}
	return n
}

func (x *Text) emit(lines []string) {
	if len(lines) == 0 {
		return
	}
	if x.due && len(x.lines) > 0 {
		x.lines = append(x.lines, "")
	}
	x.due = false
	x.lines = append(x.lines, lines...)
}
