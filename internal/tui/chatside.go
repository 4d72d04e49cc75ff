package tui

import (
	"cmp"
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/line"
)

// parts are what the line at the bottom says of the conversation. Who answers and what they may do stay longest.
func (p *chatPage) parts() []part {
	name, tier := p.d.named(p.setting("model"), p.setting("phase"))
	_, model, _ := strings.Cut(name, ":")
	var out []part
	if p.reads.part { // what was set is not known yet
		return []part{{text: "reading what was said before…", short: "reading…", rank: 1}}
	}
	if p.theirs { // first: it must be seen where there is little room
		dot := line.Sign(p.d.Theme, "● ", "")
		out = append(out, part{text: dot + "at work in another process", short: dot + "at work elsewhere", rank: 2})
	} else if p.running() {
		dot := line.Sign(p.d.Theme, "● ", "")
		out = append(out, part{text: dot + "working, " + p.d.keys.key("chat-stop") + " ends it", short: dot + "working", rank: 2})
	}
	out = append(out, part{text: cmp.Or(name, "no model"), short: cmp.Or(model, name, "no model"), rank: 5}, part{text: tier, rank: 6},
		part{text: cmp.Or(p.setting("phase"), "chat"), rank: 3}, part{text: cmp.Or(p.setting("mode"), "balanced"), rank: 1})
	if b := p.scene.Tree.Branch; b != "" {
		out = append(out, part{text: "⎇ " + line.One(p.d.Clean(b)), rank: 8})
	}
	if p.scene.Window > 0 {
		out = append(out, part{text: line.Count(p.scene.Window) + " tokens", rank: 9, right: true})
	}
	out = append(out, part{text: money(p.scene.Spent), rank: 4, right: true})
	return append(out, part{text: cmp.Or(p.d.keys.key("help"), "/help") + " help", rank: 7, right: true})
}

// hints are what an empty input says of a conversation: nothing where there is nothing but to type.
func (p *chatPage) hints() []string {
	switch {
	case p.chosen >= 0:
		return []string{"enter opens it", "y copies it", "f begins a branch there", "esc goes back"}
	case p.running():
		return []string{"what you type is sent to the running turn"}
	case p.beside >= 0:
		return []string{"enter opens it", "x takes a file of the context away", "esc goes back"}
	}
	return nil
}
