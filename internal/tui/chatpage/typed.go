package chatpage

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash"
)

// typedLine is a line typed after a number of entries.
type typedLine struct {
	text   string
	behind int
}

// history sets the lines for the up arrow: those typed here, and before them those typed in the project.
func (tn *turnRunner) history() {
	var said []string
	lines := tn.lines
	for i, e := range tn.p.scene.Entries {
		for len(lines) > 0 && lines[0].behind <= i {
			said, lines = append(said, lines[0].text), lines[1:]
		}
		if e.Sort == scene.Said {
			said = append(said, e.Text)
		}
	}
	for _, l := range lines {
		said = append(said, l.text)
	}
	here := map[string]bool{}
	for _, text := range said {
		here[text] = true
	}
	before := slices.DeleteFunc(slices.Clone(tn.p.d.Typed), func(text string) bool { return here[text] })
	tn.p.input.History(append(before, said...))
}

// remember stores a line that no message of the conversation will show: a command, or one for the shell. A
// command is found again in every conversation of the project; a shell command is recorded with its output.
// then runs afterwards.
func (tn *turnRunner) remember(text string, then tea.Cmd) tea.Cmd {
	_, _, command := slash.Parse(text)
	if !command && !strings.HasPrefix(text, slash.Shell) {
		return then
	}
	tn.lines = append(tn.lines, typedLine{text, len(tn.p.scene.Entries)})
	if !command {
		return then
	}
	d, op := tn.p.d, conversation.Typed{Dir: tn.p.env.Dir, Text: tn.p.d.Redact(text)}
	return func() tea.Msg {
		d.Engine.Do(d.Ctx, op) // other writes report a store that cannot be written
		if then == nil {
			return nil
		}
		return then()
	}
}
