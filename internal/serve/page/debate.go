package page

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/markup"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// result returns the result of a debate, or the preliminary one.
func (s *site) result(ctx context.Context, name string) (debate.Result, error) {
	return rooms.Named(ctx, rooms.In(s.Engine), name)
}

// scene returns the state of a debate, with the texts of its seats. It folds all nodes of the debate, without texts.
func (s *site) scene(ctx context.Context, name string) (*scene.Room, error) {
	root, err := rooms.In(s.Engine).Room(ctx, name)
	if err != nil {
		return nil, err
	}
	nodes, err := s.Engine.Tree(ctx, root)
	if err != nil {
		return nil, err
	}
	room := scene.NewRoom()
	for _, n := range nodes {
		room.Node(n)
	}
	return room, nil
}

// texts loads the texts of a scene's seats.
func (s *site) texts(ctx context.Context, room *scene.Room) {
	texts := map[string]string{}
	for _, hash := range room.Wanted() {
		if text, err := s.Engine.Text(ctx, hash); err == nil { // a damaged text is left out; doctor reports it
			texts[hash] = text
		}
	}
	room.Texts(texts)
}

// debate shows the state of a debate: seats, claims, standing, context, events, and the input for messages. One that
// has ended names no events, so its page stays unchanged.
func (s *site) debate(r *http.Request, p *sheet) error {
	ctx, name := r.Context(), r.PathValue("name")
	last, err := s.Engine.LastSeq(ctx)
	if err != nil {
		return err
	}
	room, err := s.scene(ctx, name)
	if err != nil {
		return err
	}
	info, err := rooms.In(s.Engine).Info(ctx, name)
	if err != nil {
		return err
	}
	s.texts(ctx, room)
	asked, _ := motion.Split(room.Frame.Question)
	p.title, p.tab, p.after = asked, "/debates", last
	// A page without events costs the server nothing while it is open.
	if !info.Ended {
		p.events = "/api/v1/debates/" + name + "/events"
	}
	t := board{sheet: p, room: room, info: info, res: room.Result()}
	for _, seat := range room.Seats {
		t.marks = append(t.marks, document.SeatMark{Seat: seat.Info.ID, Lineage: seat.Info.Lineage})
	}
	t.head(asked)
	t.seats()
	p.put(`<div class="under">`)
	t.ledger()
	t.standing()
	p.put("</div>")
	t.spoken()
	s.given(ctx, &t)
	t.transcript()
	t.dock()
	return nil
}

// given shows what every seat was shown before it answered: the files and decisions by name, and the whole block.
func (s *site) given(ctx context.Context, t *board) {
	text, err := s.Engine.Text(ctx, t.res.Context)
	if t.res.Context == "" || err != nil { // not known yet; a damaged text is left out, and doctor reports it
		return
	}
	t.put(`<details class="sec" data-live id="given"><summary>Context given to every seat: %d bytes`, len(text))
	for _, name := range t.res.Files {
		t.put(", <code>%s</code>", name)
	}
	t.put("</summary>")
	for _, room := range t.res.History {
		t.put(`<p class="small">An earlier decision: <a href="%s/decision">%s</a></p>`, pathOf("d", room), room)
	}
	t.put(`<pre class="out" tabindex="0">%s</pre></details>`, clipLong(text))
}

// board is the page of a debate. res is its result, or the preliminary one; room is its state.
type board struct {
	*sheet
	room  *scene.Room
	info  rooms.Info
	res   debate.Result
	marks []document.SeatMark
}

// class returns the colour and shape of a seat's family. The same family has the same sign on all pages of a debate.
func (t *board) class(seat string) string {
	for _, m := range t.marks {
		if m.Seat == seat {
			return fmt.Sprintf("s%d", document.MarkOf(t.marks, m.Lineage))
		}
	}
	return ""
}

// seat returns its name after its shape.
func (t *board) seat(id string) Raw {
	w := &writer{}
	w.put(`<span class="seat %s">%s</span>`, t.class(id), id)
	return w.raw()
}

