package roompage

import (
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// seatScrolls are the scroll positions of the panels.
type seatScrolls map[string]*seatScroll

// seatScroll shows growing text at its end, and complete text from its beginning, until a person scrolls.
type seatScroll struct {
	scroll.Scroll
	moved bool
}

func (all seatScrolls) of(s *scene.Seat) *seatScroll {
	own := all[s.Info.ID]
	if own == nil {
		own = &seatScroll{}
		all[s.Info.ID] = own
	}
	switch {
	case own.moved:
	case s.Busy:
		own.End()
	default:
		own.Home()
	}
	return own
}

// scroll scrolls the panel of one seat; at its end it follows the growing text.
func (tb *table) scroll(s *scene.Seat, by int) {
	if text := tb.texts[s.Info.ID]; len(text) > 0 {
		own := tb.scrolls.of(s)
		own.Move(scroll.Flat(text), by)
		own.moved = own.Away || !s.Busy
	}
}
