// Package guard decides who may ask an HTTP server on this machine, and for what: a browser that a person sent there by a link which
// works once, or a program with a token. What it keeps are hashes, in files that only their owner can read.
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

// The scopes: look, start and steer debates, and have agents work.
const (
	Read   Scope = "read"
	Debate Scope = "debate"
	Agent  Scope = "agent"
)

// Scopes are all of them, the narrowest first.
var Scopes = []Scope{Read, Debate, Agent}

// Covers says whether who has s may do what needs want.
func (s Scope) Covers(want Scope) bool {
	have := slices.Index(Scopes, s)
	return have >= 0 && slices.Index(Scopes, want) <= have && slices.Contains(Scopes, want)
}

// Caller is who asks.
type Caller struct {
	Name   string // of the token; of a browser "browser"
	Scope  Scope
	Person bool   // a browser that a person signed in
	Page   string // what a browser's page sends with what changes something
}

// Guard watches one server.
type Guard struct {
	Name string // of this machine in links: no other server on it has this name
	port string
	tls  bool
	also []string // names it is reached by besides those of the loopback
	dir  string
	now  func() time.Time

	mu       sync.Mutex // guards the rest
	secret   []byte     // makes the pages' keys
	links    map[string]time.Time
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
}

// Open makes a guard that keeps its sessions in dir.
func Open(dir string, o Options) (*Guard, error) {
	g := &Guard{port: o.Port, tls: o.TLS, also: o.Also, dir: dir, now: o.Now, links: map[string]time.Time{}, rates: map[string]*rate{},
		streams: map[string]int{}}
	if g.now == nil {
		g.now = time.Now
	}
	return g, g.load()
}

// Known says whether a request names this server as its host. Another name that leads here is an attempt to have a browser take
// a foreign page for one of ours.
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
func (g *Guard) Who(r *http.Request) (Caller, bool) {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		t, ok := g.token(strings.TrimSpace(bearer))
		return Caller{Name: t.Name, Scope: t.Scope}, ok
	}
	cookie, err := r.Cookie(g.cookie())
	if err != nil || !g.holds(cookie.Value, r) {
		return Caller{}, false
	}
	return Caller{Name: "browser", Scope: Agent, Person: true, Page: g.page(cookie.Value)}, true
}

// PageHeader is what our pages send with what changes something: another server on this machine may be sent our cookie, and has
// not this.
const PageHeader = "X-Socrates-Page"

// Meant says whether a change was asked for by one of our pages, or by a program with a token.
func (g *Guard) Meant(c Caller, r *http.Request) bool {
	if !c.Person {
		return true
	}
	key := r.Header.Get(PageHeader)
	if key == "" && strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		key = r.PostFormValue("page")
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

func (g *Guard) cookie() string { return "socrates-" + g.port }

// page is the key of a session's pages.
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

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
