package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/drift"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/serve/api"
)

// week is the period for which Home sums costs.
const week = 7 * 24 * time.Hour

// beside shows what is beside Home's lists: projects, the panel, and costs.
func (p *sheet) beside(ctx context.Context, s *site, o overview) {
	p.put(`<aside aria-label="Projects and panel">`)
	p.projectList(o)
	if seats, err := s.Seats(ctx); err == nil { // the page of seats reports errors
		p.sitting(seats)
	}
	p.spent(s, o)
	p.put("</aside>")
}

// projectList shows every project, with its contents.
func (p *sheet) projectList(o overview) {
	p.put(`<section class="sec"><header><h2>Projects</h2>` +
		`<p><a href="/projects">manage</a></p></header><ul class="rows small">`)
	for _, one := range o.projects {
		p.put(`<li><div><a href="/?folder=%s" class="strong" title="%s">%s</a>`, Raw(queryEscape(one.Folder)), one.Folder, base(one.Folder))
		if one.Default {
			p.put(` <span class="tag">default</span>`)
		}
		if one.Missing {
			p.put(` <span class="tag warn">! folder missing</span>`)
		}
		p.put("<p>%s, %s, %s</p></div></li>", count(one.Debates, "debate"), count(one.Conversations, "conversation"),
			count(one.Runs, "run"))
	}
	p.put(`</ul><p class="small dim tail">A folder becomes a project when you ask something there.</p></section>`)
}

// sitting shows the default panel, and whether each seat is ready.
func (p *sheet) sitting(seats []api.Candidate) {
	p.put(`<section class="sec"><header><h2>Panel</h2><p><a href="/panel">report</a></p></header><table class="small"><tbody>`)
	var marks []document.SeatMark
	for _, one := range seats {
		if !one.Used {
			continue
		}
		marks = append(marks, document.SeatMark{Seat: one.Spec, Lineage: one.Lineage})
		state, class := "ready", "good"
		if !one.Ready {
			state, class = "✗ "+clip(one.Why, 60), "bad"
		}
		p.put(`<tr><td><span class="seat s%d">%s</span></td><td class="n %s">%s</td></tr>`, document.MarkOf(marks, one.Lineage),
			shortSpec(one.Spec), class, state)
	}
	p.put("</tbody></table>")
	if marks == nil {
		p.put(`<p class="small dim tail">No seat is ready: <a href="/seats">Seats</a></p>`)
	}
	p.put("</section>")
}

// shortSpec returns a short name of a seat: for a file, its name.
func shortSpec(spec string) string {
	if strings.HasSuffix(spec, ".yaml") {
		spec = base(spec)
	}
	return clip(spec, 40)
}

// spent shows the cost of debates and runs that began in the last week, beside the limits. Conversations show theirs
// themselves.
func (p *sheet) spent(s *site, o overview) {
	runs := 0.
	for _, run := range o.plans {
		if time.Since(run.Started) < week {
			runs += run.USD
		}
	}
	p.put(`<section class="sec"><header><h2>Spent this week</h2></header><p class="small dim">$%.2f: $%.2f on debates, $%.2f on runs. `+
		`Seats on subscriptions and conversations are not counted.</p><p class="small dim">%s</p></section>`, o.paid+runs, o.paid, runs,
		limits(s))
}

// limits returns what a debate and a run may cost, from the person's settings.
func limits(s *site) string {
	cfg, err := s.Home.Settings.Load()
	if err != nil {
		return "" // the page of settings reports errors
	}
	var all []string
	for _, one := range [][2]string{{"debate.budget_usd", "a debate"}, {"work.budget_usd", "a run"}} {
		if most := cfg.Float(one[0]); most > 0 {
			all = append(all, fmt.Sprintf("$%.2f %s", most, one[1]))
		}
	}
	if all == nil {
		return "No spending limit is set."
	}
	return "Limit: " + strings.Join(all, ", ") + "."
}

// decisionTable shows ended debates, with their results and whether the text they quote is unchanged.
func (s *site) decisionTable(ctx context.Context, p *sheet, list []rooms.Info) {
	p.put(`<div class="wide" tabindex="0" role="region" aria-label="Decisions"><table class="decided"><thead><tr>` +
		`<th scope="col">Decision</th><th scope="col">Confidence</th><th scope="col">Seats</th><th scope="col">Project</th>` +
		`<th scope="col">Evidence today</th><th scope="col">When</th></tr></thead><tbody>`)
	held := map[string]*drift.Project{}
	for _, info := range list {
		g, _ := s.gist(ctx, info)
		project, known := held[info.Dir]
		if !known {
			project, _ = drift.Glance(info.Dir) // a missing folder is reported below
			held[info.Dir] = project
		}
		p.put(`<tr><td><a href="%s" class="strong">%s</a><br><span class="small dim">%s</span></td><td class="nowrap">%s</td>`+
			`<td data-s="Seats">%d</td><td>%s</td><td data-s="Evidence">%s</td><td class="nowrap faint">%s</td></tr>`,
			pathOf("d", info.Room)+"/decision", clip(g.answer, 140), clip(info.Question, 160), g.sure, info.Seats, base(info.Dir),
			evidenceToday(ctx, project, g.basis), when(info.Started))
	}
	for _, project := range held {
		if project != nil {
			project.Close()
		}
	}
	p.put("</tbody></table></div>")
}

// evidenceToday reports whether the files still contain what a decision quotes. Commands are not run for a page.
func evidenceToday(ctx context.Context, project *drift.Project, basis drift.Basis) Raw {
	if project == nil {
		return `<span class="warn">! folder missing</span>`
	}
	reports, err := project.Check(ctx, []drift.Basis{basis})
	if err != nil {
		return `<span class="faint">not checked</span>`
	}
	looked := 0
	for _, c := range reports[0].Cites {
		switch c.State {
		case drift.Changed, drift.Gone:
			w := &writer{}
			w.put(`<span class="warn">! %s %s</span>`, fmt.Sprintf("%s:%d", base(c.File), c.Line), string(c.State))
			return w.raw()
		case drift.True, drift.Moved:
			looked++
		}
	}
	if looked == 0 {
		return `<span class="faint">nothing to check</span>`
	}
	return `<span class="good nowrap">✓ unchanged</span>`
}
