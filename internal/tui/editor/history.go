package editor

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
)

// History sets the earlier messages, the oldest first. A walk in progress continues with the old ones.
func (e *Editor) History(messages []string) { e.past = messages }

// vertical moves the cursor by a row. At the first and last row, and as long as an earlier message is shown
// unchanged, it walks through history instead.
func (e *Editor) vertical(by int) bool {
	if e.OneLine {
		return false
	}
	here := e.spot(e.cursor)
	there := e.step(here, by)
	if e.before == walking || there == here {
		return e.walk(by)
	}
	if e.before != climbing {
		e.goal = e.column(e.cursor)
	}
	e.chain = climbing
	e.cursor = e.at(there, e.goal)
	return true
}

// walk shows the next older or newer message that begins with what was typed before the walk; any, if none
// does. After the newest it shows the draft again.
func (e *Editor) walk(by int) bool {
	if e.before != walking {
		e.walked, e.walkedAt, e.kept, e.prefix = e.past, len(e.past), e.slice(position{}, e.end()), e.Text()
		if e.older(by) < 0 {
			e.prefix = ""
		}
	}
	i := e.older(by)
	if i < 0 {
		e.chain = e.before
		return false
	}
	e.chain, e.walkedAt = walking, i
	text := e.kept
	if i < len(e.walked) {
		text = clean.Text(e.walked[i])
	}
	e.change(position{}, e.end(), text, other)
	return true
}

// older returns the index of the next message in a direction, the number of messages for the draft, or -1.
func (e *Editor) older(by int) int {
	now := e.Text()
	for i := e.walkedAt + by; i >= 0 && i <= len(e.walked); i += by {
		if i == len(e.walked) || strings.HasPrefix(e.walked[i], e.prefix) && clean.Text(e.walked[i]) != now {
			return i
		}
	}
	return -1
}
