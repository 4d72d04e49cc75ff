package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// focus goes from the input to the messages, to the side, and back.
func (p *chatPage) focus() tea.Cmd {
	switch {
	case p.typing() && len(p.items) > 0:
		p.choose(len(p.items) - 1)
	case p.beside < 0 && len(p.sideLines()) > 0:
		p.chosen, p.beside = -1, 0
		p.scroll.End()
	default:
		p.toInput()
	}
	return nil
}

// typing says whether the input has the keys.
func (p *chatPage) typing() bool { return p.chosen < 0 && p.beside < 0 }

// toInput gives the input the keys.
func (p *chatPage) toInput() { p.chosen, p.beside = -1, -1 }

// choose gives an item the keys, and brings it into sight.
func (p *chatPage) choose(i int) {
	p.chosen = max(0, min(i, len(p.items)-1))
	if !p.inSight(p.chosen) {
		p.scroll.To(p.chosen)
		p.scroll.Move(p.blocks(), -p.scroll.Height/3)
	}
}

// inSight says whether an item begins on the screen.
func (p *chatPage) inSight(i int) bool {
	b := p.blocks()
	if i < p.scroll.Top || i == p.scroll.Top && p.scroll.Off > 0 {
		return false
	}
	y := -p.scroll.Off
	for j := p.scroll.Top; j < i && y < p.scroll.Height; j++ {
		y += len(b.Draw(j))
	}
	return y < p.scroll.Height
}

// itemKey is a key while an item has them.
func (p *chatPage) itemKey(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "up", "k":
		p.choose(p.chosen - 1)
	case "down", "j":
		p.choose(p.chosen + 1)
	case "home", "g":
		p.choose(0)
	case "end", "G":
		p.choose(len(p.items) - 1)
	case "enter", "space", " ":
		p.fold(p.chosen)
	case "y", "c":
		return p.copyItem()
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

// typeOn gives a key to the input: whoever types means it.
func (p *chatPage) typeOn(k tea.KeyPressMsg) tea.Cmd {
	p.toInput()
	p.scroll.End()
	return p.edited(p.input.Update(k))
}

// fold shows an item whole, or folds it.
func (p *chatPage) fold(i int) {
	id := p.items[i].id
	p.open[id] = !p.open[id]
}

// foldAll opens all that can be folded, or folds it.
func (p *chatPage) foldAll() tea.Cmd {
	open := true
	for _, it := range p.items {
		open = open && !p.open[it.id]
	}
	clear(p.open)
	for _, it := range p.items {
		if it.entry >= 0 && slices.Contains([]scene.Sort{scene.Said, scene.Called, scene.Held, scene.Summed, scene.Merged}, p.scene.Entries[it.entry].Sort) {
			p.open[it.id] = open
		}
	}
	return nil
}

// entryText is what an item says.
func (p *chatPage) entryText(i int) string {
	if p.items[i].entry < 0 {
		return p.items[i].remark
	}
	e := p.scene.Entries[p.items[i].entry]
	if e.Sort == scene.Called {
		return strings.TrimSpace(e.Text + "\n" + e.Show.Diff + "\n" + e.Result)
	}
	return e.Text
}

// search begins to look for words in the conversation.
func (p *chatPage) search() tea.Cmd {
	p.find = scroll.NewFinder(p.d.NewEditor())
	p.menu.Close()
	return nil
}

// searched is what is searched: every item, with what is folded in it.
func (p *chatPage) searched() scroll.Source {
	return scroll.Source{N: len(p.items), Text: p.entryText, Blocks: p.blocks, Scroll: &p.scroll, Show: func(i int) {
		p.chosen = i
		if !slices.ContainsFunc(p.drawItem(i), func(l string) bool { return strings.Contains(line.Fold(ansi.Strip(l)), p.find.Query) }) {
			p.open[p.items[i].id] = true
		}
	}}
}

// copyItem puts an item into the clipboard of the terminal, over SSH too.
func (p *chatPage) copyItem() tea.Cmd {
	p.d.Tell("copied")
	return p.d.Copy(p.d.Clean(p.entryText(p.chosen)))
}

// fork begins a branch at an item.
func (p *chatPage) fork() tea.Cmd {
	it := p.items[p.chosen]
	if it.entry < 0 {
		return nil
	}
	at := string(p.scene.Entries[it.entry].Node)
	return p.d.Do(engine.Branch{Tree: p.env.Tree, At: at}, func(err error) tea.Cmd {
		if err == nil {
			p.toInput()
			p.d.Tell("a branch begins here; /switch goes back")
		}
		return p.recheck()
	})
}

// click gives the item under the mouse the keys, or folds the call that is there.
func (p *chatPage) click(m tea.MouseClickMsg) tea.Cmd {
	p.beside = -1
	if m.Button == tea.MouseLeft && m.X > p.width {
		p.chosen = -1
		return p.clickSide(m.Y)
	}
	if m.Button != tea.MouseLeft || m.Y >= p.scroll.Height || m.X >= p.width {
		p.chosen = -1
		return nil
	}
	b, y := p.blocks(), -p.scroll.Off
	for i := p.scroll.Top; i < len(p.items); i++ {
		n := len(b.Draw(i))
		if m.Y < y+n {
			if p.chosen == i {
				p.fold(i)
			}
			p.chosen = i
			return nil
		}
		y += n
	}
	return nil
}
