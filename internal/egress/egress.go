// Package egress is the only way out of a network that leads nowhere. A sandboxed program sits in a network
// namespace with nothing but a loopback; a [Gate] listens there, and forwards connections to the hosts on a list
// and to no others.
//
// The program needs no proxy settings and no cooperation. The gate is its name server, and gives each listed name
// an address of its own in 127.83.0.0/16. A connection to such an address therefore says which name it is meant
// for, and the gate dials that name from outside, through the person's proxy if the environment names one. Names
// that are not listed do not exist (NXDOMAIN), so that programs fail at once instead of waiting for a timeout.
//
// Encryption is never opened: the gate reads the TLS ClientHello, checks that its server name is the name the
// connection was opened to, and copies bytes from there on. This stops a program from reaching another tenant of
// the same front end by naming it in the handshake. To port 443 nothing unencrypted passes.
//
// How the parts are used, in this order:
//
//	g, err := New(hosts, environ, tell)   // parses the list, connects to nothing
//	g.Listen(), g.Lead(), g.System()      // what the sandbox has to set up inside: sandbox.Cell
//	g.Serve(sockets)                      // takes those sockets; returns at once
//	g.Refused(), g.Reached()              // may be asked at any time, also afterwards
//	g.Close()                             // ends every connection
//
// A caller may assume: methods are safe for concurrent use; nothing is dialled that the list does not allow; every
// goroutine ends after Close, at the latest when a dial that has begun times out. A connection has no time limit once
// it is established. What is reached, and what is refused, is only counted here: whoever owns the gate tells the
// person.
//
// The gate does not limit how much is sent, nor what is sent to a listed host, and it does not serve UDP other than
// names.
package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Gate lets through what goes to its hosts. Make one with New for each network.
type Gate struct {
	hosts  []host
	dialer *dialer
	tell   func(error)

	mu      sync.Mutex
	closed  bool
	open    map[io.Closer]bool
	names   map[string]netip.Addr // what names were answered with
	means   map[netip.Addr]string // and whom an address means
	refused []string
	reached bool
}

// host is an entry of the list.
type host struct {
	name string // in lower case; "*.x" is everything below x
	port uint16
}

// New makes a gate to hosts: "api.example.com" (port 443), "*.example.com", "gateway.corp:8080", "127.0.0.1:4141",
// "[::1]:4141". It goes through the proxy that environ names, as other programs do. tell hears of hosts of the list that
// cannot be reached; it may be nil.
func New(hosts []string, environ []string, tell func(error)) (*Gate, error) {
	g := &Gate{tell: tell, open: map[io.Closer]bool{}, names: map[string]netip.Addr{}, means: map[netip.Addr]string{}}
	for _, text := range hosts {
		h, err := parse(text)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(g.hosts, h) {
			g.hosts = append(g.hosts, h)
		}
	}
	var err error
	g.dialer, err = newDialer(environ)
	return g, err
}

// Check says what is wrong with an entry of the list.
func Check(text string) error { _, err := parse(text); return err }

func parse(text string) (host, error) {
	name, port, err := net.SplitHostPort(text)
	if err != nil {
		name, port = strings.Trim(text, "[]"), "443"
	}
	n, err := strconv.ParseUint(port, 10, 16)
	bare := strings.TrimPrefix(name, "*.")
	_, notIP := netip.ParseAddr(bare)
	if err != nil || n == 0 || bare == "" || len(name) > 253 || notIP != nil &&
		strings.Trim(strings.ToLower(bare), "abcdefghijklmnopqrstuvwxyz0123456789-._") != "" {
		return host{}, fmt.Errorf("%q is not a host: write api.example.com, *.example.com or localhost:8080", text)
	}
	return host{strings.ToLower(strings.TrimSuffix(name, ".")), uint16(n)}, nil
}

// allows says whether the list has a name at a port; 0: at any.
func (g *Gate) allows(name string, port uint16) bool {
	return slices.ContainsFunc(g.hosts, func(h host) bool {
		below, open := strings.CutPrefix(h.name, "*")
		return (port == 0 || h.port == port) && (h.name == name || open && strings.HasSuffix(name, below) && len(name) > len(below))
	})
}

