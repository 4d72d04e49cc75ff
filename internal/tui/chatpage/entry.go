package chatpage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// decisionOf returns the decision in a decision document, and how much more it contains.
func decisionOf(text string) (decision, more string) {
	_, from, ok := strings.Cut(text, "\n## Decision\n") // as earlier versions wrote it
	if !ok {
		_, from, ok = strings.Cut(text, "\n**")
		from = "**" + from
	}
	if !ok {
		return text, ""
	}
	decision, _, _ = strings.Cut(from, "\n## ")
	decision = strings.TrimSpace(decision)
	n := strings.Count(text, "\n") - strings.Count(decision, "\n")
	if question, titled := strings.CutPrefix(text, "# "); titled {
		question, _, _ = strings.Cut(question, "\n")
		decision = "> " + question + "\n\n" + decision
	}
	return decision, spelling.Many(n, "line")
}

// pen draws entries, in lines as wide as the messages.
type pen struct {
	d     *screen.Screen
	width int
}

func (ml *list) pen() *pen { return &pen{ml.d, ml.width} }

// entry draws an entry of the scene.
func (pn *pen) entry(e *scene.Entry, open bool) []string {
	t, w := pn.d.Theme, pn.width-2*line.Margin
	text := pn.d.Clean(e.Text)
	switch e.Sort {
	case scene.Said:
		return pn.person(e, text, open)
	case scene.Answered, scene.Wrote:
		return pn.answered(e, text)
	case scene.Called:
		return pn.called(e, text, open)
	case scene.Asked:
		return pn.questioned(e)
	case scene.Held:
		name := line.One(pn.d.Clean(e.Who))
		if command, own := strings.CutPrefix(name, shell+":"); own {
			return pn.ran(command, e.Text, open)
		}
		return pn.folded(fmt.Sprintf(line.Sign(t, "  Context: ", "Context: ")+"%s (%s)", name, line.Size(len(e.Text))), e.Text, open)
	case scene.Merged:
		mark := line.Sign(t, "∴ ", "")
		if e.State == "" {
			mark = line.Sign(t, "  ", "")
		}
		short, more := here(text), ""
		if e.State == "debate" && !open {
			short, more = decisionOf(text)
		}
		out := append(line.Inked(theme.Bold, line.Rows(t, line.One(pn.d.Clean(e.Source())), w)), pn.markdown(short)...)
		out[0] = t.Focus.On(mark) + out[0]
		if more != "" {
			out = append(out, "  "+t.Dim.On(line.Clip("… "+more+" more"+pn.unfolds(), w)))
		}
		return out
	case scene.Thought:
		return pn.folded(line.Sign(t, "  ", "")+"Reasoning: "+line.One(text), text, open)
	case scene.Summed:
		return pn.folded(line.Sign(t, "  ", "")+"Compacted: earlier history is a summary from here on (nothing was deleted)", e.Text, open)
	}
	out := pn.typed(e.Who)
	for i, l := range strings.Split(text, "\n") {
		if i == 0 {
			l = line.Sign(t, "", "Note: ") + l
		}
		out = append(out, line.Edged(line.Inked(t.Dim, line.Wrap(l, w)))...)
	}
	return out
}

// person draws the person's message, in a subdued band.
func (pn *pen) person(e *scene.Entry, text string, open bool) []string {
	t := pn.d.Theme
	who := line.Sign(t, "", "You: ")
	if e.Aside {
		who = line.Sign(t, "aside: ", "You, aside: ")
	}
	lines := line.Flow(t, who+text, pn.width-2*line.Margin)
	hidden := len(lines) - foldedWords
	if open || hidden <= 3 {
		hidden = 0
	}
	lines = lines[:len(lines)-hidden]
	if hidden > 0 {
		lines = append(lines, t.Dim.On(fmt.Sprintf("… %d more lines", hidden)+pn.unfolds()))
	}
	return append(pn.band("", lines), pn.pictures(e)...)
}

// pictures draws the pictures of an entry, if the terminal can. Their names are in the text.
func (pn *pen) pictures(e *scene.Entry) (out []string) {
	for _, p := range e.Pictures {
		if rows := pn.d.Album.Rows(p, pn.width-2*line.Margin); len(rows) > 0 {
			out = append(append(out, ""), line.Edged(rows)...)
		}
	}
	return out
}

// band draws lines that the person typed: a bar before them, and a background if the theme has one.
func (pn *pen) band(lead string, lines []string) (out []string) {
	t := pn.d.Theme
	for i, l := range lines {
		if i == 0 {
			l = lead + l
		}
		if t.Plain {
			out = append(out, l)
			continue
		}
		if t.Band == "" {
			out = append(out, line.Clip(theme.Decoration.And(t.Person).On("▌ ")+l, pn.width))
			continue
		}
		row := theme.Decoration.And(t.Person).On("▌ ") + l
		out = append(out, t.Band.Under(line.Pad(row, pn.width-1)))
	}
	return out
}

// markdown draws a text that is complete.
func (pn *pen) markdown(text string) []string {
	m := markdown.New(pn.d.Theme)
	m.Set(text, pn.width-2*line.Margin)
	return line.Edged(m.Lines())
}

