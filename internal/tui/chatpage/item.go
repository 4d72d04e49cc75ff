package chatpage

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// focus moves from the input to the messages, to the side, and back.
func (p *Page) focus() tea.Cmd {
	switch {
	case p.typing() && len(p.list.items) > 0:
		p.list.choose(len(p.list.items) - 1)
	case p.side.at < 0 && len(p.side.reach()) > 0:
		p.list.chosen, p.side.at = -1, 0
		p.list.scroll.End()
	default:
		p.toInput()
	}
	return nil
}

// typing reports whether the input has the keys.
func (p *Page) typing() bool { return p.list.chosen < 0 && p.side.at < 0 }

func (p *Page) toInput() { p.list.chosen, p.side.at = -1, -1 }

// choose selects an item, and scrolls to it.
func (ml *list) choose(i int) {
	ml.chosen = max(0, min(i, len(ml.items)-1))
	if !ml.inSight(ml.chosen) {
		ml.scroll.To(ml.chosen)
		ml.scroll.Move(ml.blocks(), -ml.scroll.Height/3)
	}
}

// inSight reports whether the beginning of an item is visible.
func (ml *list) inSight(i int) bool {
	b := ml.blocks()
	if i < ml.scroll.Top || i == ml.scroll.Top && ml.scroll.Off > 0 {
		return false
	}
	y := -ml.scroll.Off
	for j := ml.scroll.Top; j < i && y < ml.scroll.Height; j++ {
		y += len(b.Draw(j))
	}
	return y < ml.scroll.Height
}

// itemKey handles a key while an item is selected.
func (p *Page) itemKey(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "up", "k":
		p.list.choose(p.list.chosen - 1)
	case "down", "j":
		p.list.choose(p.list.chosen + 1)
	case "home", "g":
		p.list.choose(0)
	case "end", "G":
		p.list.choose(len(p.list.items) - 1)
	case "enter", "space", " ":
		if !p.list.fold(p.list.chosen) {
			p.d.Tell(nothingMore)
		}
	case "y":
		return p.Copier.item()
	case "c":
		return p.Copier.next()
	case "b", "f":
		return p.fork()
	default:
		if k.Text == "" {
			return nil
		}
		return p.typeOn(k)
	}
	return nil
}

// typeOn passes a key to the input: whoever types means it.
func (p *Page) typeOn(k tea.KeyPressMsg) tea.Cmd {
	p.toInput()
	p.list.scroll.End()
	return p.edited(p.input.Update(k))
}

// nothingMore answers a key that expands if nothing is folded.
const nothingMore = "nothing more to expand"

// fold expands or folds an item; false: it has no folded form.
func (ml *list) fold(i int) bool {
	id, was := ml.items[i].id, ml.drawItem(i)
	ml.open[id] = !ml.open[id]
	return !slices.Equal(ml.drawItem(i), was)
}

// foldAll expands or folds every item. It says so if nothing visible changes.
func (ml *list) foldAll() tea.Cmd {
	sight := ml.scroll // a copy, because comparing must not scroll
	was := sight.Lines(ml.blocks(), sight.Height)
	defer func() {
		if sight = ml.scroll; slices.Equal(sight.Lines(ml.blocks(), sight.Height), was) {
			ml.d.Tell("nothing in view is shortened")
		}
	}()
	open := true
	for _, it := range ml.items {
		open = open && !ml.open[it.id]
	}
	clear(ml.open)
	for _, it := range ml.items {
		if folds(ml, it) {
			ml.open[it.id] = open
		}
	}
	return nil
}

// folds reports whether an item may be shown shortened.
func folds(ml *list, it item) bool {
	return it.entry >= 0 && slices.Contains([]scene.Sort{scene.Said, scene.Called, scene.Held, scene.Summed, scene.Merged, scene.Thought},
		ml.scene.Entries[it.entry].Sort)
}

// entryText returns the text of an item.
func (ml *list) entryText(i int) string {
	if ml.items[i].entry < 0 {
		return ml.items[i].remark
	}
	e := ml.scene.Entries[ml.items[i].entry]
	if e.Sort == scene.Called {
		return strings.TrimSpace(e.Text + "\n" + e.Reason + "\n" + e.Show.Diff + "\n" + e.Result)
	}
	return e.Text
}

// search starts a search in the conversation.
func (p *Page) search() tea.Cmd {
	p.find = scroll.NewFinder(p.d.NewEditor())
	p.menu.Close()
	return nil
}

// searched returns what is searched: every item, including what is folded.
func (p *Page) searched() scroll.Source {
	return scroll.Source{N: len(p.list.items), Text: p.list.entryText, Blocks: p.list.blocks, Scroll: &p.list.scroll, Show: func(i int) {
		p.list.chosen = i
		if !slices.ContainsFunc(p.list.drawItem(i), func(l string) bool {
			return strings.Contains(line.Fold(ansi.Strip(l)),
				p.find.Query)
		}) {
			p.list.open[p.list.items[i].id] = true
		}
	}}
}

// fork begins a branch at the selected item.
func (p *Page) fork() tea.Cmd {
	it := p.list.items[p.list.chosen]
	if it.entry < 0 {
		return nil
	}
	at := string(p.scene.Entries[it.entry].Node)
	return p.d.Do(conversation.Branch{Tree: p.env.Tree, At: at}, func(err error) tea.Cmd {
		if err == nil {
			p.toInput()
			p.d.Tell("created a branch here; go back with: /switch")
		}
		return p.reads.Recheck()
	})
}

// click selects the item under the mouse, or folds the call there.
func (p *Page) click(m tea.MouseClickMsg) tea.Cmd {
	p.side.at = -1
	if m.Button == tea.MouseLeft && m.X > p.list.width {
		p.list.chosen = -1
		return p.side.click(m.Y)
	}
	if m.Button != tea.MouseLeft || m.Y >= p.list.scroll.Height || m.X >= p.list.width {
		p.list.chosen = -1
		return nil
	}
	if p.start.shown() {
		return p.start.click(m.Y)
	}
	b, y := p.list.blocks(), -p.list.scroll.Off
	for i := p.list.scroll.Top; i < len(p.list.items); i++ {
		n := len(b.Draw(i))
		if m.Y < y+n {
			if cmd, taken := p.Copier.clicked(i, m.Y-y, m.X); taken {
				return cmd
			}
			if p.list.chosen == i {
				p.list.fold(i)
			}
			p.list.chosen = i
			return nil
		}
		y += n
	}
	return nil
}
