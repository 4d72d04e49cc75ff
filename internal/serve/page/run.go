package page

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/markup"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/plan"
)

// run shows a run of a plan: what waits for the person, the steps as graph, board and list, working agents, and
// merges.
func (s *site) run(r *http.Request, p *sheet) error {
	name := r.PathValue("name")
	last, err := s.Engine.LastSeq(r.Context())
	if err != nil {
		return err
	}
	info, st, err := runs.In(s.Engine).Info(r.Context(), name)
	if err != nil {
		return err
	}
	v := runPage{p, st, info.Running, s}
	title := orName(st.Plan.Title, name)
	p.title, p.tab, p.after, p.events = title, "/runs", last, "/api/v1/runs/"+name+"/events"
	if v.running { // agents work in conversations of their own
		p.events = "/api/v1/events"
	}
	p.put(`<p class="crumb"><a href="/?folder=%s">%s</a><span aria-hidden="true">›</span><span>run %s</span></p>`,
		Raw(queryEscape(st.Frame.Dir)), base(st.Frame.Dir), name)
	p.live("head")
	p.put(`<div class="head"><div><h1>%s</h1><p class="dim">%s</p>`, title, v.left(word(info)))
	if v.takes(); info.Died {
		p.put(`<p class="warn">! Its process died. Resume it here, or in a terminal: <code>socrates work resume %s</code></p>`, name)
	}
	p.put("</div>")
	v.whole()
	p.put("</div>")
	p.end()
	v.way(r.Context())
	v.graph()
	v.board()
	v.streams(r.Context())
	v.steps()
	v.queue()
	p.status = append(p.status, Raw(markup.Escape(word(info))), Raw(markup.Escape(st.Usage.Money())))
	return nil
}

// word is where a run is, as people say it.
func word(r runs.Info) string {
	if w := r.Word(); w != string(r.State) {
		return w
	}
	return said(r.State)
}

// runPage is the page of a run.
type runPage struct {
	*sheet
	s       work.Status
	running bool
	site    *site
}

// left describes what is done and what is not. The number of checks covers all that were run.
func (v *runPage) left(state string) string {
	done := 0
	for _, t := range v.s.Tasks {
		if t.State == work.Done {
			done++
		}
	}
	return fmt.Sprintf("%s: %d of %s merged, %s run, %s", state, done, count(len(v.s.Tasks), "step"), count(v.s.Checks, "check"),
		v.s.Usage.Money())
}

// takes shows the run's current use of the machine. Nobody commits that: while the run executes, the script reloads
// the page with each beat of the stream.
func (v *runPage) takes() {
	load := runs.In(v.site.Engine).Load(v.s.Space())
	beat := Raw("")
	if v.running {
		beat = " data-beat"
	}
	parts := slices.DeleteFunc([]string{load.Working(), load.OnDisk()}, func(s string) bool { return s == "" })
	v.put(`<p class="dim"%s>%s</p>`, beat, strings.Join(parts, " · "))
}

// said returns a state in words.
func said(s work.State) string {
	switch s {
	case work.Person:
		return "waits for you"
	case work.Done:
		return "done"
	case work.Working:
		return "running"
	}
	return string(s)
}

// stepSigns stand before steps.
var stepSigns = map[work.State]string{work.Done: "✓", work.Working: "●", work.Person: "?", work.Failed: "✗", work.Skipped: "–",
	work.Blocked: "○", work.Waiting: "○", work.Ready: "○"}

