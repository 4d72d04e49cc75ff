package tui

import (
	"context"
	"image"
	"math/rand/v2"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/attach"
	"github.com/socrates-cli/socrates/internal/tui/picture"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// pictures prepares and draws the pictures of the album. It does nothing before one is wanted: then it asks the
// terminal whether it draws any.
type pictures struct {
	d        *Desk
	asked    bool
	known    bool // the terminal's way is known
	terminal picture.Terminal
	lent     bool // another program had the terminal and may have cleared it
	moved    int  // how often the places of pictures changed
}

// Album returns the album of a screen; nil if it draws none: the person wants none, there are no colours, or a
// program between us and the terminal does not pass them on.
func Album(setting string, t theme.Theme, env func(string) string) *picture.Album {
	if setting == string(picture.None) || t.Seats == nil || env("STY") != "" || env("TERM") == "linux" {
		return nil
	}
	a := picture.NewAlbum(1+rand.IntN(255), env("TMUX") != "")
	if setting != theme.Auto {
		a.Way = picture.Way(setting)
	}
	return a
}

// stillTime is how long pictures must not move before they are painted over cells.
const stillTime = 2 * settleTime

// next does the next step for pictures after an event.
func (pc *pictures) next() tea.Cmd {
	a := pc.d.Album
	if a == nil {
		return nil
	}
	if lent := pc.d.Lent.Load(); lent != pc.lent {
		if pc.lent = lent; !lent {
			return pc.again()
		}
	}
	switch {
	case !a.Waits():
		return nil
	case pc.known:
		return pc.make(a.Wants())
	case !pc.asked:
		return pc.ask()
	}
	return nil
}

// ask finds out how the terminal draws pictures, unless the person said.
func (pc *pictures) ask() tea.Cmd {
	pc.asked = true
	if pc.d.Album.Way != picture.None {
		return pc.find(pc.d.Album.Way)
	}
	if !pc.d.Tmux {
		pc.d.asked.set(time.Now())
		return tea.Raw(picture.Ask)
	}
	return pc.d.Away(func(ctx context.Context) func() tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, tmuxTime)
		defer cancel()
		answer, _ := exec.CommandContext(ctx, "tmux", "display-message", "-p", picture.Tmux).Output()
		return func() tea.Cmd {
			if way := picture.OfTmux(string(answer)); way != picture.None {
				return pc.find(way)
			}
			pc.d.asked.set(time.Now())
			return tea.Raw(picture.Ask)
		}
	})
}

// tmuxTime is how long tmux may take to answer.
const tmuxTime = 2 * time.Second

// hear handles an answer of the terminal.
func (pc *pictures) hear(msg tea.Msg) tea.Cmd {
	if !pc.asked || pc.known {
		return nil
	}
	next, way, done := pc.terminal.Hear(msg)
	switch {
	case next != "":
		pc.d.asked.set(time.Now())
		return tea.Raw(next)
	case done:
		return pc.find(way)
	}
	return nil
}

// find stores the way in which the terminal draws pictures.
func (pc *pictures) find(way picture.Way) tea.Cmd {
	pc.known = true
	if way == picture.None {
		pc.d.Album = nil
		return nil
	}
	pc.d.Album.Way, pc.d.Album.Cell = way, pc.terminal.Cell
	return nil
}

// make prepares pictures in the background.
func (pc *pictures) make(all []picture.Wanted) tea.Cmd {
	var cmds []tea.Cmd
	for _, w := range all {
		cmds = append(cmds, pc.d.Away(func(ctx context.Context) func() tea.Cmd {
			pixels := pc.pixels(ctx, w)
			return func() tea.Cmd {
				if pc.d.Album == nil {
					return nil
				}
				send := pc.d.Album.Ready(w, pixels)
				pc.redraw()
				return tea.Raw(send)
			}
		}))
	}
	return tea.Batch(cmds...)
}

// pixels decodes a picture, scaled to its room; nil: it cannot be read.
func (pc *pictures) pixels(ctx context.Context, w picture.Wanted) image.Image {
	body := w.Picture.Data
	if w.Picture.Blob != "" {
		text, err := pc.d.Engine.Text(ctx, w.Picture.Blob)
		if err != nil {
			return nil
		}
		body = attach.Unpack(text)
	}
	small, err := attach.Small(body, w.Room)
	if err != nil {
		return nil // the line of text describes it
	}
	return small
}

// redraw redraws every page.
func (pc *pictures) redraw() {
	for _, t := range pc.d.tabs {
		t.Update(screen.Recolored{})
	}
}

// again prepares and sends all pictures again, to a terminal that may have lost them.
func (pc *pictures) again() tea.Cmd {
	if pc.d.Album == nil {
		return nil
	}
	send := pc.d.Album.Clear()
	pc.redraw()
	return tea.Raw(send)
}

// drawn is called with the screen's lines: pictures painted over cells are removed when they move, and painted
// again when they are still.
func (pc *pictures) drawn(lines []string) {
	a := pc.d.Album
	if a.Waits() {
		pc.d.Again(0)
	}
	if !a.Found(lines) {
		return
	}
	pc.moved++
	now := pc.moved
	if a.Stale() {
		go pc.d.Send(tea.ClearScreen())
	}
	time.AfterFunc(stillTime, func() {
		pc.d.Send(screen.Update(func() tea.Cmd {
			if pc.moved != now || pc.d.Album == nil {
				return nil
			}
			return tea.Raw(pc.d.Album.Paint())
		}))
	})
}

// leave removes the pictures from the terminal, and then the program ends.
func (pc *pictures) leave() tea.Cmd {
	if send := pc.d.Album.Clear(); send != "" {
		return tea.Sequence(tea.Raw(send), tea.Quit)
	}
	return tea.Quit
}
