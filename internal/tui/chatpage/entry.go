package chatpage

import (
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// decisionOf is what a decision document says was decided, and how much more there is in it.
func decisionOf(text string) (decision, more string) {
	_, from, ok := strings.Cut(text, "\n## Decision\n")
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

// pen draws what is said, in lines as wide as the messages.
type pen struct {
	d     *screen.Screen
	width int
}

func (ml *list) pen() *pen { return &pen{ml.d, ml.width} }

// entry draws an entry of the scene.
func (pn *pen) entry(e *scene.Entry, open bool) []string {
	t, w := pn.d.Theme, pn.width-2
	text := pn.d.Clean(e.Text)
	switch e.Sort {
	case scene.Said:
		return pn.said(e, text, open)
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
		return pn.folded(fmt.Sprintf(line.Sign(t, " + ", " In the context: ")+"%s (%s)", name, line.Size(len(e.Text))), e.Text, open)
	case scene.Merged:
		head := line.Sign(t, "⇐ branch ", "From the branch ") + e.Who
		if e.State == "debate" {
			head = line.Sign(t, "⇐ what", "What") + " the debate " + e.Who + " decided"
		}
		short, more := text, ""
		if e.State == "debate" && !open {
			short, more = decisionOf(text)
		}
		out := append([]string{" " + t.Program.On(line.Clip(line.One(pn.d.Clean(head)), w))}, pn.markdown(short)...)
		if more != "" {
			out = append(out, " "+t.Dim.On(line.Clip("… "+more+" more", w)))
		}
		return out
	case scene.Summed:
		return pn.folded(line.Sign(t, " Σ what", " What")+" was said so far is summed up; nothing of it is lost", e.Text, open)
	}
	var out []string
	for i, l := range strings.Split(text, "\n") {
		if i == 0 {
			l = line.Sign(t, "· ", "Note: ") + l
		} else {
			l = "  " + l
		}
		out = append(out, line.Indent(line.Inked(t.Dim, line.Wrap(l, w)))...)
	}
	return out
}

func (pn *pen) said(e *scene.Entry, text string, open bool) (out []string) {
	t := pn.d.Theme
	who := line.Sign(t, "❯ ", "You: ")
	if e.Aside {
		who = line.Sign(t, "❯ aside: ", "You, aside: ")
	}
	lines := line.Wrap(who+text, pn.width-2)
	hidden := len(lines) - foldedWords
	if open || hidden <= 3 {
		hidden = 0
	}
	for i, l := range lines[:len(lines)-hidden] {
		if i > 0 {
			l = "  " + l
		}
		out = append(out, t.Person.On(line.Clip(l, pn.width)))
	}
	if hidden > 0 {
		out = append(out, "  "+t.Dim.On(line.Clip(fmt.Sprintf("… %d lines more", hidden), pn.width-2)))
	}
	return out
}

// markdown draws a text that has ended.
func (pn *pen) markdown(text string) []string {
	m := markdown.New(pn.d.Theme)
	m.Set(text, pn.width-2)
	return line.Indent(m.Lines())
}

func (pn *pen) answered(e *scene.Entry, text string) []string {
	t := pn.d.Theme
	var out []string
	if strings.TrimSpace(text) != "" {
		out = pn.markdown(text)
	}
	if t.Plain && len(out) > 0 {
		out = append([]string{" " + line.Clip(line.One(e.Who)+":", pn.width-2)}, out...)
	}
	if e.Sort == scene.Wrote {
		return out
	}
	if e.State != talk.Done && e.State != "" {
		text, ink := "["+string(e.State)+": "+line.One(pn.d.Clean(e.Reason))+"]", t.Warn
		if e.State == talk.Failed {
			hint := "/retry asks again"
			if strings.HasPrefix(e.Reason, string(llm.Auth)) {
				hint = "/login signs in, " + hint
			}
			text, ink = line.Sign(t, "✗ ", "Failed: ")+line.One(pn.d.Clean(e.Reason))+"; "+hint, t.Bad
		}
		out = append(out, line.Indent(line.Inked(ink, line.Wrap(text, pn.width-2)))...)
	}
	foot := []string{e.Who}
	if n := e.Usage.Total(); n > 0 {
		foot = append(foot, line.Count(n)+" tokens", talk.Spending{Usage: e.Usage}.Money())
	}
	if e.Took > 0 {
		foot = append(foot, line.Took(e.Took))
	}
	return append(out, " "+t.Dim.On(line.Clip(line.One(pn.d.Clean(strings.Join(foot, " · "))), pn.width-2)))
}

// folded is a line, and below it a text if it is open.
func (pn *pen) folded(row, text string, open bool) []string {
	out := []string{pn.d.Theme.Dim.On(line.Clip(row, pn.width))}
	if open {
		for i, l := range strings.Split(pn.d.Clean(text), "\n") {
			if i == mostResult {
				return append(out, pn.d.Theme.Dim.On("   …"))
			}
			out = append(out, line.Shifted(line.Inked(pn.d.Theme.Dim, line.Wrap(l, pn.width-4)))...)
		}
	}
	return out
}

// questioned is what the person was asked, and what they answered.
func (pn *pen) questioned(e *scene.Entry) []string {
	t, w := pn.d.Theme, pn.width-2
	what := e.Need.Tool + " wants to: "
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
	out := line.Indent(line.Inked(t.Warn, line.Wrap(line.Sign(t, "? ", "Question: ")+line.One(clean.Reveal(pn.d.Clean(what))), w)))
	if len(out) > 4 {
		out = append(out[:3:3], " "+t.Warn.On("…"))
	}
	if e.Answer != nil {
		out = append(out, "   "+t.Dim.On(line.Clip(line.Sign(t, "→ ", "Answer: ")+line.One(pn.d.Clean(answered(e))), w-2)))
	}
	return out
}

// money is what a conversation has cost in all.
func money(all []talk.Spending) string {
	var u llm.Usage
	for _, s := range all {
		u = u.Add(s.Usage)
	}
	if u == (llm.Usage{}) {
		return ""
	}
	return talk.Spending{Usage: u}.Money()
}

// answered is what the person said to a question.
func answered(e *scene.Entry) string {
	words, known := map[string]string{"once": "allowed once", "session": "allowed for the session", "project": "allowed for the project", "deny": "denied"}[e.Answer.Choice]
	if e.Need.Question != nil || !known {
		return strings.TrimSpace(e.Answer.Choice + " " + e.Answer.Reason)
	}
	if e.Answer.Choice == "deny" && e.Answer.Reason != "" {
		words += ": " + e.Answer.Reason
	}
	return words
}
