package page

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/work"
)

// How much Home reads and shows.
const (
	looked   = 200
	onHome   = 8
	mostOpen = 20 // of debates that wait for the person
	onLists  = 100
)

// overview is the content of Home.
type overview struct {
	open, running, decided []rooms.Info
	asking                 []waiting
	talks                  []conversation.Info
	plans                  []runs.Info
	projects               []api.Project
	paid                   float64 // for debates that began in the last week, in USD
}

// waiting is a conversation whose turn waits for the person.
type waiting struct {
	conversation.Info
	asks string
}

// home shows what waits for the person, what runs, and what was decided, for one folder or all.
func (s *site) home(r *http.Request, p *sheet) error {
	ctx, folder, words := r.Context(), r.URL.Query().Get("folder"), r.URL.Query().Get("q")
	last, err := s.Engine.LastSeq(ctx)
	if err != nil {
		return err
	}
	p.title, p.tab, p.events, p.after = "Home", "/", "/api/v1/events", last
	o, err := s.overview(ctx, folder, words)
	if err != nil {
		return err
	}
	p.put(`<h1 class="vh">All projects</h1>`)
	s.filter(r, p, o.projects)
	p.live("home")
	if n := len(o.open) + len(o.running) + len(o.decided) + len(o.talks) + len(o.plans); n == 0 && folder+words != "" {
		p.put(`<p class="dim">Nothing matches.</p>`)
	} else if n == 0 {
		p.put(`<section class="empty"><h2>No debates yet</h2><p>Ask a question that has more than one defensible answer. The panel ` +
			`answers it independently, code checks what it cites, and you get one decision with its dissent.</p><p class="btns">` +
			`<a class="btn go" href="/new">New debate</a></p></section>`)
	} else {
		p.put(`<div class="split"><div>`)
		s.needsYou(ctx, p, o)
		s.runningNow(ctx, p, o)
		s.recentDecisions(ctx, p, o)
		p.talkRows("Conversations", o.talks[:min(onHome, len(o.talks))], "/conversations", len(o.talks))
		p.put("</div>")
		p.beside(ctx, s, o)
		p.put("</div>")
	}
	p.end()
	p.status = append(p.status, Raw(count(len(o.projects), "project")), Raw(count(len(o.running), "debate")+" running"))
	if p.needs > 0 {
		p.status = append(p.status, Raw(fmt.Sprintf(`<b class="strong">%d need you</b>`, p.needs)))
	}
	return nil
}

// option is one of a list to choose from.
func (p *sheet) option(value, label string, chosen bool) {
	mark := Raw("")
	if chosen {
		mark = " selected"
	}
	p.put(`<option value="%s"%s>%s</option>`, value, mark, label)
}

// overview reads what is new and what is open. It reads only the newest looked debates: a first page must not wait
// for years of records.
func (s *site) overview(ctx context.Context, folder, words string) (o overview, err error) {
	n := 0
	for info, err := range rooms.In(s.Engine).Each(ctx, false) {
		if err != nil {
			return o, err
		}
		// It counts before the filter: a filtered page must not read more than an unfiltered one.
		if n++; n > looked {
			break
		}
		if !api.Below(info.Dir, folder) || !api.Contains(info.Question+" "+info.Room, words) {
			continue
		}
		if info.End != nil && time.Since(info.Started) < week {
			o.paid += info.End.USD
		}
		switch {
		// A running debate that waits for its person comes before all that only run.
		case info.Waits:
			o.open = append(o.open, info)
		case info.Running:
			o.running = append(o.running, info)
		case info.Ended:
			// A decision that needs the person stays open until they settle it.
			if g, ok := s.gist(ctx, info); ok && g.call != "" {
				o.open = append(o.open, info)
			} else if len(o.decided) < onHome {
				o.decided = append(o.decided, info)
			}
		}
	}
	if o.plans, err = runs.In(s.Engine).List(ctx, ""); err != nil {
		return o, err
	}
	all, err := conversation.In(s.Engine).List(ctx, "")
	if err != nil {
		return o, err
	}
	for _, t := range all {
		if !api.Below(t.Dir, folder) || !api.Contains(t.Name+" "+t.Title, words) {
			continue
		}
		// The conversations of a run's agents would crowd out a person's own.
		if !runs.Have(o.plans, t.Dir) { // those are read on the run's page
			o.talks = append(o.talks, t)
		}
		if asks := s.asks(ctx, t); asks != "" {
			o.asking = append(o.asking, waiting{t, asks})
		}
	}
	o.plans = slices.DeleteFunc(o.plans, func(i runs.Info) bool {
		return !api.Below(i.Dir,
			folder) || !api.Contains(i.Name+" "+i.Title, words)
	})
	o.projects, err = s.Projects(ctx)
	return o, err
}

