package chatpage

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// askDialog is a question of a turn: whether acts may happen, or a question from a tool.
type askDialog struct {
	p      *Page
	id     tree.ID
	need   asking.Need
	scroll int
	page   int            // lines that were shown last
	read   bool           // everything that would happen was shown
	input  *editor.Editor // nil: a key answers
	deny   bool           // the input is a reason for a refusal
	since  time.Time
	held   *tea.KeyPressMsg // a letter that allows, unless another one follows at once; nil: none
	sure   bool             // it was allowed once; what cannot be undone must be allowed twice
}

// unready is how long a question accepts no answer after it is first seen, and after each letter that is no
// answer: earlier keys were meant for the input.
const unready = 400 * time.Millisecond

// alone is how long a letter waits for another one before it allows: a sentence that begins with it allows
// nothing.
const alone = 250 * time.Millisecond

func newAskDialog(p *Page, id tree.ID, need asking.Need) *askDialog {
	a := &askDialog{p: p, id: id, need: need, since: time.Now()}
	if need.Question != nil {
		a.input = p.d.NewEditor()
	}
	return a
}

// Update handles keys of the choice and passes typed text to the answer's editor, if the question has one.
func (a *askDialog) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		return a.key(m)
	case tea.PasteMsg, tea.ModeReportMsg:
		if a.input != nil {
			a.input.Update(m)
		}
	case tea.MouseWheelMsg:
		a.scroll += map[bool]int{true: -1, false: 1}[m.Button == tea.MouseWheelUp] * min(3, max(1, a.page))
	}
	return nil
}

func (a *askDialog) key(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "pgup":
		a.scroll -= a.page
		return nil
	case "pgdown":
		a.scroll += a.page
		return nil
	}
	if a.input != nil {
		return a.typed(k)
	}
	if k.String() == "ctrl+c" {
		a.p.ask = nil
		return a.p.turnRunner.stop()
	}
	choices := map[string]string{"esc": "deny", "enter": "deny"}
	if a.read {
		choices["y"] = "once"
		for _, scope := range told.Scopes(a.need) {
			choices[scope[:1]] = scope
		}
	}
	c := choices[k.String()]
	if k.String() == "enter" && (a.held != nil || time.Since(a.since) < unready) { // it ends a sentence that was meant for the input
		a.flush()
		return a.p.edited(a.p.input.Update(k))
	}
	if a.held != nil && c == "deny" {
		a.held = nil
	}
	if a.held != nil || k.Text != "" && (time.Since(a.since) < unready || c == "" && k.Text != "n") {
		a.since = time.Now() // letters of a typed sentence grant nothing
		a.flush()
		a.p.input.Update(k)
		return nil
	}
	switch {
	case k.Text == "n":
		a.input, a.deny = a.p.d.NewEditor(), true
	case c == "deny":
		return a.answer(c, "")
	case c != "":
		a.held = &k
		return tea.Tick(alone, func(time.Time) tea.Msg {
			return screen.Update(func() tea.Cmd {
				if a.held != &k || a.p.ask != a {
					return nil
				}
				if a.held = nil; c == "once" && told.Gravest(a.need) == told.Grave && !a.sure {
					a.sure = true
					return nil
				}
				return a.answer(c, "")
			})
		})
	case k.String() == "up":
		a.scroll--
	case k.String() == "down":
		a.scroll++
	}
	return nil
}

// flush passes a letter that was not typed alone to the input.
func (a *askDialog) flush() {
	if a.sure = false; a.held != nil {
		a.p.input.Update(*a.held)
		a.held = nil
	}
}

func (a *askDialog) typed(k tea.KeyPressMsg) tea.Cmd {
	switch s := k.String(); {
	case (s == "esc" || s == "ctrl+c") && a.deny:
		a.input, a.deny = nil, false
		return nil
	case s == "esc" || s == "ctrl+c":
		a.p.ask = nil
		return a.p.turnRunner.stop()
	}
	if e := a.input.Update(k); e != editor.Submit && !(a.deny && e == editor.None && k.String() == "enter") { // no reason is needed
		return nil
	}
	text := strings.TrimSpace(a.input.Text())
	if a.deny {
		return a.answer("deny", text)
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(a.need.Question.Options) {
		text = a.need.Question.Options[n-1]
	}
	if text == "" {
		return nil
	}
	return a.answer(text, "")
}

func (a *askDialog) answer(choice, reason string) tea.Cmd {
	a.p.ask = nil
	return a.p.d.Do(turns.Answer{To: a.id, Choice: choice, Reason: reason}, nil)
}
