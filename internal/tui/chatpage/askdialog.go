package chatpage

import (
	"slices"
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

// askDialog is a question of a turn: whether acts may happen, or a question from a tool. Letters answer only while
// the input is empty: in a text, every letter is text.
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
	held   []tea.KeyPressMsg // letters that answer, unless another one follows: then they are text
	choice string            // what they choose; empty: nothing yet
	sure   bool              // it was allowed once; what cannot be undone must be allowed twice
}

// unready is how long a question accepts no answer after it is first seen: earlier keys were meant for the input.
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
	case tea.PasteMsg:
		if a.input != nil {
			a.input.Update(m)
		} else {
			a.text(m)
		}
	case tea.ModeReportMsg:
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
	text, early := !a.p.input.Empty(), time.Since(a.since) < unready
	switch s := k.String(); {
	case s == "up":
		a.scroll--
	case s == "down":
		a.scroll++
	case s == "?" && !text && len(a.held) == 0:
		return a.p.d.Desk.Help()
	case s == "ctrl+c" && text:
		return a.p.interrupt()
	case s == "ctrl+c":
		a.p.ask = nil
		return a.p.turnRunner.stop()
	case s == "esc" && a.lasting():
		a.held, a.choice = nil, ""
	case s == "esc":
		return a.answer("deny", "")
	case s == "enter" && text:
		return a.p.edited(a.p.input.Update(k))
	case s == "enter" && len(a.held) > 0:
		return a.agree()
	case s == "enter" && !early:
		return a.answer("deny", "")
	case text, k.Text != "" && !slices.Contains(a.letters(), s):
		a.text(k)
	case k.Text == "":
	case len(a.held) > 0 && (!a.lasting() || s == "y" || s == "n"): // another row may be selected
		a.text(k)
	case s == "n" && !early:
		a.input, a.deny = a.p.d.NewEditor(), true
	default:
		a.held = append(a.held, k)
		if a.choice = ""; a.read && !early {
			a.choice = map[string]string{"y": "once", "s": "session", "p": "project"}[s]
		}
		if !a.lasting() {
			return a.wait()
		}
	}
	return nil
}

// lasting reports whether a row is selected whose grant lasts longer than this call: enter confirms it.
func (a *askDialog) lasting() bool { return a.choice == "session" || a.choice == "project" }

// letters are the letters that answer.
func (a *askDialog) letters() []string {
	out := []string{"y", "n"}
	for _, scope := range told.Scopes(a.need) {
		out = append(out, scope[:1])
	}
	return out
}

// wait gives the answer of a letter unless another one follows.
func (a *askDialog) wait() tea.Cmd {
	first := &a.held[0]
	return tea.Tick(alone, func(time.Time) tea.Msg {
		return screen.Update(func() tea.Cmd {
			if a.p.ask != a || len(a.held) != 1 || &a.held[0] != first {
				return nil
			}
			return a.agree()
		})
	})
}

// agree gives the answer that is chosen, if any.
func (a *askDialog) agree() tea.Cmd {
	choice := a.choice
	a.held, a.choice = nil, ""
	switch {
	case choice == "":
	case choice == "once" && told.Gravest(a.need) == told.Grave && !a.sure:
		a.sure = true
	default:
		return a.answer(choice, "")
	}
	return nil
}

// text passes keys and what is pasted to the input, after the letters that were not typed alone.
func (a *askDialog) text(msg tea.Msg) {
	for _, k := range a.held {
		a.p.input.Update(k)
	}
	a.held, a.choice, a.sure = nil, "", false
	a.p.input.Update(msg)
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
