package tui

import (
	"cmp"
	"strings"
)

// Status is what the line at the bottom says of the conversation.
func (p *chatPage) Status() (left, right string) {
	parts := []string{cmp.Or(p.setting("model"), "no model"), cmp.Or(p.setting("phase"), "chat"), cmp.Or(p.setting("mode"), "balanced")}
	if b := p.scene.Tree.Branch; b != "" {
		parts = append(parts, "⎇ "+b)
	}
	if p.theirs { // first: it must be seen where there is little room
		parts = append([]string{sign(p.d.Theme, "● ", "") + "at work in another process"}, parts...)
	} else if p.running() {
		parts = append([]string{sign(p.d.Theme, "● ", "") + "working, " + p.d.keys.key("chat-stop") + " ends it"}, parts...)
	}
	var costs []string
	if p.scene.Window > 0 {
		costs = append(costs, count(p.scene.Window)+" tokens")
	}
	if m := money(p.scene.Spent); m != "" {
		costs = append(costs, m)
	}
	return oneLine(p.d.Clean(strings.Join(parts, " · "))), strings.Join(append(costs, cmp.Or(p.d.keys.key("help"), "/help")+" help"), " · ")
}
