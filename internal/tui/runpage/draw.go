package runpage

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Draw draws the run: its steps and its merge queue, and beside them, or instead if there is no room, the
// chosen view.
func (p *Page) Draw(w, h int) ([]string, *tea.Cursor) {
	p.width = w
	if p.gone != "" {
		return box.Fill(append([]string{""}, line.Edged(line.Inked(p.d.Theme.Bad, line.Wrap(p.gone, w-2*line.Margin)))...), w, h), nil
	}
	out := p.head(w)
	foot := p.needs(w)
	if len(foot) > h/2 {
		foot = foot[:h/2]
	}
	room := max(1, h-len(out)-len(foot))
	switch {
	case p.roomy():
		lw := w * 11 / 20
		right := beside{p}.draw(w-lw-2, room)
		out = append(out, box.Beside(box.Fill(column{p}.draw(lw-1, room), lw-1, room), right, lw, room, p.d.Theme.Line.On("│")+" ")...)
	case p.view == steps:
		out = append(out, box.Fill(column{p}.draw(w-1, room), w, room)...)
	default:
		out = append(out, box.Fill(line.Edged(beside{p}.draw(w-2*line.Margin, room)), w, room)...)
	}
	return append(out, foot...), nil
}

// roomy reports whether a view is beside the steps.
func (p *Page) roomy() bool { return p.width >= box.Roomy && !p.d.Theme.Plain }

// head draws the title of the run, its time and cost, and its phases.
func (p *Page) head(w int) []string {
	t := p.d.Theme
	var facts []string
	for _, f := range []string{p.took(), p.money(), p.load.Working(), p.load.OnDisk()} {
		if f != "" {
			facts = append(facts, f)
		}
	}
	title := line.One(p.d.Clean(p.s.Title()))
	if title == "" {
		title = p.name
	}
	right := strings.Join(facts, " · ")
	title = line.Clip(title, max(8, w-2*line.Margin-line.Wide(right)-2))
	head := "  " + theme.Bold.On(title) + strings.Repeat(" ", max(2, w-2*line.Margin-line.Wide(title)-line.Wide(right))) + t.Dim.On(right)
	return []string{line.Clip(head, w), "  " + p.phases(w-2*line.Margin), ""}
}

func (p *Page) money() string {
	spent := p.s.Usage.Money()
	if p.s.Usage.Total() == 0 {
		spent = "$0.00"
	}
	if o := p.s.Options(); o.USD > 0 {
		return fmt.Sprintf("%s of $%.2f", spent, o.USD)
	}
	return spent
}

// phases draws the phases of the way, past ones with a mark.
func (p *Page) phases(w int) string {
	t := p.d.Theme
	done := map[way.Phase]bool{way.Refine: p.s.Refined != nil, way.Analyze: p.s.Analyzed != nil && p.s.Analyzed.Text != "",
		way.Plan: p.s.Planned != nil, way.Execute: p.s.State == work.Done}
	var out []string
	say := func(name string, over, now bool) {
		switch {
		case over:
			out = append(out, t.Good.On(line.Sign(t, "✓", "done:"))+" "+name)
		case now:
			out = append(out, t.Focus.On(line.Sign(t, "●", "now:"))+" "+theme.Bold.On(name))
		default:
			out = append(out, t.Dim.On(line.Sign(t, "○", "then:")+" "+name))
		}
	}
	now := true
	for _, ph := range []way.Phase{way.Refine, way.Analyze, way.Plan, way.Execute} {
		if !done[ph] && (ph == way.Refine && p.s.Behind() != "" || ph == way.Analyze && done[way.Plan]) {
			continue // this run skipped it
		}
		name := strings.ToUpper(string(ph[:1])) + string(ph[1:])
		if ph == way.Execute && len(p.s.Tasks) > 0 {
			name += fmt.Sprintf(" %d of %d", len(p.s.Merged()), len(p.s.Tasks))
		}
		say(name, done[ph], now && !done[ph])
		now = now && done[ph]
	}
	say("Accept", p.s.Accepted(), now)
	return line.Clip(strings.Join(out, "   "), w)
}

// column draws the steps of a page and its merge queue.
type column struct{ *Page }

func (p column) draw(w, h int) []string {
	t := p.d.Theme
	if len(p.s.Tasks) == 0 {
		why := "No plan yet."
		if p.s.Stopped != nil {
			why = "Stopped: " + p.s.Stopped.Why
		}
		return line.Edged(line.Wrap(line.One(p.d.Clean(why)), w-line.Margin))
	}
	queue := p.queue(w)
	room := max(3, h-len(queue)-2)
	out := []string{"  " + line.Row(theme.Bold.On("Steps"), t.Dim.On(critical(p.s)), w-2)}
	at := 0
	for i, r := range p.rows {
		if r.id == p.chosen {
			at = i
		}
	}
	p.top = max(0, min(max(min(p.top, at), at-room+2), len(p.rows)-room+1))
	for i := p.top; i < min(len(p.rows), p.top+room-1); i++ {
		out = append(out, p.step(p.rows[i], w))
	}
	if more := len(p.rows) - p.top - room + 1; more > 0 {
		out = append(out, t.Dim.On("  "+spelling.Many(more, "more step")))
	}
	return append(append(out, ""), queue...)
}

