package engine

import (
	"context"
	"io"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tree"
)

// warm is the model that answered in a conversation last, if it runs a program: the program stays up between turns and is
// told only what is new. Others cost nothing to make, and see a new key or setting at once.
type warm struct {
	spec  string
	model llm.Model // nil: none
}

// answering is the model of a spec in a conversation: the warm one, or a new one.
func (e *Engine) answering(ctx context.Context, root tree.ID, spec string) (llm.Model, error) {
	e.mu.Lock()
	have := e.desk(root).warm
	e.mu.Unlock()
	if have.model != nil && have.spec == spec {
		return have.model, nil
	}
	m, err := e.wiring.Seat(ctx, spec)
	if err != nil {
		return nil, err
	}
	next := warm{}
	if m.Info().Acts {
		next = warm{spec, m}
	}
	e.warm(root, next)
	return m, nil
}

// warm keeps a model for a conversation and closes the one before.
func (e *Engine) warm(root tree.ID, next warm) {
	e.mu.Lock()
	d := e.desk(root)
	old := d.warm
	d.warm = next
	e.mu.Unlock()
	old.close()
}

// close ends what the model runs. Nothing can be done about what fails here: every process is in a group that is ended.
func (w warm) close() {
	if c, ok := w.model.(io.Closer); ok {
		c.Close()
	}
}
