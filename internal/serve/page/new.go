package page

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/tree"
)

// asked parses the form of a new debate. It reads the address as well as the body, so an estimate can be a link.
func asked(r *http.Request) (api.Asked, error) {
	lines := func(name string) (out []string) {
		for line := range strings.Lines(r.Form.Get(name)) {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
		return out
	}
	usd, err := budget.ParseUSD(cmp.Or(strings.TrimSpace(r.Form.Get("budget")), "0"))
	rounds, rerr := strconv.Atoi(cmp.Or(strings.TrimSpace(r.Form.Get("rounds")), "0"))
	if rerr != nil {
		rerr = fmt.Errorf("%q is not a number of rounds", r.Form.Get("rounds"))
	}
	ask := door.Ask{Question: strings.TrimSpace(r.Form.Get("question")), Options: lines("options"), Files: lines("files"),
		Context: r.Form.Get("context"), Seats: r.Form["seat"], Strategy: r.Form.Get("strategy"),
		Preset: strings.TrimSpace(r.Form.Get("preset")), Rounds: rounds,
		Budget: usd, Retry: r.Form.Get("once")}
	return api.Asked{Ask: ask, Folder: r.Form.Get("folder")}, bad(errors.Join(err, rerr))
}

// ask shows the page of a new debate. With a question in its address it shows an estimate. The form carries an id
// made for this page: pressing twice starts one debate.
func (s *site) ask(r *http.Request, p *sheet) error {
	p.title, p.tab = "New debate", "/debates"
	in, err := asked(r)
	if err != nil {
		return err
	}
	projects, err := s.Projects(r.Context())
	if err != nil {
		return err
	}
	seats, err := s.Seats(r.Context())
	if err != nil {
		return err
	}
	p.put(`<h1 class="vh">New debate</h1><div class="split ask-page">%s`,
		Raw(strings.Replace(string(form("/new", "form")), "<form ", `<form id="debate" `, 1)))
	p.put(`<input type="hidden" name="once" value="%s">`, tree.NewID()) // sent twice, it is one debate
	p.put(`<div><label class="l" for="q">Question</label><textarea id="q" class="q" name="question" rows="3" required `+
		`maxlength="8000" placeholder="Should X use A or B?">%s</textarea>`+
		`<p class="small dim">Put it neutrally, and name the alternatives.</p></div>`, in.Question)
	p.put(`<div><label class="l" for="o">Options</label><textarea id="o" name="options" rows="2" placeholder="One per line; empty: `+
		`taken from the question">%s</textarea></div>`, strings.Join(in.Options, "\n"))
	p.put(`<div class="two"><div><label class="l" for="p">Project</label><select id="p" name="folder">`)
	for _, one := range projects {
		if !one.Missing {
			p.option(one.Folder, one.Folder, one.Folder == in.Folder || in.Folder == "" && one.Default)
		}
	}
	p.put(`</select></div><div><label class="l" for="f">Files every seat gets</label>`+
		`<textarea id="f" name="files" rows="1" placeholder="internal/store/*.go, one per line">%s</textarea></div></div>`,
		strings.Join(in.Files, "\n"))
	p.put(`<div><label class="l" for="c">Facts the files do not show</label><textarea id="c" name="context" rows="2">%s</textarea>`+
		`</div>`, in.Context)
	p.panel(seats, in.Seats)
	p.put(`<div class="two"><div><label class="l" for="s">Strategy</label><select id="s" name="strategy">` +
		`<option value="">from the settings</option>`)
	for _, one := range strategy.All() {
		p.option(one.Name, one.Name+": "+one.Doc, one.Name == in.Strategy)
	}
	p.put(`</select></div><div><label class="l" for="pr">Preset</label><select id="pr" name="preset"><option value="">none</option>`)
	if cfg, err := s.Home.Settings.Load(); err == nil { // the debate itself reports errors
		for _, one := range cfg.Presets() {
			p.option(one.Name, orName(one.Name+": "+one.Doc, one.Name), one.Name == in.Preset)
		}
	}
	p.put(`</select></div></div><div class="two"><div><label class="l" for="r">Rounds, at most</label>`+
		`<input id="r" name="rounds" inputmode="numeric" pattern="[0-9]*" value="%s" placeholder="from the settings">`+
		`<p class="small dim">It can only lower the limit of your settings.</p></div>`, r.Form.Get("rounds"))
	p.put(`<div><label class="l" for="b">Spending limit in USD</label>`+
		`<input id="b" name="budget" inputmode="decimal" value="%s" placeholder="from the settings">`+
		`<p class="small dim">It can only lower the limit of your settings.</p></div></div>`, r.Form.Get("budget"))
	p.put("</form>")
	s.estimate(r, p, in)
	p.put("</div>")
	p.status = append(p.status, "nothing is sent before you start")
	return nil
}

// Only seats that are ready can be chosen.
func (p *sheet) panel(seats []api.Candidate, chosen []string) {
	p.put(`<fieldset class="pick"><legend>Panel</legend>`)
	marks := []document.SeatMark{}
	for _, one := range seats {
		if one.Ready {
			marks = append(marks, document.SeatMark{Seat: one.Spec, Lineage: one.Lineage})
		}
	}
	for _, one := range seats {
		if !one.Ready {
			continue
		}
		on := Raw("")
		for _, c := range chosen {
			if c == one.Spec {
				on = " checked"
			}
		}
		p.put(`<label><input type="checkbox" name="seat" value="%s"%s><span class="seat s%d">%s</span>`+
			`<span class="small dim hide-s">%s</span><span class="small dim n">%s</span></label>`,
			one.Spec, on, document.MarkOf(marks, one.Lineage), one.Spec, one.Model, map[bool]string{true: "in the default panel",
				false: one.Lineage}[one.Used])
	}
	p.put(`<p class="small dim sec">None chosen: the default panel. All seats: <a href="/seats">Seats</a>.</p></fieldset>`)
}

// estimate shows an estimate beside the form. It asks another process and shows its refusal in place of a sum.
func (s *site) estimate(r *http.Request, p *sheet, in api.Asked) {
	p.put(`<aside aria-label="Estimate"><div class="box est"><h2>Estimate</h2><div id="est">`)
	defer p.put(`</div><div class="btns sec"><button class="btn go" form="debate" data-key="Ctrl Enter">Start the debate <kbd>Ctrl ` +
		`Enter</kbd></button>` +
		`<button class="btn" form="debate" formaction="/new" formmethod="get" id="estimate">Estimate</button></div></div></aside>`)
	// An estimate needs a question: the options are read from it.
	if in.Question == "" {
		p.put(`<p class="small dim">Write a question, then press Estimate: which seats would take part, and what it may cost. No model ` +
			`is ` +
			`asked.</p>`)
		return
	}
	if in.Folder == "" {
		in.Folder = s.Main()
	}
	e, err := s.Estimate(r.Context(), in.Folder, in.Ask)
	if err != nil {
		f := failure.Explain(err)
		p.put(`<p class="error" role="alert">✗ %s. %s</p>`, sentence(f.Message), sentence(f.Hint))
		return
	}
	sum := "free"
	// Seats of subscriptions cost nothing extra and count as free.
	if e.High > 0 {
		sum = fmt.Sprintf("$%.2f – %.2f", e.Low, e.High)
	} else if len(e.Unknown) > 0 {
		sum = "price unknown"
	}
	p.put(`<p class="sum">%s</p><p class="small dim">About %d to %d tokens.</p>`, sum, e.Tokens, e.Most)
	p.put(`<dl class="kv sec">`)
	for _, seat := range e.Seats {
		p.put("<dt>%s</dt><dd>%s</dd>", seat.ID, seat.Model)
	}
	for _, o := range e.Options {
		p.put("<dt>%s</dt><dd>%s</dd>", o.Key, clip(o.Text, 60))
	}
	p.put("<dt>context</dt><dd>%d bytes</dd>", e.Context)
	if e.Limit > 0 {
		p.put("<dt>ends at</dt><dd>$%.2f</dd>", e.Limit)
	}
	p.put("</dl>")
	if e.Notice != "" {
		p.put(`<p class="small warn">! %s</p>`, e.Notice)
	}
	for _, n := range append(e.Notes, unpriced(e.Unknown)...) {
		p.put(`<p class="small warn">! %s</p>`, sentence(n))
	}
}

// unpriced returns a warning about seats without a price.
func unpriced(seats []string) []string {
	if len(seats) == 0 {
		return nil
	}
	return []string{"no known price for " + strings.Join(seats, ", ")}
}

// begin starts the debate of a form.
func (s *actor) begin(r *http.Request, c guard.Caller) (string, error) {
	in, err := asked(r)
	if err != nil {
		return "", err
	}
	begun, err := api.Start(r.Context(), s.request(r, c), in)
	return pathOf("d", begun.Debate), err
}
