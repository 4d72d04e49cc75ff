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

// pictures has the pictures of the album made and drawn. Nothing happens before one is wanted: then the terminal is asked whether it
// draws any.
type pictures struct {
	d        *Desk
	asked    bool
	known    bool // how the terminal draws pictures
	terminal picture.Terminal
	lent     bool // the terminal was another program's, which may have cleared it
	moved    int  // so often the places of pictures changed
}

// Album is for the pictures of a screen; nil if none are drawn: the person wants none, there are no colours, or nothing is between us and
// the terminal that hands them on.
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

// stillTime is how long pictures stay where they are before they are painted over cells.
const stillTime = 2 * settleTime

// next does what is to be done about pictures after something has happened.
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

// ask finds out how the terminal draws pictures, if the person did not say.
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

// hear takes in what the terminal answers.
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

// find takes in the way that the terminal draws pictures.
func (pc *pictures) find(way picture.Way) tea.Cmd {
	pc.known = true
	if way == picture.None {
		pc.d.Album = nil
		return nil
	}
	pc.d.Album.Way, pc.d.Album.Cell = way, pc.terminal.Cell
	return nil
}

// make makes pictures ready beside the screen.
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

// pixels are those of a picture, as many as it has room for; nil: it cannot be read.
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
		return nil // the line of text says what it is
	}
	return small
}

// redraw has every page redrawn.
func (pc *pictures) redraw() {
	for _, t := range pc.d.tabs {
		t.Update(screen.Recolored{})
	}
}

// again has all pictures made and sent again, to a terminal that may have lost them.
func (pc *pictures) again() tea.Cmd {
	if pc.d.Album == nil {
		return nil
	}
	send := pc.d.Album.Clear()
	pc.redraw()
	return tea.Raw(send)
}

// drawn is told what is on the screen now: what is painted over cells goes when it moves, and comes back when it stands still.
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

// leave takes the pictures out of the terminal, and then the program ends.
func (pc *pictures) leave() tea.Cmd {
	if send := pc.d.Album.Clear(); send != "" {
		return tea.Sequence(tea.Raw(send), tea.Quit)
	}
	return tea.Quit
}
