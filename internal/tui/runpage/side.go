package runpage

import (
	"context"
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// view is the content beside the steps; on a narrow page the steps are one of the views.
type view int

const (
	steps view = iota
	streams
	details
	changes
)

// beside draws the views beside the steps.
type beside struct{ *Page }

// patch is the change of a step.
type patch struct {
	of   string // the commit
	text string
	why  string // why there is none
}

// nextView shows the next view.
func (p *Page) nextView() tea.Cmd {
	next := (p.shown() + 1) % (changes + 1)
	if next == steps && p.roomy() {
		next = streams
	}
	return p.show(next)
}

// shown returns the view that fits.
func (p *Page) shown() view {
	if p.view == steps && p.roomy() {
		return streams
	}
	return p.view
}

// show shows a view.
func (p *Page) show(v view) tea.Cmd {
	p.view, p.text = v, scroll.Scroll{Away: v > streams}
	if v == changes {
		return p.read()
	}
	return nil
}

// read gets the change of the selected step from git.
func (p *Page) read() tea.Cmd {
	t := p.task()
	if t == nil || t.Change == "" || p.patch.of == t.Change {
		return nil
	}
	e, s, from, to := p.d.Engine, p.s, t.Base, t.Change
	for _, m := range s.Merges {
		if m.Task == t.ID && t.State == work.Done {
			from, to = m.Onto, m.Commit
		}
	}
	of := t.Change
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		var text string
		var space *workspace.Space
		_, err := os.Stat(s.Begun.Space) // opening it would create it again
		if err == nil {
			space, err = runs.In(e).Space(ctx, s)
		}
		if err == nil {
			text, err = space.Patch(ctx, from, to)
		}
		return func() tea.Cmd {
			p.patch = patch{of: of, text: text}
			if err != nil {
				p.patch.why, _ = p.d.Explain(err)
			}
			return nil
		}
	})
}

// changed draws the change of the selected step.
func (p beside) changed(w int) []string {
	t, task := p.d.Theme, p.task()
	switch {
	case task == nil || task.Change == "":
		return []string{t.Dim.On("This step has changed nothing yet.")}
	case p.patch.of != task.Change:
		return []string{t.Dim.On("reading …")}
	case p.patch.why != "":
		return line.Inked(t.Bad, line.Wrap(p.patch.why, w))
	}
	return markdown.Diff(t, p.d.Clean(clean.Reveal(p.patch.text)), w)
}

// streams draws what the working agents write and do, each in a part of the height.
func (p beside) streams(w, h int) (out []string) {
	t := p.d.Theme
	var busy []work.Task
	for _, task := range p.s.Tasks {
		if task.State == work.Working && task.Claim != nil {
			busy = append(busy, task)
		}
	}
	if len(busy) == 0 {
		return append([]string{t.Dim.On("No agent is running."), ""}, p.details(w)...)
	}
	room := max(2, h/len(busy)-3)
	for _, task := range busy {
		head := line.Sign(t, "● ", "running: ") + task.ID + " " + task.Title
		out = append(out, theme.Bold.On(line.Clip(line.One(p.d.Clean(head+"  "+scheme.Short(task.Executor)+"  "+p.stands(&task))), w)),
			box.Rule(t, t.Line, w))
		var said []string
		if a := p.agents[record.Conversation(p.name, *task.Claim)]; a != nil {
			for _, l := range append(a.lines[max(0, len(a.lines)-room):], strings.Split(a.growing, "\n")...) {
				if l = p.d.Clean(l); strings.TrimSpace(l) != "" {
					said = append(said, line.Wrap(l, w)...)
				}
			}
		}
		out = append(append(out, said[max(0, len(said)-room):]...), "")
	}
	return out
}

// details draws the task of the selected step, the results of its checks, and the reason for its state.
func (p beside) details(w int) (out []string) {
	t, task := p.d.Theme, p.task()
	if task == nil {
		return nil
	}
	para := func(ink theme.Ink, text string) {
		for l := range strings.Lines(p.d.Clean(text)) {
			out = append(out, line.Inked(ink, line.Wrap(line.One(l), w))...)
		}
	}
	para(theme.Bold, task.ID+" "+task.Title)
	para("", task.Brief)
	for _, f := range task.Files {
		para(t.Dim, fmt.Sprintf("%s (%s)", f.Name, f.Action))
	}
	for _, why := range task.Why {
		para(t.Warn, why)
	}
	if task.Clash != nil {
		para(t.Warn, task.Clash.String())
	}
	out = append(out, "")
	return append(out, p.checks(*task, w)...)
}

// checks draws the checks of a step, at the base and now.
func (p beside) checks(task work.Task, w int) []string {
	t := p.d.Theme
	out := []string{line.Row(theme.Bold.On("Checks"), t.Dim.On("at base → now"), w)}
	for _, r := range task.Ran {
		mark, ink := line.Sign(t, "✓", "passed:"), t.Good
		if !r.After.Passed {
			mark, ink = line.Sign(t, "✗", "failed:"), t.Bad
		}
		out = append(out, ink.On(mark)+" "+line.Row(line.One(p.d.Clean(strings.Join(r.Command, " "))),
			t.Dim.On(word(r.Base)+" → "+word(r.After)), w-2))
	}
	for _, c := range task.Checks {
		if len(task.Ran) == 0 && len(c.Command) > 0 {
			out = append(out, t.Dim.On(line.Clip(line.Sign(t, "○ ", "not run: ")+line.One(p.d.Clean(c.String())), w)))
		}
	}
	return out
}

func word(o proof.Outcome) string {
	if o.Passed {
		return "pass"
	}
	return "fail"
}

// draw draws the working agents, the selected step, or its change.
func (p beside) draw(w, h int) []string {
	switch p.shown() {
	case changes:
		p.side = p.changed(w)
	case details:
		p.side = p.details(w)
	default:
		p.side = p.streams(w, h)
	}
	return p.d.Part(&p.text, scroll.Flat(p.side), w, h)
}
