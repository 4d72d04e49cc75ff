package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
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

// drawEntry draws an entry of the scene.
func (p *chatPage) drawEntry(e *scene.Entry, open bool) []string {
	t, w := p.d.Theme, p.width-2
	text := p.d.Clean(e.Text)
	switch e.Sort {
	case scene.Said:
		return p.said(e, text, open)
	case scene.Answered, scene.Wrote:
		return p.answered(e, text)
	case scene.Called:
		return p.called(e, text, open)
	case scene.Asked:
		return p.questioned(e)
	case scene.Held:
		name := oneLine(p.d.Clean(e.Who))
		if command, own := strings.CutPrefix(name, shell+":"); own {
			return p.ran(command, e.Text, open)
		}
		return p.folded(fmt.Sprintf(sign(t, " + ", " In the context: ")+"%s (%s)", name, size(len(e.Text))), e.Text, open)
	case scene.Merged:
		head := sign(t, "⇐ branch ", "From the branch ") + e.Who
		if e.State == "debate" {
			head = sign(t, "⇐ what", "What") + " the debate " + e.Who + " decided"
		}
		short, more := text, ""
		if e.State == "debate" && !open {
			short, more = decisionOf(text)
		}
		out := append([]string{" " + t.Program.On(clip(oneLine(p.d.Clean(head)), w))}, p.markdown(short)...)
		if more != "" {
			out = append(out, " "+t.Dim.On(clip("… "+more+" more", w)))
		}
		return out
	case scene.Summed:
		return p.folded(sign(t, " Σ what", " What")+" was said so far is summed up; nothing of it is lost", e.Text, open)
	}
	return indent(inked(t.Dim, wrap(sign(t, "· ", "Note: ")+oneLine(text), w)))
}

func (p *chatPage) said(e *scene.Entry, text string, open bool) (out []string) {
	t := p.d.Theme
	who := sign(t, "❯ ", "You: ")
	if e.Aside {
		who = sign(t, "❯ aside: ", "You, aside: ")
	}
	lines := wrap(who+text, p.width-2)
	hidden := len(lines) - foldedWords
	if open || hidden <= 3 {
		hidden = 0
	}
	for i, l := range lines[:len(lines)-hidden] {
		if i > 0 {
			l = "  " + l
		}
		out = append(out, t.Person.On(clip(l, p.width)))
	}
	if hidden > 0 {
		out = append(out, "  "+t.Dim.On(clip(fmt.Sprintf("… %d lines more", hidden), p.width-2)))
	}
	return out
}

// markdown draws a text that has ended.
func (p *chatPage) markdown(text string) []string {
	m := markdown.New(p.d.Theme)
	m.Set(text, p.width-2)
	return indent(m.Lines())
}

func (p *chatPage) answered(e *scene.Entry, text string) []string {
	t := p.d.Theme
	var out []string
	if strings.TrimSpace(text) != "" {
		out = p.markdown(text)
	}
	if t.Plain && len(out) > 0 {
		out = append([]string{" " + clip(oneLine(e.Who)+":", p.width-2)}, out...)
	}
	if e.Sort == scene.Wrote {
		return out
	}
	if e.State != talk.Done && e.State != "" {
		text, ink := "["+string(e.State)+": "+oneLine(p.d.Clean(e.Reason))+"]", t.Warn
		if e.State == talk.Failed {
			hint := "/retry asks again"
			if strings.HasPrefix(e.Reason, string(llm.Auth)) {
				hint = "/login signs in, " + hint
			}
			text, ink = sign(t, "✗ ", "Failed: ")+oneLine(p.d.Clean(e.Reason))+"; "+hint, t.Bad
		}
		out = append(out, indent(inked(ink, wrap(text, p.width-2)))...)
	}
	foot := []string{e.Who}
	if n := e.Usage.Total(); n > 0 {
		foot = append(foot, count(n)+" tokens", talk.Spending{Usage: e.Usage}.Money())
	}
	if e.Took > 0 {
		foot = append(foot, took(e.Took))
	}
	return append(out, " "+t.Dim.On(clip(oneLine(p.d.Clean(strings.Join(foot, " · "))), p.width-2)))
}

// folded is a line, and below it a text if it is open.
func (p *chatPage) folded(line, text string, open bool) []string {
	out := []string{p.d.Theme.Dim.On(clip(line, p.width))}
	if open {
		for i, l := range strings.Split(p.d.Clean(text), "\n") {
			if i == mostResult {
				return append(out, p.d.Theme.Dim.On("   …"))
			}
			out = append(out, shifted(inked(p.d.Theme.Dim, wrap(l, p.width-4)))...)
		}
	}
	return out
}

// questioned is what the person was asked, and what they answered.
func (p *chatPage) questioned(e *scene.Entry) []string {
	t, w := p.d.Theme, p.width-2
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
	out := indent(inked(t.Warn, wrap(sign(t, "? ", "Question: ")+oneLine(clean.Reveal(p.d.Clean(what))), w)))
	if len(out) > 4 {
		out = append(out[:3:3], " "+t.Warn.On("…"))
	}
	if e.Answer != nil {
		out = append(out, "   "+t.Dim.On(clip(sign(t, "→ ", "Answer: ")+oneLine(p.d.Clean(answered(e))), w-2)))
	}
	return out
}

// took is a time as people read it.
func took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// count is a number as people read it.
func count(n int) string {
	switch {
	case n < 1000:
		return itoa(n)
	case n < 100_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%dk", n/1000)
}

func size(n int) string {
	if n < 10_000 {
		return spelling.Many(n, "byte")
	}
	return fmt.Sprintf("%d KB", n/1000)
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
