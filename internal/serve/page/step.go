package page

import (
	"context"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/markup"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/trace"
)

// stepOf shows one step of a run: the task, the change, its proof, and its messages. If its conversation is kept, the
// agent's work is one link away.
func (s *site) stepOf(r *http.Request, p *sheet) error {
	ctx, name, id := r.Context(), r.PathValue("name"), r.PathValue("step")
	last, err := s.Engine.LastSeq(ctx)
	if err != nil {
		return err
	}
	info, st, err := runs.In(s.Engine).Info(ctx, name)
	if err != nil {
		return err
	}
	step, err := runs.In(s.Engine).Step(ctx, name, id)
	if err != nil {
		return err
	}
	p.title, p.tab, p.after, p.events = step.Title, "/runs", last, "/api/v1/runs/"+name+"/events"
	v := stepPage{runPage{p, st, info.Running, s}, step}
	v.put(`<p class="crumb"><a href="/?folder=%s">%s</a><span aria-hidden="true">›</span><a href="%s">run %s</a>`+
		`<span aria-hidden="true">›</span><span>step %s</span></p>`,
		Raw(queryEscape(st.Frame.Dir)), base(st.Frame.Dir), pathOf("w", name), name, id)
	v.live("step")
	v.put(`<div class="head"><div><h1>%s</h1><p class="dim">%s %s</p>`, step.Title, stepSigns[step.State], said(step.State))
	for _, why := range step.Why {
		v.put(`<p class="warn">! %s</p>`, sentence(why))
	}
	v.put(`</div><div class="btns">`)
	if t := st.Task(id); t != nil {
		v.acts(*t, pathOf("w", name)+"/steps/"+id)
	}
	v.put("</div></div>")
	v.asked()
	v.changes(ctx)
	v.proofs(ctx)
	v.end()
	p.status = append(p.status, Raw(markup.Escape(said(step.State))), Raw(markup.Escape(step.Usage.Money())))
	return nil
}

// stepPage is the page of a step.
type stepPage struct {
	runPage
	step trace.Step
}

// asked shows the brief as the executor got it, with the decision and the claims behind it.
func (v *stepPage) asked() {
	v.put(`<section class="sec"><header><h2>Instructions</h2><p>plan version %d (%s)</p></header><div class="md">%s</div>`, v.step.Plan,
		v.step.By, prose(v.step.Brief))
	if v.step.Decision != "" {
		v.put(`<p>It carries out the <a href="%s/decision">decision</a>`, pathOf("d", v.step.Decision))
		for _, c := range v.step.Claims {
			v.put("; it answers %s: %s", c.ID, clip(c.Text, 160))
		}
		v.put("</p>")
	}
	if v.step.Executor != "" {
		v.put(`<p class="small dim">Done by %s %s, attempt %d, try %d.`, shortSpec(v.step.Executor),
			strings.Join(v.step.Models, ", "), v.step.Attempt, v.step.Tries)
		// A step that was not begun has none.
		if v.step.Conversation != "" {
			v.put(` <a href="%s">Read what the agent did</a>`, pathOf("t", v.step.Conversation))
		}
		v.put("</p>")
	}
	for _, word := range v.step.Person {
		v.put(`<p class="small dim">You said %s.</p>`, word)
	}
	v.put("</section>")
}

// mostPatch is how much of a change a page shows, in bytes.
const mostPatch = 200 << 10

// changes shows the step's changes to files. For a merged step it is what was merged, which may differ from what its
// agent left. The workspace is read and not created.
func (v *stepPage) changes(ctx context.Context) {
	t := v.s.Task(v.step.ID)
	if t == nil || t.Change == "" || v.s.Begun == nil {
		return
	}
	v.put(`<section class="sec"><header><h2>Changes</h2></header>`)
	defer v.put("</section>")
	if _, err := os.Stat(v.s.Begun.Space); err != nil { // opening it would create it
		v.put(`<p class="dim">The workspace of this run was removed. See the commit in the project: <code>git show %s</code></p>`, t.Commit)
		return
	}
	from, to := t.Base, t.Change
	// The merged change is shown, which others' merges may have altered.
	for _, m := range v.s.Merges {
		if m.Task == t.ID && t.State == work.Done {
			from, to = m.Onto, m.Commit
		}
	}
	space, err := runs.In(v.site.Engine).Space(ctx, v.s)
	text := ""
	if err == nil {
		text, err = space.Patch(ctx, from, to)
	}
	if err != nil {
		v.put(`<p class="bad">✗ %s</p>`, sentence(err.Error()))
		return
	}
	text = clean.Reveal(text)
	// Browsers take long to lay out what nobody reads.
	if len(text) > mostPatch {
		text = strings.ToValidUTF8(text[:mostPatch], "")
		v.put(`<p class="warn">! Only the beginning is shown: <code>socrates work diff %s %s</code></p>`, v.step.Run, t.ID)
	}
	for _, file := range strings.Split("\n"+text, "\ndiff --git ")[1:] {
		head, rest, _ := strings.Cut(file, "\n")
		if at := strings.Index(rest, "--- "); at >= 0 {
			v.put("%s", patch(rest[at:]))
		} else {
			v.put(`<p class="small dim">%s</p>`, head)
		}
	}
}