// asks returns what a conversation's turn asks the person; empty: nothing. It reads only the end of the path, where
// an open question is.
func (s *site) asks(ctx context.Context, t conversation.Info) string {
	if !t.Running {
		return ""
	}
	tree, err := conversation.In(s.Engine).Open(ctx, t.Name)
	if err != nil {
		return ""
	}
	path, err := conversation.In(s.Engine).PathEnd(ctx, tree.Head, 12)
	if err != nil {
		return ""
	}
	chat := scene.NewChat("")
	chat.Load(tree, path, nil)
	_, need, ok := chat.Open()
	if !ok {
		return ""
	}
	return askedFor(need)
}

// askedFor formats a question or a permission as a line.
func askedFor(need asking.Need) string {
	if need.Question != nil {
		return "Question: " + clip(need.Question.Text, 140)
	}
	return "Permission: " + need.Tool + ", " + clip(need.Reason, 140)
}

// stuck returns the runs that wait for the person. A failed step of a running run may still be retried without
// anybody.
func (o overview) stuck() (out []runs.Info) {
	for _, run := range o.plans {
		if run.State == work.Person || run.State == work.Failed && !run.Running {
			out = append(out, run)
		}
	}
	return out
}

// waits caches how many things wait for the person in all projects, by the store's last node. The zero value is
// ready.
type waits struct {
	mu sync.Mutex
	at int64
	n  int
}

// count returns that number, for the tab of Home on every page. It is computed once for each state of the store; the
// page itself reports what cannot be read.
func (w *waits) count(ctx context.Context, s *site) int {
	last, err := s.Engine.LastSeq(ctx)
	if err != nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if last != w.at {
		o, err := s.overview(ctx, "", "")
		if err != nil {
			return 0
		}
		w.at, w.n = last, len(o.open)+len(o.asking)+len(o.stuck())
	}
	return w.n
}

// needsYou shows debates, conversations and runs that wait for the person. Their number is in the page's title.
func (s *site) needsYou(ctx context.Context, p *sheet, o overview) {
	stuck := o.stuck()
	p.needs = len(o.open) + len(o.asking) + len(stuck)
	if p.needs == 0 {
		return
	}
	p.put(`<section class="sec"><header><h2>Needs you</h2><p>%d</p></header><ul class="rows">`, p.needs)
	for _, info := range o.open[:min(mostOpen, len(o.open))] {
		if info.Waits {
			p.row(pathOf("d", info.Room), info.Question, "It waits for your answer.", whose(info.Dir, info.Person),
				when(info.Started), "Answer")
			continue
		}
		g, _ := s.gist(ctx, info)
		line := g.call + ": " + clip(g.answer+" "+g.sure, 160)
		if why, none := strings.CutPrefix(g.answer, "No decision: "); none {
			line = g.call + ": " + clip(why, 160)
		}
		p.row(pathOf("d", info.Room)+"/decision", info.Question, line, whose(info.Dir, info.Person), when(info.Started), "Decide")
	}
	if more := len(o.open) - mostOpen; more > 0 {
		p.put(`<li><p class="small"><a href="/debates?state=ended">%s more</a></p></li>`, count(more, "debate"))
	}
	for _, t := range o.asking {
		p.row(pathOf("t", t.Name)+"#ask", orName(t.Title, t.Name), t.asks, whose(t.Dir, t.Person), when(t.Last), "Answer")
	}
	for _, run := range stuck {
		p.row(pathOf("w", run.Name), orName(run.Title, run.Name), "Review: "+said(run.State), whose(run.Dir, run.Person),
			when(run.Started), "Review")
	}
	p.put("</ul></section>")
}

