package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// mostTyped is how many lines typed here are offered again.
const mostTyped = 1000

// mostBefore is how many of them the up arrow offers.
const mostBefore = 200

// typedBefore reads the lines typed in this project before.
func (d *Desk) typedBefore() tea.Cmd {
	d.Reading = make(chan struct{})
	return d.Away(func(ctx context.Context) func() tea.Cmd {
		all, err := conversation.In(d.Engine).History(ctx, d.Dir, mostBefore)
		return func() tea.Cmd {
			d.Fail(err)
			for _, t := range slices.Backward(all) {
				d.Typed = append(d.Typed, t.Text)
			}
			close(d.Reading)
			return nil
		}
	})
}

// typed offers every line typed in this project, to put it into the input.
func (d *Desk) typed() tea.Cmd {
	input := d.input()
	if input == nil {
		d.Tell("this page takes no input")
		return nil
	}
	return d.Away(func(ctx context.Context) func() tea.Cmd {
		all, err := conversation.In(d.Engine).History(ctx, d.Dir, mostTyped)
		return func() tea.Cmd {
			if err != nil {
				d.Fail(err)
				return nil
			}
			d.Push(d.typedPick(all, input))
			return nil
		}
	})
}

func (d *Desk) typedPick(all []conversation.Input, input *editor.Editor) *dialog.Pick {
	var items []picker.Item
	for _, text := range slices.Backward(d.Spare) {
		items = append(items, picker.Item{Title: line.One(d.Clean(text)), Note: "not sent", Value: text})
	}
	for _, t := range all {
		items = append(items, picker.Item{Title: line.One(d.Clean(t.Text)), Note: line.Age(time.Since(t.At)), Value: t.Text})
	}
	p := dialog.NewPick(d.Screen, "Input history", items, func(i picker.Item) tea.Cmd { d.TakeDraft(input, i.Value.(string)); return nil })
	p.List.Nothing = "nothing typed here yet"
	p.List.Preview = func(i picker.Item, w, h int) []string {
		lines := line.Wrap(d.Clean(i.Value.(string)), w)
		return lines[:min(h, len(lines))]
	}
	p.List.Filter(strings.TrimSpace(input.FirstLine()))
	return p
}

// input returns the input of the current page; nil: none.
func (d *Desk) input() *editor.Editor {
	if p := d.current(); p != nil {
		return p.State().Input
	}
	return nil
}
