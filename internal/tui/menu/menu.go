// Package menu offers completions of the word at the cursor, below an input.
package menu

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Menu offers completions of the word at the cursor.
type Menu struct {
	offers []slash.Offer
	found  []editor.Match
	at     int
	moved  bool   // the person moved to the current offer
	line   string // the line it was made for
}

// mostOffers is the maximum number of lines of a menu.
const mostOffers = 8

// Shown reports whether there is something to choose.
func (m *Menu) Shown() bool { return len(m.found) > 0 }

// Close closes it.
func (m *Menu) Close() { *m = Menu{} }

// Offer finds, in the background, completions at the cursor of an input; plain words have none. find is called
// with the line without its last word, "/" for the name of a command, or "@" for that of a file.
func (m *Menu) Offer(s *screen.Screen, input *editor.Editor, find func(ctx context.Context, key string) []slash.Offer) tea.Cmd {
	key := offerKey(input)
	if key == "" {
		m.Close()
		return nil
	}
	word, _, _ := input.Word()
	if key == m.line {
		m.filter(word)
		return nil
	}
	m.Close() // offers for another place do not apply here
	return s.Away(func(ctx context.Context) func() tea.Cmd {
		offers := find(ctx, key)
		return func() tea.Cmd {
			if now, _, _ := input.Word(); offerKey(input) == key { // otherwise more was typed meanwhile
				*m = Menu{offers: offers, line: key}
				m.filter(now)
			}
			return nil
		}
	})
}

// offerKey returns the key of what can be completed at the cursor of an input; see Offer. It is empty for plain
// words.
func offerKey(input *editor.Editor) string {
	word, from, _ := input.Word()
	before := input.Before()
	switch {
	case strings.HasPrefix(word, "@"):
		return "@"
	case !strings.HasPrefix(before, "/") || !strings.HasPrefix(input.FirstLine(), before):
		return ""
	case from > 0:
		return before[:from]
	}
	return "/"
}

// filter keeps the offers that match the word, the best first. A complete word has none.
func (m *Menu) filter(word string) {
	words := make([]string, len(m.offers))
	whole := false
	for i, o := range m.offers {
		words[i] = o.Word
		whole = whole || o.Is(word)
	}
	find := editor.Sentences
	if m.line == "@" { // parts of a path may be left out
		find = editor.Fuzzy
	}
	if m.found, m.at, m.moved = find(word, words), 0, false; whole {
		m.found = nil
	}
}

// Key handles keys that move in the menu or accept an offer; taken is false for other keys. Enter accepts an
// offer that the person moved to or has begun to type; otherwise the text is sent unchanged.
func (m *Menu) Key(k tea.KeyPressMsg, input *editor.Editor) (taken bool) {
	switch k.String() {
	case "up", "ctrl+p":
		m.at, m.moved = (m.at+len(m.found)-1)%len(m.found), true
	case "down", "ctrl+n":
		m.at, m.moved = (m.at+1)%len(m.found), true
	case "enter":
		o := m.offers[m.found[m.at].Index]
		if word, _, _ := input.Word(); !m.moved && !begun(word, o.Word) {
			return word == "/" // a bare slash means nothing
		}
		m.accept(input)
		return !o.Alone // the name of a command without arguments is the whole line
	case "tab":
		m.accept(input)
	case "esc":
		m.found = nil
	default:
		return false
	}
	return true
}

// begun reports whether a word is the beginning of an offer, or of a part of a file name after a slash.
func begun(word, offer string) bool {
	word, offer = strings.ToLower(word), strings.ToLower(offer)
	name, file := strings.CutPrefix(word, "@")
	return strings.TrimLeft(word, "@/") != "" && (strings.HasPrefix(offer, word) || file && strings.Contains(offer, "/"+name))
}

// accept replaces the word by the chosen offer.
func (m *Menu) accept(input *editor.Editor) {
	_, from, to := input.Word()
	input.Replace(from, to, m.offers[m.found[m.at].Index].Word+" ")
	m.Close()
}

// Lines draws the menu; read aloud, it is the chosen offer and the number of others.
func (m *Menu) Lines(s *screen.Screen, w int) (out []string) {
	t := s.Theme
	if t.Plain {
		o := m.offers[m.found[m.at].Index]
		text := fmt.Sprintf("Selected, %d of %d: %s, %s", m.at+1, len(m.found), clean.Reveal(o.Word), o.Doc)
		return line.Edged(line.Wrap(line.One(s.Clean(strings.TrimSuffix(text, ", "))), w-2*line.Margin))
	}
	from := max(0, min(m.at-mostOffers/2, len(m.found)-mostOffers))
	for i := from; i < min(len(m.found), from+mostOffers); i++ {
		o := m.offers[m.found[i].Index]
		word := line.Clip(line.One(s.Clean(clean.Reveal(o.Word))), w-4)
		doc := line.Clip(line.One(s.Clean(o.Doc)), max(0, w-6-max(20, line.Wide(word))))
		if i == m.at {
			out = append(out, t.Chosen.On(line.Pad("  "+line.Pad(word, max(20, line.Wide(word)))+"  "+doc, w-1)))
		} else {
			out = append(out, "  "+line.Pad(word, max(20, line.Wide(word)))+"  "+t.Dim.On(doc))
		}
	}
	if more := len(m.found) - mostOffers; more > 0 {
		out = append(out, "  "+t.Dim.On(line.Clip(fmt.Sprintf("%d more · type to find · ↑↓", more), w-2*line.Margin)))
	}
	return out
}
