package tui

import (
	"context"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

type once struct {
	program *tea.Program
	found   bool
}

func (o *once) Init() tea.Cmd { return tea.Quit }

func (o *once) Update(tea.Msg) (tea.Model, tea.Cmd) { return o, nil }

func (o *once) View() tea.View {
	o.found = beatOf(o.program) != nil
	return tea.NewView("")
}

// A new version of Bubble Tea may keep its clock elsewhere: then it would tick for ever.
func TestClockIsFound(t *testing.T) {
	o := &once{}
	o.program = tea.NewProgram(o, tea.WithContext(context.Background()), tea.WithInput(strings.NewReader("")), tea.WithOutput(io.Discard))
	if _, err := o.program.Run(); err != nil || !o.found {
		t.Errorf("the clock of the renderer was not found (%v)", err)
	}
}
