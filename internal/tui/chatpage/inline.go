package chatpage

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// printed is the part of a conversation that is printed above.
type printed struct {
	p       *Page
	at      int       // items before this index are printed
	entries []tree.ID // those of them that are entries
	remarks map[tree.ID]bool
	live    []string // lines of the growing text
	whole   []int    // items to print once more, in full
	begun   bool
}

// mostPrinted is how many items of a conversation are printed when it is opened.
const mostPrinted = 12

// draw draws what is not printed yet, and the input.
func (pr *printed) draw(w, h int) ([]string, *tea.Cursor) {
	pr.p.unseen, pr.p.list.width = false, w
	foot, cursor := pr.p.below(w, max(3, h/3))
	pr.p.list.scroll.Height = max(1, h-len(foot))
	if pr.p.ask != nil {
		foot, cursor = pr.p.ask.above(foot, cursor, min(w, 100), h-1)
	}
	var list []string
	b, most := pr.p.list.blocks(), h/2
	if pr.p.ask != nil { // the box shows the question
		b.N = min(b.N, len(pr.p.list.items))
		if n := b.N; n > 0 && pr.p.list.items[n-1].entry >= 0 && pr.p.scene.Entries[pr.p.list.items[n-1].entry].Node == pr.p.ask.id {
			b.N--
		}
	}
	for i := pr.at; i < b.N; i++ {
		lines := b.Draw(i)
		if i == len(pr.p.list.items) {
			lines = pr.rest(lines)
		}
		list = append(list, lines...)
	}
	if b.N == 0 && pr.p.ask == nil {
		list, most = pr.p.start.draw(w, 0), h
	}
	list = list[max(0, len(list)-max(1, min(most, h-len(foot)))):]
	if cursor != nil {
		cursor.Y += len(list)
	}
	return append(slices.Clone(list), foot...), cursor
}

// unprinted returns the lines to print now, in w columns.
func (pr *printed) unprinted(w int) (out []string) {
	p, d := pr.p, pr.p.d
	if pr.remarks == nil {
		pr.remarks = map[tree.ID]bool{}
	}
	p.list.width = w
	asked, _, _ := p.scene.Open()
	if skip := len(p.list.items) - mostPrinted; !pr.begun && skip > 0 {
		out = append(out, d.Theme.Dim.On(line.Clip(fmt.Sprintf(" … %d earlier: pgup shows them", skip), p.list.width)), "")
		for _, it := range p.list.items[:skip] {
			if it.entry >= 0 {
				pr.entries = append(pr.entries, it.id)
			} else {
				pr.remarks[it.id] = true
			}
		}
		pr.at = skip
	}
	for ; pr.at < len(p.list.items); pr.at++ {
		it := p.list.items[pr.at]
		if it.entry >= 0 {
			// It is printed together with its answer, which may arrive after the news that the turn has ended.
			if p.scene.Entries[it.entry].Node == asked && (p.running() || pr.at+1 == len(p.list.items)) {
				break
			}
			pr.entries = append(pr.entries, it.id)
		} else if pr.remarks[it.id] {
			continue
		} else {
			pr.remarks[it.id] = true
		}
		pr.begun = true
		lines := p.list.drawItem(pr.at)
		if it.entry >= 0 && len(pr.live) > 0 {
			switch p.scene.Entries[it.entry].Sort {
			case scene.Wrote, scene.Answered: // the text that grew
				lines = pr.rest(lines)
				pr.live = nil
			case scene.Thought: // it would break the growing text in two
				lines = nil
			case scene.Said:
				pr.live = nil
			}
		}
		out = append(out, lines...)
	}
	for _, i := range pr.whole {
		if i >= pr.at { // another conversation was read meanwhile
			break
		}
		out = append(out, p.list.drawItem(i)...)
	}
	pr.whole = nil
	if pr.at == len(p.list.items) {
		out = append(out, pr.growing()...)
	}
	for i, l := range out {
		out[i] = theme.Unmarked(l) // remove the marks: the terminal copies by itself
	}
	return out
}

// unfold prints the last shortened item once more, in full; the next time the one before it.
func unfold(pr *printed) tea.Cmd {
	list := pr.p.list
	for i := min(pr.at, len(list.items)) - 1; i >= 0; i-- {
		if id := list.items[i].id; folds(list, list.items[i]) && !list.open[id] {
			short := len(list.drawItem(i))
			if list.open[id] = true; len(list.drawItem(i)) > short {
				pr.whole = append(pr.whole, i)
				return nil
			}
		}
	}
	pr.p.d.Tell(nothingMore)
	return nil
}

// growing returns the final lines of the growing text.
func (pr *printed) growing() []string {
	s := pr.p.scene.Live
	if s.Text == "" || s.State == "printing" || pr.p.d.Theme.Plain {
		return nil
	}
	lines := line.Edged(pr.p.list.live.Lines(pr.p.d.Theme, pr.p.d.Clean, s.Text, pr.p.list.width-2*line.Margin))
	more := pr.rest(lines[:pr.p.list.live.Settled()])
	pr.live = append(pr.live, more...)
	pr.begun = pr.begun || len(more) > 0
	return more
}

// rest returns the lines of the growing text after the printed ones. If their width has changed, their words
// are counted.
func (s *printed) rest(lines []string) []string {
	if n := len(s.live); len(lines) >= n && slices.Equal(lines[:n], s.live) {
		return lines[n:]
	}
	words := 0
	for _, l := range s.live {
		words += len(strings.Fields(ansi.Strip(l)))
	}
	for i, l := range lines {
		if words <= 0 {
			return lines[i:]
		}
		words -= len(strings.Fields(ansi.Strip(l)))
	}
	return nil
}

// again determines, after a conversation was read again, what of it is printed already. Printed items on
// another branch cannot be removed, so a notice says so.
func (pr *printed) again() {
	if !pr.p.d.Inline {
		return
	}
	s := pr
	n := 0
	for s.at = 0; s.at < len(pr.p.list.items); s.at++ {
		it := pr.p.list.items[s.at]
		if it.entry >= 0 && n < len(s.entries) && s.entries[n] == it.id {
			n++
		} else if it.entry >= 0 || !s.remarks[it.id] {
			break
		}
	}
	if n < len(s.entries) {
		pr.p.list.items = slices.Insert(pr.p.list.items, s.at,
			item{entry: -1, id: tree.NewID(), remark: "The conversation now continues from an earlier message."})
	}
	s.entries = s.entries[:n]
}

// atEnd reports whether the person types, and sees the end of the conversation.
func (pr *printed) atEnd() bool { return pr.p.typing() && pr.p.find == nil && !pr.p.list.scroll.Away }
