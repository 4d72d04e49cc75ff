package page

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/work/queue"
)

// queryEscape escapes a value for an address.
func queryEscape(text string) string { return url.QueryEscape(text) }

// Done returns how many steps of a run are done.
func Done(run runs.Info) string { return fmt.Sprint(run.Done) }

// listing parses a filter from an address. Without a filter it is everything, onLists at most.
func listing(r *http.Request) api.Listing {
	q := r.URL.Query()
	return api.Listing{Words: q.Get("q"), Folder: q.Get("folder"), State: q.Get("state"), Most: onLists}
}

// filter shows the form above a list. states are the choices; none: there is no such choice.
func (s *site) filter(r *http.Request, p *sheet, projects []api.Project, states ...string) {
	in := listing(r)
	p.put(`<form class="filter" aria-label="Filter"><input type="search" name="q" value="%s" aria-label="Filter by words" `+
		`placeholder="Filter by words"><select name="folder" aria-label="Project"><option value="">All projects</option>`, in.Words)
	for _, one := range projects {
		p.option(one.Folder, base(one.Folder), one.Folder == in.Folder)
	}
	p.put("</select>")
	if len(states) > 0 {
		p.put(`<select name="state" aria-label="State"><option value="">Any state</option>`)
		for _, state := range states {
			p.option(state, state, state == in.State)
		}
		p.put("</select>")
	}
	p.put(`<button class="btn">Filter</button></form>`)
}

// list begins a page with a list, and returns the projects to choose from. The last node is read before the list, so
// what is added meanwhile arrives as news.
func (s *site) list(r *http.Request, p *sheet, title, tab string, states ...string) ([]api.Project, error) {
	last, err := s.Engine.LastSeq(r.Context())
	p.title, p.tab, p.events, p.after = title, tab, "/api/v1/events", last
	if err != nil {
		return nil, err
	}
	projects, err := s.Projects(r.Context())
	if err != nil {
		return nil, err
	}
	p.put(`<div class="head"><div><h1>%s</h1></div></div>`, title)
	s.filter(r, p, projects, states...)
	return projects, nil
}

// debates lists all debates, those without a decision first.
func (s *site) debates(r *http.Request, p *sheet) error {
	if _, err := s.list(r, p, "Debates", "/debates", "running", "ended", "stopped"); err != nil {
		return err
	}
	in := listing(r)
	var running, ended []rooms.Info
	n := 0
	for info, err := range rooms.In(s.Engine).Each(r.Context(), false) {
		if err != nil {
			return err
		}
		if !api.Below(info.Dir, in.Folder) || !api.Contains(info.Question+" "+info.Room,
			in.Words) || in.State != "" && in.State != info.State {
			continue
		}
		// The newest that fit; a filter finds older ones.
		if n++; n > onLists {
			break
		}
		if info.Ended {
			ended = append(ended, info)
		} else {
			running = append(running, info)
		}
	}
	p.live("list")
	if len(running) > 0 {
		p.put(`<section class="sec"><header><h2>Not decided yet</h2><p>%d</p></header><ul class="rows">`, len(running))
		for _, info := range running {
			state := map[string]string{"running": "● running", "stopped": "‖ stopped; it can be resumed"}[info.State]
			p.row(pathOf("d", info.Room), info.Question, state, whose(info.Dir, info.Person), when(info.Started), "")
		}
		p.put("</ul></section>")
	}
	if len(ended) > 0 {
		p.put(`<section class="sec"><header><h2>Ended</h2><p>%d</p></header>`, len(ended))
		s.decisionTable(r.Context(), p, ended)
		p.put("</section>")
	}
	if n == 0 {
		p.put(`<p class="dim">No debate matches. <a href="/new">Start one</a>.</p>`)
	}
	p.end()
	return nil
}

// Those of runs are not listed: the run's page shows them.
func (s *site) conversations(r *http.Request, p *sheet) error {
	projects, err := s.list(r, p, "Conversations", "/conversations")
	if err != nil {
		return err
	}
	in, list := listing(r), []conversation.Info{}
	all, err := conversation.In(s.Engine).List(r.Context(), "")
	if err != nil {
		return err
	}
	plans, err := runs.In(s.Engine).List(r.Context(), "")
	if err != nil {
		return err
	}
	for _, t := range all {
		if api.Below(t.Dir, in.Folder) && api.Contains(t.Name+" "+t.Title, in.Words) && !runs.Have(plans, t.Dir) {
			list = append(list, t)
		}
	}
	p.put(`%s<label class="vh" for="say">Message</label><input id="say" name="text" required placeholder="Ask an agent: it reads and `+
		`changes files of the project, and asks before anything that cannot be undone"><label class="vh" for="dir">Project</label>`+
		`<select id="dir" name="folder">`,
		form("/conversations", "filter"))
	for _, one := range projects {
		if !one.Missing {
			p.option(one.Folder, base(one.Folder), one.Default)
		}
	}
	p.put(`</select><button class="btn go">Start</button></form>`)
	p.live("list")
	p.talkRows("All", list[:min(onLists, len(list))], "", len(list))
	if len(list) == 0 {
		none := "No conversation matches."
		if in.Folder+in.Words == "" {
			none = "No conversations yet."
		}
		p.put(`<p class="dim">%s</p>`, none)
	}
	p.end()
	return nil
}

