package roompage

import (
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// side is the column beside the panels: the seats, and the shared files. F2 gives it the keys.
type side struct {
	p   *Page
	off bool
	at  int // the selected row; -1: none
}

// sideWidth is its width, and sideFrom the page width from which on it has room.
const sideWidth, sideFrom = 34, 116

// sideRow is a row a person can select.
type sideRow struct {
	group, text string
	open, drop  func() tea.Cmd // drop is nil: it cannot be removed
}

// rows are all of them.
func (sd *side) rows(w int) (out []sideRow) {
	p := sd.p
	for _, s := range p.scene.Seats {
		state, _, _ := strings.Cut(p.table.stateOf(s), ":") // its panel says why
		state = line.Clip(state, max(4, w/2))
		name := line.Clip(seatMark(s)+" "+line.One(p.d.Clean(s.Info.ID)), max(4, w-line.Wide(state)-2))
		drop := func() tea.Cmd { return p.orders.stand(s.Info.ID) }
		if p.scene.End != nil { // for the next question, seats are identified by spec
			drop = func() tea.Cmd { return p.orders.stand(s.Info.Spec) }
		}
		out = append(out, sideRow{"Seats", line.Row(name, state, w), p.orders.seats, drop})
	}
	for _, file := range p.scene.Result().Files {
		out = append(out, sideRow{"Shared files", line.Named(line.One(p.d.Clean(file)), w), func() tea.Cmd { return sd.edit(file) }, nil})
	}
	return append(out, sideRow{"Shared files", "+ share a file", func() tea.Cmd {
		sd.at = -1
		p.input.Set("/context add ")
		return p.orders.offer()
	}, nil})
}

// beside reports whether it is beside the panels on a page of a width.
func (sd *side) beside(w int) bool {
	return w >= sideFrom && !sd.off && !sd.p.d.Plain && sd.p.shown.view == seatsView && len(sd.p.scene.Seats) > 0
}

// draw draws it. While it has the keys its last line explains them.
func (sd *side) draw(w, h int) (out []string) {
	t, group := sd.p.d.Theme, ""
	at := 0
	for i, r := range sd.rows(w) {
		if r.group != group {
			if group != "" {
				out = append(out, "")
			}
			group = r.group
			out = append(out, theme.Bold.On(line.Clip(group, w)))
		}
		if i == sd.at {
			at = len(out)
			out = append(out, t.Chosen.On(line.Pad(line.Sign(t, "", "> ")+ansi.Strip(r.text), w)))
			continue
		}
		out = append(out, line.Clip(r.text, w))
	}
	room := h
	if sd.at >= 0 {
		room = max(1, h-2)
	}
	from := max(0, min(at-room/2, len(out)-room))
	if out = out[from:min(len(out), from+room)]; sd.at >= 0 {
		out = append(out, "", t.Focus.On(line.Clip("[enter] open  [x] drop  [esc] back", w)))
	}
	return out
}

// over draws it in a box over a page without room for it.
func (sd *side) over(lines []string, w, h int) []string {
	bw := min(w, 60)
	frame := box.Around(sd.p.d.Theme, "Panel", sd.draw(bw-4, min(h-2, 20)), bw)
	if sd.p.d.Plain {
		return frame
	}
	out, _, _ := box.Over(box.Fill(lines, w, h), frame, w, h)
	return out
}

// toggle gives it the keys, or takes them away and hides it.
func (sd *side) toggle() tea.Cmd {
	switch {
	case len(sd.p.scene.Seats) == 0:
		sd.p.d.Tell("no seats yet")
	case sd.at >= 0:
		sd.at, sd.off = -1, true
	default:
		sd.at, sd.off, sd.p.shown.view = 0, false, seatsView
	}
	return nil
}

// key handles a key while it has them.
func (sd *side) key(k tea.KeyPressMsg) tea.Cmd {
	rows := sd.rows(sideWidth - line.Margin)
	sd.at = min(sd.at, len(rows)-1)
	switch r := rows[sd.at]; k.String() {
	case "up", "k":
		sd.at = max(0, sd.at-1)
	case "down", "j":
		sd.at = min(sd.at+1, len(rows)-1)
	case "esc", "tab":
		sd.at = -1
	case "enter", "space":
		return r.open()
	case "x", "d", "delete":
		if r.drop != nil {
			return r.drop()
		}
		sd.p.d.Tell("only seats can be dropped")
	case sd.p.d.Keys.Key("debate-side"):
		return sd.toggle()
	default:
		if k.Text != "" { // it is for the input
			sd.at = -1
			return sd.p.key(k)
		}
	}
	return nil
}

// edit opens the person's editor on a file of the project.
func (sd *side) edit(name string) tea.Cmd {
	name, _, _ = strings.Cut(name, ":") // without line numbers
	words := append(strings.Fields(sd.p.d.Editor), filepath.Join(sd.p.scene.Frame.Dir, filepath.FromSlash(name)))
	return sd.p.d.Lend(exec.Command(words[0], words[1:]...), func(err error) tea.Cmd { sd.p.d.Fail(err); return nil })
}
