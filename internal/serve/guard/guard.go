// Package guard decides who may use an HTTP server on this machine, and for what: a browser that a person opened with
// a link which works once, or a program with a token. It keeps hashes only, in files that only their owner can read.
//
// A Guard belongs to one server. Who returns the caller (a Caller with a Scope), Meant reports whether a change came
// from one of our pages, Allow and Stream limit the rate, Wrap puts in front of all handlers what applies to every
// request.
//
// It defends against other web pages in the same browser (the Host must be ours, origins must match, a cookie alone
// changes nothing: the page's key must come with it), other servers on this machine (cookies do not know ports, so
// the server has a name of its own and cookies are valid for one host only), other users of this machine (files are
// private, links come over a private socket), and guessing (256 bits, compared in constant time). It does not defend
// against programs that run as the person: they can read what the person can.
//
// Tokens are in a file that is read at each request, so a revoked one stops working at once. Sessions end after
// sessionTime and survive a restart of the server. All methods are safe for concurrent use; AddToken and RemoveToken
// also between processes.
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

// The scopes: read, start and steer debates, run agents, and manage the people and workers of a hub.
const (
	Read   Scope = "read"
	Debate Scope = "debate"
	Agent  Scope = "agent"
	Admin  Scope = "admin"
)

// Scopes lists all of them, the narrowest first.
var Scopes = []Scope{Read, Debate, Agent, Admin}

// within returns the narrower of two scopes.
func (s Scope) within(most Scope) Scope {
	if most.Covers(s) {
		return s
	}
	return most
}

// Covers reports whether s includes want.
func (s Scope) Covers(want Scope) bool {
	have := slices.Index(Scopes, s)
	return have >= 0 && slices.Index(Scopes, want) <= have && slices.Contains(Scopes, want)
}

// Caller is who sent a request. The zero Caller has no scope and may do nothing.
type Caller struct {
	Name   string // of the token; "browser" for a browser
	Scope  Scope
	Person bool   // a browser that a person signed in
	Page   string // the key that a browser's page sends with changes
	Who    string // the person of a hub; empty: whoever runs the server
}

// Owns reports whether the caller is whoever runs the server, in a browser, or an admin: they control what concerns
// this machine and not one project.
func (c Caller) Owns() bool { return c.Person && (c.Who == "" || c.Scope == Admin) }

// Guard protects one server.
type Guard struct {
	Name string // its name in links, which no other server on this machine has
	port string
	tls  bool
	also []string // its names besides those of the loopback
	dir  string
	now  func() time.Time
	role func(person string) (Scope, time.Time, bool)

	mu       sync.Mutex // guards the rest
	secret   []byte     // makes the pages' keys
	links    map[string]link
	sessions []session
	rates    map[string]*rate
	streams  map[string]int // open streams, by caller
}

// Options are the addresses of a server.
type Options struct {
	Port string
	TLS  bool
	Also []string         // host names, besides those of the loopback
	Now  func() time.Time // nil: the clock
	// Role returns what a person of a hub may do, and since when they exist, at each request; false: there is no such
	// person. Credentials of an earlier person with the same name are invalid. nil: there are no people.
	Role func(person string) (Scope, time.Time, bool)
}

// Open makes a guard that keeps its sessions in dir. The folder must exist. A damaged file of sessions signs
// everybody out and is no error; one that cannot be read is.
func Open(dir string, o Options) (*Guard, error) {
	g := &Guard{port: o.Port, tls: o.TLS, also: o.Also, dir: dir, now: o.Now, role: o.Role, links: map[string]link{},
		rates: map[string]*rate{}, streams: map[string]int{}}
	if g.now == nil {
		g.now = time.Now
	}
	return g, g.load()
}

// Known reports whether a request names this server as its host. Any other name is an attempt to make a browser take
// a foreign page for one of ours. Without a port the default one of the scheme is meant.
func (g *Guard) Known(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, map[bool]string{true: "443", false: "80"}[g.tls]
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	return port == g.port && (slices.Contains([]string{"127.0.0.1", "localhost", "::1", g.Name}, name) || slices.Contains(g.also, name))
}

// own reports whether a request used the name that no other server on this machine has: cookies do not know ports.
func (g *Guard) own(host string) bool {
	name, _, _ := net.SplitHostPort(host)
	return strings.EqualFold(name, g.Name) || slices.Contains(g.also, strings.ToLower(name))
}

// Who finds the caller; false: unknown. A token in the header wins over a cookie, and a cookie does not replace an
// unknown token.
func (g *Guard) Who(r *http.Request) (Caller, bool) {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		t, ok := g.token(strings.TrimSpace(bearer))
		if !ok {
			return Caller{}, false
		}
		return g.limited(Caller{Name: t.Name, Scope: t.Scope, Who: t.Person}, t.Made.Add(time.Second)) // fractions of it are not stored
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

// limited returns a caller with at most the current role of its person; false: that person was removed, even if
// somebody of the same name was added after the credential was made.
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

// PageHeader carries the key that our pages send with changes: another server on this machine may receive our cookie,
// but not this.
const PageHeader = "X-Socrates-Page"

// Meant reports whether one of our pages, or a program with a token, asked for a change. A program with a token means
// what it sends: browsers add no token by themselves.
func (g *Guard) Meant(c Caller, r *http.Request) bool {
	if !c.Person {
		return true
	}
	key := r.Header.Get(PageHeader)
	if key == "" && strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		r.ParseForm() // an unreadable form has no key
		key = r.PostForm.Get("page")
	}
	return subtle.ConstantTimeCompare([]byte(key), []byte(c.Page)) == 1
}

// Forms returns the key that a page may carry in its forms, for browsers without scripts; empty if the page was
// loaded by a name shared with other servers, which may have our cookie and would read the key.
func (g *Guard) Forms(c Caller, r *http.Request) string {
	if g.own(r.Host) {
		return c.Page
	}
	return ""
}

// cookie is its name, with the port, since servers on other ports share the host.
func (g *Guard) cookie() string { return "socrates-" + g.port }

// page returns the key of a session's pages. It is derived from the cookie, so it need not be stored; nobody can make
// it without the secret.
func (g *Guard) page(cookie string) string {
	m := hmac.New(sha256.New, g.secret)
	m.Write([]byte(cookie))
	return hex.EncodeToString(m.Sum(nil))
}

// random returns a secret of 256 bits.
func random() string {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}

// hashOf returns the stored form of a secret. Secrets are random, so no salt and no slow hash are needed.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
