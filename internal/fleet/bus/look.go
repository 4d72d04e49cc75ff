package bus

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
)

// Version is that of the server: the one inside, or the one that the hub is connected to.
func Version(s *Server) string {
	if s.nats != nil {
		return natsserver.VERSION
	}
	return s.nc.ConnectedServerVersion()
}

// Embedded says whether the server is inside the hub.
func Embedded(s *Server) bool { return s.nats != nil }

// AuthorityEnds is until when the hub's authority signs certificates.
func AuthorityEnds(s *Server) time.Time {
	ca, _, err := s.id.authority()
	if err != nil {
		return time.Time{}
	}
	return ca.NotAfter
}

// Reach connects to one of the hub's own addresses as a worker would, and says why that is not possible. Of other servers than the
// hub's it says only whether somebody listens.
func Reach(ctx context.Context, s *Server, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return err
	}
	defer c.Close()
	if u.Scheme != "https" { // NATS begins without TLS
		return nil
	}
	t := tls.Client(c, &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: poolOf(s.id.Authority), ServerName: u.Hostname()})
	if err := t.HandshakeContext(ctx); err != nil {
		return fmt.Errorf("its certificate does not match: %w", err)
	}
	return nil
}
