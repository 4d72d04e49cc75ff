package page

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/markup"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/work"
)

// whole shows what a person can do with a run as a whole.
func (v *runPage) whole() {
	to := pathOf("w", v.s.Frame.Run)
	v.put(`<div class="btns">`)
	if v.running {
		v.put("%s%s", button(to+"/hold", "Pause", "", "p", "", "verb", "pause"),
			button(to+"/hold", "Cancel", "bare", "x", "Stop the run immediately? Merged steps are kept.", "verb", "cancel"))
	} else if v.s.State != work.Done {
		v.put("%s", button(to+"/resume", "Resume", "go", "p", ""))
	}
	if len(v.s.Merges) > 0 {
		v.put(`<a class="btn" href="%s/review">Review</a>`, to)
	}
	v.put(`<a class="btn bare" href="%s/report">Report</a>%s</div>`, to, draftButton("run", v.s.Frame.Run))
}

// way shows how the run got its plan: the request with its attachments, and each phase with a link. A phase that was
// skipped has no row.
func (v *runPage) way(ctx context.Context) {
	s, room := v.s, ""
	v.put(`<section class="sec" data-live id="way"><header><h2>From the request to the plan</h2></header><ul class="rows small">`)
	if s.Frame.Asked != "" {
		v.put(`<li><div><details><summary>Request: %s</summary><div class="md">%s</div></details>`, clip(s.Frame.Asked, 120),
			prose(s.Frame.Asked))
		v.text(ctx, "Attached", s.Frame.Data)
		v.put("</div></li>")
	}
	if r := s.Refined; r != nil {
		v.phase("Refined", "t", r.Talk, r.Failed)
		v.text(ctx, "The clarified request", r.Text)
		v.put("</div></li>")
	}
	if a := s.Analyzed; a != nil && a.Room != "" {
		room = a.Room
		v.phase("Analyzed by a panel", "d", a.Room, "")
		v.text(ctx, "Result", a.Text)
		v.put("</div></li>")
	} else if a != nil {
		v.phase("Analyzed by one model", "t", a.Talk, "")
		v.text(ctx, "Result", a.Text)
		v.put("</div></li>")
	}
	if p := s.Planned; p != nil {
		by := Raw(markup.Escape(p.By))
		// Otherwise it is a file or a person, and there is nothing to open.
		if p.By == s.Frame.Run+"-plan" { // the conversation in which it was written
			by = Raw(`<a href="` + pathOf("t", p.By) + `">` + string(by) + `</a>`)
		}
		v.put(`<li><div>Plan, version %d (%s)`, p.Version, by)
		v.text(ctx, "The plan as written", p.Text)
		v.put("</div></li>")
	}
	v.put("</ul>")
	// The run waits until the debate has its ruling.
	if room != "" && s.Analyzed.Text == "" && !v.running {
		v.needs++
		v.put(`<section class="ask" id="ask"><header><h2>? The panel left the decision to you</h2></header><p><a class="btn" `+
			`href="%s/decision">Decide</a> <span class="dim">then resume the run</span></p></section>`, pathOf("d", room))
	}
	v.put("</section>")
}

// phase begins the row of a phase, with a link to its conversation or debate. The caller ends the row.
func (v *runPage) phase(title, kind, name, wrong string) {
	v.put(`<li><div>%s`, title)
	if name != "" {
		v.put(`: <a href="%s">%s</a>`, pathOf(kind, name), name)
	}
	if wrong != "" {
		v.put(` <span class="warn">! %s</span>`, wrong)
	}
}

// text shows a text of the run by its hash, folded.
func (v *runPage) text(ctx context.Context, title, hash string) {
	if hash == "" {
		return
	}
	if text, err := v.site.Engine.Text(ctx, hash); err == nil { // a damaged text is left out; doctor reports it
		v.put(`<details><summary>%s</summary><div class="md">%s</div></details>`, title, prose(clipLong(text)))
	}
}