// runs lists runs of plans, and queued prompts.
func (s *site) runs(r *http.Request, p *sheet) error {
	if _, err := s.list(r, p, "Runs", "/runs"); err != nil {
		return err
	}
	in := listing(r)
	list, err := runs.In(s.Engine).List(r.Context(), "")
	if err != nil {
		return err
	}
	waiting, err := queues.In(s.Engine).List(r.Context(), "")
	if err != nil {
		return err
	}
	p.put(`<p class="small"><a href="/issues">Issue drafts</a></p>`)
	p.live("list")
	p.put(`<ul class="rows">`)
	n := 0
	for _, q := range waiting {
		for _, i := range q.Items {
			// A prompt that has begun is among the runs.
			if i.State == queue.Waiting && api.Below(q.Dir, in.Folder) && api.Contains(i.Text, in.Words) {
				n++
				p.row("/runs", i.Title(), fmt.Sprintf("queued as prompt %d", i.Number), base(q.Dir), when(i.At), "")
			}
		}
	}
	for _, run := range list {
		if api.Below(run.Dir, in.Folder) && api.Contains(run.Name+" "+run.Title, in.Words) {
			n++
			state := word(run)
			if run.Running {
				state = "● running"
			}
			p.row(pathOf("w", run.Name), orName(run.Title, run.Name), fmt.Sprintf("%s, %d of %s merged", state, run.Done,
				count(run.Tasks, "step")), whose(run.Dir, run.Person), when(run.Started), "")
		}
	}
	p.put("</ul>")
	if n == 0 {
		p.put(`<p class="dim">No runs. Write and execute a plan in a terminal: <code>socrates plan "…"</code></p>`)
	}
	p.end()
	return nil
}

// undecided finds debates that run, have stopped or ended without a decision: the index of decisions lacks them.
func undecided(s *site, r *http.Request, words string) (list []rooms.Info, _ error) {
	for info, err := range rooms.In(s.Engine).Each(r.Context(), false) {
		if err != nil || len(list) == 20 {
			return list, err
		}
		if (info.End == nil || !info.End.Outcome.Decision()) && api.Contains(info.Question+" "+info.Room, words) {
			list = append(list, info)
		}
	}
	return list, nil
}

// search finds words in debates, decisions and conversations.
func (s *site) search(r *http.Request, p *sheet) error {
	words := r.URL.Query().Get("q")
	p.title = "Search: " + words
	p.put(`<div class="head"><div><h1>Search</h1><p class="dim">%s</p></div></div>`, words)
	// Without words the page is empty, rather than everything.
	if words == "" {
		return nil
	}
	decided, _, err := rooms.In(s.Engine).Decisions(r.Context(), "", words, 20)
	if err != nil {
		return err
	}
	if len(decided) > 0 {
		p.put(`<section class="sec"><header><h2>Decisions</h2><p>%d</p></header>`, len(decided))
		list := []rooms.Info{}
		for _, d := range decided {
			list = append(list, d.Info)
		}
		s.decisionTable(r.Context(), p, list)
		p.put("</section>")
	}
	open, err := undecided(s, r, words)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		p.put(`<section class="sec"><header><h2>Debates without a decision</h2><p>%d</p></header><ul class="rows">`, len(open))
		for _, info := range open {
			p.row(pathOf("d", info.Room), info.Question, info.Standing(), whose(info.Dir, info.Person), when(info.Started), "")
		}
		p.put("</ul></section>")
	}
	hits, _, err := conversation.In(s.Engine).Search(r.Context(), conversation.Query{Words: words, Most: 30})
	if err != nil {
		return err
	}
	if len(hits) > 0 {
		p.put(`<section class="sec"><header><h2>Conversations</h2><p>%d</p></header><ul class="rows">`, len(hits))
		for _, h := range hits {
			p.row(pathOf("t", h.Tree), h.Tree, clip(h.Excerpt, 240), h.Role, when(h.At), "")
		}
		p.put("</ul></section>")
	}
	if len(decided)+len(open)+len(hits) == 0 {
		p.put(`<p class="dim">No results contain all of these words.</p>`)
	}
	return nil
}

// seats lists all seats, with the reason if one is unavailable. Keys are not opened here.
func (s *office) seats(r *http.Request, p *sheet) error {
	list, err := s.Seats(r.Context())
	if err != nil {
		return err
	}
	p.part("/seats", "Seats and logins", "Seats available in the folder where the server was started, "+s.Dir+".")
	p.put(`<p class="dim">Sign in, or save a key, in a terminal; keys never pass through this page: <code>socrates login</code>, ` +
		`<code>socrates login status</code></p>`)
	p.put(`<div class="wide" tabindex="0" role="region" aria-label="Seats"><table><thead><tr><th scope="col">Seat</th>` +
		`<th scope="col">Model family</th><th scope="col">Found as</th><th scope="col">State</th><th scope="col">Why</th></tr></thead>` +
		`<tbody>`)
	for _, seat := range list {
		state := Raw(`<span class="dim">– not found</span>`)
		if seat.Ready {
			state = `<span class="good">✓ ready</span>`
		}
		if seat.Used {
			state = `<span class="good">✓ on the panel</span>`
		}
		p.put("<tr><td><b>%s</b> <span class=\"dim\">%s</span></td><td>%s</td><td>%s</td><td class=\"nowrap\">%s</td><td "+
			"class=\"dim\">%s</td></tr>", seat.Spec, seat.Model, seat.Lineage, seat.Source, state, seat.Why)
	}
	p.put("</tbody></table></div>")
	return nil
}