// graph draws steps and their dependencies: columns by the longest path from a beginning, the critical path in bold.
// Few steps need no drawing, and many cannot be read in one.
func (v *runPage) graph() {
	if len(v.s.Tasks) < 2 || len(v.s.Tasks) > 60 {
		return
	}
	g := layOut(v.s.Plan)
	v.put(`<section class="sec"><header><h2>Graph</h2><p>bold: the critical path</p></header>`+
		`<div class="wide tail" tabindex="0" role="region" aria-label="Graph of steps">`+
		`<svg data-live class="fig w80" id="graph" viewBox="0 0 %d %d" width="%d" role="img" aria-labelledby="tg-t tg-d">`+
		`<title id="tg-t">Steps and their dependencies</title><desc id="tg-d">`,
		g.width, g.height, g.width)
	for _, t := range v.s.Tasks {
		v.put("%s: %s%s. ", t.Title, said(t.State), afterNeeds(t.Needs))
	}
	v.put("</desc>")
	// Bold lines come last, so that no other line crosses them.
	for _, bold := range []bool{false, true} {
		for _, t := range v.s.Tasks {
			for _, need := range t.Needs {
				crit := g.critical[t.ID] && g.critical[need]
				if from, ok := g.at[need]; ok && crit == bold {
					to, class := g.at[t.ID], map[bool]Raw{true: "crit", false: "edge"}[crit]
					x1, y1, x2, y2 := from.x+184, from.y+23, to.x, to.y+23
					v.put(`<path class="%s" d="M%d %dC%d %d %d %d %d %d"/>`, class, x1, y1, x1+43, y1, x2-43, y2, x2, y2)
				}
			}
		}
	}
	for _, t := range v.s.Tasks {
		at, class := g.at[t.ID], map[work.State]Raw{work.Done: "done", work.Working: "run", work.Person: "ask", work.Failed: "ask"}[t.State]
		if class == "" {
			class = "wait"
		}
		v.put(`<rect class="node %s" x="%d" y="%d" width="184" height="46" rx="4"/><text class="nt" x="%d" y="%d">%s %s</text>`+
			`<text class="sm" x="%d" y="%d">%s</text>`,
			class, at.x, at.y, at.x+12, at.y+20, stepSigns[t.State], clip(t.Title, 24), at.x+12, at.y+36,
			clip(strings.TrimSuffix(said(t.State)+", "+shortSpec(t.Executor), ", "), 28))
	}
	v.put("</svg></div></section>")
}

// afterNeeds lists what a step waits for, in words.
func afterNeeds(needs []string) string {
	if len(needs) == 0 {
		return ""
	}
	return ", after " + strings.Join(needs, " and ")
}

// position and layout are the positions of steps in a graph.
type position struct{ x, y int }

type layout struct {
	at            map[string]position
	critical      map[string]bool
	width, height int
}

// Sizes are in the units of the drawing. A plan was checked for cycles when it was parsed.
func layOut(p plan.Plan) layout {
	l := layout{at: map[string]position{}, critical: map[string]bool{}}
	column, rows := map[string]int{}, map[int]int{}
	known := map[string]int{} // depths, cached: otherwise a dense plan takes as long as it has paths
	var depth func(id string) int
	depth = func(id string) int {
		t, ok := p.Task(id)
		if d, seen := known[id]; seen || !ok {
			return d
		}
		known[id] = 0 // a cycle ends here
		d := 0
		for _, need := range t.Needs {
			d = max(d, depth(need)+1)
		}
		known[id] = d
		return d
	}
	weight, heaviest, end := p.Critical(), -1, ""
	for _, t := range p.Tasks {
		c := depth(t.ID)
		column[t.ID] = c
		l.at[t.ID] = position{8 + 270*c, 14 + 62*rows[c]}
		rows[c]++
		l.width, l.height = max(l.width, 8+270*c+192), max(l.height, 14+62*rows[c])
		if weight[t.ID] > heaviest {
			heaviest, end = weight[t.ID], t.ID
		}
	}
	for end != "" { // from the step with the longest path to the end, along that path
		l.critical[end] = true
		next, most := "", -1
		for _, t := range p.Tasks {
			for _, need := range t.Needs {
				if need == end && weight[t.ID] > most {
					next, most = t.ID, weight[t.ID]
				}
			}
		}
		end = next
	}
	return l
}

// boardColumns are the columns of the board, and the decision that moving a card there means; empty: none can be
// moved there.
var boardColumns = []struct {
	name   string
	states []work.State
	class  string
	verb   string
}{{"Waiting", []work.State{work.Waiting, work.Ready, work.Blocked}, "", "retry"},
	{"Needs you", []work.State{work.Person, work.Failed}, "ask1", ""}, {"Running", []work.State{work.Working}, "run", ""},
	{"Skipped", []work.State{work.Skipped}, "", "skip"}, {"Merged", []work.State{work.Done}, "", "approve"}}

