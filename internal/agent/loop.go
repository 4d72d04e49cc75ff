package agent

import (
	"bytes"
	"fmt"

	"github.com/socrates-cli/socrates/internal/llm"
)

// loop notices a model that makes the same call again and again and gets the same for it.
type loop struct {
	last  llm.Call
	text  string
	times int
	err   error // it did not stop
}

// warnAfter and endAfter are how often the same call may have the same result in a row.
const warnAfter, endAfter = 3, 6

// warn is what is added to a result that has come too often.
func (l *loop) warn(c llm.Call, text string) string {
	if c.Name != l.last.Name || !bytes.Equal(c.Args, l.last.Args) || text != l.text {
		l.last, l.text, l.times = c, text, 1
		return ""
	}
	if l.times++; l.times < warnAfter {
		return ""
	}
	if l.times >= endAfter {
		l.err = &llm.Error{Kind: llm.Refused, Message: fmt.Sprintf("it made the same call of %s %d times in a row", c.Name, l.times)}
	}
	return fmt.Sprintf("\n[This is the same call with the same result, %d times in a row. Do something else, or answer.]", l.times)
}
