package tui

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Status is what the line at the bottom says of the conversation.
func (p *chatPage) Status() (left, right string) {
	if p.reads.part {
		return "reading what was said before…", ""
	}
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

// sideBar is the column at the right: what is in the context, what is to be done, what was changed, who sits at the
// table, what it cost.
func (p *chatPage) sideBar(w, h int) []string {
	t := p.d.Theme
	var out []string
	section := func(title string, lines []string, most int) {
		if len(lines) == 0 {
			return
		}
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, theme.Bold.On(clip(title, w)))
		for i, l := range lines {
			if i == most {
				out = append(out, t.Dim.On(fmt.Sprintf("… %d more", len(lines)-i)))
				break
			}
			out = append(out, clip(l, w))
		}
	}
	clean := func(lines []string) (all []string) {
		for _, l := range lines {
			all = append(all, oneLine(p.d.Clean(l)))
		}
		return all
	}
	section("To do", clean(p.scene.Todo), max(4, h/3))
	section("In the context", clean(p.scene.Files()), 8)
	changed := clean(p.scene.Changed)
	for i, j := 0, len(changed)-1; i < j; i, j = i+1, j-1 {
		changed[i], changed[j] = changed[j], changed[i]
	}
	section("Changed files", changed, 8)
	var cost []string
	for _, s := range p.scene.Spent {
		cost = append(cost, fmt.Sprintf("%s: %s, %s", oneLine(p.d.Clean(s.Model)), spelling.Many(s.Calls, "call"), s.Money()))
	}
	section("Seats", clean(p.atTheTable()), 6)
	section("Cost", cost, 6)
	if len(out) == 0 {
		out = []string{t.Dim.On(clip("files, things to do and", w)), t.Dim.On(clip("changes are shown here", w))}
	}
	return out
}

// atTheTable are the seats of the debates that this conversation asked, as they are now; without one those that were chosen
// for the next.
func (p *chatPage) atTheTable() (out []string) {
	for _, t := range p.d.tabs {
		if q, ok := t.page.(*debatePage); ok && q.back != "" && q.back == p.env.Tree {
			for _, s := range q.scene.Seats {
				out = append(out, seatMark(s)+" "+s.Info.ID)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, s := range p.d.seats {
		out = append(out, "○ "+s)
	}
	return out
}
