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
	Tabs []Kept // the last one is shown; none: a new conversation
}

// Run shows the screen until the person leaves, and says which pages were open then.
func Run(ctx context.Context, w Wiring, s Start, options ...tea.ProgramOption) ([]Kept, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := New(ctx, w)
	program := tea.NewProgram(d, append([]tea.ProgramOption{tea.WithContext(ctx)}, options...)...)
	d.send = program.Send
	var cmds []tea.Cmd
	for _, k := range s.Tabs {
		switch k.Page {
		case "chat":
			cmds = append(cmds, d.openChat(k.Name))
		case "debate":
			cmds = append(cmds, d.openDebate(k.Name))
		case "tree":
			cmds = append(cmds, d.openTree(k.Name))
		}
	}
	if len(d.tabs) == 0 {
		d.open(d.newChat)
	}
	go program.Send(turn(func() tea.Cmd { return tea.Batch(cmds...) }))
	_, err := program.Run()
	for _, t := range d.tabs {
		t.Close()
	}
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() == nil {
		err = nil
	}
	return d.kept(), err
}

// kept are the pages that are open, the one that is shown last.
func (d *Desk) kept() (out []Kept) {
	var shown *Kept
	for i, t := range d.tabs {
		k := t.Kept()
		if k == (Kept{}) {
			continue
		}
		if i == d.at {
			shown = &k
		}
		out = append(out, k)
	}
	_ = shown
	return out
}

// command carries out a line that is a command of the screen itself; ok is false of one that is not.
func (d *Desk) command(line string) (cmd tea.Cmd, ok bool) { return nil, false }

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
