package rooms

import (
	"context"
	"errors"

	"github.com/socrates-cli/socrates/internal/engine"
)

// Asked is a question for a panel, as a person asks it in a conversation.
type Asked struct {
	Question string
	Flags    []string // of the command debate, ready for the command line: each --name=value, or --name alone
	Seats    []string // who sits if the flags name nobody; none: whom the settings name
	Dir      string   // what it is about; empty: the folder we are in
}

// Ask is the operation that starts the debate of a question, as the settings want it. It may ask programs who is there.
func Ask(ctx context.Context, e *engine.Engine, a Asked) (Debate, error) {
	frame := In(e).wiring.Frame
	if frame == nil {
		return Debate{}, errors.New("no debate can be started here")
	}
	return frame(ctx, a)
}
