package egress

import (
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// mostNames bounds the names that a wildcard may be filled with: a program could ask for any number below
// *.example.com.
const mostNames = 1000

// addressOf is the address by which a name of the list is reached inside; false: it is not on the list, or there are
// too many. The same name has the same address for as long as the gate lives, so that programs may cache it.
func (g *Gate) addressOf(name string) (netip.Addr, bool) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if !g.allows(name, 0) {
		return netip.Addr{}, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if ip, ok := g.names[name]; ok {
		return ip, true
	}
	n := len(g.names) + 1
	if n > mostNames {
		return netip.Addr{}, false
	}
	// 127/8 needs no route. 83 keeps clear of 127.0.0.x, where programs expect themselves and each other.
	ip := netip.AddrFrom4([4]byte{127, 83, byte(n >> 8), byte(n)})
	g.names[name], g.means[ip] = ip, name
	return ip, true
}

// answer answers questions for names until its socket is closed. It asks no other server, so that names cannot
// carry data out.
func (g *Gate) answer(p net.PacketConn) {
	if !g.hold(p) {
		return
	}
	defer g.drop(p)
	question := make([]byte, 4096)
	for {
		n, from, err := p.ReadFrom(question)
		if err != nil {
			return
		}
		if reply := g.reply(question[:n]); reply != nil {
			p.WriteTo(reply, from)
		}
	}
}

// reply is the answer to a question; nil: it is none. A name that is not on the list does not exist. Listed names
// have an IPv4 address only: the answer to AAAA is empty, and programs fall back.
func (g *Gate) reply(question []byte) []byte {
	var asked dnsmessage.Parser
	head, err := asked.Start(question)
	if err != nil || head.Response {
		return nil
	}
	q, err := asked.Question()
	if err != nil {
		return nil
	}
	ip, known := g.addressOf(q.Name.String())
	if !known {
		g.refuse(strings.TrimSuffix(q.Name.String(), "."))
	}
	to := dnsmessage.Header{ID: head.ID, Response: true, RecursionDesired: head.RecursionDesired, RecursionAvailable: true}
	if !known {
		to.RCode = dnsmessage.RCodeNameError
	}
	b := dnsmessage.NewBuilder(nil, to)
	if b.StartQuestions() != nil || b.Question(q) != nil || b.StartAnswers() != nil {
		return nil
	}
	if known && q.Type == dnsmessage.TypeA {
		b.AResource(dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60}, dnsmessage.AResource{A: ip.As4()})
	}
	reply, err := b.Finish()
	if err != nil {
		return nil
	}
	return reply
}
