// Package guard decides who may ask an HTTP server on this machine, and for what: a browser that a person sent there by a link which
// works once, or a program with a token. What it keeps are hashes, in files that only their owner can read.
//
// A Guard belongs to one server. Who says who asks (a Caller with a Scope), Meant whether a change was meant by one of
// our pages, Allow and Stream how much of it is too much, Wrap puts in front of all handlers what holds for every
// request.
//
// What it defends against: other web pages in the same browser (the Host must be ours, origins must match, a cookie
// alone changes nothing: the page's key has to come with it), other servers on this machine (cookies do not know ports,
// so the server has a name of its own and cookies hold for one host only), other users of this machine (files are
// private, links come over a private socket), and guessing (256 bits, compared without a hint in the time). It does not
// defend against programs that run as the person: they can read what the person can.
//
// Tokens are in a file that is read at each request, so one that is taken back opens nothing any more. Sessions end
// after sessionTime and survive a restart of the server. All methods are safe for concurrent use; AddToken and
// RemoveToken also between processes.
package guard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Scope is what a caller may do. Each includes those before it.
type Scope string

// The scopes: look, start and steer debates, have agents work, and manage the people and workers of a hub.
const (
	Read   Scope = "read"
	Debate Scope = "debate"
	Agent  Scope = "agent"
	Admin  Scope = "admin"
)

// Scopes are all of them, the narrowest first.
var Scopes = []Scope{Read, Debate, Agent, Admin}

// within is the narrower of two scopes.
func (s Scope) within(most Scope) Scope {
	if most.Covers(s) {
		return s
	}
	return most
}

// Covers says whether who has s may do what needs want.
func (s Scope) Covers(want Scope) bool {
	have := slices.Index(Scopes, s)
	return have >= 0 && slices.Index(Scopes, want) <= have && slices.Contains(Scopes, want)
}

// Caller is who asks.
// The zero Caller has no scope and may do nothing.
type Caller struct {
	Name   string // of the token; of a browser "browser"
	Scope  Scope
	Person bool   // a browser that a person signed in
	Page   string // what a browser's page sends with what changes something
	Who    string // of a hub's people it is; empty: whoever runs the server
}

// Owns says whether it is whoever runs the server, in a browser, or somebody who may do the same: what concerns this machine, and not
// one project of it, is theirs.
func (c Caller) Owns() bool { return c.Person && (c.Who == "" || c.Scope == Admin) }

// Guard watches one server.
type Guard struct {
	Name string // of this machine in links: no other server on it has this name
	port string
	tls  bool
	also []string // names it is reached by besides those of the loopback
	dir  string
	now  func() time.Time
	role func(person string) (Scope, time.Time, bool)

	mu       sync.Mutex // guards the rest
	secret   []byte     // makes the pages' keys
	links    map[string]link
	sessions []session
	rates    map[string]*rate
	streams  map[string]int // that are open, by caller
}

// Options are how a server is reached.
type Options struct {
	Port string
	TLS  bool
	Also []string         // host names, besides those of the loopback
	Now  func() time.Time // nil: the clock
	// Role is what a person of a hub may do, and since when they are one, asked at each request; false: nobody has that name. What was made
	// for somebody of that name before opens nothing. nil: there are no people.
	Role func(person string) (Scope, time.Time, bool)
}

// Open makes a guard that keeps its sessions in dir.
// The folder must exist. A file of sessions that is damaged signs everybody out and is no error; one that cannot be
// read is.
func Open(dir string, o Options) (*Guard, error) {
	g := &Guard{port: o.Port, tls: o.TLS, also: o.Also, dir: dir, now: o.Now, role: o.Role, links: map[string]link{},
		rates: map[string]*rate{}, streams: map[string]int{}}
	if g.now == nil {
		g.now = time.Now
	}
	return g, g.load()
}

// Known says whether a request names this server as its host. Another name that leads here is an attempt to have a browser take
// a foreign page for one of ours.
// Without a port the usual one of the scheme is meant.
func (g *Guard) Known(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, map[bool]string{true: "443", false: "80"}[g.tls]
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	return port == g.port && (slices.Contains([]string{"127.0.0.1", "localhost", "::1", g.Name}, name) || slices.Contains(g.also, name))
}

// own says whether a request came by the name that no other server on this machine has: cookies do not know ports.
func (g *Guard) own(host string) bool {
	name, _, _ := net.SplitHostPort(host)
	return strings.EqualFold(name, g.Name) || slices.Contains(g.also, strings.ToLower(name))
}

// Who finds out who asks; false: nobody who is known.
// A token in the header counts before a cookie, and one that is not known is not made up for by the cookie.
func (g *Guard) Who(r *http.Request) (Caller, bool) {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		t, ok := g.token(strings.TrimSpace(bearer))
		if !ok {
			return Caller{}, false
		}
		return g.limited(Caller{Name: t.Name, Scope: t.Scope, Who: t.Person}, t.Made.Add(time.Second)) // a part of which is not kept
	}
	cookie, err := r.Cookie(g.cookie())
	if err != nil {
		return Caller{}, false
	}
	s, ok := g.holds(cookie.Value, r)
	if !ok {
		return Caller{}, false
	}
	c := Caller{Name: "browser", Scope: Admin, Person: true, Page: g.page(cookie.Value), Who: s.Person}
	return g.limited(c, s.Until.Add(-sessionTime))
}

// limited is a caller with no more than the role of its person allows now; false: that person was taken out, be it that somebody of the
// same name came after what lets the caller in was made.
func (g *Guard) limited(c Caller, made time.Time) (Caller, bool) {
	if c.Who == "" {
		return c, true
	}
	if g.role == nil {
		return Caller{}, false
	}
	most, since, ok := g.role(c.Who)
	if !ok || made.Before(since) {
		return Caller{}, false
	}
	c.Scope = c.Scope.within(most)
	return c, true
}

// PageHeader is what our pages send with what changes something: another server on this machine may be sent our cookie, and has
// not this.
const PageHeader = "X-Socrates-Page"

// Meant says whether a change was asked for by one of our pages, or by a program with a token.
// A program with a token means what it sends: browsers add no token by themselves.
func (g *Guard) Meant(c Caller, r *http.Request) bool {
	if !c.Person {
		return true
	}
	key := r.Header.Get(PageHeader)
	if key == "" && strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		r.ParseForm() // what cannot be read has no key
		key = r.PostForm.Get("page")
	}
	return subtle.ConstantTimeCompare([]byte(key), []byte(c.Page)) == 1
}

// Forms is the key that a page may carry in its forms, for browsers without scripts; empty where the page came by a name that other
// servers share, who may have our cookie and would read it there.
func (g *Guard) Forms(c Caller, r *http.Request) string {
	if g.own(r.Host) {
		return c.Page
	}
	return ""
}

// cookie is its name, with the port, since servers on other ports share the host.
func (g *Guard) cookie() string { return "socrates-" + g.port }

// page is the key of a session's pages.
// It is made of the cookie, so it needs not be kept; nobody can make it without the secret.
func (g *Guard) page(cookie string) string {
	m := hmac.New(sha256.New, g.secret)
	m.Write([]byte(cookie))
	return hex.EncodeToString(m.Sum(nil))
}

// random is a secret of 256 bits.
func random() string {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}

// hashOf is what is kept of a secret. Secrets are random, so no salt and no slow hash are needed.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
