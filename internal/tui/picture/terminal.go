package picture

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Ask is what a terminal is asked first: its name, the pixels of a cell, and what it is. The last every terminal answers, and answers in
// order, so that nothing more comes after it.
const Ask = ansi.RequestNameVersion + "\x1b[16t" + ansi.RequestPrimaryDeviceAttributes

// AskKitty asks one that says it is kitty or like it whether it draws pictures. Others might show what this is made of.
var AskKitty = ansi.KittyGraphics([]byte("AAAA"), "i=31", "s=1", "v=1", "a=q", "t=d", "f=24") + ansi.RequestPrimaryDeviceAttributes

// Terminal is what is known of one that is asked.
type Terminal struct {
	Cell image.Point // pixels; zero: it does not say

	name         string
	draws, sixel bool
	second       bool // it was asked AskKitty
}

// Hear takes in an answer. next is what it is asked then; once done, way is known.
func (t *Terminal) Hear(msg any) (next string, way Way, done bool) {
	switch m := msg.(type) {
	case tea.TerminalVersionMsg:
		t.name = m.Name
	case uv.CellSizeEvent:
		t.Cell = image.Pt(m.Width, m.Height)
	case uv.KittyGraphicsEvent:
		t.draws = t.draws || string(m.Payload) == "OK"
	case uv.PrimaryDeviceAttributesEvent:
		t.sixel = t.sixel || slices.Contains(m, 4)
		if places(t.name) && !t.second {
			t.second = true
			return AskKitty, None, false
		}
		return "", t.way(), true
	}
	return "", None, false
}

func (t *Terminal) way() Way {
	name := strings.ToLower(t.name)
	switch {
	case t.draws && places(t.name):
		return Kitty
	case strings.HasPrefix(name, "iterm2") || strings.HasPrefix(name, "wezterm"):
		return ITerm
	case t.sixel:
		return Sixel
	}
	return None
}

// places says of the name of a terminal whether it knows placeholders: others draw kitty's pictures, but only where the cursor is.
func places(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "kitty") || strings.Contains(name, "ghostty")
}

// Tmux is the way of a terminal behind tmux, which hands nothing on unless it is told to, and says what its terminal answered when it
// asked for its name: format is what it is to be asked for, answer what it said.
const Tmux = "#{allow-passthrough} #{client_termtype}"

// OfTmux is the way of the terminal behind tmux by what it says of [Tmux].
func OfTmux(answer string) Way {
	passes, name, _ := strings.Cut(strings.TrimSpace(answer), " ")
	if (passes == "on" || passes == "all" || passes == "1") && places(name) {
		return Kitty
	}
	return None
}
