package roompage

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// linear is a debate for screen readers: events are printed once, in order, and never redrawn. A view is
// printed in full on request.
type linear struct {
	*shown
	p       *Page
	begun   bool
	said    int              // remarks of the scene already printed
	turns   map[tree.ID]bool // answers already printed
	ended   string           // the decision printed last
	against int              // earlier decisions that it contradicts, already printed
	gone    string           // the failure printed last
	keys    string           // the possible actions printed last
	asked   []view           // views to print
}

// show shows a view.
func (vw *shown) show(v view) {
	if vw.view = v; vw.d.Plain {
		vw.linear.asked = append(vw.linear.asked, v)
	}
}

// on reports whether the debate is printed as it happens, instead of having a screen of its own.
func (ln *linear) on() bool {
	return ln.p.d.Plain && ln.p.d.Inline && ln.p.find == nil && ln.p.side.at < 0
}

// draw draws only the input: everything else is printed.
func (ln *linear) draw(w, h int) ([]string, *tea.Cursor) {
	ln.p.unseen, ln.p.width = false, w
	return ln.p.below(w, max(3, h/3))
}

// unprinted returns the lines to print now.
func (ln *linear) unprinted(w int) (out []string) {
	w = max(1, w-1)
	if out = ln.begin(w); !ln.begun {
		return out
	}
	more, waits := ln.happened(w)
	if out = append(out, more...); waits {
		return out
	}
	out = append(out, ln.decided(w)...)
	for _, v := range ln.asked {
		out = append(append(out, ln.viewed(v, w)...), "")
	}
	if ln.asked = nil; ln.keys != ln.can() {
		ln.keys = ln.can()
		out = append(append(out, line.Wrap(ln.keys, w)...), "")
	}
	for i, l := range out {
		out[i] = theme.Unmarked(l)
	}
	return out
}

// begin returns the question, once it is known; before, what the debate waits for.
func (ln *linear) begin(w int) (out []string) {
	p := ln.p
	if state := p.gone + p.loading; (state != "" || p.asks) && ln.gone != state {
		ln.gone = state
		text := state
		if state == "" {
			return append(p.begins(w), "")
		}
		return append(line.Wrap(text, w), "")
	}
	if ln.begun || p.scene.Frame.Question == "" {
		return nil
	}
	ln.begun = true
	asked, _ := motion.Split(p.scene.Frame.Question)
	out = line.Inked(theme.Bold, line.Wrap("Debate: "+line.One(p.d.Clean(asked)), w))
	if p.scene.Frame.Rehearsal {
		out = append(out, line.Wrap("rehearsal: rule-based seats, no model takes part", w)...)
	}
	if p.scene.End != nil { // its decision is enough; the steps before it are a view
		ln.said = len(p.scene.Lines)
	}
	return append(out, "")
}

// happened returns the new remarks, each answer with its text; waits reports that a text is still being loaded.
func (ln *linear) happened(w int) (out []string, waits bool) {
	for all := ln.scene.Lines; ln.said < len(all); ln.said++ {
		r := all[ln.said]
		turn := ln.turn(r.Who)
		if turn != nil && turn.Blob != "" {
			return out, true
		}
		ink := theme.Ink("")
		if r.Bad {
			ink = ln.d.Theme.Warn
		}
		out = append(out, line.Inked(ink, line.Wrap(line.One(ln.d.Clean(strings.TrimSpace(r.Who+" "+r.Text))), w))...)
		if turn != nil {
			ln.turns[turn.Ask] = true
			text := (&markdown.Grown{}).Lines(ln.d.Theme, ln.d.Clean, ln.scene.Read(turn), min(w-line.Margin, 100))
			out = append(append(out, line.Edged(text)...), "")
		}
		if need := ln.scene.Need; need != nil && ln.said == len(all)-1 {
			for _, o := range need.Options {
				out = append(out, line.Edged(line.Wrap(line.One(ln.d.Clean(o)), w-line.Margin))...)
			}
			out = append(out, "")
		}
	}
	return out, false
}

// turn returns a seat's oldest answer that is not printed yet; nil: none.
func (ln *linear) turn(seat string) *scene.Turn {
	for _, s := range ln.scene.Seats {
		i := slices.IndexFunc(s.Turns, func(t *scene.Turn) bool { return t.Reply != nil && !ln.turns[t.Ask] })
		if s.Info.ID == seat && i >= 0 {
			return s.Turns[i]
		}
	}
	return nil
}

// decided returns the decision, whenever it has changed.
func (ln *linear) decided(w int) []string {
	if ln.scene.End == nil {
		return nil
	}
	res := ln.scene.Result()
	is := fmt.Sprint(res.Outcome, res.Winner, res.Ruling != nil)
	if ln.ended == is && ln.against == len(ln.shown.against) {
		return nil
	}
	ln.ended, ln.against = is, len(ln.shown.against)
	return append(ln.viewed(decisionView, w), "")
}

// viewed returns a whole view below its name.
func (ln *linear) viewed(v view, w int) []string {
	out := []string{theme.Bold.On(strings.ToUpper(string(v)[:1]) + string(v)[1:] + ":")}
	if v == seatsView {
		for _, s := range ln.scene.Seats {
			text := s.Info.Title() + ": " + ln.p.table.whose(s) + ln.p.table.stateOf(s)
			out = append(out, line.Edged(line.Wrap(line.One(ln.d.Clean(text)), w-line.Margin))...)
		}
		return out
	}
	b := ln.lines(v, w)
	for i := range b.N {
		out = append(out, b.Draw(i)...)
	}
	return out
}

// can describes the possible actions in a sentence.
func (ln *linear) can() string {
	if ln.scene.Stage == "setup" || ln.scene.End == nil && ln.running() && ln.scene.Need == nil && ln.scene.Questions() == 0 {
		return ln.keys // it has not really begun
	}
	return "You can: " + strings.Join(append(ln.p.hints(), "/close closes this tab"), "; ") + "."
}
