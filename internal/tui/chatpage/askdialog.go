package chatpage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// askDialog is a question of a turn: whether acts may happen, or one a tool asks.
type askDialog struct {
	p      *Page
	id     tree.ID
	need   talk.Need
	scroll int
	page   int            // lines that were shown last
	read   bool           // all that would happen was shown
	input  *editor.Editor // nil: a key answers
	deny   bool           // what is typed is why not
	since  time.Time
	held   *tea.KeyPressMsg // a letter that allows, unless another one follows at once; nil: none
}

// unready is how long a question takes no answer, from when it is seen and from each letter that answers nothing: keys that
// come sooner were meant for the input.
const unready = 400 * time.Millisecond

// alone is how long a letter waits for another one before it allows: a sentence that begins with it allows nothing.
const alone = 250 * time.Millisecond

func newAskDialog(p *Page, id tree.ID, need talk.Need) *askDialog {
	a := &askDialog{p: p, id: id, need: need, since: time.Now()}
	if need.Question != nil {
		a.input = p.d.NewEditor()
	}
	return a
}

// lasting says whether an answer can hold for longer than this call.
func (a *askDialog) lasting() bool {
	return slices.ContainsFunc(a.need.Parts, func(p talk.NeedPart) bool { return p.Asked && p.Covers != "" })
}

func (a *askDialog) Draw(w, h int) ([]string, *tea.Cursor) {
	w = min(w, box.Handy)
	t, inner := a.p.d.Theme, w-4
	title := a.p.Title() + ": " + a.need.Tool + " asks"
	if a.need.Question != nil {
		title = a.p.Title() + " asks you"
	}
	lines := a.lines(inner)
	if a.page == 0 {
		a.read = len(lines) <= h-3-len(line.Wrap(a.keys(inner), inner))
	}
	var foot []string
	x, y := 0, 0
	if a.input != nil {
		if a.deny {
			foot = append(foot, "Why not? (Enter sends, esc goes back)")
		}
		var typed []string
		typed, x, y = a.input.Lines(inner-2, 5)
		y += len(foot)
		for _, l := range typed {
			foot = append(foot, t.Person.On(line.Sign(t, "❯", ">"))+" "+l)
		}
	} else {
		foot = line.Inked(t.Focus, line.Wrap(a.keys(inner), inner))
	}
	lines = a.part(lines, max(1, h-3-len(foot)))
	at := len(lines) + 2
	lines = append(append(lines, ""), foot...)
	var cursor *tea.Cursor
	if a.input != nil {
		cursor = tea.NewCursor(x+4, y+at)
	}
	return box.Around(t, line.One(a.p.d.Clean(title)), lines, w), cursor
}

// keys are the answers there are. What was not read to its end cannot be allowed.
func (a *askDialog) keys(w int) string {
	answers := []string{"[y] allow once", "[s] for the session", "[p] for the project", "[n] deny, and say why", "[esc] deny"}
	if w < 40 {
		answers = []string{"[y] once", "[s] session", "[p] project", "[n] deny", "[esc]"}
	}
	switch {
	case !a.read:
		answers = append([]string{map[bool]string{true: "[pgdown] more", false: "[pgdown] read on: once all was seen it can be allowed"}[w < 40]}, answers[3:]...)
	case !a.lasting():
		answers = slices.Delete(answers, 1, 3)
	}
	return strings.Join(answers, "   ")
}

// part is what there is room for of what would happen.
func (a *askDialog) part(lines []string, room int) []string {
	a.page = room
	if len(lines) <= room {
		a.scroll, a.read = 0, true
		return lines
	}
	if room > 1 {
		a.page-- // for how many there are below
	}
	a.scroll = max(0, min(a.scroll, len(lines)-a.page))
	out := slices.Clone(lines[a.scroll : a.scroll+a.page])
	below := len(lines) - a.scroll - a.page
	if a.read = a.read || below == 0; room > 1 {
		out = append(out, a.p.d.Theme.Warn.On(fmt.Sprintf("%d of %d lines", a.scroll+a.page, len(lines))))
	}
	return out
}

