package chatpage

import (
	"cmp"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Parts returns the conversation's parts of the status line: at the left mode and model, at the right usage and
// keys. The mode stays longest.
func (p *Page) Parts() []screen.Part {
	t := p.d.Theme
	name, tier := p.who.Called(p.Setting("model"), p.Setting("phase"))
	_, model, _ := strings.Cut(name, ":")
	var out []screen.Part
	if p.reads.part { // the settings are not known yet
		return []screen.Part{{Text: "loading the conversation…", Short: "reading…", Rank: 1}}
	}
	keys := []screen.Part{{Text: "/ commands", Rank: 10, Right: true},
		p.d.Keys.Help()}
	if p.start.shown() && p.input.Empty() && len(p.start.offers()) > 0 && !t.Plain {
		keys = append([]screen.Part{{Text: "↑↓ choose · enter start", Rank: 9, Right: true}}, keys...)
	}
	switch {
	case p.theirs: // it must be visible even with little room
		dot := line.Sign(t, "● ", "")
		out = append(out, screen.Part{Text: dot + "running in another process", Short: dot + "running elsewhere", Rank: 2})
	case p.ask != nil:
		out = append(out, screen.Part{Text: t.Warn.On("? Waiting for you"), Short: t.Warn.On("? You"), Rank: 2})
	case p.running():
		keys = append([]screen.Part{{Text: "esc stop", Rank: 2, Right: true}}, keys...)
		key := p.d.Keys.Key("chat-background")
		if _, runs := p.list.command(); runs && key != "" && !p.list.since.IsZero() && time.Since(p.list.since) >= slow {
			keys = append([]screen.Part{{Text: key + " background", Rank: 9, Right: true}}, keys...)
		}
		turns, stands := line.Sign(t, t.Focus.On(p.list.spin())+" ", ""), line.Sign(t, t.Focus.On("●"), "working")
		out = append(out, screen.Part{Text: turns + "working", Short: stands, Rank: 4})
	}
	out = append(out, screen.Part{Text: modeInk(t, cmp.Or(p.scene.Mode, p.who.Mode(p.Setting("mode"), p.Setting("phase")))), Rank: 1})
	if phase := cmp.Or(p.Setting("phase"), "chat"); phase != "chat" {
		out = append(out, screen.Part{Text: phase, Rank: 5})
	}
	out = append(out, screen.Part{Text: cmp.Or(name, "no model"), Short: cmp.Or(model, name, "no model"), Rank: 7},
		screen.Part{Text: tier, Rank: 9})
	if b := p.scene.Tree.Branch; b != "" && b != "main" {
		out = append(out, screen.Part{Text: "branch " + line.One(p.d.Clean(b)), Rank: 8})
	}
	return append(append(out, p.used()...), keys...)
}

// used returns how much of the model's window the conversation fills, and its cost.
func (p *Page) used() []screen.Part {
	text, ink := "", theme.Ink("")
	if n := p.scene.Window; n > 0 {
		text = line.Count(n)
		if of := p.who.Window(p.Setting("model"), p.Setting("phase")); of > 0 {
			text += " of " + line.Count(of) + line.Sign(p.d.Theme, "", " in context")
			if n*10 >= of*8 {
				ink, text = p.d.Theme.Warn, text+" /compact"
			}
		} else {
			text += " in context"
		}
	}
	return []screen.Part{{Text: ink.On(text), Rank: 6, Right: true}, {Text: money(p.scene.Spent), Rank: 5, Right: true}}
}

// modeInk draws the name of a mode in its colour: how much may run without approval matters most.
func modeInk(t theme.Theme, mode string) string {
	switch mode {
	case "plan":
		return t.Focus.On(mode)
	case "paranoid":
		return t.Good.On(mode)
	case yolo:
		return t.Danger.On(" " + mode + " ")
	}
	return mode
}

// hints returns the hints of an empty input: none if a person can only type.
func (p *Page) hints() []string {
	switch {
	case p.d.Plain: // what is read aloud is what was typed
		return nil
	case p.list.chosen >= 0:
		if len(p.list.code(p.list.chosen)) > 0 {
			return []string{"enter open", "y copy", "c copy code", "f fork here", "esc back"}
		}
		return []string{"enter open", "y copy", "f fork here", "esc back"}
	case p.running():
		return []string{"Send a follow-up"}
	case p.side.at >= 0:
		return []string{"enter open", "x remove from context", "esc back"}
	}
	if len(p.list.items) == 0 {
		return []string{"Ask anything", "/ commands", "@ files", "! shell"}
	}
	return []string{"Send a message"}
}
