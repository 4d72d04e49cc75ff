package page

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
)

// mostOthers is how many decisions are offered for a comparison.
const mostOthers = 30

// others offers the newest decisions of a project for a comparison. It stops at mostOthers of them; others can be
// reached by their address.
func (s *site) others(ctx context.Context, p *sheet, name, dir string) error {
	var list []rooms.Info
	for info, err := range rooms.In(s.Engine).Each(ctx, false) {
		if err != nil {
			return err
		}
		// Decisions of other projects rest on other files.
		if info.Ended && info.Room != name && info.Dir == dir {
			list = append(list, info)
		}
		if len(list) == mostOthers {
			break
		}
	}
	if len(list) == 0 {
		return nil
	}
	p.put(`<form class="filter of-doc noprint tail" action="/compare" aria-label="Compare"><input type="hidden" name="one" value="%s">`+
		`<select name="other" aria-label="Compare with">`, name)
	for _, info := range list {
		p.option(info.Room, clip(info.Question, 90)+" ("+ago(info.Started)+")", false)
	}
	p.put(`</select><button class="btn">Compare</button></form>`)
	return nil
}

// compare shows two decisions side by side: equal lines once, differences with a mark.
func (s *site) compare(r *http.Request, p *sheet) error {
	// The address has both names; the form of a decision's page sends them as fields.
	names := [2]string{cmp.Or(r.PathValue("name"), r.Form.Get("one")), cmp.Or(r.PathValue("other"), r.Form.Get("other"))}
	var docs [2]document.Document
	for i, name := range names {
		res, err := s.result(r.Context(), name)
		if err != nil {
			return err
		}
		docs[i] = document.Of(res)
	}
	p.title, p.tab = "Two decisions", "/debates"
	p.put(`<div class="head"><div><h1>Two decisions side by side</h1><p class="dim">≠ marks what differs.</p></div></div>` +
		`<div class="wide" tabindex="0" role="region" aria-label="Comparison"><table class="cmp"><thead><tr><td></td>`)
	for i, d := range docs {
		p.put(`<th scope="col"><a class="strong" href="%s/decision">%s</a></th>`, pathOf("d", names[i]), clip(d.Question, 160))
	}
	p.put("</tr></thead><tbody>")
	one := func(text string) []string { return []string{text} }
	for _, row := range []struct {
		name string
		of   func(d document.Document) []string
	}{
		{"Answer", func(d document.Document) []string { return one(d.Answer) }},
		{"Confidence", func(d document.Document) []string { return one(sentence(d.Sure(", "))) }},
		{"Votes", func(d document.Document) []string { return one(sentence(d.Votes)) }},
		{"Caveats", func(d document.Document) []string { return d.Notices }},
		{"Your call", func(d document.Document) []string { return d.Call.Reasons }},
		{"Why", func(d document.Document) []string { return points(d.Accepted) }},
		{"Refuted", func(d document.Document) []string { return points(d.Refuted) }},
		{"Dissent", func(d document.Document) []string {
			if d.Dissent.None != "" {
				return one(d.Dissent.None)
			}
			return append(one(d.Dissent.Option+": "+strings.Join(d.Dissent.Seats, ", ")), points(d.Dissent.Points)...)
		}},
		{"What would flip it", func(d document.Document) []string { return d.Flip }},
		{"Cost and time", func(d document.Document) []string { return one(d.Foot) }},
	} {
		p.compared(row.name, row.of(docs[0]), row.of(docs[1]))
	}
	p.put("</tbody></table></div>")
	return nil
}

// points returns claims, each with the result of its check. Claims with the same text appear once.
func points(all []document.Point) (lines []string) {
	for _, c := range all {
		if line := sentence(c.Text) + " (" + c.Standing + ")"; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// compared writes a row: lines in both decisions beside each other, then those in one alone. The order within a cell
// is that of each decision; a line in both is shown as equal, wherever it is.
func (p *sheet) compared(name string, a, b []string) {
	if len(a)+len(b) == 0 {
		return
	}
	var both, left, right []string
	for _, line := range a {
		if slices.Contains(b, line) {
			both = append(both, line)
		} else {
			left = append(left, line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			right = append(right, line)
		}
	}
	hidden := Raw("") // of the name, from its second line on
	for _, line := range both {
		p.put(`<tr><th scope="row"><span class="%s">%s</span></th><td>%s</td><td>%s</td></tr>`, hidden, name, line, line)
		hidden = "vh"
	}
	// Differences are set side by side in order, without guessing which line answers which.
	for i := range max(len(left), len(right)) {
		cell := func(list []string) string {
			if i < len(list) {
				return list[i]
			}
			return "–"
		}
		p.put(`<tr class="differs"><th scope="row"><b aria-hidden="true">≠</b> <span class="%s">%s</span>`+
			`<span class="vh"> differs</span></th><td>%s</td><td>%s</td></tr>`, hidden, name, cell(left), cell(right))
		hidden = "vh"
	}
}