// head shows the place, the question with its options, and the progress.
func (t *board) head(asked string) {
	families := map[string]bool{}
	for _, m := range t.marks {
		families[m.Lineage] = true
	}
	asker := ""
	if t.info.Person != "" {
		asker = ", asked by " + t.info.Person
	}
	t.put(`<p class="crumb"><a href="/?folder=%s">%s</a><span aria-hidden="true">›</span><span>debate %s</span>`+
		`<span aria-hidden="true">›</span><span>%s, %s of %s%s</span></p>`,
		Raw(queryEscape(t.info.Dir)), base(t.info.Dir), t.info.Room, t.room.Frame.Strategy, count(len(t.marks), "seat"),
		families_(len(families)), asker)
	t.live("head")
	t.put(`<div class="head"><div><h1>%s</h1><p class="dim">`, asked)
	for _, o := range t.room.Options() {
		t.put("<b>%s</b> %s &ensp; ", o.Key, clip(o.Text, 160))
	}
	t.put("</p></div>")
	t.steer()
	t.put("</div>")
	t.stages()
	t.end()
}

// families_ formats a number of families; the name families is taken there.
func families_(n int) string {
	if n == 1 {
		return "one model family"
	}
	return fmt.Sprintf("%d model families", n)
}

// steer shows the buttons of a debate that has not ended.
func (t *board) steer() {
	to := pathOf("d", t.info.Room)
	switch {
	case t.info.Ended:
		t.put(`<div class="btns"><a class="btn go" href="%s/decision" data-key="5">Read the decision <kbd>5</kbd></a></div>`, to)
		return
	// Stopped: nobody would read a message, so it can only be resumed.
	case !t.info.Running:
		t.put(`<div class="btns">%s</div>`, button(to+"/resume", "Resume", "go", "p", ""))
		return
	}
	t.put(`<div class="btns">`)
	// The button shows its effect, not the current state.
	if t.room.Paused {
		t.put("%s", button(to+"/say", "Resume", "", "p", "", "text", "/go"))
	} else {
		t.put("%s", button(to+"/say", "Pause", "", "p", "", "text", "/pause"))
	}
	t.put("%s</div>", button(to+"/say", "Answer now", "go", "a", "End the round and decide now?", "text", "/answer"))
}

// stages shows the stage, the time and the money, in a line and in the last line of the page.
func (t *board) stages() {
	took := t.room.Clock.Took()
	state := Raw(`<li>‖ stopped</li>`)
	if t.info.Ended {
		state = `<li class="now">✓ ended</li>`
	} else if t.info.Running {
		// While it runs the clock runs; otherwise it shows the time of the last node.
		took = t.room.Clock.By(time.Now(), time.Time{})
		w := &writer{}
		w.put(`<li class="now live" aria-current="step"><span class="dot" aria-hidden="true">●</span> %s%s</li>`, t.room.Stage,
			waitingFor(t.room))
		state = w.raw()
	}
	t.put(`<ol class="stages" aria-label="Stage">%s<li class="faint">%s</li><li class="faint">%s</li>`, state, clock(took), t.money())
	// Messages that the debate has not applied yet.
	if n := len(t.room.Pending()); n > 0 {
		t.put(`<li class="warn">? %s not delivered yet</li>`, count(n, "word"))
	}
	t.put("</ol>")
	t.status = []Raw{Raw(markup.Escape(t.room.Stage + waitingFor(t.room))), Raw(markup.Escape(clock(took))), Raw(markup.Escape(t.money()))}
}

// An unknown price is not shown as 0.
func (t *board) money() string {
	money := debate.Money(t.res.Tokens, 1)
	if limit := t.room.Frame.Limits.USD; limit > 0 {
		money += fmt.Sprintf(" of $%.2f", limit)
	}
	return money
}

