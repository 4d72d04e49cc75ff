package roompage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// view is the content of the middle of a debate's page.
type view string

// The views, in the order of their key.
const (
	seatsView      view = "seats"
	ledgerView     view = "ledger"
	scoreView      view = "score"
	transcriptView view = "transcript"
	decisionView   view = "decision"
	logView        view = "log"
)

var views = []view{seatsView, ledgerView, scoreView, transcriptView, decisionView, logView}

// shown is the current view, and the scroll position of each.
type shown struct {
	sheet
	view   view
	views  map[view]*scroll.Scroll
	texts  map[string]*markdown.Grown // texts of seats, by question
	text   markdown.Grown             // of the decision
	linear *linear
}

func newShown(st *standing) *shown {
	vw := &shown{sheet: sheet{st}, view: seatsView, views: map[view]*scroll.Scroll{}, texts: map[string]*markdown.Grown{}}
	for _, v := range views {
		vw.views[v] = &scroll.Scroll{Away: v == decisionView || v == ledgerView || v == scoreView}
	}
	return vw
}

// here returns the lines of the current view.
func (vw *shown) here(w int) scroll.Blocks { return vw.lines(vw.view, w) }

// lines returns those of a view.
func (vw *shown) lines(v view, w int) scroll.Blocks {
	switch v {
	case ledgerView:
		return edged(scroll.Flat(vw.ledger(w - 1)))
	case scoreView:
		return edged(scroll.Flat(vw.score(w - 1)))
	case transcriptView:
		return edged(vw.transcript(w - 1))
	case logView:
		return edged(vw.log(w - 1))
	}
	res := vw.scene.Result()
	if vw.scene.End == nil && res.Panel.Voted == 0 {
		return scroll.Flat([]string{"", "  " + vw.d.Theme.Dim.On("no decision yet")})
	}
	return scroll.Flat(vw.decision(res, w))
}

// edged shifts blocks that begin in the second column to the common margin.
func edged(b scroll.Blocks) scroll.Blocks {
	draw := b.Draw
	b.Draw = func(i int) []string { return line.Indent(draw(i)) }
	return b
}

// move scrolls the current view.
func (p *Page) move(by int) {
	if p.shown.view != seatsView {
		p.shown.views[p.shown.view].Move(p.shown.here(p.width), by)
		return
	}
	for _, s := range p.scene.Seats {
		p.table.scroll(s, by)
	}
}

// height returns the visible lines of the current view, of panels those of the first.
func (vw *shown) height(tb *table) int {
	if vw.view == seatsView && len(tb.boxes) > 0 {
		return max(3, tb.boxes[0].h)
	}
	return max(3, vw.views[vw.view].Height)
}

// ledger draws the claims: disputed ones first, with each seat's stance and the results of checks.
func (sh *sheet) ledger(w int) (out []string) {
	t, res := sh.d.Theme, sh.scene.Result()
	if len(res.Claims) == 0 {
		none := "no claims yet: they come with the blind ballots"
		if sh.scene.Need != nil || !sh.running() {
			none = "no seat made a claim"
		}
		return []string{"", " " + t.Dim.On(none)}
	}
	checks := map[string]verdict.Check{}
	for _, k := range res.Checks {
		checks[k.ID] = k
	}
	claims := slices.Clone(res.Claims)
	slices.SortStableFunc(claims, func(a, b debate.ClaimResult) int { return contested(b) - contested(a) })
	group := ""
	for _, c := range claims {
		if g := sh.groupOf(c); g != group {
			group = g
			out = append(out, " "+t.Heading.On(line.Clip(g, w-2)), "")
		}
		side := ""
		if c.Option != "" {
			side = map[bool]string{true: "for ", false: "against "}[c.Supports] + c.Option
		}
		head := fmt.Sprintf("%s  %s  priority %d  %s", strings.ToUpper(c.ID), c.Seat, c.Impact, side)
		ink := theme.Bold
		if c.Vetoed != "" {
			ink, head = theme.Struck, head+"  vetoed: "+c.Vetoed
		}
		out = append(out, " "+ink.On(line.Clip(line.One(sh.d.Clean(head)), w-2)))
		for _, l := range line.Wrap(line.One(sh.d.Clean(c.Text)), w-4) {
			out = append(out, "   "+l)
		}
		out = append(out, sh.stances(c, w)...)
		for _, id := range c.Checks {
			k := checks[id]
			sign, how := "·", t.Dim
			switch k.Result {
			case verdict.Pass:
				sign, how = "✓", t.Good
			case verdict.Fail:
				sign, how = "✗", t.Bad
			}
			was := string(k.Result)
			text := fmt.Sprintf("%s %s %s", sign, k.Kind, cmp.Or(came[k.Kind+" "+was], came[was], was))
			if k.By != "" {
				text += " by " + k.By
			}
			if k.Ratio != 0 && k.Ratio != 1 {
				text += fmt.Sprintf(", ratio %.2f", k.Ratio)
			}
			text += afterText(": ", k.Detail) + afterText("; control: ", k.Control)
			out = append(out, hung(how, sign+" ", strings.TrimPrefix(sh.d.Clean(text), sign+" "), w)...)
		}
		out = append(out, "")
	}
	return out
}

