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

// Version returns the version of the server: the embedded one, or the one that the hub is connected to.
func Version(s *Server) string {
	if s.nats != nil {
		return natsserver.VERSION
	}
	return s.nc.ConnectedServerVersion()
}

// Embedded reports whether the server is inside the hub.
func Embedded(s *Server) bool { return s.nats != nil }

// AuthorityEnds returns when the hub's CA expires.
func AuthorityEnds(s *Server) time.Time {
	ca, _, err := s.id.authority()
	if err != nil {
		return time.Time{}
	}
	return ca.NotAfter
}

// Reach connects to one of the hub's own addresses as a worker would, and returns why that fails. For other servers
// it only checks whether somebody listens.
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