// waitingFor lists the seats that are still answering.
func waitingFor(room *scene.Room) string {
	var busy []string
	for _, s := range room.Seats {
		if s.Busy {
			busy = append(busy, s.Info.ID)
		}
	}
	if len(busy) == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of %d answered, waiting for %s", len(room.Seats)-len(busy), len(room.Seats), strings.Join(busy, ", "))
}

// seats shows a column for each seat.
func (t *board) seats() {
	if len(t.room.Seats) == 0 {
		return
	}
	t.put(`<section class="sec" aria-label="Seats"><div class="table cols-%d" data-live id="seats" tabindex="0" role="group" `+
		`aria-label="Seats, scrolls sideways on a narrow screen">`, min(5, len(t.room.Seats)))
	for _, s := range t.room.Seats {
		t.column(s)
	}
	t.put("</div></section>")
}

// column shows a seat: its state, its vote, its current or last text, and its usage. The script appends to a growing
// text, which it finds by its question (data-of).
func (t *board) column(s *scene.Seat) {
	sign := map[string]string{"answered": "✓ answered", "thinking": "● thinking", "writing": "● writing",
		"waiting": "○ waiting"}[s.State]
	if sign == "" {
		sign = map[bool]string{true: "● ", false: "✗ "}[s.Busy] + s.State
	}
	// What it was doing no longer matters.
	if s.Out {
		sign = "– dropped by you"
	}
	t.put(`<article class="%s" aria-label="%s"><header><h2>%s</h2><span class="tiny dim" data-state="%s">%s</span></header>`,
		t.class(s.Info.ID), s.Info.ID, t.seat(s.Info.ID), newest(s), sign)
	if s.Note != "" {
		t.put(`<p class="tiny dim">%s</p>`, clip(s.Note, 200))
	}
	for _, res := range t.res.Seats {
		if res.ID == s.Info.ID && res.Vote.Option != "" && res.Status == verdict.Voted {
			t.put(`<p class="vote">%s</p>`, res.Vote.Option+", "+t.optionText(res.Vote.Option))
		}
	}
	if n := len(s.Turns); n > 0 {
		turn := s.Turns[n-1]
		// The script appends to it without loading the page.
		if turn.Reply == nil {
			t.put(`<div class="pane" tabindex="0" role="group" aria-label="What %s writes"><p class="say grows" data-of="%s">%s</p></div>`,
				s.Info.ID, turn.Ask, t.room.Read(turn))
		} else {
			t.put(`<details><summary>Its last message</summary><div class="say">%s</div></details>`, prose(t.room.Read(turn)))
		}
	}
	money := debate.Money(s.Usage, s.Calls)
	t.put(`<footer>%s, %s</footer></article>`, s.Info.Model, money)
}

// newest returns the node of the last question to a seat, under which its answer grows.
func newest(s *scene.Seat) string {
	if n := len(s.Turns); n > 0 {
		return string(s.Turns[n-1].Ask)
	}
	return ""
}

// optionText returns an option by its key; empty: none.
func (t *board) optionText(key string) string {
	for _, o := range t.room.Options() {
		if o.Key == key {
			return clip(o.Text, 80)
		}
	}
	return ""
}

// signs are the signs of stances, and their words for reading aloud.
var signs = map[verdict.Verb][2]string{verdict.Agree: {"+", "agrees"}, verdict.Object: {"−", "objects"}, verdict.Add: {"+", "adds to it"},
	verdict.SameAs: {"=", "says the same"}, verdict.Undecided: {"·", "no stance"}, "": {"·", "no stance"}}

