package rooms

import (
	"context"
	"errors"

	"github.com/socrates-cli/socrates/internal/engine"
)

// Asked is a question for a panel, as a person asks it in a conversation.
type Asked struct {
	Question string
	Flags    []string // of the command debate, as on the command line: each --name=value, or --name alone
	Seats    []string // seats if the flags name none; empty: those in the settings
	Dir      string   // the folder the question is about; empty: the current one
}

// Ask makes the operation that starts the debate of a question, as the settings define it. It may start programs to find out which seats
// are available.
func Ask(ctx context.Context, e *engine.Engine, a Asked) (Debate, error) {
	frame := In(e).wiring.Frame
	if frame == nil {
		return Debate{}, errors.New("no debate can be started here")
	}
	return frame(ctx, a)
}
