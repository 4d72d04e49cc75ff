package egress

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
)

// begin reads how a connection begins, and says whether it may go on. One that is encrypted must name the host it
// was opened to, and to port 443 none that is not encrypted goes. Connections to a listed address (not a name) are
// not looked at: TLS does not name addresses. It waits for the program to speak first, as it does in TLS and HTTP.
func (g *Gate) begin(in net.Conn, to, name string) (read []byte, ok bool) {
	if name == "" { // an address, which encryption does not name
		return nil, true
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(in, first); err != nil {
		return nil, false
	}
	// TLS, record type: the first byte of a ClientHello (RFC 8446, 5.1).
	const handshake = 22
	if first[0] != handshake {
		if strings.HasSuffix(to, ":443") {
			g.refuse(to + " without encryption")
			return nil, false
		}
		return first, true
	}
	read, named := hello(first, in)
	if !strings.EqualFold(named, name) {
		g.refuse(cmp.Or(named, "no host") + " by way of " + name)
		return nil, false
	}
	return read, true
}

var errRead = errors.New("heard")

// hello reads the first message of an encrypted connection, which begins with first, and the host it names. A TLS
// server of the standard library parses it and is stopped before it answers; whatever it read is returned, for the
// host to read again. named is empty if the message is malformed or names nobody.
func hello(first []byte, in net.Conn) (read []byte, named string) {
	var all bytes.Buffer
	from := io.TeeReader(io.MultiReader(bytes.NewReader(first), in), &all)
	tls.Server(listener{in, from}, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		named = h.ServerName
		return nil, errRead
	}}).Handshake()
	return all.Bytes(), named
}

// listener reads a connection through from, and drops what is written: the alert that the stopped server sends is
// not for the program.
type listener struct {
	net.Conn
	from io.Reader
}

// Read gives what the program sent.
func (l listener) Read(b []byte) (int, error) { return l.from.Read(b) }

// Write drops everything: whoever only listens must not answer.
func (l listener) Write(b []byte) (int, error) { return len(b), nil }
