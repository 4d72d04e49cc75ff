package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// debateActions are those of a debate.
func debateActions() []action.Action[*debatePage] {
	says := func(w debate.Word) func(*debatePage) tea.Cmd {
		return func(p *debatePage) tea.Cmd { return p.tell(w) }
	}
	scrolls := func(by func(h int) int) func(*debatePage) tea.Cmd {
		return func(p *debatePage) tea.Cmd { p.move(by(p.height())); return nil }
	}
	out := []action.Action[*debatePage]{
		{Name: "debate-pause", Doc: "pause before the next round, or go on", Keys: []string{"ctrl+space", "ctrl+@"}, Also: "/pause, /go", Do: (*debatePage).pause},
		{Name: "debate-answer", Doc: "end the round and decide from what is there", Keys: []string{"ctrl+a"}, Also: "/answer", Do: (*debatePage).answer},
		{Name: "debate-check", Doc: "say how it stands, and go to the votes", Keys: []string{"ctrl+t"}, Also: "/check, /consensus", Do: says(debate.Word{Verb: debate.Poll})},
		{Name: "debate-execute", Doc: "take what was decided to a conversation that carries it out", Keys: []string{"ctrl+e"}, Also: "/execute", Do: (*debatePage).executeKey},
		{Name: "debate-copy", Doc: "copy the decision, as Markdown", Keys: []string{"alt+y"}, Do: (*debatePage).copy},
		{Name: "debate-stop", Doc: "end the round; a second time stop without a decision", Keys: []string{"ctrl+x"}, Do: (*debatePage).stop},
		{Name: "debate-next", Doc: "go to the next view: seats, ledger, score, transcript, decision, log", Keys: []string{"tab"}, Do: func(p *debatePage) tea.Cmd { p.turnTo(1); return nil }},
		{Name: "debate-previous", Doc: "go to the view before", Keys: []string{"shift+tab"}, Do: func(p *debatePage) tea.Cmd { p.turnTo(-1); return nil }},
		{Name: "debate-pageup", Doc: "scroll up by a page", Keys: []string{"pgup"}, Do: scrolls(func(h int) int { return 2 - h })},
		{Name: "debate-pagedown", Doc: "scroll down by a page", Keys: []string{"pgdown"}, Do: scrolls(func(h int) int { return h - 2 })},
		{Name: "debate-top", Doc: "go to the beginning", Keys: []string{"ctrl+home"}, Do: func(p *debatePage) tea.Cmd { p.move(-1 << 20); return nil }},
		{Name: "debate-end", Doc: "go to the end and stay there", Keys: []string{"ctrl+end"}, Do: func(p *debatePage) tea.Cmd { p.move(1 << 20); return nil }},
	}
	out = append(out, action.Action[*debatePage]{Name: "debate-find", Doc: "find words in what is shown; of the seats, in the transcript", Keys: []string{"ctrl+/", "ctrl+_", "alt+/"}, Do: (*debatePage).search})
	out = append(out, wordActions()...)
	for _, v := range views {
		out = append(out, action.Action[*debatePage]{Name: "debate-" + string(v), Doc: "show the " + string(v), Do: func(p *debatePage) tea.Cmd { p.view = v; return nil }})
	}
	return out
}

// search begins to look for words in the view at hand.
func (p *debatePage) search() tea.Cmd {
	if p.view == seatsView {
		p.view = transcriptView
	}
	p.find = scroll.NewFinder(p.d.NewEditor())
	return nil
}

// searched is what is searched: the lines of the view.
func (p *debatePage) searched() scroll.Source {
	b := p.lines(p.width)
	return scroll.Source{N: b.N, Text: func(i int) string { return ansi.Strip(strings.Join(b.Draw(i), " ")) }, Blocks: func() scroll.Blocks { return b },
		Scroll: p.views[p.view], Show: func(int) {}}
}

func (p *debatePage) turnTo(by int) {
	for i, v := range views {
		if v == p.view {
			p.view = views[(i+by+len(views))%len(views)]
			return
		}
	}
}

func (p *debatePage) pause() tea.Cmd {
	paused := p.scene.Paused
	for _, w := range p.scene.Pending() {
		paused = w.Verb == debate.Pause || paused && w.Verb != debate.Go
	}
	if paused {
		return p.tell(debate.Word{Verb: debate.Go})
	}
	return p.tell(debate.Word{Verb: debate.Pause})
}

// stop is ctrl-C of a debate at work: the first ends the round, the second the debate. Where no seat has answered it takes
// two, and the debate rests.
func (p *debatePage) stop() tea.Cmd {
	if !p.running() {
		return nil
	}
	if p.theirs {
		return p.tell(debate.Word{Verb: debate.Answer})
	}
	if !p.voted() && time.Since(p.warned) > screen.NoteTime { // a round that ends now would end the debate, and for nothing
		p.warned = time.Now()
		p.d.Tell("no seat has answered yet; once more stops the debate as it is, and /resume goes on with it")
		return nil
	}
	if p.scene.Stage == stopping || !p.voted() {
		return p.d.Do(engine.Stop{Root: p.scene.Root}, nil)
	}
	p.scene.Stage = stopping
	p.d.Tell("ending the round and deciding from what is there; once more stops without a decision")
	return p.d.Do(engine.Interrupt{Root: p.scene.Root}, nil)
}

