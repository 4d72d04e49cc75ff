package markdown

import (
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extra "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// narrow is the least width for a text inside lists and quotes: if less would remain, nothing is put before it.
const narrow = 10

var parse = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()
})

// drawer draws one parsed text.
type drawer struct {
	theme  theme.Theme
	source []byte
}

func draw(t theme.Theme, source []byte, width int) []string {
	d := drawer{t, source}
	return d.blocks(parse().Parse(text.NewReader(source)), width, "", 0, true)
}

// blocks draws the contents of a block at a depth of lists. If it is airy, a blank line separates blocks,
// except before a nested list.
func (d drawer) blocks(parent ast.Node, width int, ink theme.Ink, depth int, airy bool) (lines []string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		drawn := d.block(n, width, ink, depth)
		_, nested := n.(*ast.List)
		if len(lines) > 0 && len(drawn) > 0 && airy && (!nested || depth == 0) {
			lines = append(lines, "")
		}
		if lines == nil {
			lines = drawn
			continue
		}
		lines = append(lines, drawn...)
	}
	return lines
}

func (d drawer) block(n ast.Node, width int, ink theme.Ink, depth int) []string {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return d.inline(n, ink).flow(d.theme, min(width, Measure))
	case *ast.Heading:
		return d.heading(n, width, ink)
	case *ast.ThematicBreak:
		if d.theme.Plain {
			return []string{""}
		}
		return []string{d.theme.Line.On(strings.Repeat("─", width))}
	case *ast.CodeBlock:
		return grounded(d.theme, "", code(d.theme, "", d.raw(n), width-4), width)
	case *ast.FencedCodeBlock:
		lang := firstWord(string(n.Language(d.source)))
		return grounded(d.theme, lang, code(d.theme, lang, d.raw(n), width-4), width)
	case *ast.HTMLBlock:
		html := d.raw(n)
		if n.HasClosure() {
			html += string(n.ClosureLine.Value(d.source))
		}
		var p piece
		p.add(strings.TrimRight(html, "\n"), with(ink, d.theme.Dim))
		return p.flow(d.theme, width)
	case *ast.Blockquote:
		if width-2 < narrow {
			return d.blocks(n, width, with(ink, d.theme.Quote), depth, true)
		}
		quoted := d.blocks(n, width-2, with(ink, d.theme.Quote), depth, true)
		if d.theme.Plain {
			return append([]string{"Quote:"}, indented(quoted)...)
		}
		return prefixed(quoted, theme.Decoration.And(d.theme.Line).On("│ "), theme.Decoration.And(d.theme.Line).On("│ "))
	case *ast.List:
		return d.list(n, width, ink, depth)
	case *extra.Table:
		return d.table(n, width, ink)
	case *ast.LinkReferenceDefinition:
		return nil
	}
	return d.blocks(n, width, ink, depth, true)
}

func (d drawer) heading(n *ast.Heading, width int, ink theme.Ink) []string {
	return d.inline(n, with(ink, d.theme.Heading)).flow(d.theme, min(width, Measure))
}

// Measure is the maximum width of prose; code and tables use all columns.
const Measure = 100

var bullets = []string{"• ", "◦ ", "▪ "}

func (d drawer) list(list *ast.List, width int, ink theme.Ink, depth int) (lines []string) {
	last := strconv.Itoa(list.Start+list.ChildCount()-1) + ". "
	number := list.Start
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		before := bullets[min(depth, len(bullets)-1)]
		switch {
		case list.IsOrdered():
			before = strconv.Itoa(number) + string(list.Marker) + " "
			before = strings.Repeat(" ", len(last)-len(before)) + before
			number++
		case task(n):
			before = ""
		}
		if lines != nil && !list.IsTight {
			lines = append(lines, "")
		}
		w := ansi.StringWidth(before)
		if task(n) {
			w += 4
		}
		if width-w < narrow {
			if before != "" {
				lines = append(lines, ink.On(strings.TrimSpace(before)))
			}
			lines = append(lines, d.blocks(n, width, ink, depth+1, !list.IsTight)...)
			continue
		}
		item := d.blocks(n, width-ansi.StringWidth(before), ink, depth+1, !list.IsTight)
		if len(item) == 0 {
			item = []string{""}
		}
		lines = append(lines, prefixed(item, ink.On(before), strings.Repeat(" ", ansi.StringWidth(before)))...)
	}
	return lines
}

// task reports whether an item begins with a checkbox.
func task(item ast.Node) bool {
	if item.FirstChild() == nil || item.FirstChild().FirstChild() == nil {
		return false
	}
	_, ok := item.FirstChild().FirstChild().(*extra.TaskCheckBox)
	return ok
}

// raw returns the text of a block with literal lines.
func (d drawer) raw(n ast.Node) string {
	var out strings.Builder
	for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
		out.Write(s.Value(d.source))
	}
	return out.String()
}

// prefixed puts one prefix before the first line and another before the rest, and trims trailing blanks.
func prefixed(lines []string, first, rest string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight(first+line, " ")
		first = rest
	}
	return out
}

func indented(lines []string) []string { return prefixed(lines, "  ", "  ") }

// grounded draws rows of code on their background, the name of their language at the right of the first.
func grounded(t theme.Theme, lang string, rows []string, width int) []string {
	if t.Plain && lang != "" {
		return append(spokenLang(t, lang), grounded(t, "", rows, width)...)
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = groundedRow(t, map[bool]string{true: lang}[i == 0], row, width)
	}
	out[0] = begun(t, out[0])
	return out
}

// spokenLang names the language before code that is read aloud: at the end of the first row it would be read as
// a part of that.
func spokenLang(t theme.Theme, lang string) []string {
	return []string{t.Dim.On("Code, " + lang + ":")}
}

// begun draws the first row of a code block.
func begun(t theme.Theme, row string) string {
	if t.Plain {
		return row
	}
	return theme.Block.Mark() + row
}

func groundedRow(t theme.Theme, lang, row string, width int) string {
	before, label := theme.Decoration, theme.Decoration.And(t.Dim)
	if t.Plain {
		before = ""
	}
	if row != "" || lang != "" {
		row = before.On("  ") + row
	}
	if lang != "" && ansi.StringWidth(row)+ansi.StringWidth(lang)+4 <= width {
		row += strings.Repeat(" ", width-ansi.StringWidth(row)-ansi.StringWidth(lang)-2) + label.On(lang)
	}
	if t.Ground == "" || t.Plain {
		return strings.TrimRight(row, " ")
	}
	return t.Ground.Under(row + strings.Repeat(" ", max(0, width-ansi.StringWidth(row))))
}
