package document

import (
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"html"
	"slices"
	"strings"
)

//go:embed page.css
var css string

// web writes a document as a page.
type web struct {
	d      Document
	b      strings.Builder
	column bool // it fills a column, not a page
}

// HTML returns the decision as one self-contained page that loads and runs nothing: no script, no image, no link that loads anything.
// Every word of a model is escaped.
func (d Document) HTML() string {
	w := &web{d: d}
	w.put(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">`)
	w.put(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`)
	w.put("<title>%s</title><style>\n%s</style></head><body><main>", esc(clip(d.Answer, 120)), css)
	w.article()
	w.put("</main></body></html>\n")
	return w.b.String()
}

// Article returns the content of that page, for a page that has its own frame and the style.
func (d Document) Article() string {
	w := &web{d: d}
	w.article()
	return w.b.String()
}

// Figure returns a figure for a column of how votes and checks moved the answer; empty: nothing has moved it.
func (d Document) Figure() string {
	w := &web{d: d, column: true}
	w.moved()
	return w.b.String()
}

func (w *web) article() {
	w.put("<article class=\"doc\">\n")
	w.head()
	w.put("<div>\n")
	w.votes()
	w.supporting()
	w.put("</div>\n<aside aria-label=\"Arguments against it\">\n")
	w.against()
	w.put("</aside>\n<footer>\n")
	w.folds()
	if w.d.Notice != "" {
		w.put("<p class=\"notice\"><b class=\"warn\">!</b> %s</p>\n", esc(w.d.Notice))
	}
	w.put("<p class=\"small\">%s<br>%s</p>\n</footer></article>", esc(w.d.Status), esc(w.d.Foot))
}

func (w *web) put(format string, args ...any) { fmt.Fprintf(&w.b, format, args...) }

// esc escapes a text for HTML. A number and its percent sign stay on one line.
func esc(s string) string { return strings.ReplaceAll(html.EscapeString(s), " %", "&nbsp;%") }

func (w *web) head() {
	d := w.d
	w.put("<header><p class=\"q\">%s</p>\n<h1>%s</h1>\n", esc(clip(d.Question, 300)), esc(d.Answer))
	for _, n := range d.Notices {
		w.put("<p class=\"notice\"><b class=\"warn\">!</b> %s</p>\n", esc(n))
	}
	w.put("<div class=\"verdict\"><p><span class=\"word\">%s</span> <span class=\"call\">%s</span><br><span class=\"call\">%s.</span>",
		esc(capital(d.Sure(", "))), esc(d.Basis), esc(d.Votes))
	if len(d.Call.Reasons) > 0 {
		w.put("<br><span class=\"call\"><b class=\"warn\">? %s:</b> %s.</span>", esc(d.Call.Title), esc(strings.Join(d.Call.Reasons, "; ")))
	}
	w.put("</p>")
	if d.Percent > 0 {
		w.put(`<svg class="fig bar" viewBox="0 0 240 16" role="img" aria-label="Probability of the answer: %d percent">`, d.Percent)
		w.put(`<rect class="sunk" x="0" y="4" width="240" height="8"/>`)
		w.put(`<rect class="ink" x="0" y="4" width="%.1f" height="8"/></svg>`, 2.4*float64(d.Percent))
	}
	w.put("</div></header>\n")
}

// supporting writes the left column: the claims that carried the answer.
func (w *web) supporting() {
	d := w.d
	if d.For != "" {
		heading := d.For
		if heading == "Why" {
			heading = "What carried it"
		}
		w.put("<h2>%s</h2>\n", esc(heading))
		w.points(d.Why)
		if len(d.Why) == 0 {
			w.put("<p>No claim supports it.</p>\n")
		}
		if means := d.judged(); means != "" {
			w.put("<p class=\"small\">%s</p>\n", means)
		}
	}
	if len(d.Refuted) > 0 {
		w.put("<h2>Refuted</h2>\n")
		w.points(d.Refuted)
	}
}

// against writes the right column: dissent, what would flip it, what to do next.
func (w *web) against() {
	d := w.d
	w.put("<h2>Strongest dissent</h2>\n")
	if d.Dissent.None != "" {
		w.put("<p>%s</p>\n", esc(d.Dissent.None))
	} else {
		var seats []string
		for _, s := range d.Dissent.Seats {
			seats = append(seats, w.seat(s))
		}
		w.put("<p>%s: %s</p>\n", esc(d.Dissent.Option), cmp.Or(strings.Join(seats, ", "), "no seat voted for it"))
		w.points(first(some(d.Dissent.Points, 2)))
		if d.leftOut() {
			w.put("<p class=\"small\">%s</p>\n", unjudgedMeans)
		}
	}
	w.put("<h2>What would flip it</h2>\n")
	for _, f := range d.Flip {
		w.put("<p>%s</p>\n", esc(capital(f)))
	}
	if len(d.Flip) == 0 {
		w.put("<p>No seat said what would change its mind.</p>\n")
	}
	w.put("<h2>Next</h2>\n")
	for _, c := range d.Next {
		w.put("<p class=\"small\">%s</p><pre tabindex=\"0\">%s</pre>\n", esc(capital(c.Does)), html.EscapeString(c.Line))
	}
}

func (w *web) points(all []Point) {
	w.put("<ol>\n")
	for _, p := range all {
		way := ""
		if p.Way != "" {
			way = " <span class=\"dim\">" + esc(p.Way) + "</span>"
		}
		id := ""
		if p.Claim != "" {
			id = "<span class=\"dim\">" + esc(p.Claim) + "</span> "
		}
		w.put("<li><p>%s</p><p class=\"small\">%s%s%s</p><p class=\"quote\">", esc(p.Text), id, w.seat(p.Seat), way)
		if p.Quote != "" {
			w.put("<code class=\"lines\">%s</code>", html.EscapeString(clip(p.Quote, 600)))
		}
		if p.Where != "" {
			w.put("<code>%s</code> ", esc(p.Where))
		}
		w.put("<span class=\"%s\">%s %s</span></p></li>\n", p.Class(), p.mark, esc(p.Standing))
	}
	w.put("</ol>\n")
}

// folds writes the sections, all closed except how the result was computed, with its figure.
func (w *web) folds() {
	for _, s := range w.d.Sections {
		open := ""
		if s.Title == computedTitle {
			open = " open"
		}
		w.put("<details%s><summary>%s</summary>\n", open, esc(s.Title))
		if s.Title == computedTitle {
			w.moved()
		}
		for _, x := range s.Blocks {
			w.block(x)
		}
		w.put("</details>\n")
	}
}

func (w *web) block(x Block) {
	if x.Lead != "" {
		w.put("<p class=\"small\"><b>%s</b></p>\n", esc(x.Lead))
	}
	if x.Text != "" {
		w.put("<p class=\"small\">%s</p>\n", esc(x.Text))
	}
	if len(x.Items) > 0 {
		w.put("<ul>\n")
		for _, item := range x.Items {
			w.put("<li class=\"small\">%s</li>\n", esc(item))
		}
		w.put("</ul>\n")
	}
	if len(x.Table) > 0 {
		w.table(x.Table)
	}
	if quote := strings.TrimSpace(x.Quote + x.Said); quote != "" {
		w.put("<blockquote>%s</blockquote>\n", strings.ReplaceAll(esc(quote), "\n", "<br>"))
	}
}

func (w *web) table(rows [][]string) {
	w.put("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table><thead><tr>")
	for _, c := range rows[0] {
		w.put("<th scope=\"col\">%s</th>", esc(capital(c)))
	}
	w.put("</tr></thead><tbody>\n")
	for _, row := range rows[1:] {
		w.put("<tr>")
		for i, c := range row {
			class, text := "", esc(c)
			switch rows[0][i] {
			case "text":
				class = " class=\"claim\""
			case "evidence", "where":
				text = "<code>" + text + "</code>"
			case "by", "seat":
				text = w.seat(c)
			case "standing", "result":
				class = standingClass(c)
			}
			w.put("<td%s>%s</td>", class, text)
		}
		w.put("</tr>\n")
	}
	w.put("</tbody></table></div>\n")
}

func standingClass(words string) string {
	first, _, _ := strings.Cut(strings.TrimRight(words, ":"), " ")
	switch first {
	case "confirmed", "affirmed":
		return ` class="good"`
	case "refuted", "denied", "vetoed", "fail", "fail:":
		return ` class="bad"`
	}
	return ""
}

// seat returns a seat's name after the shape of its family in the family's colour.
func (w *web) seat(id string) string {
	bare, _, _ := strings.Cut(id, " as ")
	for _, s := range w.d.Seats {
		if s.Seat == bare {
			n := MarkOf(w.d.Seats, s.Lineage)
			return fmt.Sprintf(`<span class="seat"><svg class="shape s%d" viewBox="0 0 10 10" aria-hidden="true"><path `+
				`d="%s"/></svg>%s</span>`,
				n, shapes[n-1], esc(id))
		}
	}
	return esc(id)
}

// shapes tell families apart without colour: disc, square, diamond, triangle, bar, post, triangle down, two posts.
var shapes = []string{"M1 5a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "M1 1h8v8h-8z", "M5 0l5 5-5 5-5-5z", "M5 1l5 8h-10z", "M0 3h10v4h-10z",
	"M3 0h4v10h-4z", "M0 1h10l-5 8z", "M1 0h3v10h-3zM6 0h3v10h-3z"}

// salt gives the most common families the colours that the design has for them.
const salt = "39745"

// MarkOf returns the number of a family's colour and shape, from 1. It is always the same, unless an earlier seat's family has it.
func MarkOf(seats []SeatMark, lineage string) int {
	taken := map[int]string{}
	for _, s := range append(slices.Clone(seats), SeatMark{Lineage: lineage}) {
		h := fnv.New32a()
		h.Write([]byte(salt + strings.ToLower(s.Lineage)))
		at := int(h.Sum32()>>16) % len(shapes)
		for by, is := taken[at]; is && by != s.Lineage && len(taken) < len(shapes); by, is = taken[at] {
			at = (at + 1) % len(shapes)
		}
		if taken[at] = s.Lineage; s.Lineage == lineage {
			return at + 1
		}
	}
	return 1
}
