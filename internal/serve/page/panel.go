package page

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
	"github.com/socrates-cli/socrates/internal/learn"
)

// parts are the pages below the tab Panel.
var parts = []struct{ path, name string }{{"/panel", "Report"}, {"/seats", "Seats and logins"}, {"/evals", "Evaluations"},
	{"/phases", "Phases"}, {"/settings", "Settings"}, {"/projects", "Projects"}, {"/hub", "Hub"}}

// office has the pages below the tab Panel: seats and their record, what agents are told, and settings.
type office struct{ *site }

// part begins a page below the tab Panel.
func (p *sheet) part(path, title, line string) {
	p.title, p.tab = title, "/panel"
	p.put(`<nav class="crumb" aria-label="Panel">`)
	for _, one := range parts {
		if one.path == "/hub" && !p.hub {
			continue
		}
		current := Raw("")
		if one.path == path {
			current = ` aria-current="page" class="strong"`
		}
		p.put(`<a href="%s"%s>%s</a>`, one.path, current, one.name)
	}
	p.put(`</nav><div class="head"><div><h1>%s</h1><p class="dim">%s</p></div></div>`, title, line)
}

// panel shows how often each model, family and judge was right, from questions with known outcomes, and decisions
// whose outcome nobody reported.
func (s *office) panel(r *http.Request, p *sheet) error {
	known, err := rooms.In(s.Engine).Knowledge(r.Context())
	if err != nil {
		return err
	}
	report := known.Report()
	v := panelPage{p, report, nil}
	for _, m := range report.Models {
		v.marks = append(v.marks, document.SeatMark{Seat: m.Model, Lineage: m.Lineage})
	}
	p.part("/panel", v.sentence(), "Counts only questions with a known answer: outcomes you recorded, and the keys of evaluations. "+
		"An outcome that is half a year old counts half. Bars are 95 % intervals.")
	v.members()
	v.together()
	v.judges()
	v.lacks()
	err = s.untold(r, p, known)
	p.status = append(p.status, Raw(count(report.Outcomes, "outcome")))
	return err
}

// panelPage is the page of a panel's record.
type panelPage struct {
	*sheet
	learn.Panel
	marks []document.SeatMark
}

// sentence summarizes the record in a line; without an outcome it claims nothing.
func (v panelPage) sentence() string {
	if v.Decided == 0 {
		return "No outcome is known yet"
	}
	// Outcomes fade with time, so the share is of weights; people want a count.
	right := int(math.Round(v.Right.Value * float64(v.Decided)))
	text := fmt.Sprintf("The panel was right %d of %d times", right, v.Decided)
	if len(v.Models) > 0 {
		text += fmt.Sprintf("; its best model in %.0f %% of its votes", 100*v.Models[0].Right.Value)
	}
	return text + "."
}

// class returns the colour and shape of a family.
func (v panelPage) class(lineage string) string {
	return fmt.Sprintf("s%d", document.MarkOf(v.marks, lineage))
}

// members shows the models, with the current weight of their votes.
func (v panelPage) members() {
	if len(v.Models) == 0 {
		return
	}
	v.put(`<section class="sec"><header><h2>How often each model was right</h2><p>dashed: the panel, %.0f %%</p></header>`+
		`<div class="wide" tabindex="0" role="region" aria-label="Accuracy by model"><table><thead><tr><th scope="col">Model</th>`+
		`<th scope="col">Right</th><th scope="col">40 %% to 100 %%</th><th scope="col" class="n">Counts as</th>`+
		`<th scope="col" class="n">Adds to majorities</th><th scope="col" class="n">Per question</th><th scope="col">Advice</th></tr>`+
		`</thead><tbody>`, 100*v.Right.Value)
	for _, m := range v.Models {
		v.put(`<tr><td><span class="seat %s">%s</span></td><td class="nowrap">%.0f of %d</td><td>`, v.class(m.Lineage), m.Model,
			m.Right.Value*float64(m.Votes), m.Votes)
		v.interval(m.Right, v.class(m.Lineage))
		counts, adds := "default", "–"
		// The weight was learned; otherwise it is the default of all.
		if m.Counts > 0 {
			counts = fmt.Sprintf("%.0f %%", 100*m.Counts)
		}
		if m.Compared > 0 {
			adds = fmt.Sprintf("%+.0f points", 100*m.Adds.Value)
		}
		v.put(`</td><td class="n">%s</td><td class="n">%s</td><td class="n">$%.4f</td><td class="small dim">%s`, counts, adds, m.USD,
			m.Advice)
		for _, kind := range slices.Sorted(maps.Keys(m.ByKind)) {
			v.put("<br>%s questions: %.0f %%", kind, 100*m.ByKind[kind].Value)
		}
		v.put("</td></tr>")
	}
	v.put("</tbody></table></div></section>")
}

// interval draws a share with its uncertainty, on a scale from 40 to 100 percent. The drawing has no words but its
// label; the numbers are beside it.
func (v panelPage) interval(i statistics.Interval, class string) {
	x := func(share float64) float64 { return math.Round(2200*(min(1, max(.4, share))-.4)/.6) / 10 }
	v.put(`<svg class="fig w15" viewBox="0 0 220 20" role="img" aria-label="%.0f percent, between %.0f and %.0f">`+
		`<path class="gr" d="M0 10H220"/>`, 100*i.Value, 100*i.Low, 100*i.High)
	if v.Decided > 0 {
		v.put(`<path class="gate" d="M%g 0V20"/>`, x(v.Right.Value))
	}
	v.put(`<path class="trace %s" d="M%g 10H%g"/><circle class="c %s" cx="%g" cy="10" r="5"/></svg>`, class, x(i.Low), x(i.High), class,
		x(i.Value))
}

