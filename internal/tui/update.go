package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/socrates-cli/socrates/internal/crash"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Update handles a message.
func (d *Desk) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer crash.Noted()
	cmd := d.hear(msg)
	for _, t := range d.tabs {
		if m := t.State().Mark; m != t.mark {
			d.checkout.look(d.Dir, d.Clean)
			if m == screen.Waiting || t.mark == screen.Working {
				cmd = tea.Batch(cmd, d.watch.call(t, m))
			}
			if t.mark = m; d.current() == t.Page && m == screen.Fresh {
				t.mark = screen.Quiet
			}
		}
	}
	d.keeping.keep()
	if d.leaving != nil && slices.Contains(d.Dialogs, d.leaving) && len(d.Engine.Busy()) == 0 { // the work has ended meanwhile
		d.Pop(d.leaving)
		cmd = tea.Batch(cmd, d.quit())
	}
	if next := d.below.print(); next != nil {
		cmd = tea.Batch(cmd, next)
	}
	if next := d.pictures.next(); next != nil {
		cmd = tea.Batch(cmd, next)
	}
	return d, cmd
}

func (d *Desk) hear(msg tea.Msg) tea.Cmd {
	d.Note.New = false
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.below.reflowed(msg.Width)
		d.Album.Wiped()
		wider := d.Width > 0 && msg.Width > d.Width
		d.Width, d.Height = msg.Width, msg.Height
		if wider && !d.below.shown() {
			return redrawn()
		}
	case tea.FocusMsg:
		d.watch.focus, d.Unseen = focused, false
		d.checkout.look(d.Dir, d.Clean)
	case tea.BackgroundColorMsg:
		if d.follows {
			d.ground(msg.IsDark())
		}
	case tea.ColorProfileMsg:
		if d.deep = msg.String() == "TrueColor"; d.deep {
			d.draws(d.Theme)
		}
	case tea.ResumeMsg:
		return d.pictures.again()
	case uv.PrimaryDeviceAttributesEvent:
		if d.asked.set(time.Time{}); d.left {
			return d.quit()
		}
		return d.pictures.hear(msg)
	case tea.TerminalVersionMsg, uv.CellSizeEvent, uv.KittyGraphicsEvent:
		return d.pictures.hear(msg)
	case tea.BlurMsg:
		d.watch.focus, d.Unseen = blurred, true
	case screen.Update:
		if msg == nil {
			return nil
		}
		return msg()
	case screen.ToTab:
		for _, t := range d.tabs {
			if t.id == msg.ID {
				return d.As(t.Page, func() tea.Cmd { return t.Update(msg.Msg) })
			}
		}
	case tea.KeyPressMsg:
		d.watch.typedOn = time.Now()
		return d.press(msg)
	case tea.ModeReportMsg:
		return d.counts(msg)
	default:
		if cmd, taken := d.pointer.hear(msg); taken {
			return cmd
		}
		if n := len(d.Dialogs); n > 0 {
			return d.Dialogs[n-1].Update(msg)
		}
		if p := d.current(); p != nil {
			return p.Update(d.inside(msg))
		}
	}
	return nil
}

// redrawn redraws the whole screen after a frame of its new width: the renderer assumes that columns added with
// that width are empty, and would leave there what the next page does not overwrite.
func redrawn() tea.Cmd {
	return tea.Tick(settleTime, func(time.Time) tea.Msg { return tea.ClearScreen() })
}

// press finds the receiver of a key: the dialog on top, the menu of the input, an action, or the page. A dialog
// does not prevent leaving.
func (d *Desk) press(k tea.KeyPressMsg) tea.Cmd {
	if n := len(d.Dialogs); n > 0 {
		a := d.keys.find(k, action.Anywhere)
		if a != nil && a.Name == "quit" && k.Text == "" && !slices.Contains(d.Dialogs, d.leaving) {
			if list, ok := d.Dialogs[n-1].(*dialog.Pick); ok {
				d.Pop(list)
			}
			return a.Do(d)
		}
		return d.Dialogs[n-1].Update(k)
	}
	if d.Note.Till.Before(time.Now()) {
		d.Note = screen.Note{}
	}
	if m, input := d.menu(); m != nil && m.Shown() && m.Key(k, input) {
		return nil
	}
	if a := d.keys.find(k, d.scope()); a != nil {
		return a.Do(d)
	}
	if at := d.scope(); k.String() == "?" && (at == action.InTree || at == action.InRun || at == action.InBoard) { // nothing is typed there
		return d.palette.help()
	}
	if p := d.current(); p != nil {
		return p.Update(k)
	}
	return nil
}

// inside converts mouse coordinates from the screen to the page.
func (d *Desk) inside(msg tea.Msg) tea.Msg {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		m.Y -= top(d)
		return m
	case tea.MouseMotionMsg:
		m.Y -= top(d)
		return m
	case tea.MouseReleaseMsg:
		m.Y -= top(d)
		return m
	case tea.MouseWheelMsg:
		m.Y -= top(d)
		return m
	}
	return msg
}

// answerTime is how long a terminal has to answer before we leave it: a later answer would appear after the
// prompt.
const answerTime = 500 * time.Millisecond

// quit ends the program.
func (d *Desk) quit() tea.Cmd {
	if d.left = true; d.Inline {
		return nil // once everything is printed
	}
	if wait := answerTime - time.Since(d.asked.since); !d.asked.since.IsZero() && wait > 0 {
		return tea.Tick(wait, func(time.Time) tea.Msg {
			return screen.Update(func() tea.Cmd { d.asked.since = time.Time{}; return d.quit() })
		})
	}
	return d.pictures.leave()
}

// leave ends the program, at once if nothing runs here.
func (d *Desk) leave() tea.Cmd {
	busy := d.Engine.Busy()
	if len(busy) == 0 {
		return d.quit()
	}
	d.leaving = newQuit(d)
	d.Push(d.leaving)
	return d.Away(func(context.Context) func() tea.Cmd { // it may end without anybody here noticing
		for _, root := range busy {
			d.Engine.Wait(root)
		}
		return dialog.Nothing
	})
}

// newQuit asks before running work is stopped.
func newQuit(d *Desk) *dialog.Choice {
	c := dialog.New(d.Screen, "Quit?", func(w int) []string {
		out, more := line.Wrap("Still running:", w), len(d.Engine.Busy())
		for _, t := range d.tabs {
			if m := t.State().Mark; m == screen.Working || m == screen.Waiting {
				more--
				out = append(out, line.Clip("  "+tabMarks[m]+" "+line.One(d.Clean(t.Title())), w))
			}
		}
		if more > 0 {
			out = append(out, line.Wrap("  "+spelling.Many(more, "job")+" in the background; /runs lists runs of plans", w)...)
		}
		return append(out, line.Wrap("If you quit, it stops. Everything so far is saved and can be resumed.", w)...)
	})
	c.Offer("y", "quit", d.quit)
	c.Offer("n", "stay", dialog.Nothing)
	return c
}
