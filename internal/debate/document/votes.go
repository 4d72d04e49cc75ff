package document

import (
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// side is an option and the seats that voted for it.
type side struct {
	option string // empty: they gave no vote
	seats  []string
}

// sidesOf groups the seats by what they voted for: the leader first, seats without a vote last.
func sidesOf(p page) (out []side) {
	by := map[string][]string{}
	for _, s := range p.res.Seats {
		option := s.Vote.Option
		if s.Status != verdict.Voted {
			option = ""
		}
		by[option] = append(by[option], s.ID)
	}
	add := func(key, text string) {
		if len(by[key]) > 0 {
			out = append(out, side{text, by[key]})
			delete(by, key)
		}
	}
	without := by[""]
	delete(by, "")
	if p.leading != "" {
		add(p.leading, p.ledger.Text(p.leading))
	}
	for _, o := range p.res.Options {
		add(o.Key, o.Text)
	}
	if len(without) > 0 {
		out = append(out, side{"", without})
	}
	return out
}

// votes draws the seats side by side, by what they voted for, once for wide pages and once for narrow ones.
func (w *web) votes() {
	if len(w.d.sides) == 0 {
		return
	}
	w.put("<figure class=\"votes\">")
	w.ballots("vw", "only-wide", 640, 16)
	w.ballots("vn", "only-narrow", 358, 10)
	w.put("</figure>\n")
}

// ballots draws one of them. Every seat is equally wide, and half of the panel is marked.
func (w *web) ballots(id, class string, width, gap float64) {
	var told []string
	seats := 0
	for _, s := range w.d.sides {
		told = append(told, fmt.Sprintf("%s: %s", s.name(), strings.Join(s.seats, ", ")))
		seats += len(s.seats)
	}
	cell := (width - gap*float64(len(w.d.sides)-1)) / float64(seats)
	w.put(`<svg class="fig %s" viewBox="0 0 %.0f 80" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">Votes</title>`, class, width,
		id, id, id)
	w.put(`<desc id="%s-d">%s.</desc>`, id, esc(strings.Join(told, "; ")))
	x, drawn, half := 0., 0, 0.
	for _, s := range w.d.sides {
		room := int(cell * float64(len(s.seats)) / 7)
		w.put(`<text class="lab" x="%.1f" y="14">%s</text>`, x, esc(clip(fmt.Sprintf("%d %s", len(s.seats), s.name()), max(2, room))))
		for _, seat := range s.seats {
			w.put(`<rect class="sunk" x="%.1f" y="24" width="%.1f" height="30"/>`, x, cell-2)
			w.put(`<rect class="s%d" x="%.1f" y="24" width="%.1f" height="4"/>`, w.mark(seat), x, cell-2)
			w.put(`<text x="%.1f" y="45">%s</text>`, x+6, esc(clip(seat, max(2, int((cell-10)/7)))))
			if x, drawn = x+cell, drawn+1; 2*drawn >= seats && half == 0 {
				half = x - cell*float64(2*drawn-seats)/2 - 1
			}
		}
		x += gap
	}
	w.put(`<path class="ax" d="M%.1f 18V24M%.1f 54V62"/><text class="sm mid" x="%.1f" y="76">half of the panel</text></svg>`, half, half,
		half)
}

// name returns the option a side voted for.
func (s side) name() string {
	if s.option == "" {
		return "no vote"
	}
	return oneLine(s.option)
}

// mark returns the colour of a seat's family.
func (w *web) mark(seat string) int {
	for _, s := range w.d.Seats {
		if s.Seat == seat {
			return MarkOf(w.d.Seats, s.Lineage)
		}
	}
	return 1
}
