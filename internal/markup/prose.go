// Package markup draws Markdown as HTML that loads nothing. The text is a model's, and the page it becomes part of
// is ours: it must neither run a script, fetch a picture, nor change how the page around it is laid out. [Escape]
// is for everything else that is put into a page.
package markup

import (
	"fmt"
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Prose draws Markdown that a model wrote. Only what is listed here becomes a tag: raw HTML is shown as the text it is, and a picture
// is a link, because loading it would tell somebody that, when and by whom this was read.
func Prose(markdown string) string {
	source := []byte(markdown)
	known := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	doc := known.Parser().Parse(text.NewReader(source))
	p := &drawing{source: source}
	p.children(doc)
	return `<div class="md">` + p.b.String() + "</div>"
}

// Escape makes a text one that is shown as it is, in an element or a quoted attribute. A brace is escaped too, so that no text reads like
// a mark that a page is filled in at.
func Escape(text string) string {
	text = strings.ReplaceAll(html.EscapeString(text), "{", "&#123;")
	return strings.ReplaceAll(text, " %", "&nbsp;%")
}

// drawing writes one document. It knows each kind of node that becomes a tag; of any other it draws the children,
// so that an extension of the parser adds text and never a tag.
type drawing struct {
	b      strings.Builder
	source []byte
	inHead bool
}

// put writes a text whose values are escaped.
func (p *drawing) put(format string, values ...string) {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = Escape(v)
	}
	fmt.Fprintf(&p.b, format, escaped...)
}

// children draws what is in a node.
func (p *drawing) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.node(c)
	}
}

// within draws what is in a node within a tag. tag is ours, never the text's.
func (p *drawing) within(tag string, n ast.Node) {
	p.put("<%s>", tag)
	p.children(n)
	p.put("</%s>", tag)
}

// node draws a block.
func (p *drawing) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph:
		p.within("p", n)
	case *ast.TextBlock:
		p.children(n)
	case *ast.Heading:
		p.put(`<p class="h">`) // the page's outline is ours
		p.children(n)
		p.put("</p>")
	case *ast.Blockquote:
		p.within("blockquote", n)
	case *ast.List:
		p.within(map[bool]string{true: "ol", false: "ul"}[n.IsOrdered()], n)
	case *ast.ListItem:
		p.within("li", n)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		p.put(`<pre tabindex="0"><code>%s</code></pre>`, p.lines(n))
	case *ast.HTMLBlock:
		p.put("<p>%s</p>", p.lines(n))
	case *ast.ThematicBreak:
		p.put("<hr>")
	default:
		p.inline(n)
	}
}

// lines are the lines of a block as they are written.
func (p *drawing) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(p.source))
	}
	return b.String()
}

// inline draws what stands within a line. Raw HTML is text like any other.
func (p *drawing) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		p.put("%s", string(n.Segment.Value(p.source)))
		if n.HardLineBreak() {
			p.put("<br>")
		} else if n.SoftLineBreak() {
			p.put("\n")
		}
	case *ast.String:
		p.put("%s", string(n.Value))
	case *ast.CodeSpan:
		p.within("code", n)
	case *ast.Emphasis:
		p.within(map[bool]string{true: "strong", false: "em"}[n.Level > 1], n)
	case *ast.Link:
		p.link(string(n.Destination), n)
	case *ast.Image:
		p.link(string(n.Destination), n)
	case *ast.AutoLink:
		p.link(string(n.URL(p.source)), n)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			at := n.Segments.At(i)
			p.put("%s", string(at.Value(p.source)))
		}
	default:
		p.extra(n)
	}
}

// link is one that a person can follow: to a page of the web, and nothing that runs here.
func (p *drawing) link(to string, n ast.Node) {
	u, err := url.Parse(to)
	ok := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	if ok {
		p.put(`<a href="%s" rel="noreferrer noopener nofollow">`, u.String())
	}
	if n.FirstChild() == nil {
		p.put("%s", to)
	}
	p.children(n)
	if ok {
		p.put("</a>")
	}
}

// extra draws what the extensions add: tables and what is struck through.
func (p *drawing) extra(n ast.Node) {
	switch n := n.(type) {
	case *table.TaskCheckBox: // it shows how far something is; it is changed where it is written
		p.put(`<span role="img" aria-label="%s">%s</span> `, map[bool]string{true: "done", false: "not done"}[n.IsChecked],
			map[bool]string{true: "☑", false: "☐"}[n.IsChecked])
	case *table.Strikethrough:
		p.within("s", n)
	case *table.Table:
		p.put(`<div class="wide" tabindex="0" role="group" aria-label="Table">`)
		p.within("table", n)
		p.put("</div>")
	case *table.TableHeader:
		p.inHead = true
		p.within("tr", n)
		p.inHead = false
	case *table.TableRow:
		p.within("tr", n)
	case *table.TableCell:
		p.within(map[bool]string{true: "th", false: "td"}[p.inHead], n)
	default:
		p.children(n)
	}
}
