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

// Menu offers what the word at the cursor could become.
type Menu struct {
	offers []slash.Offer
	found  []editor.Match
	at     int
	moved  bool   // to the offer, by the person
	line   string // it was made for
}

// mostOffers are as many lines as a menu takes.
const mostOffers = 8

// Shown says whether there is something to choose.
func (m *Menu) Shown() bool { return len(m.found) > 0 }

// Close takes it away.
func (m *Menu) Close() { *m = Menu{} }

// Offer looks up, beside the screen, what could stand at the cursor of an input. Nothing is offered for plain words. What find is
// given is the line without the word at its end, "/" for the name of a command, or "@" for that of a file.
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
	m.Close() // what was offered in another place is none here
	return s.Away(func(ctx context.Context) func() tea.Cmd {
		offers := find(ctx, key)
		return func() tea.Cmd {
			if now, _, _ := input.Word(); offerKey(input) == key { // else more was typed meanwhile
				*m = Menu{offers: offers, line: key}
				m.filter(now)
			}
			return nil
		}
	})
}

// offerKey is what could stand at the cursor of an input: see offer. It is empty for plain words.
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

// filter keeps what the word could become, the best first. Nothing is offered for a word that is complete.
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

// Key moves in the menu and takes from it; taken is false of a key that is not the menu's. Enter takes what the person moved to,
// or what they have begun to type: what is typed otherwise is sent as it stands.
func (m *Menu) Key(k tea.KeyPressMsg, input *editor.Editor) (taken bool) {
	switch k.String() {
	case "up", "ctrl+p":
		m.at, m.moved = (m.at+len(m.found)-1)%len(m.found), true
	case "down", "ctrl+n":
		m.at, m.moved = (m.at+1)%len(m.found), true
	case "enter":
		o := m.offers[m.found[m.at].Index]
		if word, _, _ := input.Word(); !m.moved && !begun(word, o.Word) {
			return word == "/" // which says nothing
		}
		m.accept(input)
		return !o.Alone // the name of a command that nothing can follow is the whole line
	case "tab":
		m.accept(input)
	case "esc":
		m.found = nil
	default:
		return false
	}
	return true
}

// begun says whether a word is the beginning of an offer, or of what is behind a slash in the name of a file.
func begun(word, offer string) bool {
	word, offer = strings.ToLower(word), strings.ToLower(offer)
	name, file := strings.CutPrefix(word, "@")
	return strings.TrimLeft(word, "@/") != "" && (strings.HasPrefix(offer, word) || file && strings.Contains(offer, "/"+name))
}

// accept puts the chosen offer in the place of the word.
func (m *Menu) accept(input *editor.Editor) {
	_, from, to := input.Word()
	input.Replace(from, to, m.offers[m.found[m.at].Index].Word+" ")
	m.Close()
}

// Lines draws the menu; read aloud, it is what is chosen and how much else there is.
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
