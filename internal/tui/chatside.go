package tui

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// parts are what the line at the bottom says of the conversation. Who answers and what they may do stay longest.
func (p *chatPage) parts() []part {
	name, tier := p.d.named(p.setting("model"), p.setting("phase"))
	_, model, _ := strings.Cut(name, ":")
	var out []part
	if p.theirs { // first: it must be seen where there is little room
		dot := sign(p.d.Theme, "● ", "")
		out = append(out, part{text: dot + "at work in another process", short: dot + "at work elsewhere", rank: 2})
	} else if p.running() {
		dot := sign(p.d.Theme, "● ", "")
		out = append(out, part{text: dot + "working, " + p.d.keys.key("chat-stop") + " ends it", short: dot + "working", rank: 2})
	}
	out = append(out, part{text: cmp.Or(name, "no model"), short: cmp.Or(model, name, "no model"), rank: 5}, part{text: tier, rank: 6},
		part{text: cmp.Or(p.setting("phase"), "chat"), rank: 3}, part{text: cmp.Or(p.setting("mode"), "balanced"), rank: 1})
	if b := p.scene.Tree.Branch; b != "" {
		out = append(out, part{text: "⎇ " + oneLine(p.d.Clean(b)), rank: 8})
	}
	if p.scene.Window > 0 {
		out = append(out, part{text: count(p.scene.Window) + " tokens", rank: 9, right: true})
	}
	out = append(out, part{text: money(p.scene.Spent), rank: 4, right: true})
	return append(out, part{text: cmp.Or(p.d.keys.key("help"), "/help") + " help", rank: 7, right: true})
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
