package runpage

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/queue"
)

// Board shows the runs of all projects by progress, and the queued prompts.
type Board struct {
	d      *screen.Screen
	openTo func(run string) tea.Cmd
	cards  []card
	idle   map[string]bool // queues with prompts that no process works on, by project
	at     int
	top    int
	loaded bool
	gone   string
}

// card is a run or a queued prompt.
type card struct {
	column string
	run    *runs.Info
	prompt *queue.Item
	dir    string
}

// NewBoard returns the board; open shows a run.
func NewBoard(d *screen.Screen, open func(run string) tea.Cmd) *Board {
	return &Board{d: d, openTo: open}
}

// renewed is the interval at which the visible board is reread.
const renewed = 2 * time.Second

// Load reads the board, repeatedly while it is shown.
func (b *Board) Load() tea.Cmd {
	e := b.d.Engine
	return b.d.Away(func(ctx context.Context) func() tea.Cmd {
		all, err := runs.In(e).List(ctx, "")
		var waiting []queues.Info
		if err == nil {
			waiting, err = queues.In(e).List(ctx, "")
		}
		return func() tea.Cmd {
			if b.gone = ""; err != nil {
				b.gone, _ = b.d.Explain(err)
			} else {
				b.take(all, waiting)
			}
			if !b.d.Desk.Holds(b) {
				return nil
			}
			return tea.Tick(renewed, func(time.Time) tea.Msg { return screen.Update(b.again) })
		}
	})
}

// again reads the board again if it is shown, and otherwise checks later.
func (b *Board) again() tea.Cmd {
	switch {
	case !b.d.Desk.Holds(b):
		return nil
	case b.d.Desk.Shown() == screen.Page(b) && !b.d.Unseen:
		return b.Load()
	}
	return tea.Tick(renewed, func(time.Time) tea.Msg { return screen.Update(b.again) })
}

func (b *Board) take(all []runs.Info, waiting []queues.Info) {
	b.cards, b.idle, b.loaded = nil, map[string]bool{}, true
	for _, column := range runs.Columns {
		for _, r := range all {
			if r.Column() == column {
				b.cards = append(b.cards, card{column: column, run: &r, dir: r.Dir})
			}
		}
		for _, q := range waiting {
			for _, i := range q.Items {
				if column == runs.ToDo && i.State == queue.Waiting {
					b.idle[q.Dir] = !q.Running
					b.cards = append(b.cards, card{column: column, prompt: &i, dir: q.Dir})
				}
			}
		}
	}
	b.at = max(0, min(b.at, len(b.cards)-1))
}

// Draw draws the columns one below the other, each with its cards.
func (b *Board) Draw(w, h int) ([]string, *tea.Cursor) {
	t := b.d.Theme
	switch {
	case b.gone != "":
		return box.Fill(append([]string{""}, line.Edged(line.Inked(t.Bad, line.Wrap(b.gone, w-2*line.Margin)))...), w, h), nil
	case b.loaded && len(b.cards) == 0:
		text := "No runs yet. /do TEXT in a conversation goes from a request to merged code; /queue add TEXT queues it for later."
		return box.Fill(append([]string{""}, line.Edged(line.Inked(t.Dim, line.Wrap(text, w-2*line.Margin)))...), w, h), nil
	}
	var out []string
	chosen := 0
	for _, column := range runs.Columns {
		count := 0
		for _, c := range b.cards {
			if c.column == column {
				count++
			}
		}
		out = append(out, "  "+theme.Bold.On(strings.ToUpper(column[:1])+column[1:])+t.Dim.On(fmt.Sprintf(" (%d)", count)))
		for i, c := range b.cards {
			if c.column != column {
				continue
			}
			if i == b.at {
				chosen = len(out)
			}
			out = append(out, b.row(c, w-2*line.Margin, i == b.at))
		}
		out = append(out, "")
	}
	b.top = max(0, min(max(min(b.top, chosen-1), chosen-h+2), len(out)-h))
	return box.Fill(out[b.top:], w, h), nil
}

