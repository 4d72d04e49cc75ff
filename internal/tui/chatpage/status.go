package chatpage

import (
	"cmp"
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Parts are what the line at the bottom says of the conversation. Who answers and what they may do stay longest.
func (p *Page) Parts() []screen.Part {
	name, tier := p.who.Called(p.Setting("model"), p.Setting("phase"))
	_, model, _ := strings.Cut(name, ":")
	var out []screen.Part
	if p.reads.part { // what was set is not known yet
		return []screen.Part{{Text: "loading the conversation…", Short: "reading…", Rank: 1}}
	}
	if p.theirs { // first: it must be seen where there is little room
		dot := line.Sign(p.d.Theme, "● ", "")
		out = append(out, screen.Part{Text: dot + "at work in another process", Short: dot + "at work elsewhere", Rank: 2})
	} else if p.running() {
		dot := line.Sign(p.d.Theme, "● ", "")
		out = append(out, screen.Part{Text: dot + "working, " + p.d.Keys.Key("chat-stop") + " ends it", Short: dot + "working", Rank: 2})
	}
	out = append(out, screen.Part{Text: cmp.Or(name, "no model"), Short: cmp.Or(model, name, "no model"), Rank: 5}, screen.Part{Text: tier, Rank: 6},
		screen.Part{Text: cmp.Or(p.Setting("phase"), "chat"), Rank: 3}, screen.Part{Text: cmp.Or(p.Setting("mode"), "balanced"), Rank: 1})
	if b := p.scene.Tree.Branch; b != "" {
		out = append(out, screen.Part{Text: "⎇ " + line.One(p.d.Clean(b)), Rank: 8})
	}
	if p.scene.Window > 0 {
		out = append(out, screen.Part{Text: line.Count(p.scene.Window) + " tokens", Rank: 9, Right: true})
	}
	out = append(out, screen.Part{Text: money(p.scene.Spent), Rank: 4, Right: true})
	return append(out, screen.Part{Text: cmp.Or(p.d.Keys.Key("help"), "/help") + " help", Rank: 7, Right: true})
}

// hints are what an empty input says of a conversation: nothing where there is nothing but to type.
func (p *Page) hints() []string {
	switch {
	case p.list.chosen >= 0:
		return []string{"enter open", "y copy", "f fork here", "esc back"}
	case p.running():
		return []string{"what you type is sent to the running turn"}
	case p.side.at >= 0:
		return []string{"enter open", "x remove from context", "esc back"}
	}
	return nil
}
