package roompage

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// Actions are the actions of a debate.
func Actions() []action.Action[*Page] {
	says := func(w people.Message) func(*Page) tea.Cmd {
		return func(p *Page) tea.Cmd { return p.orders.tell(w) }
	}
	scrolls := func(by func(h int) int) func(*Page) tea.Cmd {
		return func(p *Page) tea.Cmd { p.move(by(p.shown.height(p.table))); return nil }
	}
	out := []action.Action[*Page]{
		{Name: "debate-pause", Doc: "Pause or resume", Keys: []string{"ctrl+space", "ctrl+@"}, Also: "/pause, /go",
			Do: func(p *Page) tea.Cmd { return p.orders.pause() }},
		{Name: "debate-answer", Doc: "Decide now", Keys: []string{"ctrl+a"}, Also: "/answer",
			Do: func(p *Page) tea.Cmd { return p.orders.answer() }},
		{Name: "debate-check", Doc: "Show standing and votes", Keys: []string{"ctrl+t"}, Also: "/consensus",
			Do: says(people.Message{Verb: people.Poll})},
		{Name: "debate-execute", Doc: "Plan and execute the decision", Keys: []string{"ctrl+e"}, Also: "/execute",
			Do: (*Page).executeKey},
		{Name: "debate-copy", Doc: "Copy the decision as Markdown", Keys: []string{"alt+y"}, Do: (*Page).copy},
		{Name: "debate-stop", Doc: "End the round (again: stop without a decision)", Keys: []string{"ctrl+x"}, Do: (*Page).stop},
		{Name: "debate-next", Doc: "Next view (seats, ledger, score, transcript, decision, log)", Keys: []string{"tab"},
			Do: func(p *Page) tea.Cmd { p.shown.moveTo(1); return nil }},
		{Name: "debate-previous", Doc: "Previous view", Keys: []string{"shift+tab"},
			Do: func(p *Page) tea.Cmd { p.shown.moveTo(-1); return nil }},
		{Name: "debate-side", Doc: "Seats and shared files", Like: "context sidebar", Keys: []string{"f2"},
			Do: func(p *Page) tea.Cmd { return p.side.toggle() }},
		{Name: "debate-pageup", Doc: "Page up", Keys: []string{"pgup"}, Do: scrolls(func(h int) int { return 2 - h })},
		{Name: "debate-pagedown", Doc: "Page down", Keys: []string{"pgdown"}, Do: scrolls(func(h int) int { return h - 2 })},
		{Name: "debate-top", Doc: "Go to the top", Keys: []string{"ctrl+home"},
			Do: func(p *Page) tea.Cmd { p.move(-1 << 20); return nil }},
		{Name: "debate-end", Doc: "Go to the end and follow", Keys: []string{"ctrl+end"},
			Do: func(p *Page) tea.Cmd { p.move(1 << 20); return nil }},
	}
	out = append(out, action.Action[*Page]{Name: "debate-find", Doc: "Search this view (for seats: the transcript)",
		Keys: []string{"ctrl+/", "ctrl+_", "alt+/"},
		Do:   (*Page).search})
	out = append(out, messageActions()...)
	for _, v := range views {
		out = append(out, action.Action[*Page]{Name: "debate-" + string(v), Doc: "Show the " + string(v),
			Do: func(p *Page) tea.Cmd { p.shown.show(v); return nil }})
	}
	for i, a := range out {
		name := strings.TrimPrefix(a.Name, "debate-")
		out[i].Can = func(p *Page) bool { return p.can(name) }
	}
	return out
}

// search starts a search in the current view.
func (p *Page) search() tea.Cmd {
	if p.shown.view == seatsView {
		p.shown.view = transcriptView
	}
	p.find = scroll.NewFinder(p.d.NewEditor())
	return nil
}

// searched returns what is searched: the lines of the view.
func (p *Page) searched() scroll.Source {
	b := p.shown.here(p.width)
	return scroll.Source{N: b.N, Text: func(i int) string { return ansi.Strip(strings.Join(b.Draw(i), " ")) },
		Blocks: func() scroll.Blocks { return b },
		Scroll: p.shown.views[p.shown.view], Show: func(int) {}}
}

func (vw *shown) moveTo(by int) { vw.show(vw.after(by)) }

// after returns the view by steps after the current one.
func (vw *shown) after(by int) view {
	return views[(slices.Index(views, vw.view)+by+len(views))%len(views)]
}

