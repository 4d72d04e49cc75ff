package hub

import (
	"context"

	"github.com/socrates-cli/socrates/internal/fleet/bus"
)

// RunWith is Run with what a test makes of the handler of workers' calls.
func (h *Hub) RunWith(ctx context.Context, wrap func(bus.Handler) bus.Handler) error {
	return h.run(ctx, wrap(h.handler()))
}
