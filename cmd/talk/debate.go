package talk

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/keyboard"
)

// debate runs a debate and adds its result to the conversation as a node, also if a seat was lost, a person must
// decide or there is no decision.
func (c *chat) debate(ctx context.Context, asked rooms.Asked) error {
	op, err := rooms.Ask(ctx, c.e, asked)
	if err != nil {
		return err
	}
	c.a.frames.Estimate(op.Frame, len(op.Context))
	err = c.a.rooms.Conduct(ctx, c.e, &op, room.Delivery{})
	for len(c.signals) > 0 { // they were meant for the debate
		<-c.signals
	}
	what := "decision added to"
	if f, ok := errors.AsType[*failure.Error](err); ok && f.Code == failure.ExitNone {
		what = "no decision; noted in"
	} else if err != nil && !(ok && failure.Settled(f.Code)) {
		return err
	}
	// Conduct has set the room's name.
	if _, lost := c.e.Do(ctx, conversation.Conclude{Tree: c.env.Tree, Room: c.a.Out.Room}); lost != nil {
		return lost
	}
	c.view.put("2", what+" conversation "+c.env.Tree+" (from "+c.a.Out.Room+")")
	return err
}

// lend gives listen the keys until the returned function is called. The debate's reader and the console share one
// channel of keys, so no key is lost when they are returned.
func (c *chat) lend(listen func(next func() (keyboard.Key, error))) func() {
	if !c.rich {
		return func() {}
	}
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		listen(func() (keyboard.Key, error) {
			select {
			case k, open := <-c.keys:
				if open {
					return k, nil
				}
			case <-over:
			}
			return keyboard.Key{}, io.EOF
		})
	})
	return func() { close(over); done.Wait() }
}
