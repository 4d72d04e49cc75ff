package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extra "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// inline returns the text of a paragraph, a heading or a cell.
func (d drawer) inline(n ast.Node, ink theme.Ink) *piece {
	var p piece
	d.collect(&p, n, ink)
	return &p
}

func (d drawer) collect(p *piece, parent ast.Node, ink theme.Ink) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			value := string(n.Value(d.source))
			if !n.IsRaw() {
				value = resolved(value)
			}
			p.add(value, ink)
			if n.HardLineBreak() {
				p.add("\n", ink)
			} else if n.SoftLineBreak() {
				p.add(" ", ink)
			}
		case *ast.String:
			p.add(clean.Line(string(n.Value)), ink)
		case *ast.CodeSpan:
			p.add(strings.ReplaceAll(d.bare(n), "\n", " "), with(ink, d.theme.Code))
		case *ast.Emphasis:
			how := theme.Italic
			if n.Level > 1 {
				how = theme.Bold
			}
			d.collect(p, n, with(ink, how))
		case *extra.Strikethrough:
			p.add("~~", ink) // without the marks, on a terminal that cannot strike, the text would say the opposite
			d.collect(p, n, with(ink, theme.Struck))
			p.add("~~", ink)
		case *ast.Link:
			d.link(p, n, ink)
		case *ast.AutoLink:
			p.add(clean.Line(string(n.Label(d.source))), with(ink, d.theme.Link))
		case *ast.Image:
			p.add("[image: "+strings.TrimSpace(d.bare(n))+"]", with(ink, d.theme.Dim))
		case *ast.RawHTML:
			d.html(p, n, ink)
		case *extra.TaskCheckBox:
			box := "[ ] "
			if n.IsChecked {
				box = "[x] "
			}
			p.add(box, ink)
		default:
			d.collect(p, n, ink)
		}
	}
}

// link draws a link with its target, unless its text is the target.
func (d drawer) link(p *piece, n *ast.Link, ink theme.Ink) {
	to := resolved(string(n.Destination))
	text := d.bare(n)
	if text == "" {
		text = to
		p.add(to, with(ink, d.theme.Link))
	} else {
		d.collect(p, n, with(ink, d.theme.Link))
	}
	if to != "" && text != to && "mailto:"+text != to {
		p.add(" ("+to+")", with(ink, d.theme.Dim))
	}
}

// html draws a tag literally; that of a line break breaks the line.
func (d drawer) html(p *piece, n *ast.RawHTML, ink theme.Ink) {
	var tag strings.Builder
	for _, s := range n.Segments.Sliced(0, n.Segments.Len()) {
		tag.Write(s.Value(d.source))
	}
	switch strings.ToLower(strings.ReplaceAll(tag.String(), " ", "")) {
	case "<br>", "<br/>":
		p.add("\n", ink)
	default:
		p.add(strings.ReplaceAll(tag.String(), "\n", " "), with(ink, d.theme.Dim))
	}
}

// bare returns the text in n, without colours.
func (d drawer) bare(n ast.Node) string {
	var p piece
	d.collect(&p, n, "")
	return p.text.String()
}

// resolved removes backslashes and decodes entities. An entity can stand for an escape, so the result is
// cleaned again.
func resolved(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	b := util.UnescapePunctuations([]byte(s))
	return clean.Line(string(util.ResolveEntityNames(util.ResolveNumericReferences(b))))
}

// with adds an ink to another, once however often it is asked for: nesting a thousand times must not grow it.
func with(ink, more theme.Ink) theme.Ink {
	if strings.Contains(";"+string(ink)+";", ";"+string(more)+";") {
		return ink
	}
	return ink.And(more)
}