// reader has the pages of a run that are read as a whole.
type reader struct{ *site }

// open begins one of them. These pages do not follow events: they are read from top to bottom.
func (s *reader) open(r *http.Request, p *sheet, title, line string) (work.Status, error) {
	name := r.PathValue("name")
	_, st, err := runs.In(s.Engine).Status(r.Context(), name)
	if err != nil {
		return st, err
	}
	p.title, p.tab = title+": "+orName(st.Plan.Title, name), "/runs"
	p.put(`<p class="crumb noprint"><a href="/?folder=%s">%s</a><span aria-hidden="true">›</span><a href="%s">run %s</a></p>`,
		Raw(queryEscape(st.Frame.Dir)), base(st.Frame.Dir), pathOf("w", name), name)
	p.put(`<div class="head"><div><h1>%s</h1><p class="dim">%s</p></div></div>`, p.title, line)
	return st, nil
}

// review shows what the run changed, the least proved first. It reads the run's workspace and does not create one: if
// it was removed, it names the commits in the project.
func (s *reader) review(r *http.Request, p *sheet) error {
	st, err := s.open(r, p, "Review", "Changes of the merged steps, least proved first.")
	if err != nil {
		return err
	}
	if st.Begun == nil || len(st.Merges) == 0 {
		p.put(`<p class="dim">Nothing is merged yet.</p>`)
		return nil
	}
	if _, err := os.Stat(st.Begun.Space); err != nil { // opening it would create it again
		p.put(`<p class="dim">The workspace of this run was removed. Its commits: <code>git log</code> in the project.</p>`)
		return nil
	}
	hunks, err := runs.In(s.Engine).Review(r.Context(), st.Frame.Run)
	if err != nil {
		return err
	}
	for _, h := range hunks {
		sign, reasons := Raw(`<span class="good">✓</span>`), "checked by "+strings.Join(h.Checks, ", ")
		// Doubts are shown in place of the checks: they need attention.
		if h.Doubt > 0 {
			sign, reasons = `<span class="warn">!</span>`, strings.Join(h.Reasons, "; ")
		}
		p.put(`<section class="sec"><header><h2><code>%s:%d</code></h2><p><a href="%s/steps/%s">step %s</a></p></header>`+
			`<p class="small">%s %s</p>`,
			h.File, h.Line, pathOf("w", st.Frame.Run), h.Step, h.Step, sign, sentence(reasons))
		for _, c := range h.Claims {
			p.put(`<p class="small dim">answers %s</p>`, c)
		}
		p.put("%s</section>", patch("+++ b/"+h.File+"\n"+h.Text))
	}
	p.put(`<p class="dim tail">%s. Bring the result into the project in a terminal: <code>socrates work accept %s</code></p>`,
		count(len(hunks), "change"), st.Frame.Run)
	return nil
}

// report shows the run for people who were not there.
func (s *reader) report(r *http.Request, p *sheet) error {
	st, err := s.open(r, p, "Report", "For people who did not follow the run. As a file: socrates work report "+r.PathValue("name"))
	if err != nil {
		return err
	}
	all, err := runs.In(s.Engine).Report(r.Context(), st.Frame.Run)
	if err != nil {
		return err
	}
	_, text, _ := strings.Cut(all.Markdown(), "\n") // its title is shown above
	p.put(`<div class="md">%s</div>`, prose(text))
	return nil
}

// holdRun leaves a message for the executing process, to pause or to stop at once.
func (s *actor) holdRun(r *http.Request, _ guard.Caller) (string, error) {
	name, verb := r.PathValue("name"), r.PostForm.Get("verb")
	if verb != "pause" && verb != "cancel" {
		return pathOf("w", name), fmt.Errorf("%q is neither pause nor cancel", verb)
	}
	_, err := s.Engine.Do(context.WithoutCancel(r.Context()), runs.Hold{Run: name, Cancel: verb == "cancel"})
	return pathOf("w", name), err
}
