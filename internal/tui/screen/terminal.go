package screen

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/engine"
)

// Lend gives the terminal to a program; then is called with its error on the screen's own goroutine.
func (s *Screen) Lend(c *exec.Cmd, then func(err error) tea.Cmd) tea.Cmd {
	s.Lent.Store(true)
	if c.Stdin == nil {
		c.Stdin = os.Stdin // not our reader of it, which would take the program's input
	}
	return tea.ExecProcess(c, func(err error) tea.Msg {
		s.Lent.Store(false)
		return Update(func() tea.Cmd { return then(err) })
	})
}

// EditText opens a text in the person's editor.
func (s *Screen) EditText(text string, then func(text string)) tea.Cmd {
	f, err := os.CreateTemp("", "socrates-*.md")
	if err != nil {
		s.Fail(err)
		return nil
	}
	name := f.Name()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		s.Fail(err)
		return nil
	}
	words := append(strings.Fields(s.Editor), name)
	return s.Lend(exec.Command(words[0], words[1:]...), func(err error) tea.Cmd {
		defer os.Remove(name)
		if err != nil {
			s.Fail(&engine.Refusal{Message: "the editor failed; your input is unchanged: " + s.Editor + ": " + err.Error(),
				Hint: "screen.editor sets another one", Err: err})
			return nil
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			s.Fail(err)
			return nil
		}
		then(strings.TrimRight(string(raw), "\n"))
		return nil
	})
}

// copyTime is how long tmux may take.
const copyTime = 2 * time.Second

// Copy copies a text to the terminal's clipboard, also over SSH (OSC 52). tmux blocks that unless configured
// otherwise, so inside it tmux itself is asked.
func (s *Screen) Copy(text string) tea.Cmd {
	if !s.Tmux {
		return tea.SetClipboard(text)
	}
	return s.Away(func(ctx context.Context) func() tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, copyTime)
		defer cancel()
		c := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
		c.Stdin = strings.NewReader(text)
		err := c.Run()
		return func() tea.Cmd {
			if err != nil {
				return tea.SetClipboard(text)
			}
			return nil
		}
	})
}

// Paste reads the clipboard of the person's desktop; then is called with the text to type for its content. The
// terminal's own clipboard has no pictures, and few terminals let a program read it.
func (s *Screen) Paste(then func(text string) tea.Cmd) tea.Cmd {
	if s.Board == nil {
		return nil
	}
	return s.Away(func(ctx context.Context) func() tea.Cmd {
		text, err := s.Board.Paste(ctx)
		return func() tea.Cmd {
			if err != nil {
				s.Fail(err)
				return nil
			}
			return then(text)
		}
	})
}

// Countable removes the modifiers of emoji from a text if the terminal counts cells by letter: it and we would
// disagree on the width. A terminal reports that right after the start.
func (s *Screen) Countable(text string) string {
	if s.Cells == ansi.GraphemeWidth || !strings.ContainsAny(text, modifiers) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(modifiers, r) {
			return -1
		}
		return r
	}, text)
}

// modifiers mark a sign as an emoji, set its skin tone, or join two.
const modifiers = "\u200d\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff\u20e3"