// proofs shows the checks with their output. Each check is shown before and after, and without the change if that was
// tried: a check that passes without it proves nothing.
func (v *stepPage) proofs(ctx context.Context) {
	if len(v.step.Checks) == 0 {
		return
	}
	v.put(`<section class="sec"><header><h2>Checks</h2><p>%s</p></header><ul class="rows">`, count(len(v.step.Checks), "check"))
	for _, c := range v.step.Checks {
		sign := Raw(`<span class="good">✓</span>`)
		if !c.After.Passed {
			sign = `<span class="bad">✗</span>`
		}
		v.put(`<li><div>%s <code>%s</code><p class="small dim">after: %s &ensp; before: %s`, sign,
			strings.Join(c.Command, " "), c.After.String(), c.Base.String())
		if c.Without != nil {
			v.put(" &ensp; without the change: %s", c.Without.String())
		}
		v.put("</p>")
		v.printed(ctx, c.After)
		v.put("</div></li>")
	}
	v.put("</ul></section>")
}

// printed shows the output of a check, folded.
func (v *stepPage) printed(ctx context.Context, o proof.Outcome) {
	text, err := v.site.Engine.Text(ctx, o.Text)
	if o.Text == "" || err != nil || strings.TrimSpace(text) == "" {
		return
	}
	v.put(`<details><summary>Output</summary><pre class="out" tabindex="0">%s</pre></details>`, clipLong(text))
}

// movable reports whether a person can decide about a step in this state.
func movable(s work.State) bool { return s == work.Person || s == work.Failed || s == work.Skipped }

// acts shows a person's possible decisions about a step. A skipped step can only be retried. Approving needs a change
// to approve.
func (v *runPage) acts(t work.Task, back string) {
	if !movable(t.State) {
		return
	}
	to := pathOf("w", v.s.Frame.Run) + "/step"
	if t.State == work.Skipped {
		v.put("%s", button(to, "Retry", "", "", "", "step", t.ID, "verb", "retry", "back", back))
		return
	}
	v.needs++
	if t.State == work.Person && t.Change != "" {
		v.put("%s", button(to, "Approve", "", "", "Approve this step as it is?", "step", t.ID, "verb", "approve", "back", back))
	}
	v.put("%s%s", button(to, "Retry", "", "", "", "step", t.ID, "verb", "retry", "back", back),
		button(to, "Skip", "bare", "", "Skip this step?", "step", t.ID, "verb", "skip", "back", back))
}

// streamLines is how much of an agent's work a run shows.
const streamLines = 5

// streams shows the last lines of each working agent.
func (v *runPage) streams(ctx context.Context) {
	n := 0
	for _, t := range v.s.Tasks {
		if t.State != work.Working || t.Claim == nil {
			continue
		}
		if n++; n == 1 {
			v.put(`<section class="sec"><header><h2>At work</h2></header><div class="streams tail" data-live id="streams">`)
		}
		name := record.Conversation(v.s.Frame.Run, *t.Claim)
		v.put(`<article class="stream"><header><b>%s. <a href="%s">%s</a></b><span class="dim">%s</span></header>`+
			`<pre tabindex="0">%s</pre></article>`, t.ID, pathOf("t", name), t.Title, shortSpec(t.Executor),
			strings.Join(v.site.lastWords(ctx, name), "\n"))
	}
	if n > 0 {
		v.put("</div></section>")
	}
}

// lastWords returns the last lines of a conversation; none if it cannot be read.
func (s *site) lastWords(ctx context.Context, name string) []string {
	t, err := conversation.In(s.Engine).Open(ctx, name)
	if err != nil {
		return []string{"starting"}
	}
	path, err := conversation.In(s.Engine).PathEnd(ctx, t.Head, 4*streamLines)
	if err != nil {
		return nil
	}
	chat := scene.NewChat("")
	chat.Load(t, path, nil)
	var lines []string
	for _, e := range chat.Entries[max(0, len(chat.Entries)-streamLines):] {
		lines = append(lines, e.At.Local().Format(time.TimeOnly)+" "+clip(e.Text, 90))
	}
	return lines
}
