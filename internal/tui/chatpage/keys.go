package chatpage

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Actions are the actions of a conversation.
func Actions() []action.Action[*Page] {
	scrolls := func(by func(h int) int) func(*Page) tea.Cmd {
		return func(p *Page) tea.Cmd { p.list.scroll.Move(p.list.blocks(), by(p.list.scroll.Height)); return nil }
	}
	return []action.Action[*Page]{
		{Name: "chat-stop", Doc: "Stop the turn (again: immediately)", Like: "interrupt cancel abort", Keys: []string{"ctrl+x"},
			Do: func(p *Page) tea.Cmd { return p.turnRunner.stop() }},
		{Name: "chat-background", Doc: "Send the running command to the background", Like: "detach job", Keys: []string{"ctrl+b"},
			Do: (*Page).background},
		{Name: "chat-pageup", Doc: "Page up", Keys: []string{"pgup"}, Do: scrolls(func(h int) int { return 2 - h })},
		{Name: "chat-pagedown", Doc: "Page down", Keys: []string{"pgdown"}, Do: scrolls(func(h int) int { return h - 2 })},
		{Name: "chat-top", Doc: "Go to the top", Keys: []string{"ctrl+home"},
			Do: func(p *Page) tea.Cmd { p.list.scroll.Home(); return nil }},
		{Name: "chat-end", Doc: "Go to the end and follow", Keys: []string{"ctrl+end"},
			Do: func(p *Page) tea.Cmd { p.list.scroll.End(); return nil }},
		{Name: "chat-focus", Doc: "Move focus: input, messages, sidebar", Keys: []string{"tab"},
			Do: (*Page).focus},
		{Name: "chat-fold", Doc: "Expand or collapse tool calls", Keys: []string{"ctrl+o"},
			Do: func(p *Page) tea.Cmd {
				if p.d.Inline && p.atEnd() {
					return unfold(p.printed)
				}
				return p.list.foldAll()
			}},
		{Name: "chat-side", Doc: "Toggle sidebar", Keys: []string{"f2"},
			Do: func(p *Page) tea.Cmd { return p.side.show() }},
		{Name: "chat-find", Doc: "Search the conversation", Keys: []string{"ctrl+/", "ctrl+_", "alt+/"}, Do: (*Page).search},
		{Name: "chat-copy", Doc: "Copy the last answer", Like: "yank clipboard", Keys: []string{"alt+y"},
			Also: "/copy", Do: func(p *Page) tea.Cmd { return p.Copier.answer() }},
		{Name: "chat-copy-code", Doc: "Copy a code block from the last answer", Like: "yank clipboard snippet", Also: "/copy code",
			Do: func(p *Page) tea.Cmd { return p.Copier.Code("") }},
		{Name: "chat-paste", Doc: "Paste a picture or text", Like: "image screenshot clipboard attach", Keys: []string{"ctrl+v", "alt+v"},
			Also: "/paste", Do: Paste},
		{Name: "chat-edit", Doc: "Edit in $EDITOR", Keys: []string{"ctrl+g"}, Do: (*Page).edit},
		{Name: "chat-mode", Doc: "Change permission mode", Like: "plan yolo auto-accept", Keys: []string{"shift+tab"}, Also: "/mode",
			Do: (*Page).nextMode},
	}
}

// background sends the running command to the background. If none runs the key moves in the input, as it does
// in a shell.
func (p *Page) background() tea.Cmd {
	if _, runs := p.list.command(); !runs {
		return p.edited(p.input.Update(tea.KeyPressMsg{Code: 'b', Mod: tea.ModCtrl}))
	}
	if _, err := p.d.Engine.Do(p.d.Ctx, turns.Background{Tree: p.env.Tree}); err != nil {
		p.d.Fail(err)
		return nil
	}
	p.d.Tell("running in the background")
	return nil
}

// Update handles keys that no action took, and news.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case screen.Recolored:
		p.recolor()
	case screen.News:
		return p.news(m)
	case tea.FocusMsg:
		return p.reads.Recheck()
	case tea.ModeReportMsg:
		p.input.Update(m)
	}
	if p.ask != nil {
		return p.ask.Update(msg)
	}
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		by := 3
		if m.Button == tea.MouseWheelUp {
			by = -3
		}
		p.list.scroll.Move(p.list.blocks(), by)
	case tea.MouseClickMsg:
		return p.click(m)
	case tea.KeyPressMsg:
		return p.key(m)
	case tea.PasteMsg:
		if p.find != nil {
			p.find.Typed(m, p.searched())
			return nil
		}
		if m.Content == "" { // what some terminals send when a picture is pasted
			return Paste(p)
		}
		p.toInput()
		return p.edited(p.input.Update(m))
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
	switch k.String() {
	case "ctrl+c":
		return p.interrupt()
	case "esc":
		return p.escape()
	}
	if p.list.chosen >= 0 {
		return p.itemKey(k)
	}
	if p.side.at >= 0 {
		return p.side.key(k)
	}
	if cmd, taken := p.start.key(k); taken {
		return cmd
	}
	if k.String() == "?" && p.input.Empty() {
		return p.d.Desk.Help()
	}
	if k.Code == tea.KeyUp || k.String() == "ctrl+p" {
		if later := p.d.OnceRead(k); later != nil {
			return later
		}
		p.turnRunner.history()
	}
	return p.edited(p.input.Update(k))
}

// interrupt handles ctrl-C: it empties the input, stops the turn, or says how to quit.
func (p *Page) interrupt() tea.Cmd {
	switch {
	case !p.input.Empty(): // Up brings it back
		p.turnRunner.lines = append(p.turnRunner.lines, typedLine{p.input.Text(), len(p.scene.Entries)})
		p.input.Set("")
		p.menu.Close()
	case p.running():
		return p.turnRunner.stop()
	default:
		p.d.Tell(p.d.Keys.Key("quit") + " or /quit leaves")
	}
	return nil
}