// came maps results of checks to words.
var came = map[string]string{"quote pass": "verified", "quote fail": "refuted", "pass": "passed", "fail": "failed"}

// hung draws a text of at most three lines below a claim, after its mark.
func hung(ink theme.Ink, mark, text string, w int) (out []string) {
	lines := line.Wrap(line.One(text), w-4-line.Wide(mark))
	if len(lines) > 3 {
		lines = append(lines[:2:2], line.Clip(lines[2]+"…", w-4-line.Wide(mark)))
	}
	for i, l := range lines {
		if i > 0 {
			mark = strings.Repeat(" ", line.Wide(mark))
		}
		out = append(out, "   "+ink.On(mark+l))
	}
	return out
}

func afterText(sep, text string) string {
	if text == "" {
		return ""
	}
	return sep + text
}

// groupOf returns the heading for claims of this kind.
func (sh *sheet) groupOf(c debate.ClaimResult) string {
	switch {
	case objections(c) > 0:
		return "Contested"
	case sh.scene.End == nil && !sh.scene.Examined():
		return "Not examined yet"
	case c.Put:
		return "Not contested"
	}
	return "Not voted on"
}

// contested ranks a claim by the seats that object to it; claims shown to the seats rank before others.
func contested(c debate.ClaimResult) int {
	n := 10 * objections(c)
	if c.Put {
		n++
	}
	return n
}

func (sh *sheet) stances(c debate.ClaimResult, w int) (out []string) {
	t := sh.d.Theme
	marks := map[verdict.Verb]string{verdict.Agree: "+", verdict.Object: "−", verdict.Add: "±", verdict.SameAs: "=",
		verdict.Undecided: "○"}
	says := map[verdict.Verb]string{verdict.Agree: "agrees", verdict.Object: "objects", verdict.Add: "adds",
		verdict.SameAs: "says the same", verdict.Undecided: "is undecided"}
	inks := map[verdict.Verb]theme.Ink{verdict.Agree: t.Good, verdict.Object: t.Bad}
	for _, s := range sh.scene.Seats {
		if st, ok := c.Stances[s.Info.ID]; ok {
			text := s.Info.ID + " " + cmp.Or(says[st.Verb], strings.ToLower(string(st.Verb))) + afterText(": ", st.Why)
			out = append(out, hung(inks[st.Verb], marks[st.Verb]+" ", sh.d.Clean(text), w)...)
		}
	}
	return out
}

// score draws the verdict as it changes. It is for the person only: no seat ever sees it.
func (sh *sheet) score(w int) []string {
	t, res := sh.d.Theme, sh.scene.Result()
	out := sh.verdict(w)
	if res.Rehearsal {
		for _, l := range line.Wrap("The seats are rule-based: nothing here measures how likely an option is, so there is no score.", w-2) {
			out = append(out, " "+t.Dim.On(l))
		}
		return out
	}
	for _, l := range sh.moves(res, w-2) {
		out = append(out, " "+l)
	}
	s := res.Score
	out = append(out, "", " "+theme.Bold.On("How the score is computed"))
	less, meaning := "against", "claims for others; half a seat's doubt on each"
	if slices.ContainsFunc(res.Claims, func(c debate.ClaimResult) bool { return objections(c) > 0 }) {
		less, meaning = "contested", "objections; half a seat's doubt per claim"
	}
	wide := min(max(w-51, 20), 45) // of a gauge: its meaning needs the room more
	for _, row := range []struct {
		name string
		v    float64
		doc  string
	}{
		{"score", s.Value, "support × (1 − " + less + "), then capped"}, {"support", s.Support, "panel weight behind the winner"},
		{less, s.Contested, meaning},
		{"evidence", (s.Evidence + 1) / 2, "verified minus refuted, from -1 to +1"},
		{"stability", s.Stability, "same winner with any one seat removed"}, {"coverage", s.Coverage, "panel weight that voted"},
	} {
		bar := gauge(t, row.name, 9, row.v, wide)
		if row.name == "evidence" && t.Plain {
			bar = fmt.Sprintf("evidence: %+.2f", s.Evidence)
		} else if row.name == "evidence" {
			bar = strings.TrimSuffix(bar, fmt.Sprintf(" %4.2f", row.v)) + fmt.Sprintf(" %+5.2f", s.Evidence)
		} else if !t.Plain { // aligned with lines that have a sign
			at := strings.LastIndex(bar, " ")
			bar = bar[:at] + " " + bar[at:]
		}
		out = append(out, " "+bar+t.Dim.On("  "+line.Clip(row.doc, max(0, w-wide-4))))
	}
	for _, c := range s.Caps {
		out = append(out, " "+t.Warn.On(line.Clip(fmt.Sprintf("capped at %.2f: %s", c.At, c.Name), w-2)))
	}
	out = append(out, "", " "+t.Dim.On("Seats never see this."))
	for _, l := range strings.Split(verdict.Explain(res.Ledger(), res.Rules), "\n") {
		out = append(out, line.Indent(line.Inked(t.Dim, hanging(strings.TrimRight(sh.d.Clean(l), " \n"), w-2)))...)
	}
	return out
}

