package tui

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Start says what a screen begins with.
type Start struct {
	Tabs []Kept // none: a new conversation
}

// Run shows the screen until the person leaves, and says which pages were open then.
func Run(ctx context.Context, w Wiring, s Start, options ...tea.ProgramOption) ([]Kept, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := New(ctx, w)
	program := tea.NewProgram(d, append([]tea.ProgramOption{tea.WithContext(ctx)}, options...)...)
	d.send, d.clock.program = program.Send, program
	back := d.restore(s.Tabs)
	if w.Said != nil {
		defer w.Said(func(text string) { program.Send(turn(func() tea.Cmd { d.tell(text); return nil })) })()
	}
	go program.Send(turn(func() tea.Cmd { return back }))
	_, err := program.Run()
	for _, t := range d.tabs {
		t.Close()
	}
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() == nil {
		err = nil
	}
	return d.kept(), err
}

// editText opens the person's editor on a text.
func editText(d *Desk, text string, then func(text string)) tea.Cmd {
	f, err := os.CreateTemp("", "socrates-*.md")
	if err != nil {
		d.fail(err)
		return nil
	}
	name := f.Name()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		d.fail(err)
		return nil
	}
	words := append(strings.Fields(d.Editor), name)
	return tea.ExecProcess(exec.Command(words[0], words[1:]...), func(err error) tea.Msg {
		return turn(func() tea.Cmd {
			defer os.Remove(name)
			raw, lost := os.ReadFile(name)
			if err = errors.Join(err, lost); err != nil {
				d.fail(err)
				return nil
			}
			then(strings.TrimRight(string(raw), "\n"))
			return nil
		})
	})
}
