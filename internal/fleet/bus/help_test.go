package bus

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

func noRights(*jwt.UserClaims) {}

func must(t testing.TB) func(string, error) string {
	return func(s string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// keyOf is a worker's public key.
func keyOf(t testing.TB, m member) string {
	k, err := nkeys.FromSeed([]byte(m.Seed))
	if err != nil {
		t.Fatal(err)
	}
	return must(t)(k.PublicKey())
}

// pin is what a hub's tokens say of its CA.
func pin(t testing.TB, s *Server) string {
	ca, _, err := s.id.authority()
	if err != nil {
		t.Fatal(err)
	}
	return pinOf(ca)
}

// brief is for what must not come: nothing depends on how long it is.
func brief(t testing.TB) (context.Context, func()) {
	return context.WithTimeout(t.Context(), 100*time.Millisecond)
}

// untold dials without being told that the server wants TLS.
type untold struct{}

func (untold) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(c)
	info, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	for _, what := range []string{`"tls_required":true`, `"tls_available":true`} {
		info = strings.ReplaceAll(info, what, strings.ReplaceAll(what, "true", "false"))
	}
	return &prefixed{Conn: c, before: bytes.NewBufferString(info)}, nil
}

type prefixed struct {
	net.Conn
	before *bytes.Buffer
}

func (p *prefixed) Read(b []byte) (int, error) {
	if p.before.Len() > 0 {
		return p.before.Read(b)
	}
	return p.Conn.Read(b)
}
