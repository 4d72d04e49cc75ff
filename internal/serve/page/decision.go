package page

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// decision shows the same document as everywhere, with what a person can do about it. A debate that has not ended is
// shown as it would end now.
func (s *site) decision(r *http.Request, p *sheet) error {
	name := r.PathValue("name")
	res, err := s.result(r.Context(), name)
	if err != nil {
		return err
	}
	d := document.Of(res)
	p.title, p.tab = d.Answer, "/debates"
	p.put(`<p class="crumb of-doc noprint"><a href="/?folder=%s">%s</a><span aria-hidden="true">›</span><a href="%s">debate %s</a></p>`,
		Raw(queryEscape(res.Dir)), base(res.Dir), pathOf("d", name), name)
	// It comes first: nobody should take an outdated decision for a current one.
	if gone, err := rooms.In(s.Engine).Decision(r.Context(), name); err == nil && gone.Superseded != nil {
		p.put(`<p class="error">! Superseded by <a href="%s/decision">%s</a>: %s</p>`, pathOf("d", gone.Superseded.By),
			gone.Superseded.By, gone.Superseded.Reason)
	}
	p.settle(name, res, d)
	p.put("%s", article(d))
	if err := s.others(r.Context(), p, name, res.Dir); err != nil {
		return err
	}
	p.put(`<div class="btns tail of-doc noprint"><button class="btn" type="button" data-copy="/api/v1/debates/%s/decision" data-key="y" `+
		`hidden>Copy as Markdown <kbd>y</kbd></button>`, url.PathEscape(name))
	// An issue made from a rehearsal would look decided.
	if res.Ended && !res.Rehearsal {
		p.put("%s", draftButton("debate", name))
	}
	if res.Ended && !res.Rehearsal && res.Outcome.Decision() {
		p.put("%s", button("/plan", "Plan and execute", "", "e", "", "debate", name))
	}
	p.put(`<a class="btn bare" href="%s">Transcript</a></div>`, pathOf("d", name))
	return nil
}

// article returns a document's HTML, in which every text of a model was escaped.
func article(d document.Document) Raw { return Raw(braced(d.Article())) }

// braced removes the braces from HTML that was escaped elsewhere, as escape does. With braces a text could imitate
// the page's key (keyMark).
func braced(html string) string { return strings.ReplaceAll(html, "{", "&#123;") }

// settle offers the choices of a person. A blocking objection must be lifted before anything can be chosen. A
// rehearsal asks nobody.
func (p *sheet) settle(name string, res debate.Result, d document.Document) {
	if !res.Ended || len(d.Call.Reasons) == 0 || res.Ruling != nil || res.Rehearsal {
		return
	}
	p.needs++
	to := pathOf("d", name) + "/say"
	back := &writer{}
	back.put(`<input type="hidden" name="back" value="%s/decision">`, pathOf("d", name))
	p.put(`<section class="ask of-doc noprint" id="ask" aria-labelledby="askh"><header><h2 id="askh">? %s</h2><span class="dim">%s</span>`+
		`</header><div>`,
		d.Call.Title, strings.Join(d.Call.Reasons, "; "))
	// Choosing before that would be refused, so it is not offered.
	if len(res.Blocked) > 0 {
		for _, id := range res.Blocked {
			p.put(`%s<label for="why-%s">Veto %s, because</label><input id="why-%s" name="reason" required>`+
				`<input type="hidden" name="text" value="/veto %s ">%s<button class="btn">Lift the block</button></form>`,
				form(to, "form tail"), id, id, id, id, back.raw())
		}
		p.put("</div></section>")
		return
	}
	p.put(`%s%s<label for="why">Reason, for the record</label><input id="why" name="reason"><div class="btns">`,
		form(to, "form tail"), back.raw())
	for _, o := range res.Options {
		verb := "Choose "
		// The word shows the person whether they agree with the panel.
		if o.Key == res.Winner {
			verb = "Confirm "
		}
		p.put(`<button class="btn" name="text" value="/choose %s ">%s%s: %s</button>`, o.Key, verb, o.Key, clip(o.Text, 60))
	}
	p.put("</div></form></div></section>")
}

// planDecision begins a conversation to plan a decision, and opens it with the first message typed: the person sends
// it.
func planDecision(s *site) doing {
	return func(r *http.Request, _ guard.Caller) (string, error) {
		ctx := context.WithoutCancel(r.Context())
		info, err := rooms.In(s.Engine).Info(ctx, r.PostForm.Get("debate"))
		if err != nil {
			return "", err
		}
		name, err := runs.In(s.Engine).Conversation(ctx, info.Dir, info.Room)
		return pathOf("t", name) + "?say=" + queryEscape("Plan the decision."), err
	}
}
