package picture

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Ask asks a terminal for its name, the pixels of a cell, and its attributes. Every terminal answers the last,
// and in order, so that nothing more comes after it.
const Ask = ansi.RequestNameVersion + "\x1b[16t" + ansi.RequestPrimaryDeviceAttributes

// AskKitty asks a terminal that names itself kitty or similar whether it draws pictures. Others might show the
// text of the request.
var AskKitty = ansi.KittyGraphics([]byte("AAAA"), "i=31", "s=1", "v=1", "a=q", "t=d", "f=24") + ansi.RequestPrimaryDeviceAttributes

// Terminal collects a terminal's answers.
type Terminal struct {
	Cell image.Point // pixels; zero: not reported

	name         string
	draws, sixel bool
	second       bool // AskKitty was sent
}

// Hear handles an answer. next is the following question; once done, way is known.
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

// places reports whether a terminal of a name supports placeholders: others draw kitty's pictures only at the
// cursor.
func places(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "kitty") || strings.Contains(name, "ghostty")
}

// Tmux is the format that asks tmux, which passes nothing on unless configured to, for that setting and for
// what its terminal answered when asked for its name.
const Tmux = "#{allow-passthrough} #{client_termtype}"

// OfTmux returns the way of the terminal behind tmux from its answer to [Tmux].
func OfTmux(answer string) Way {
	passes, name, _ := strings.Cut(strings.TrimSpace(answer), " ")
	if (passes == "on" || passes == "all" || passes == "1") && places(name) {
		return Kitty
	}
	return None
}