// stop handles ctrl-C during a debate: the first ends the round, the second the debate. If no seat has answered
// it takes two, and the debate can be resumed.
func (p *Page) stop() tea.Cmd {
	if !p.running() {
		return nil
	}
	if p.theirs {
		return p.orders.tell(people.Message{Verb: people.Answer})
	}
	if !p.voted() && time.Since(p.warned) > screen.NoteTime { // ending the round now would end the debate without a result
		p.warned = time.Now()
		p.d.Tell("no seat has answered yet; again: stop the debate (/resume continues it)")
		return nil
	}
	if p.scene.Stage == stopping || !p.voted() {
		return p.d.Do(engine.Stop{Root: p.scene.Root}, nil)
	}
	p.scene.Stage = stopping
	p.d.Tell("ending the round and deciding from the answers so far; again: stop without a decision")
	return p.d.Do(engine.Interrupt{Root: p.scene.Root}, nil)
}

const stopping = "ending the round"

// executeKey handles the key of execute; while something is typed it moves to the line's end.
func (p *Page) executeKey() tea.Cmd {
	if !p.input.Empty() {
		p.input.Update(tea.KeyPressMsg{Code: tea.KeyEnd})
		return nil
	}
	return p.execute()
}

// execute opens a new conversation to plan the decision. The person starts it: nothing follows automatically
// from agreement.
func (p *Page) execute() tea.Cmd {
	if p.scene.End == nil {
		p.d.Refuse("the debate has not ended: no decision yet")
		return nil
	}
	if p.scene.Frame.Rehearsal {
		p.d.Refuse("a rehearsal decides nothing: choose models with " + p.d.Keys.Key("seats") + " (/login connects them), then ask again")
		return nil
	}
	if !p.scene.End.Outcome.Decision() {
		p.d.Refuse("no decision to execute")
		return nil
	}
	return p.d.Desk.PlanDecision(p.room)
}

// under returns the panel at a position of the page.
func (p *Page) under(x, y int) (seatBox, bool) {
	if p.shown.view != seatsView {
		return seatBox{}, false
	}
	return p.table.under(x, y)
}

// Update handles keys that no action took, and news.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case screen.Recolored:
		p.recolor()
	case screen.News:
		return p.news(m)
	case tea.MouseWheelMsg:
		by := map[bool]int{true: -3, false: 3}[m.Button == tea.MouseWheelUp]
		if b, ok := p.under(m.X, m.Y); ok {
			p.table.scroll(b.seat, by)
		} else {
			p.move(by)
		}
	case tea.PasteMsg, tea.ModeReportMsg:
		p.input.Update(m)
	case tea.KeyPressMsg:
		return p.key(m)
	}
	return nil
}

func (p *Page) key(k tea.KeyPressMsg) tea.Cmd {
	if p.find != nil {
		if p.find.Key(k, p.searched()) {
			p.find = nil
		}
		return nil
	}
	if p.side.at >= 0 {
		return p.side.key(k)
	}
	switch k.String() {
	case "ctrl+c":
		if !p.input.Empty() {
			p.input.Clear()
			p.orders.menu.Close()
			return nil
		}
		if p.running() {
			return p.stop()
		}
		p.d.Tell(p.d.Keys.Key("quit") + " or /quit leaves")
		return nil
	case "esc":
		if !p.input.Empty() { // it applies to the input, not to the view
			if strings.HasPrefix(p.input.Text(), "/") {
				p.input.Clear()
			}
			return nil
		}
		if p.shown.linear.on() { // there is no other view to leave
			p.d.Tell(p.d.Keys.Key("tab-close") + " or /close closes this tab")
		}
		p.shown.view = seatsView
		return nil
	}
	if p.input.Empty() {
		switch k.String() {
		case "?":
			return p.d.Desk.Help()
		case "up":
			if p.input.Update(k) == editor.None { // no refused command to restore
				p.move(-1)
			}
			return nil
		case "down":
			p.move(1)
			return nil
		}
	}
	switch p.input.Update(k) {
	case editor.Submit:
	case editor.Complete, editor.Changed:
		return p.orders.offer()
	default:
		return nil
	}
	text := p.input.Text()
	p.input.Clear()
	p.input.History(nil)
	return p.orders.submit(text)
}

// copy copies the decision document to the clipboard.
func (p *Page) copy() tea.Cmd {
	if p.scene.End == nil {
		p.d.Tell("the debate has not ended: no decision to copy yet")
		return nil
	}
	p.d.Tell("copied the decision as Markdown")
	return p.d.Copy(p.d.Clean(document.Of(p.scene.Result()).Markdown()))
}

// resume continues after a pause, or resumes a stopped debate.
func (p *Page) resume() tea.Cmd {
	if p.scene.Paused || p.running() {
		return p.orders.tell(people.Message{Verb: people.Go})
	}
	if p.scene.End != nil {
		p.d.Refuse("the debate has ended")
		return nil
	}
	return p.d.Do(rooms.Resume{Room: p.room}, func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		return p.outcome(p.scene.Root)
	})
}