// hanging wraps a line and keeps its leading blanks, which align a column; what does not fit is below, further right.
func hanging(text string, w int) (out []string) {
	if line.Wide(text) <= w {
		return []string{text}
	}
	own := strings.TrimLeft(text, " ")
	before := strings.Repeat(" ", len(text)-len(own))
	for i, l := range line.Wrap(own, max(8, w-len(before)-2)) {
		out = append(out, before+map[bool]string{true: "", false: "  "}[i == 0]+l)
	}
	return out
}

func (sh *sheet) optionText(key string) string {
	for _, o := range sh.scene.Options() {
		if o.Key == key {
			return o.Text
		}
	}
	return key
}

// gauge draws a share as a bar with its number, after a name padded to columns.
func gauge(t theme.Theme, name string, columns int, v float64, w int) string {
	if t.Plain {
		return line.One(name) + fmt.Sprintf(": %.2f", v)
	}
	room := max(4, w-columns-6)
	n := max(0, min(room, int(v*float64(room)+0.5)))
	return line.Pad(line.Clip(line.One(name), columns), columns) + " " + t.Focus.On(strings.Repeat("▆", n)) +
		t.Line.On(strings.Repeat("▁", room-n)) + fmt.Sprintf(" %4.2f", v)
}

// transcript shows all texts of seats, in the order they were asked.
func (vw *shown) transcript(w int) scroll.Blocks {
	var all []*scene.Turn
	for _, s := range vw.scene.Seats {
		all = append(all, s.Turns...)
	}
	slices.SortStableFunc(all, func(a, b *scene.Turn) int { return a.At.Compare(b.At) })
	return scroll.Blocks{N: len(all), Draw: func(i int) []string { return vw.said(all[i], w) }}
}

func (vw *shown) said(turn *scene.Turn, w int) []string {
	t := vw.d.Theme
	lineage := ""
	for _, s := range vw.scene.Seats {
		if s.Info.ID == turn.Asked.Seat {
			lineage = s.Info.Lineage
		}
	}
	head := turn.Asked.Seat + " · " + scene.Stage(turn.Asked)
	if turn.Reply != nil {
		head += " · " + string(turn.Reply.State) + afterText(": ", turn.Reply.Reason)
	}
	out := line.Inked(vw.ink(lineage).And(theme.Bold), line.Wrap(line.One(vw.d.Clean(head)), w-2))
	for i := range out {
		out[i] = " " + out[i]
	}
	for _, c := range turn.Calls {
		out = append(out, "   "+t.Dim.On(line.Clip(line.Sign(t, "▸ ", "tool: ")+line.One(vw.d.Clean(c)), w-4)))
	}
	if key := string(turn.Ask) + turn.Blob; turn.Text != "" {
		own := vw.texts[key]
		if own == nil {
			own = &markdown.Grown{}
			vw.texts[key] = own
		}
		out = append(out, line.Shifted(own.Lines(vw.d.Theme, vw.d.Clean, vw.scene.Read(turn), w-4))...)
	}
	return append(out, "")
}

// log shows the events, a line each.
func (vw *shown) log(w int) scroll.Blocks {
	t := vw.d.Theme
	return scroll.Blocks{N: len(vw.scene.Lines), Draw: func(i int) []string {
		l := vw.scene.Lines[i]
		ink := theme.Ink("")
		if l.Bad {
			ink = t.Warn
		}
		text := line.One(vw.d.Clean(strings.TrimSpace(afterText("", l.Who) + " " + l.Text)))
		var out []string
		for j, part := range line.Wrap(text, max(8, w-11)) {
			stamp := strings.Repeat(" ", 9)
			if j == 0 {
				stamp = fmt.Sprintf("%8.1fs", l.At.Seconds())
			}
			out = append(out, t.Dim.On(stamp)+" "+ink.On(part))
		}
		return out
	}}
}