// board shows the steps by their state. Cards that need the person are moved with the mouse or with m; their rows
// below have buttons. Without a script nothing can be moved, and nothing needs to be: see steps.
func (v *runPage) board() {
	v.put(`<section class="sec"><header><h2>Board</h2><p class="vh" id="board-said" role="status"></p></header>` +
		`<div class="board tail" data-live id="board" tabindex="0" role="group" aria-label="Board, scrolls sideways on a narrow screen">`)
	for _, c := range boardColumns {
		var cards writer
		n := 0
		for _, t := range v.s.Tasks {
			if !slices.Contains(c.states, t.State) {
				continue
			}
			n++
			moves := Raw("")
			// Only a step that a person can decide about can be dragged; the script asks before it sends.
			if movable(t.State) {
				moves = Raw(` draggable="true" aria-keyshortcuts="m" data-step="` + markup.Escape(t.ID) + `"`)
			}
			cards.put(`<a class="card %s" href="%s/steps/%s"%s><b>%s</b><span class="dim">%s%s</span></a>`, c.class,
				pathOf("w", v.s.Frame.Run), t.ID, moves, t.Title, said(t.State), afterNeeds(t.Needs))
		}
		verb := Raw("")
		if c.verb != "" {
			verb = Raw(` data-verb="` + c.verb + `"`)
		}
		v.put(`<section%s><h3>%s <span class="faint">%d</span></h3>%s</section>`, verb, c.name, n, cards.raw())
	}
	v.put("</div></section>")
}

// steps lists all of them, those that need somebody with the reason and the possible decisions. The order is that of
// the plan, except for those that need somebody.
func (v *runPage) steps() {
	v.put(`<section class="sec"><header><h2>Steps</h2><p>what needs you first</p></header><ul class="rows" data-live id="steps">`)
	// A stable sort keeps the plan's order among equals.
	urgent := map[work.State]int{work.Person: -2, work.Failed: -2, work.Working: -1}
	order := func(a, b work.Task) int { return urgent[a.State] - urgent[b.State] }
	for _, t := range slices.SortedStableFunc(slices.Values(v.s.Tasks), order) {
		v.put(`<li id="step-%s"><div><a class="t" href="%s/steps/%s">%s %s. %s</a><p>%s`, t.ID, pathOf("w", v.s.Frame.Run), t.ID,
			stepSigns[t.State], t.ID, t.Title, said(t.State))
		if t.Executor != "" {
			v.put(", %s, attempt %d", shortSpec(t.Executor), max(1, t.Attempt))
		}
		if t.Commit != "" {
			v.put(", <code>%s</code>", clip(t.Commit, 12))
		}
		v.put("</p>")
		// Earlier problems do not matter once it is merged.
		if t.State != work.Done {
			for _, why := range t.Why {
				v.put(`<p class="warn">! %s</p>`, clip(why, 400))
			}
		}
		v.put(`</div><div class="btns">`)
		v.acts(t, pathOf("w", v.s.Frame.Run))
		v.put("</div></li>")
	}
	v.put("</ul></section>")
}

// queue lists merges, in order.
func (v *runPage) queue() {
	if len(v.s.Merges) == 0 {
		return
	}
	v.put(`<section class="sec"><header><h2>Merged</h2><p>every commit was checked</p></header><ol class="queue" data-live id="queue">`)
	for _, m := range v.s.Merges {
		title := m.Task
		if t := v.s.Task(m.Task); t != nil {
			title = t.Title
		}
		v.put(`<li><span class="good" aria-hidden="true">✓</span><span><b>%s</b><br><span class="dim">landed as <code>%s</code></span>`+
			`</span><span></span></li>`, title, clip(m.Commit, 12))
	}
	v.put("</ol></section>")
}

// step records the person's decision about a step.
func (s *actor) step(r *http.Request, c guard.Caller) (string, error) {
	name := r.PathValue("name")
	_, err := api.Decide(r.Context(), s.request(r, c), api.Step{Name: name, Step: r.PostForm.Get("step"), Verb: r.PostForm.Get("verb")})
	return backTo(r, pathOf("w", name)), err
}

// execute resumes a run in a process of its own.
func (s *actor) execute(r *http.Request, _ guard.Caller) (string, error) {
	name := r.PathValue("name")
	_, st, err := runs.In(s.Engine).Status(r.Context(), name)
	if err == nil {
		err = s.Execute(context.WithoutCancel(r.Context()), st.Frame.Dir, name)
	}
	return pathOf("w", name), err
}