// orName returns a title, or the name if there is none.
func orName(title, name string) string {
	if title == "" {
		return name
	}
	return clip(title, 160)
}

// whose returns a project's name, and the hub's person who began something there; an empty name is whoever runs the
// server.
func whose(dir, person string) string {
	if person == "" {
		return base(dir)
	}
	return base(dir) + ", by " + person
}

// row shows an entry of a list, with the action it needs.
func (p *sheet) row(path, title, line, project string, at Raw, act string) {
	p.put(`<li><div><a class="t" href="%s">%s</a><p>%s &ensp;<span class="faint">%s, %s</span></p></div><div class="btns">`, path,
		clip(title, 200), line, project, at)
	if act != "" {
		p.put(`<a class="btn" href="%s" aria-label="%s: %s">%s</a>`, path, act, clip(title, 60), act)
	}
	p.put("</div></li>")
}

// What runs and waits for the person is shown there and not here.
func (s *site) runningNow(ctx context.Context, p *sheet, o overview) {
	var plans []runs.Info
	for _, run := range o.plans {
		if run.Running {
			plans = append(plans, run)
		}
	}
	var turns []conversation.Info
	for _, t := range o.talks {
		if t.Running && !slices.ContainsFunc(o.asking, func(w waiting) bool { return w.Name == t.Name }) {
			turns = append(turns, t)
		}
	}
	n := len(o.running) + len(plans) + len(turns)
	if n == 0 {
		return
	}
	p.put(`<section class="sec live"><header><h2>Running now</h2><p>%d</p></header><ul class="rows">`, n)
	for _, info := range o.running {
		line := "beginning"
		// Only a few run at once, so each is folded for its stage.
		if room, err := s.scene(ctx, info.Room); err == nil {
			line = room.Stage + waitingFor(room)
		}
		p.row(pathOf("d", info.Room), info.Question, "● "+line, whose(info.Dir, info.Person), when(info.Started), "")
	}
	for _, t := range turns {
		p.row(pathOf("t", t.Name), orName(t.Title, t.Name), "● at work", whose(t.Dir, t.Person), when(t.Last), "")
	}
	for _, run := range plans {
		p.row(pathOf("w", run.Name), orName(run.Title, run.Name), "● "+count(run.Tasks, "step")+", "+Done(run)+" merged",
			whose(run.Dir, run.Person), when(run.Started), "")
	}
	p.put("</ul></section>")
}

// recentDecisions shows the latest decisions.
func (s *site) recentDecisions(ctx context.Context, p *sheet, o overview) {
	if len(o.decided) == 0 {
		return
	}
	p.put(`<section class="sec"><header><h2>Recent decisions</h2><p><a href="/debates?state=ended">all</a></p></header>`)
	s.decisionTable(ctx, p, o.decided)
	p.put("</section>")
}

// more is the page with all of them; empty: this one.
func (p *sheet) talkRows(title string, list []conversation.Info, more string, all int) {
	if len(list) == 0 {
		return
	}
	p.put(`<section class="sec"><header><h2>%s</h2>`, title)
	if more != "" && all > len(list) {
		p.put(`<p><a href="%s">all %d</a></p>`, more, all)
	}
	p.put(`</header><ul class="rows">`)
	for _, t := range list {
		state := "1 branch"
		if t.Branches != 1 {
			state = fmt.Sprintf("%d branches", t.Branches)
		}
		if t.Running {
			state = "● at work"
		}
		p.row(pathOf("t", t.Name), orName(t.Title, t.Name), state, whose(t.Dir, t.Person), when(t.Last), "")
	}
	p.put("</ul></section>")
}