// together shows which families make the same errors. Votes of such families for one answer count for less than two.
func (v panelPage) together() {
	if len(v.Pairs) == 0 {
		return
	}
	v.put(`<section class="sec"><header><h2>How often models err together</h2><p>0: by chance; 1: always</p></header>` +
		`<div class="wide narrow" tabindex="0" role="region" aria-label="Joint errors"><table class="small"><thead><tr>` +
		`<th scope="col">Model families</th><th scope="col" class="n">Outcomes in common</th><th scope="col" class="n">Correlation</th>` +
		`<th scope="col">Counts</th></tr></thead><tbody>`)
	for _, e := range v.Pairs {
		counts := "not yet"
		// A correlation that is not certain yet changes no weight.
		if e.Counts {
			counts = fmt.Sprintf("as %.2f: their votes for one answer count for less", e.Counted)
		}
		v.put(`<tr><td><span class="seat %s">%s</span> &ensp;<span class="seat %s">%s</span></td><td class="n">%.0f</td>`+
			`<td class="n nowrap">%.2f (%.2f to %.2f)</td><td class="dim">%s</td></tr>`, v.class(e.Lineages[0]), e.Lineages[0],
			v.class(e.Lineages[1]), e.Lineages[1], e.Outcomes, e.Correlation.Value, e.Correlation.Low, e.Correlation.High, counts)
	}
	v.put("</tbody></table></div></section>")
}

// judges shows the weight of judgements. A judge that accepts everything counts for nothing, however often it is
// right.
func (v panelPage) judges() {
	if len(v.Judges) == 0 {
		return
	}
	v.put(`<section class="sec"><header><h2>How well judges tell right from wrong</h2></header>` +
		`<div class="wide narrow" tabindex="0" role="region" aria-label="Judges"><table class="small"><thead><tr>` +
		`<th scope="col">Judge</th><th scope="col">Of</th><th scope="col" class="n">True evidence accepted</th>` +
		`<th scope="col" class="n">False evidence accepted</th><th scope="col">Counts</th></tr></thead><tbody>`)
	for _, j := range v.Judges {
		counts := "3 : 1, until there is enough data"
		// Measured by control runs; without them a fixed ratio applies.
		if j.Ratio != nil {
			counts = fmt.Sprintf("%.1f : 1 for, 1 : %.1f against", j.Ratio.Pass, 1/j.Ratio.Fail)
		}
		v.put(`<tr><td>%s</td><td>%s</td><td class="n nowrap">%s</td><td class="n nowrap">%s</td><td>%s</td></tr>`, j.Model, j.Grade,
			between(j.Accepts), between(j.Fooled), counts)
	}
	v.put("</tbody></table></div></section>")
}

// between formats a share in percent with its uncertainty; a dash: no data. An interval from 0 to 1 is none.
func between(i statistics.Interval) string {
	if i.Low == 0 && i.High == 1 {
		return "–"
	}
	return fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*i.Value, 100*i.Low, 100*i.High)
}

// lacks explains what cannot be said yet, and why.
func (v panelPage) lacks() {
	v.put(`<section class="sec"><header><h2>Is the confidence calibrated?</h2></header>`)
	if c := v.Calibrated; c != nil {
		v.put(`<p>Confidence is calibrated on %d outcomes; before, it was off by %.0f points (%.0f to %.0f) on average.</p>`, c.N,
			100*c.Error.Value, 100*c.Error.Low, 100*c.Error.High)
	}
	if len(v.Lacks) > 0 {
		v.put(`<p class="dim">Too little data, so nothing changed yet:</p><ul class="rows small">`)
		for _, text := range v.Lacks {
			v.put("<li><div>%s</div></li>", sentence(text))
		}
		v.put("</ul>")
	}
	v.put("</section>")
}

// mostUntold is how many decisions are asked about.
const mostUntold = 12

// untold lists decisions whose outcome nobody reported. It stops after mostUntold: nobody reports more at once.
func (s *office) untold(r *http.Request, p *sheet, known *learn.Knowledge) error {
	n := 0
	for info, err := range rooms.In(s.Engine).Each(r.Context(), false) {
		if err != nil {
			return err
		}
		if info.Rehearsal || info.End == nil || !info.End.Outcome.Decision() || known.Last(info.Room).Room != "" {
			continue
		}
		if n++; n > mostUntold {
			break
		}
		// The section begins with the first one, so it is absent without any.
		if n == 1 {
			p.put(`<section class="sec"><header><h2>Outcomes still missing</h2></header><ul class="rows">`)
		}
		g, _ := s.gist(r.Context(), info)
		p.put(`<li><div><a class="t" href="%s/decision">%s</a><p>%s &ensp;<span class="faint">%s, %s</span></p></div><div class="btns">`,
			pathOf("d", info.Room), clip(g.answer, 140), clip(info.Question, 160), base(info.Dir), when(info.Started))
		for _, told := range []string{learn.Right, learn.Wrong} {
			p.put("%s", button(pathOf("d", info.Room)+"/say", "It was "+told, "", "", "", "text", "/outcome "+told, "back", "/panel"))
		}
		p.put("</div></li>")
	}
	if n > 0 {
		p.put("</ul></section>")
	}
	return nil
}