// row draws a card: its title at the left, its state at the right.
func (b *Board) row(c card, w int, chosen bool) string {
	t := b.d.Theme
	mark, ink, title, state := line.Sign(t, "○", ""), t.Dim, "", ""
	if r := c.run; r != nil {
		title = cmp.Or(r.Title, r.Name)
		switch state = r.Word(); {
		case r.Running:
			mark, ink = line.Sign(t, "●", ""), t.Focus
		case r.Accepted:
			mark, ink = line.Sign(t, "✓", ""), t.Good
		case r.Stopped != nil:
			state, mark, ink = "failed: "+r.Stopped.Why, line.Sign(t, "✗", ""), t.Bad
		case r.State == work.Failed:
			mark, ink = line.Sign(t, "✗", ""), t.Bad
		case r.State == work.Person:
			state, mark, ink = "needs you", line.Sign(t, "?", ""), t.Warn
		case r.State == work.Done:
			mark, ink = line.Sign(t, "✓", ""), t.Good
		}
		if r.Tasks > 0 {
			state = fmt.Sprintf("%d/%d · %s", r.Done, r.Tasks, state)
		}
	} else {
		title, state = c.prompt.Title(), fmt.Sprintf("queued as prompt %d", c.prompt.Number)
	}
	state = line.Clip(line.One(b.d.Clean(state+" · "+filepath.Base(c.dir))), max(12, w/2))
	title = line.Clip(line.One(b.d.Clean(title)), max(6, w-line.Wide(mark)-line.Wide(state)-3))
	gap := strings.Repeat(" ", max(2, w-line.Wide(mark)-1-line.Wide(title)-line.Wide(state)))
	if chosen {
		return "  " + t.Chosen.On(line.Clip(line.Sign(t, "", "chosen: ")+mark+" "+title+gap+state, w))
	}
	return line.Clip("  "+ink.On(mark)+" "+title+gap+t.Dim.On(state), w+2)
}

// BoardActions are the actions of the board.
func BoardActions() []action.Action[*Board] {
	step := func(by int) func(*Board) tea.Cmd {
		return func(b *Board) tea.Cmd { b.at = max(0, min(b.at+by, len(b.cards)-1)); return nil }
	}
	return []action.Action[*Board]{
		{Name: "board-up", Doc: "Previous run", Keys: []string{"up", "k"}, Do: step(-1)},
		{Name: "board-down", Doc: "Next run", Keys: []string{"down", "j"}, Do: step(1)},
		{Name: "board-open", Doc: "Open the run", Keys: []string{"enter"}, Do: (*Board).open},
		{Name: "board-queue", Doc: "Run the project's queued prompts, or stop after the running one", Keys: []string{"p"},
			Also: "/queue run", Do: (*Board).queue},
		{Name: "board-drop", Doc: "Take the prompt out of the queue", Keys: []string{"x"}, Also: "/queue drop", Do: (*Board).drop},
	}
}

// card returns the selected one; nil: none.
func (b *Board) card() *card {
	if b.at >= len(b.cards) {
		return nil
	}
	return &b.cards[b.at]
}

func (b *Board) open() tea.Cmd {
	c := b.card()
	if c == nil || c.run == nil {
		b.d.Tell("this prompt has not started; " + b.d.Keys.Key("board-queue") + " runs the queue")
		return nil
	}
	return b.openTo(c.run.Name)
}

// queue runs the queue of the selected project in this process, or stops the process that does before its next
// prompt.
func (b *Board) queue() tea.Cmd {
	c := b.card()
	if c == nil {
		return nil
	}
	if idle, some := b.idle[c.dir]; some && !idle {
		return b.d.Do(queues.Stop{Dir: c.dir}, b.told("the queue stops after the running prompt"))
	}
	return b.d.Do(queues.Run{Dir: c.dir}, b.told("running the queued prompts of "+filepath.Base(c.dir)))
}

func (b *Board) drop() tea.Cmd {
	c := b.card()
	if c == nil || c.prompt == nil {
		b.d.Tell("only queued prompts can be dropped; to delete a run: socrates work rm")
		return nil
	}
	return b.d.Do(queues.Drop{Dir: c.dir, Number: c.prompt.Number}, b.told(fmt.Sprintf("dropped prompt %d", c.prompt.Number)))
}

// told reports what was done and reads the board again.
func (b *Board) told(text string) func(error) tea.Cmd {
	return func(err error) tea.Cmd {
		if err != nil {
			return nil
		}
		b.d.Tell(text)
		return b.Load()
	}
}

// Update handles the wheel.
func (b *Board) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		b.at = max(0, min(b.at+map[bool]int{true: -1, false: 1}[m.Button == tea.MouseWheelUp], len(b.cards)-1))
	}
	return nil
}

// Parts returns the keys.
func (b *Board) Parts() []screen.Part {
	out := []screen.Part{{Text: "all projects"}}
	for i, a := range []struct{ action, word string }{{"board-open", "open"}, {"board-queue", "run the queue"}, {"board-drop", "drop"}} {
		if key := b.d.Keys.Key(a.action); key != "" {
			out = append(out, screen.Part{Text: key + " " + a.word, Rank: i + 4, Right: true})
		}
	}
	return append(out, b.d.Keys.Help())
}

// Kept identifies the board.
func (b *Board) Kept() screen.Kept { return screen.Kept{Page: "runs"} }

// Title returns the title of the tab.
func (b *Board) Title() string { return "runs" }

// Zone returns the whole page.
func (b *Board) Zone(_, _ int, all scroll.Zone) scroll.Zone { return all }

// State returns the scope of the keys.
func (b *Board) State() screen.State { return screen.State{Where: action.InBoard} }

// Renamed does nothing: it is for conversations.
func (b *Board) Renamed(string, string) tea.Cmd { return nil }

// Close has nothing to end: rereading checks whether the board still exists.
func (b *Board) Close() {}
