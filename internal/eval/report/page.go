package report

import (
	"fmt"
	"html"
	"strings"
)

// style is the page's whole style, light and dark.
const style = `
:root{--ink:#1a1a1a;--paper:#fff;--line:#ccc;--soft:#777;--warn:#fff6ec;--c0:#3465a4;--c1:#4e9a06;--c2:#c17d11;--c3:#a40000;--c4:#75507b;
--c5:#06989a;--c6:#555753;--c7:#d3288b;--c8:#7a5c00;--c9:#2a2aa5}
@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#161616;--line:#444;--soft:#999;--warn:#2a2116;
--c0:#729fcf;--c1:#8ae234;--c2:#e9b96e;--c3:#ef6a6a;--c4:#ad7fa8;--c5:#34e2e2;--c6:#babdb6;--c7:#ff87c5;--c8:#d9c077;--c9:#a5a5ff}}
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--paper)}
blockquote{border-left:4px solid var(--c2);margin:0 0 .5rem;padding:.2rem .8rem;background:var(--warn)}
table{border-collapse:collapse;font-size:.85rem;display:block;overflow-x:auto}
td,th{border:1px solid var(--line);padding:.2rem .5rem;text-align:right}
td.w,th.w{text-align:left}p.note{color:var(--soft);font-size:.85rem;margin:.2rem 0}
.close{font-size:1.15rem;font-weight:600;border-top:2px solid var(--line);padding-top:.6rem}
svg{width:100%;height:auto;margin:.5rem 0}svg text{font:12px system-ui,sans-serif;fill:var(--ink)}svg .soft{fill:var(--soft)}
svg .grid{stroke:var(--line);stroke-width:1}
figure{margin:1.5rem 0}figcaption{font-weight:600}
`

// HTML returns the report as one self-contained page that loads and runs nothing: no script, no image, no link that loads anything.
// Every word of a suite, a seat or a model is escaped.
func (r Report) HTML() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
		"<title>Evaluation " + html.EscapeString(r.Name) + "</title><style>" + style + "</style><body>\n")
	fmt.Fprintf(&b, "<h1>Evaluation %s</h1>\n", html.EscapeString(r.Name))
	b.WriteString(r.Article())
	b.WriteString("</body></html>\n")
	return b.String()
}

// Article returns the content of that page, for a page that has the title and the style.
func (r Report) Article() string {
	var b strings.Builder
	for _, line := range r.head() {
		tag := "p"
		if line == SimulatedNotice || !r.Ended && strings.HasPrefix(line, "This evaluation has not ended") {
			tag = "blockquote"
		}
		fmt.Fprintf(&b, "<%s>%s</%s>\n", tag, html.EscapeString(line), tag)
	}
	fmt.Fprintf(&b, "<p class=\"close\">%s</p>\n", html.EscapeString(r.Closing))
	for _, p := range r.plots() {
		fmt.Fprintf(&b, "<figure><figcaption>%s</figcaption>\n<div class=\"wide\" tabindex=\"0\" role=\"group\" "+
			"aria-label=\"%[1]s\">%s</div></figure>\n", html.EscapeString(p.title), p.svg)
	}
	for _, t := range r.tables() {
		t.html(&b)
	}
	if r.Simulated {
		fmt.Fprintf(&b, "<blockquote>%s</blockquote>\n", html.EscapeString(SimulatedNotice))
	}
	return b.String()
}

// html writes a table as part of a page. A wide one scrolls separately and is reachable by keyboard.
func (t table) html(b *strings.Builder) {
	fmt.Fprintf(b, "<h2>%s</h2>\n", html.EscapeString(t.title))
	if len(t.rows) > 0 {
		fmt.Fprintf(b, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table>\n", html.EscapeString(t.title))
		for n, row := range append([][]string{t.header}, t.rows...) {
			tag := "td"
			if n == 0 {
				tag = "th"
			}
			b.WriteString("<tr>")
			for i, cell := range row {
				class := ""
				if t.words(i) {
					class = ` class="w"`
				}
				fmt.Fprintf(b, "<%s%s>%s</%s>", tag, class, html.EscapeString(cell), tag)
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</table></div>\n")
	}
	for _, note := range t.notes {
		fmt.Fprintf(b, "<p class=\"note\">%s</p>\n", html.EscapeString(note))
	}
}