const stopping = "ending the round"

// answer has the debate decide now. While something is typed its key is that of the line's beginning.
func (p *debatePage) answer() tea.Cmd {
	if !p.input.Empty() {
		p.input.Update(tea.KeyPressMsg{Code: tea.KeyHome})
		return nil
	}
	if p.running() && p.scene.Result().Panel.Voted == 0 && !p.voted() {
		p.d.Tell("no seat has answered yet, so there is nothing to decide from; /answer ends the round all the same")
		return nil
	}
	return p.tell(debate.Word{Verb: debate.Answer})
}

// voted says whether a seat has answered anything.
func (p *debatePage) voted() bool {
	return slices.ContainsFunc(p.scene.Seats, func(s *scene.Seat) bool {
		return slices.ContainsFunc(s.Turns, func(t *scene.Turn) bool { return t.Reply != nil && t.Reply.State == debate.Answered })
	})
}

// executeKey is the key of execute: while something is typed it is that of the line's end.
func (p *debatePage) executeKey() tea.Cmd {
	if !p.input.Empty() {
		p.input.Update(tea.KeyPressMsg{Code: tea.KeyEnd})
		return nil
	}
	return p.execute()
}

// execute takes what was decided to a new conversation. The person says when it begins: nothing is done by agreement.
func (p *debatePage) execute() tea.Cmd {
	if p.scene.End == nil {
		p.d.Refuse("the debate has not ended: there is nothing decided yet")
		return nil
	}
	if !p.scene.End.Outcome.Decision() {
		p.d.Refuse("this debate came to no decision: there is nothing to carry out")
		return nil
	}
	return p.d.carryOut(p.room)
}

// Update takes in keys that no action took, and news.
func (p *debatePage) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case screen.Recolored:
		p.recolor()
	case screen.News:
		return p.news(m)
	case tea.MouseWheelMsg:
		by := map[bool]int{true: -3, false: 3}[m.Button == tea.MouseWheelUp]
		if b, ok := p.under(m.X, m.Y); ok {
			p.scrollSeat(b.seat, by)
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

func (p *debatePage) key(k tea.KeyPressMsg) tea.Cmd {
	if p.find != nil {
		if p.find.Key(k, p.searched()) {
			p.find = nil
		}
		return nil
	}
	switch k.String() {
	case "ctrl+c":
		if !p.input.Empty() {
			p.input.Clear()
			p.menu.Close()
			return nil
		}
		if p.running() {
			return p.stop()
		}
		p.d.Tell(p.d.Keys.Key("quit") + " or /quit leaves")
		return nil
	case "esc":
		p.view = seatsView
		return nil
	}
	if p.input.Empty() {
		switch k.String() {
		case "?":
			return p.d.help()
		case "up":
			p.move(-1)
			return nil
		case "down":
			p.move(1)
			return nil
		}
	}
	switch p.input.Update(k) {
	case editor.Submit:
	case editor.Complete, editor.Changed:
		return p.offer()
	default:
		return nil
	}
	text := p.input.Text()
	p.input.Clear()
	return p.submit(text)
}

// copy puts the decision document into the clipboard.
func (p *debatePage) copy() tea.Cmd {
	if p.scene.End == nil {
		p.d.Tell("the debate has not ended: there is no decision to copy")
		return nil
	}
	p.d.Tell("the decision is copied, as Markdown")
	return p.d.Copy(p.d.Clean(p.scene.Result().Decision))
}

// resume goes on after a pause, or with a debate that rests.
func (p *debatePage) resume() tea.Cmd {
	if p.scene.Paused || p.running() {
		return p.tell(debate.Word{Verb: debate.Go})
	}
	if p.scene.End != nil {
		p.d.Refuse("the debate has ended")
		return nil
	}
	return p.d.Do(engine.Resume{Room: p.room}, func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		return p.outcome(p.scene.Root)
	})
}

// carryOut begins a conversation with what a debate decided.
func (d *Desk) carryOut(room string) tea.Cmd {
	dir := d.Dir
	return d.Away(func(ctx context.Context) func() tea.Cmd {
		name, err := begin(ctx, d.Engine, dir, room)
		return func() tea.Cmd {
			if err != nil {
				d.Fail(err)
				return nil
			}
			cmd := d.openChat(name)
			if p, ok := d.current().(*chatPage); ok {
				p.input.Set("Carry out what was decided.")
			}
			d.Tell("read it once more; Enter begins the work")
			return cmd
		}
	})
}

// begin makes a conversation that knows what a debate decided, ready to carry it out.
func begin(ctx context.Context, e *engine.Engine, dir, room string) (string, error) {
	root, err := e.Do(ctx, engine.NewTree{Title: "execute " + room, Dir: dir})
	if err != nil {
		return "", err
	}
	path, err := e.Path(ctx, root)
	if err != nil {
		return "", err
	}
	r, _ := talk.RootKind.Of(path[0])
	for _, op := range []engine.Op{engine.Conclude{Tree: r.Name, Room: room}, engine.Set{Tree: r.Name, Key: "phase", Value: "executor"}} {
		if _, err := e.Do(ctx, op); err != nil {
			return "", err
		}
	}
	return r.Name, nil
}