func (pn *pen) answered(e *scene.Entry, text string) []string {
	t := pn.d.Theme
	var out []string
	if strings.TrimSpace(text) != "" {
		out = pn.markdown(text)
	}
	if t.Plain && len(out) > 0 {
		out = append(line.Wrap(line.One(e.Who)+":", pn.width), out...)
	}
	if e.Sort == scene.Wrote {
		return out
	}
	if e.State != talk.Done && e.State != "" {
		text, ink, mark := stopped(e.State)+line.One(pn.d.Clean(e.Reason)), t.Warn, line.Sign(t, "■ ", "")
		if e.State == talk.Failed {
			hint := "/retry asks again"
			if strings.HasPrefix(e.Reason, string(trouble.Auth)) {
				hint = "/login signs in, " + hint
			}
			text, ink = line.Sign(t, "", "Failed: ")+line.One(pn.d.Clean(e.Reason))+"; "+hint, t.Bad
			mark = line.Sign(t, "✗ ", "")
		}
		out = append(out, pn.marked(mark, ink, line.Inked(ink, line.Wrap(text, pn.width-2*line.Margin)))...)
	}
	foot := []string{e.Who}
	if n := e.Usage.Total(); n > 0 {
		foot = append(foot, line.Count(n)+" tokens", e.Usage.Money())
	}
	if took := told.Took(e.Took); took != "" {
		foot = append(foot, took)
	}
	if len(out) > 0 && !t.Plain {
		out = append(out, "")
	}
	below := line.One(pn.d.Clean(strings.Join(foot, " · ")))
	return append(out, line.Edged(line.Inked(t.Dim, line.Rows(t, below, pn.width-2*line.Margin)))...)
}

// stopped describes how an incomplete answer ended, before its reason.
func stopped(s talk.State) string {
	if s == talk.Interrupted {
		return ""
	}
	return string(s) + ": "
}

// folded draws a line, and below it a text if it is open.
func (pn *pen) folded(row, text string, open bool) []string {
	t := pn.d.Theme
	out := line.Inked(t.Dim, line.Rows(t, row, pn.width-line.Margin))
	if open {
		for i, l := range strings.Split(pn.d.Clean(text), "\n") {
			if i == mostResult {
				return append(out, pn.d.Theme.Dim.On("    …"))
			}
			out = append(out, line.Below(line.Inked(pn.d.Theme.Dim, line.Wrap(l, pn.width-6)))...)
		}
	}
	return out
}

// questioned draws a question to the person, and their answer.
func (pn *pen) questioned(e *scene.Entry) []string {
	t, w := pn.d.Theme, pn.width-2*line.Margin
	what := e.Need.Tool + " wants to " + does(e.Need) + " "
	if e.Need.Tool == shell && !t.Plain {
		what = ""
	}
	if q := e.Need.Question; q != nil {
		what = q.Text
	} else {
		var parts []string
		for _, part := range e.Need.Parts {
			if part.Asked {
				parts = append(parts, part.Text)
			}
		}
		what += strings.Join(parts, "; ")
	}
	mark, ink := "? ", t.Warn
	if e.Answer != nil { // nothing waits any more
		if ink = t.Dim; e.Answer.Choice == "deny" {
			mark, ink = "✗ ", t.Bad
		}
	}
	out := pn.marked(line.Sign(t, mark, "Question: "), ink, line.Wrap(line.One(clean.Reveal(pn.d.Clean(what))), w-2))
	if len(out) > 4 && !t.Plain {
		out = append(out[:3:3], "  "+t.Dim.On("…"))
	}
	if e.Answer != nil {
		answer := line.Sign(t, "→ ", "Answer: ") + line.One(pn.d.Clean(answered(e)))
		out = append(out, line.Below(line.Inked(t.Dim, line.Rows(t, answer, w-4)))...)
	}
	return out
}

// does returns the verb of what needs permission.
func does(n *asking.Need) string {
	for _, verb := range []struct {
		of   tool.Effect
		word string
	}{{tool.Runs, "run"}, {tool.Writes, "change"}, {tool.Sends, "open"}, {tool.Keeps, "note"}, {tool.Reads, "read"}} {
		if slices.ContainsFunc(n.Acts, func(a tool.Act) bool { return a.Effect == verb.of }) {
			return verb.word
		}
	}
	return "do"
}

// money formats the total cost of a conversation.
func money(all []spending.Share) string {
	var u cost.Usage
	for _, s := range all {
		u = u.Add(s.Usage)
	}
	if u == (cost.Usage{}) {
		return ""
	}
	return u.Money()
}

// answered formats the person's answer to a question.
func answered(e *scene.Entry) string {
	words, known := map[string]string{"once": "allowed once", "session": "allowed for the session", "project": "allowed for the project",
		"deny": "denied"}[e.Answer.Choice]
	if e.Need.Question != nil || !known {
		return strings.TrimSpace(e.Answer.Choice + " " + e.Answer.Reason)
	}
	if e.Answer.Choice == "deny" && e.Answer.Reason != "" {
		words += ": " + e.Answer.Reason
	}
	return words
}