// escape goes back one step: it unqueues a message, leaves the messages, or stops a running turn.
func (p *Page) escape() tea.Cmd {
	switch {
	case !p.typing():
		p.toInput()
		p.list.scroll.End()
	default:
		if text, ok := p.turnRunner.queue.back(); ok {
			p.input.Set(text)
			return nil
		}
		if !p.running() && strings.HasPrefix(p.input.Text(), "/") {
			p.input.Set("")
			return nil
		}
		return p.turnRunner.stop()
	}
	return nil
}

// ending is shown while a turn is being stopped.
const ending = "stopping the turn; again: stop immediately"

func (tn *turnRunner) stop() tea.Cmd {
	if !tn.p.running() {
		return nil
	}
	if tn.p.theirs {
		tn.p.d.Tell("another process is running this turn; stop it there")
		return nil
	}
	op := engine.Op(engine.Interrupt{Root: tn.p.scene.Tree.Root})
	if tn.stopped {
		op = engine.Stop{Root: tn.p.scene.Tree.Root}
	} else {
		tn.p.d.Tell(ending)
	}
	tn.stopped = true
	return tn.p.d.Do(op, nil)
}

// edited applies the result of a key in the input.
func (p *Page) edited(e editor.Event) tea.Cmd {
	if note := p.input.Note(); note != "" {
		p.d.Tell(note)
	}
	switch e {
	case editor.Submit:
		text := p.input.Text()
		if strings.TrimSpace(text) == "" {
			return nil
		}
		p.input.Clear()
		p.menu.Close()
		p.d.Note = screen.Note{} // the note said what to do next, and that is being done
		return p.turnRunner.remember(text, p.turnRunner.Submit(text))
	case editor.Complete, editor.Changed:
		return p.turnRunner.offer()
	}
	return nil
}

// Submit executes a typed line: a command or a message.
func (tn *turnRunner) Submit(text string) tea.Cmd {
	tn.p.list.scroll.End()
	name, args, command := slash.Parse(text)
	if tn.busy > 0 || !command && tn.p.running() {
		tn.queue.all = append(tn.queue.all, queued{text: text})
		return tn.interject()
	}
	if command {
		if cmd, ok := tn.p.side.typed(name, args); ok {
			return cmd
		}
		if cmd, ok := tn.p.d.TypedIn(tn.p.input, text, func() (tea.Cmd, bool) { return tn.p.d.Desk.Command(name, args) }); ok {
			return cmd
		}
	}
	tn.busy++
	tn.queue.sending = text
	env := tn.p.env.Copy() // the page uses its own meanwhile
	env.Width = max(40, tn.p.list.width-2*line.Margin)
	unnamed := env.Begin["model"] == "" && tn.p.scene.Set["model"] == ""
	return tn.p.d.Away(func(ctx context.Context) func() tea.Cmd {
		var eff slash.Effect
		var err error
		nobody := false
		if command {
			eff, err = slash.Run(ctx, env, text)
			if say, asks := eff.Start.(turns.Say); err == nil && asks && unnamed { // a page of instructions started it
				var model string
				if model, err = tn.p.who.Model(ctx); err == nil {
					_, err = env.Engine.Do(ctx, turns.Set{Tree: say.Tree, Key: "model", Value: model})
				}
				nobody = err != nil && tn.p.who.Seats != nil
			}
		} else {
			if unnamed && !strings.HasPrefix(text, slash.Shell) { // a command needs no model
				env.Begin["model"], err = tn.p.who.Model(ctx)
				nobody = err != nil && tn.p.who.Seats != nil
			}
			if err == nil {
				eff, err = slash.Say(ctx, env, text)
			}
		}
		return func() tea.Cmd {
			tn.busy--
			tn.queue.sending = ""
			if nobody {
				return tn.unsaid(text, err)
			}
			tn.p.env = env
			return tn.finish(text, eff, err)
		}
	})
}

// unsaid puts a message back into the input because no model answers, and shows which ones could.
func (tn *turnRunner) unsaid(text string, err error) tea.Cmd {
	if tn.p.input.Empty() {
		tn.p.input.Set(text)
	}
	tn.p.who.Nobody = err
	return tn.p.who.Setup()
}

// edit opens the typed text in the person's editor.
func (tn *turnRunner) edit() tea.Cmd {
	return tn.p.d.EditText(tn.p.input.Text(), func(text string) { tn.p.input.Set(text) })
}

const yolo = "yolo"

// modes are the modes shift+tab cycles through. The last one is among them only if the page was in it: a person chose it by
// its name, or in the settings. A step past the strictest mode must not lead to it.
var modes = []string{"balanced", "plan", "paranoid", yolo}

func (p *Page) nextMode() tea.Cmd {
	now := p.Setting("mode")
	cycle := modes
	if p.bold = p.bold || now == yolo; !p.bold {
		cycle = modes[:len(modes)-1]
	}
	next := cycle[(slices.Index(cycle, now)+1)%len(cycle)]
	if p.env.Tree == "" {
		p.env.Begin["mode"] = next
		return nil
	}
	return p.d.Do(turns.Set{Tree: p.env.Tree, Key: "mode", Value: next}, nil)
}

// Setting returns a setting of the conversation, or the one it will begin with.
func (st *standing) Setting(key string) string {
	if v := st.env.Begin[key]; v != "" {
		return v
	}
	if v := st.scene.Set[key]; v != "" || key != "model" {
		return v
	}
	return st.who.Spec
}