// step draws one step: its mark, its title, its executor and its progress.
func (p column) step(r row, w int) string {
	t, task := p.d.Theme, p.s.Task(r.id)
	mark, ink := p.mark(task)
	state := p.stands(task)
	who := ""
	if task.Executor != "" {
		who = scheme.Short(task.Executor) + "  "
	}
	state = line.Clip(line.One(p.d.Clean(who+state)), max(10, w/2))
	title := line.Clip(line.One(p.d.Clean(task.ID+" "+task.Title)), max(6, w-4-line.Wide(r.rails)-line.Wide(mark)-line.Wide(state)-2))
	gap := strings.Repeat(" ", max(2, w-2-line.Wide(r.rails)-line.Wide(mark)-1-line.Wide(title)-line.Wide(state)))
	if r.id == p.chosen {
		sign := line.Sign(t, "", "chosen: ")
		return "  " + t.Chosen.On(line.Clip(sign+r.rails+mark+" "+title+gap+state, w-2))
	}
	return line.Clip("  "+t.Line.On(r.rails)+ink.On(mark)+" "+title+gap+t.Dim.On(state), w)
}

func (p column) mark(task *work.Task) (string, theme.Ink) {
	t := p.d.Theme
	switch task.State {
	case work.Done:
		return line.Sign(t, "✓", ""), t.Good
	case work.Working:
		return line.Sign(t, "●", ""), t.Focus
	case work.Person:
		return line.Sign(t, "?", ""), t.Warn
	case work.Failed:
		return line.Sign(t, "✗", ""), t.Bad
	}
	return line.Sign(t, "○", ""), t.Dim
}

// stands describes the progress of a step, and what it waits for.
func (p *Page) stands(task *work.Task) string {
	switch task.State {
	case work.Done:
		return "merged"
	case work.Working:
		if !p.running {
			return "stopped"
		}
		return string(task.Stage)
	case work.Person:
		return "needs you"
	case work.Blocked:
		return task.Reasons()
	case work.Waiting:
		var open []string
		for _, need := range task.Needs {
			if u := p.s.Task(need); u.State != work.Done && u.State != work.Skipped {
				open = append(open, need)
			}
		}
		return "waits for " + strings.Join(open, ", ")
	}
	return string(task.State)
}

// mostQueued is how much of the merge queue is shown.
const mostQueued = 5

// queue draws the latest merges and what waits for merging.
func (p column) queue(w int) []string {
	t := p.d.Theme
	out := []string{"  " + line.Row(theme.Bold.On("Merge queue"), t.Dim.On("onto run/"+p.name), w-2)}
	merged := p.s.Merges[max(0, len(p.s.Merges)-mostQueued):]
	for _, m := range merged {
		title := ""
		if task := p.s.Task(m.Task); task != nil {
			title = task.Title
		}
		out = append(out, line.Clip("  "+t.Good.On(line.Sign(t, "✓", "merged:"))+" "+
			line.Row(line.One(p.d.Clean(m.Task+" "+title)), t.Dim.On(m.Commit[:min(8, len(m.Commit))]), w-4), w))
	}
	waits := 0
	for _, task := range p.s.Tasks {
		if task.State == work.Working && task.Stage == work.InQueue {
			waits++
			out = append(out, line.Clip("  "+t.Dim.On(line.Sign(t, "○", "waits:"))+" "+
				line.Row(line.One(p.d.Clean(task.ID+" "+task.Title)), t.Dim.On("after its checks"), w-4), w))
		}
	}
	if len(merged)+waits == 0 {
		out = append(out, t.Dim.On("  empty"))
	}
	return out
}

// needs asks the person about a step that waits, or says how to resume a stopped run.
func (p *Page) needs(w int) []string {
	t, keys := p.d.Theme, p.d.Keys
	if task := p.needed(); task != nil {
		var lines []string
		for _, why := range task.Why {
			lines = append(lines, line.Wrap(line.One(p.d.Clean(why)), w-4)...)
		}
		lines = append(lines, t.Dim.On(line.Clip(fmt.Sprintf("%s approve   %s retry   %s skip   %s show the diff", keys.Key("run-approve"),
			keys.Key("run-retry"), keys.Key("run-skip"), keys.Key("run-diff")), w-4)))
		return box.Frame{Title: "? Step " + task.ID + " needs you: " + line.One(p.d.Clean(task.Title)), Edge: t.Warn}.Around(t, lines, w)
	}
	if p.asks {
		why := "The panel debates how to do this and asks which option you choose. " + keys.Key("run-open") + " opens the debate."
		lines := line.Wrap(why, w-4)
		return box.Frame{Title: "? The debate needs you", Edge: t.Warn}.Around(t, lines, w)
	}
	text := ""
	task := p.task()
	switch {
	case p.debating() != "":
		text = "A panel debates how to do this. " + keys.Key("run-open") + " opens the debate"
	case p.running:
	case p.s.Stopped != nil && len(p.s.Tasks) > 0:
		text = "Stopped: " + p.s.Stopped.Why + ". " + keys.Key("run-pause") + " resumes it"
	case task != nil && task.State == work.Failed:
		text = "Step " + task.ID + " failed: " + task.Reasons() + ". " + keys.Key("run-retry") + " retries it"
	case p.s.State == work.Done && !p.s.Accepted():
		text = "Every step is merged. " + keys.Key("run-accept") + " accepts the result"
	case p.s.Accepted():
		text = "Accepted: " + p.s.Taken.How
	case p.died:
		text = "Its process died. " + keys.Key("run-pause") + " resumes it"
	case p.s.State == work.Open || p.s.Held() || p.s.State == work.Planned:
		text = "This run is not running. " + keys.Key("run-pause") + " resumes it"
	}
	if text == "" {
		return nil
	}
	return append([]string{""}, line.Edged(line.Inked(t.Program, line.Wrap(line.One(p.d.Clean(text)), w-2*line.Margin)))...)
}
