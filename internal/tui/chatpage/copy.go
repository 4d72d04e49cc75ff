package chatpage

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/clipboard"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
)

// code returns the code blocks of an item: only a model's text is drawn as Markdown.
func (ml *list) code(i int) []string {
	if i < 0 || i >= len(ml.items) {
		return nil
	}
	it := ml.items[i]
	if it.entry < 0 {
		if it.answer {
			return markdown.Blocks(it.remark)
		}
		return nil
	}
	if e := &ml.scene.Entries[it.entry]; e.Sort == scene.Answered || e.Sort == scene.Wrote {
		return markdown.Blocks(ml.d.Clean(e.Text))
	}
	return nil
}

// copier copies content of a page to the terminal's clipboard, also over SSH.
type copier struct {
	*standing
	list *list
	of   tree.ID // the item whose code was copied last
	n    int     // the index of that block
}

// item copies the selected item.
func (c *copier) item() tea.Cmd {
	c.d.Tell("copied")
	return c.d.Copy(c.d.Clean(c.list.entryText(c.list.chosen)))
}

// answer copies the last answer as it was written, or what exists of a growing one.
func (c *copier) answer() tea.Cmd {
	if text := c.scene.Live.Text; c.scene.Live.State == "writing" && strings.TrimSpace(text) != "" {
		c.d.Tell("copied the answer so far")
		return c.d.Copy(c.d.Clean(text))
	}
	for i := len(c.scene.Entries) - 1; i >= 0; i-- {
		if e := c.scene.Entries[i]; (e.Sort == scene.Answered || e.Sort == scene.Wrote) && strings.TrimSpace(e.Text) != "" {
			c.d.Tell("copied the last answer")
			return c.d.Copy(c.d.Clean(e.Text))
		}
	}
	c.d.Refuse("no answer to copy yet")
	return nil
}

// next copies a code block of the selected item, the next one each time; without one it copies the item.
func (c *copier) next() tea.Cmd {
	blocks := c.list.code(c.list.chosen)
	if len(blocks) == 0 {
		return c.item()
	}
	of := c.list.items[c.list.chosen].id
	if c.n++; c.of != of || c.n >= len(blocks) {
		c.n = 0
	}
	c.of = of
	return c.block(blocks, c.n)
}

// Paste types the content of the desktop's clipboard at the cursor. A picture becomes the path of a file, as a
// separate word.
func Paste(p *Page) tea.Cmd {
	return p.d.Paste(func(text string) tea.Cmd {
		p.toInput()
		if clipboard.Pasted(text) {
			text += " "
			if before := p.input.Before(); before != "" && !strings.HasSuffix(before, " ") {
				text = " " + text
			}
		}
		return p.edited(p.input.Update(tea.PasteMsg{Content: text}))
	})
}

// block copies the code block of a number, as it was written.
func (c *copier) block(blocks []string, n int) tea.Cmd {
	of := ""
	if len(blocks) > 1 {
		of = fmt.Sprintf(" %d of %d", n+1, len(blocks))
	}
	c.d.Tell("copied code block" + of + ", " + spelling.Many(strings.Count(blocks[n], "\n")+1, "line"))
	return c.d.Copy(blocks[n])
}

// Code copies a code block of the last answer that has some: that of the given number, or the first.
func (c *copier) Code(number string) tea.Cmd {
	var blocks []string
	for i := len(c.list.items) - 1; i >= 0 && len(blocks) == 0; i-- {
		blocks = c.list.code(i)
	}
	n, err := strconv.Atoi(number)
	switch {
	case len(blocks) == 0:
		c.d.Refuse("no code to copy yet")
	case number == "":
		return c.block(blocks, 0)
	case err != nil || n < 1 || n > len(blocks):
		c.d.Refuse("no code block " + number + ": the last answer with code has " + strconv.Itoa(len(blocks)))
	default:
		return c.block(blocks, n-1)
	}
	return nil
}

// labelled is how many columns at the right of a code block's first row a click on the language name may hit.
const labelled = 14

// clicked copies the code block whose first row was clicked at its right end, where the name of its language
// is.
func (c *copier) clicked(i, row, x int) (cmd tea.Cmd, taken bool) {
	lines := c.list.drawItem(i)
	n := markdown.BlockAt(lines, row)
	blocks := c.list.code(i)
	if n < 0 || n >= len(blocks) || x < c.list.width-labelled {
		return nil, false
	}
	first, _, _ := strings.Cut(blocks[n], "\n")
	begins := strings.TrimSpace(strings.ReplaceAll(first, "\t", "    "))
	if shown := strings.TrimSpace(ansi.Strip(lines[row])); !strings.HasPrefix(shown, ansi.Truncate(begins, 20, "")) {
		return nil, false // blocks as drawn and as read differ: another one would be copied
	}
	return c.block(blocks, n), true
}
