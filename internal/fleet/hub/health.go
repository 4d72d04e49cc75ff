package hub

import (
	"context"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
)

// health returns the state of the hub for the person who runs it.
func (h *Hub) health(ctx context.Context) (s socket.Health, err error) {
	s = socket.Health{Build: build.Version(), Lease: h.Lease, NATS: bus.Version(h.Bus), Own: bus.Embedded(h.Bus), URLs: h.Bus.URLs(),
		Web: h.Web, Now: time.Now()}
	if pair, err := h.Bus.TLS().GetCertificate(nil); err == nil {
		s.CertificateEnds = pair.Leaf.NotAfter
	}
	s.AuthorityEnds = bus.AuthorityEnds(h.Bus)
	for _, at := range append(slices.Clone(h.Bus.URLs()), h.Web) {
		if why := bus.Reach(ctx, h.Bus, at); why != nil {
			s.Unreachable = append(s.Unreachable, at+": "+why.Error())
		}
	}
	if s.Table, err = h.Table.Sound(ctx); err != nil {
		return s, err
	}
	list, err := h.Table.Waiting(ctx)
	if err != nil {
		return s, err
	}
	queued, err := h.Bus.Queued(ctx, "*")
	if err != nil {
		s.Queue = err.Error()
		return s, nil
	}
	s.Queued = len(queued)
	for _, k := range list {
		if !slices.Contains(queued, k.Name) {
			s.Missing = append(s.Missing, k.Name)
		}
	}
	return s, nil
}