// ledger shows the table of claims: their authors, evidence, results of checks, and stances. Signs have words for
// screen readers.
func (t *board) ledger() {
	list := document.Ledger(t.res)
	t.put(`<section aria-labelledby="lg"><div class="sec" data-live id="ledger"><header><h2 id="lg">Ledger</h2><p>%s, %s</p></header>`+
		`<div class="wide" tabindex="0" role="region" aria-label="Claims">`,
		count(len(list), "claim"), count(len(t.res.Checks), "check"))
	t.put(`<table class="ledger"><thead><tr><th scope="col"><span class="vh">id</span></th>` +
		`<th scope="col">Claim, most disputed first</th><th scope="col">Evidence</th>`)
	for _, m := range t.marks {
		t.put(`<th class="st" scope="col"><span class="seat %s"><abbr title="%s">%s</abbr></span></th>`, t.class(m.Seat), m.Seat,
			short(m.Seat))
	}
	t.put("</tr></thead><tbody>")
	for _, e := range list {
		t.put(`<tr><td class="faint mono">%s</td><td><span class="claim">%s</span><br><span class="small">%s <span class="dim">%s`+
			`</span></span></td><td class="ev"><code>%s</code><br><span class="%s">%s %s</span></td>`,
			e.Claim, e.Text, t.seat(e.Seat), e.Way, clip(e.Where, 40), e.Class(), e.Sign(), clip(e.Standing, 60))
		for _, m := range t.marks {
			sign := signs[e.Stances[m.Seat]]
			t.put(`<td class="st" data-s="%s"><span aria-hidden="true">%s</span><span class="vh">%s</span></td>`, m.Seat, sign[0], sign[1])
		}
		t.put("</tr>")
	}
	t.put("</tbody></table></div>")
	if len(list) == 0 && t.info.Ended {
		t.put(`<p class="small dim tail">No claims were made.</p>`)
	} else if len(list) == 0 {
		t.put(`<p class="small dim tail">No claims yet: the seats are answering blind.</p>`)
	}
	t.put("</div></section>")
}

// short returns two letters of a seat for the head of a column: those after its vendor.
func short(id string) string {
	_, after, ok := strings.Cut(id, "-")
	if !ok {
		after = id
	}
	return string([]rune(after + "  ")[:2])
}

// standing shows the standing of the debate. While seats answer blind it is folded, so that nobody is influenced by
// it unasked.
func (t *board) standing() {
	d := document.Of(t.res)
	t.put(`<section aria-labelledby="sc"><div class="sec" data-live id="standing"><header><h2 id="sc">Standing</h2></header>`)
	// A person who saw votes before all have voted could be influenced by them, and influences the seats.
	blind := slices.ContainsFunc(t.room.Seats, func(s *scene.Seat) bool { return s.Busy }) && len(t.room.Moves()) == 0
	switch {
	// Without votes a score would be that of the prior alone.
	case t.res.Panel.Voted == 0 && !t.info.Ended:
		t.put(`<p class="small dim">No votes yet.</p>`)
	case blind && !t.info.Ended:
		t.put(`<details><summary>Blind votes: %d of %d. Show current votes.</summary><p class="big">%s</p></details>`,
			t.res.Panel.Voted, len(t.marks), sentence(d.Sure(", ")))
	default:
		t.put(`<p class="big">%s</p><p class="small dim">%s</p>`, sentence(d.Sure(", ")), sentence(d.Votes)+".")
		// Package document makes it from numbers; braces are removed as everywhere.
		if fig := d.Figure(); fig != "" {
			t.put(`<h3 class="tail">How the lead changed</h3>%s`, Raw(strings.ReplaceAll(fig, "{", "&#123;")))
		}
	}
	t.put("</div></section>")
}

// spoken shows the person's messages, the newest last, and their effects.
func (t *board) spoken() {
	p := &writer{}
	for _, l := range t.room.Lines {
		if l.Who == "you" {
			p.put(`<li><div>%s</div><span class="faint">%s</span></li>`, clip(l.Text, 1000), clock(l.At))
		}
	}
	for _, m := range t.room.Pending() {
		p.put(`<li><div>%s %s</div><span class="warn">? not delivered yet</span></li>`, m.Verb, clip(m.Text, 1000))
	}
	t.live("spoken")
	if said := p.raw(); said != "" {
		t.put(`<section class="sec"><header><h2>Your messages</h2></header><ul class="rows small">%s</ul></section>`, said)
	}
	t.end()
}