// shown is a text of what would happen: nothing of it may hide, nor look like a blank that is none.
func (a *askDialog) shown(text string) string {
	var out strings.Builder
	start := true // of a line, where tabs are only indentation
	for _, r := range clean.Reveal(a.p.d.Redact(text)) {
		if r != ' ' && unicode.Is(unicode.Zs, r) || r == '\t' && !start {
			fmt.Fprintf(&out, "<U+%04X>", r)
		} else {
			out.WriteRune(r)
		}
		start = r == '\n' || start && r == '\t'
	}
	return out.String()
}

// lines say what would happen: every command and file of it.
func (a *askDialog) lines(w int) (out []string) {
	t := a.p.d.Theme
	if q := a.need.Question; q != nil {
		out = append(out, line.Wrap(a.shown(q.Text), w)...)
		for i, o := range q.Options {
			out = append(out, line.Wrap(fmt.Sprintf("  %d  %s", i+1, a.shown(o)), w)...)
		}
		if len(q.Options) > 0 {
			out = append(out, t.Dim.On("a number, or your own words"))
		}
		return out
	}
	for _, act := range a.need.Acts {
		if act.Dir != "" {
			out = append(out, t.Dim.On(line.Clip("in "+a.shown(act.Dir), w)))
			break
		}
	}
	for _, part := range a.need.Parts {
		ink, sign := t.Dim, "  "
		if part.Asked {
			ink, sign = theme.Bold, "? "
		}
		for i, l := range line.Wrap(a.shown(part.Text), w-2) {
			if i > 0 {
				sign = "  "
			}
			out = append(out, ink.On(sign+l))
		}
		if part.Asked && part.Reason != "" {
			out = append(out, line.Shifted(line.Inked(t.Dim, line.Wrap(a.shown(part.Reason), w-3)))...)
		}
		for _, path := range part.Paths {
			out = append(out, line.Shifted(line.Inked(t.Dim, line.Wrap("→ "+a.shown(path), w-3)))...)
		}
		if part.Asked && part.Covers != "" {
			out = append(out, line.Shifted(line.Inked(t.Dim, line.Wrap("s and p grant: "+a.shown(part.Covers), w-3)))...)
		}
		if part.Lost != "" {
			out = append(out, line.Inked(t.Bad, line.Wrap("! this cannot be undone: "+a.shown(part.Lost), w))...)
		}
	}
	if len(a.need.Parts) == 0 {
		out = append(out, line.Wrap(a.shown(a.need.Reason), w)...)
	}
	for _, act := range a.need.Acts {
		if act.Effect == tool.Writes && strings.Contains(act.Text, "\n@@ ") {
			out = append(append(out, ""), markdown.Diff(t, a.shown(act.Text), w)...)
		}
	}
	return out
}

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
	choices := map[string]string{"esc": "deny", "ctrl+c": "deny"}
	if a.read {
		choices["y"] = "once"
	}
	if a.read && a.lasting() {
		choices["s"], choices["p"] = "session", "project"
	}
	c := choices[k.String()]
	if a.held != nil && c == "deny" {
		a.held = nil
	}
	if a.held != nil || k.Text != "" && (time.Since(a.since) < unready || c == "" && k.Text != "n") {
		a.since = time.Now() // whoever types a sentence grants nothing with the letters of it
		if a.held != nil {
			a.p.input.Update(*a.held)
			a.held = nil
		}
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
			return screen.Turn(func() tea.Cmd {
				if a.held != &k || a.p.ask != a {
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

func (a *askDialog) typed(k tea.KeyPressMsg) tea.Cmd {
	switch s := k.String(); {
	case (s == "esc" || s == "ctrl+c") && a.deny:
		a.input, a.deny = nil, false
		return nil
	case s == "esc" || s == "ctrl+c":
		a.p.ask = nil
		return a.p.turnRunner.stop()
	}
	if a.input.Update(k) != editor.Submit {
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