// Listen are the sockets the gate needs in its network, for Serve.
func (g *Gate) Listen() []string {
	out := []string{"udp 127.0.0.1:53"}
	for _, h := range g.hosts {
		places := []string{"0.0.0.0"}
		if h.name == "localhost" || h.name == "::1" {
			places = append(places, "[::1]")
		}
		for _, place := range places {
			if at := "tcp " + place + ":" + strconv.Itoa(int(h.port)); !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
	}
	return out
}

// Lead are the addresses in the list that must lead to these sockets.
func (g *Gate) Lead() (out []string) {
	for _, h := range g.hosts {
		if ip, err := netip.ParseAddr(h.name); err == nil && ip.Is4() && !ip.IsLoopback() && !slices.Contains(out, h.name) {
			out = append(out, h.name)
		}
	}
	return out
}

// System are the files of the system by which programs in the network find hosts.
func (g *Gate) System() map[string]string {
	names, _ := os.ReadFile("/etc/nsswitch.conf") // without it programs look where they do here
	var lines []string
	for line := range strings.Lines(string(names)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "hosts:") {
			lines = append(lines, line)
		}
	}
	return map[string]string{
		"/etc/hosts":         "127.0.0.1 localhost\n::1 localhost\n",
		"/etc/resolv.conf":   "nameserver 127.0.0.1\noptions attempts:1 timeout:2\n",
		"/etc/nsswitch.conf": strings.Join(lines, "") + "hosts: files dns\n",
	}
}

// Serve lets through what comes at the sockets, which it takes, until Close.
func (g *Gate) Serve(sockets []*os.File) error {
	var failed error
	for _, f := range sockets {
		if l, err := net.FileListener(f); err == nil {
			go g.accept(l)
		} else if p, err := net.FilePacketConn(f); err == nil {
			go g.answer(p)
		} else {
			failed = errors.Join(failed, err)
		}
		f.Close()
	}
	return failed
}

// Refused are the names and addresses that were asked for and are not on the list, in order.
func (g *Gate) Refused() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.refused)
}

// Reached says whether a host of the list was reached.
func (g *Gate) Reached() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reached
}

// Close ends all connections.
func (g *Gate) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for c := range g.open {
		c.Close()
	}
	clear(g.open)
	return nil
}

// hold has c closed with the gate. If the gate is closed already it closes c and returns false, so that what is
// accepted or dialled while Close runs cannot survive it.
func (g *Gate) hold(c io.Closer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		c.Close()
		return false
	}
	g.open[c] = true
	return true
}

// drop closes what was held. Closing twice, here and in Close, is harmless.
func (g *Gate) drop(c io.Closer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, c)
	c.Close()
}

// mostRefused bounds what is kept of names that a program makes up.
const mostRefused = 20

// refuse notes what was asked for and is not on the list, once each.
func (g *Gate) refuse(what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.refused) < mostRefused && !slices.Contains(g.refused, what) {
		g.refused = append(g.refused, what)
	}
}

// accept serves a listener until it is closed, a goroutine for each connection.
func (g *Gate) accept(l net.Listener) {
	if !g.hold(l) {
		return
	}
	defer g.drop(l)
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go g.pass(c)
	}
}

// pass looks where a connection from inside goes, and forwards it. It ends when both directions have ended. What
// the handshake check has read is sent first, so that the host sees an untouched stream.
func (g *Gate) pass(in net.Conn) {
	if !g.hold(in) {
		return
	}
	defer g.drop(in)
	to, named := g.target(in.LocalAddr())
	if to == "" {
		return
	}
	begun, ok := g.begin(in, to, named)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	out, err := g.dialer.dial(ctx, to)
	cancel()
	if err != nil {
		if g.tell != nil {
			g.tell(fmt.Errorf("%s cannot be reached: %w", to, err))
		}
		return
	}
	if !g.hold(out) {
		return
	}
	defer g.drop(out)
	g.mu.Lock()
	g.reached = true
	g.mu.Unlock()
	if _, err := out.Write(begun); err != nil {
		return
	}
	done := make(chan bool)
	go func() { copyOver(out, in); close(done) }()
	copyOver(in, out)
	<-done
}

// dialTime is how long a host may take to be reached.
const dialTime = 15 * time.Second

// copyOver copies until there is no more, and tells the reader so. A half that ends well is passed on as such (some
// protocols send a request, close, and still read); an error ends both.
func copyOver(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		half.CloseWrite()
		return
	}
	to.Close()
	from.Close()
}

// target is the host and port that an address inside stands for, empty if none may be reached there; and the host's name
// unless it is an address.
func (g *Gate) target(at net.Addr) (to, name string) {
	where, err := netip.ParseAddrPort(at.String())
	if err != nil {
		return "", ""
	}
	ip, port := where.Addr().Unmap(), where.Port()
	g.mu.Lock()
	// Under 127.83/16 the address is one that the gate has given a name; any other is meant literally.
	name = g.means[ip]
	g.mu.Unlock()
	is := name
	switch here := ip.IsLoopback(); {
	case name != "" && g.allows(name, port):
	case name == "" && g.allows(ip.String(), port):
		is = ip.String()
	case name == "" && here && g.allows("localhost", port):
		is = "localhost"
	default:
		if is == "" {
			is = ip.String()
		}
		g.refuse(net.JoinHostPort(is, strconv.Itoa(int(port))))
		return "", ""
	}
	return net.JoinHostPort(is, strconv.Itoa(int(port))), name
}