// transcript shows the events, and all questions and answers of seats.
func (t *board) transcript() {
	t.put(`<details class="sec"><summary>Transcript</summary><ul class="rows small" data-live id="lines">`)
	for _, l := range t.room.Lines {
		who := l.Who
		if who == "" {
			who = "code"
		}
		t.put(`<li><div><b>%s</b> %s</div><span class="faint">%s</span></li>`, who, clip(l.Text, 400), clock(l.At))
	}
	t.put("</ul></details>")
}

// dock is the input for messages to the panel. A question to the person comes first. The verbs are offered as they
// are typed.
func (t *board) dock() {
	t.live("dock")
	defer t.end()
	if t.info.Ended {
		return
	}
	to := pathOf("d", t.info.Room) + "/say"
	t.put(`<div class="dock">`)
	// The options are offered as they are typed, so form and terminal use the same words.
	if need := t.room.Need; need != nil {
		t.needs++
		t.put(`<section class="ask" id="ask" aria-labelledby="askh"><header><h2 id="askh">? %s</h2></header><div class="btns tail">`,
			need.Text)
		for _, o := range t.room.Options() {
			t.put("%s", button(to, "Choose "+o.Key+": "+clip(o.Text, 60), "", "", "", "text", "/choose "+o.Key))
		}
		t.put("%s</div></section>", button(to, "Continue without", "bare", "", "", "text", "/go"))
	}
	t.put(`%s<input name="text" id="say" required maxlength="4000" aria-label="Message to the panel" placeholder="Speak to the panel; `+
		`delivered at the next step" list="verbs"><datalist id="verbs">`, form(to, "say-in"))
	for _, v := range people.Verbs {
		t.put(`<option value="%s">%s</option>`, strings.Fields(v.Form + " ")[0]+" ", v.Doc)
	}
	t.put(`</datalist>`)
	for _, b := range [][2]string{{"/drop ", "Drop seat"}, {"/add ", "Add seat"}, {"/veto ", "Veto claim"}} {
		t.put(`<button class="btn bare" type="button" data-fill="%s" hidden>%s</button>`, b[0], b[1])
	}
	t.put(`<button class="btn" type="submit">Send</button></form></div>`)
}

// say sends the message of a form to a debate. A message sent from a decision's page leads back there.
func (s *actor) say(r *http.Request, c guard.Caller) (string, error) {
	name := r.PathValue("name")
	to := pathOf("d", name)
	w, err := people.ParseMessage(r.PostForm.Get("text") + r.PostForm.Get("reason"))
	if err != nil {
		return to, &engine.Refusal{Message: err.Error(), Hint: "commands: socrates debate tell --help"}
	}
	if w.Verb == people.Choose || w.Verb == people.Veto || w.Verb == people.Outcome {
		to = backTo(r, to)
	}
	_, err = s.Engine.Do(context.WithoutCancel(r.Context()), rooms.Tell{Room: name, Message: w})
	return to, err
}

// backTo returns the page of ours that a form was on, if it says so. Only a path of this server counts, or a link
// could send somebody elsewhere.
func backTo(r *http.Request, to string) string {
	back := r.PostForm.Get("back")
	// Browsers treat a backslash as a slash, which could hide //host.
	u, err := url.Parse(back)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(back, "/") || strings.ContainsRune(back, '\\') {
		return to
	}
	return back
}

// resume resumes a debate in a process of its own; one that runs or has ended is left unchanged.
func (s *actor) resume(r *http.Request, c guard.Caller) (string, error) {
	info, err := rooms.In(s.Engine).Info(r.Context(), r.PathValue("name"))
	if err == nil && !info.Ended && !info.Running {
		err = s.Resume(r.Context(), info.Dir, info.Room)
	}
	return pathOf("d", info.Room), err
}
