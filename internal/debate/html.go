package debate

import (
	"fmt"
	"html"
	"strings"
)

// HTML is the decision as one page that needs nothing from outside and runs nothing: no script, no image, no link
// that loads. Every word of a model is escaped.
func HTML(res Result) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
		`<title>` + html.EscapeString(oneLine(res.Question, 120)) + `</title><style>
body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
blockquote{border-left:4px solid #c60;margin:0 0 .5rem;padding:.2rem .8rem;background:#fff6ec}
table{border-collapse:collapse;width:100%;font-size:.85rem}td,th{border:1px solid #ccc;padding:.25rem .5rem;text-align:left;vertical-align:top}
@media(prefers-color-scheme:dark){body{background:#161616;color:#e6e6e6}blockquote{background:#2a2116}td,th{border-color:#444}}
</style><body>
`)
	for _, block := range strings.Split(strings.TrimSpace(res.Decision), "\n\n") {
		b.WriteString(htmlBlock(block))
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

// htmlBlock turns one block of our own decision document into HTML. It knows only what document writes.
func htmlBlock(block string) string {
	lines := strings.Split(block, "\n")
	switch {
	case strings.HasPrefix(block, "## "):
		return "<h2>" + inline(block[3:]) + "</h2>\n"
	case strings.HasPrefix(block, "# "):
		return "<h1>" + inline(block[2:]) + "</h1>\n"
	case strings.HasPrefix(block, "> "):
		var out strings.Builder
		for _, l := range lines {
			if text := strings.TrimSpace(strings.TrimPrefix(l, ">")); text != "" {
				out.WriteString("<blockquote>" + inline(text) + "</blockquote>\n")
			}
		}
		return out.String()
	case strings.HasPrefix(block, "- "):
		var out strings.Builder
		out.WriteString("<ul>\n")
		for _, l := range lines {
			out.WriteString("<li>" + inline(strings.TrimPrefix(l, "- ")) + "</li>\n")
		}
		return out.String() + "</ul>\n"
	case strings.HasPrefix(block, "| "):
		return htmlTable(lines)
	}
	return "<p>" + inline(strings.Join(lines, "<br>")) + "</p>\n"
}

func htmlTable(lines []string) string {
	var out strings.Builder
	out.WriteString("<table>\n")
	for i, l := range lines {
		if i == 1 {
			continue
		}
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		out.WriteString("<tr>")
		row := strings.ReplaceAll(strings.Trim(l, "|"), `\|`, "\x00")
		for _, c := range strings.Split(row, "|") {
			fmt.Fprintf(&out, "<%s>%s</%s>", tag, inline(strings.TrimSpace(strings.ReplaceAll(c, "\x00", "|"))), tag)
		}
		out.WriteString("</tr>\n")
	}
	return out.String() + "</table>\n"
}

// inline escapes a line. The document wrote &lt; already, and bold is the only mark it uses.
func inline(s string) string {
	s = html.EscapeString(strings.ReplaceAll(html.UnescapeString(s), "<br>", "\x00"))
	s = strings.ReplaceAll(s, "\x00", "<br>")
	for n := 0; strings.Contains(s, "**"); n++ {
		tag := "<b>"
		if n%2 == 1 {
			tag = "</b>"
		}
		s = strings.Replace(s, "**", tag, 1)
	}
	return s
}
