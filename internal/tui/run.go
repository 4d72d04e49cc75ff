package tui

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/crash"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/keyboard"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Start holds the options of this start of the program, and what the screen begins with.
type Start struct {
	Tabs []Kept
	New  bool // a new conversation comes before them; without tabs there always is one
	Dir  string
	// Turn applies to every turn that begins here: limits, tools.
	Turn turns.Manner
	// Begin are settings of conversations that begin here: mode, phase.
	Begin map[string]string
	// Model and Tier were requested; empty: they were not.
	Model, Tier string
	// Editor is the command of the person's editor.
	Editor string
	// Follows makes the theme dark or light like the terminal's background.
	Follows bool
	// Version is that of the program; empty: help does not name it.
	Version string
	// Keys are the keys the person chose, by action.
	Keys map[string][]string
	// Terminal is where the person types; nil: as the options say.
	Terminal *os.File
	// Keeps saves the open pages for the next start; nil: they are not saved.
	Keeps *Tabs
	// Above receives the program's messages while the screen is open; nil: there are none.
	Above *atomic.Pointer[func(string)]
	// Owes is called when the terminal was asked something, and when it has answered; nil: not needed.
	Owes func(answer bool)
}

// KeepTitle makes a terminal remember its window's title, and BackTitle restores it; those that cannot do
// nothing.
const (
	KeepTitle = "\x1b[22;2t"
	BackTitle = "\x1b[23;2t"
)

// Reset undoes what a screen changes in a terminal, for a screen that could not do so itself.
func Reset(inline bool) string {
	all := ansi.ResetModeSynchronizedOutput + ansi.ResetStyle + ansi.ResetModeBracketedPaste + ansi.ResetModeFocusEvent +
		ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent +
		ansi.ResetModeMouseExtSgr + ansi.ResetModeUnicodeCore + ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1) +
		ansi.SetModeTextCursorEnable + ansi.SetCursorStyle(0) + BackTitle
	if inline {
		return all + "\r\n" + ansi.EraseScreenBelow
	}
	return all + ansi.ResetModeAltScreenSaveCursor
}

// Run shows the screen until the person leaves, and returns the pages open at the end.
func Run(ctx context.Context, w Wiring, s Start, options ...tea.ProgramOption) ([]Kept, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := New(ctx, w, s)
	d.asked.owes = s.Owes
	if s.Terminal != nil {
		if ahead := keyboard.NewAhead(s.Terminal); ahead != nil {
			options = append(options, tea.WithInput(ahead))
		}
	}
	program := tea.NewProgram(d, append([]tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(),
		tea.WithFilter(consoleKeys())}, options...)...)
	d.Send, d.clock.program = program.Send, program
	ended := d.onSignals(program)
	back := tea.Batch(d.keeping.restore(s), d.typedBefore(), died(d))
	if s.Above != nil {
		hear := func(text string) { program.Send(screen.Update(func() tea.Cmd { d.Tell(text); return nil })) }
		s.Above.Store(&hear)
		defer s.Above.Store(nil)
	}
	go program.Send(screen.Update(func() tea.Cmd { return back }))
	_, err := program.Run()
	for _, t := range d.tabs {
		t.Close()
	}
	switch by := ended(); {
	case by != nil:
		err = by
	case errors.Is(err, tea.ErrProgramPanic):
		err = &crash.Fault{Text: ErrFault.Error(), File: crash.Last(), Err: ErrFault}
	case errors.Is(err, tea.ErrProgramKilled) && ctx.Err() == nil: // nothing can be read or written any more
		err = &Ended{syscall.SIGHUP}
	}
	d.keeping.takeBack()
	kept := d.keeping.withDrafts()
	if w.Terminal.Board != nil {
		var drafts []string
		for _, k := range kept {
			drafts = append(drafts, k.Draft)
		}
		w.Terminal.Board.Close(drafts...) // what cannot be removed is removed by a later one
	}
	return kept, err
}
