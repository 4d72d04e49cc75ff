package guard

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/private"
)

// How long a link is valid, and how long a browser stays signed in.
const (
	linkTime    = 5 * time.Minute
	sessionTime = 12 * time.Hour
	mostLinks   = 100
)

// session is a signed-in browser. It outlives the server, so that a page works after a restart. It has hashes only:
// whoever reads the file cannot sign in with it.
type session struct {
	Cookie string    `json:"cookie_sha256"`
	Agent  string    `json:"agent_sha256"` // the browser's user agent
	Host   string    `json:"host"`
	Until  time.Time `json:"until"`
	Person string    `json:"person,omitempty"` // of a hub; empty: whoever runs the server
}

// link is an unused link.
type link struct {
	until  time.Time
	person string
}

// kept is the file of sessions.
type kept struct {
	Name     string    `json:"name"`
	Secret   []byte    `json:"secret"`
	Sessions []session `json:"sessions"`
}

// file is where sessions are kept.
func (g *Guard) file() string { return filepath.Join(g.dir, "sessions.json") }

// load reads the sessions, or starts with a new name and secret.
func (g *Guard) load() error {
	var k kept
	raw, err := os.ReadFile(g.file())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if json.Unmarshal(raw, &k) != nil || len(k.Secret) < 32 || k.Name == "" { // damaged: everybody signs in again
		k = kept{Name: "socrates-" + strings.ToLower(rand.Text()[:8]) + ".localhost", Secret: make([]byte, 32)}
		rand.Read(k.Secret)
	}
	g.Name, g.secret, g.sessions = k.Name, k.Secret, k.Sessions
	return g.save()
}

// save writes the valid sessions. The caller holds the lock, except at the beginning.
func (g *Guard) save() error {
	g.sessions = slices.DeleteFunc(g.sessions, func(s session) bool { return g.now().After(s.Until) })
	raw, err := json.Marshal(kept{g.Name, g.secret, g.sessions})
	if err != nil {
		return err
	}
	return private.Replace(g.file(), raw)
}

// Link returns the end of an address that signs a browser in, once and soon. It comes after the # of the address,
// which browsers do not send. It is for a person of a hub; empty: for whoever runs the server. At most mostLinks are
// open; beyond that old ones are dropped at random.
func (g *Guard) Link(person string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	for hash, l := range g.links {
		if now.After(l.until) || len(g.links) >= mostLinks {
			delete(g.links, hash)
		}
	}
	code := random()
	g.links[hashOf(code)] = link{now.Add(linkTime), person}
	return code
}

// SignIn exchanges a link for a cookie. It returns the key of the browser's pages; false: the link is used, expired
// or unknown. Even an expired link is used up. An error means that the session was not saved: it ends with this
// server.
func (g *Guard) SignIn(w http.ResponseWriter, r *http.Request, code string) (page string, ok bool, err error) {
	g.mu.Lock()
	hash := hashOf(strings.TrimSpace(code))
	l, ok := g.links[hash]
	delete(g.links, hash)
	g.mu.Unlock()
	if !ok || g.now().After(l.until) {
		return "", false, nil
	}
	if _, ok := g.limited(Caller{Who: l.person}, l.until.Add(-linkTime)); !ok { // they were removed meanwhile
		return "", false, nil
	}
	page, err = g.Admit(w, r, l.person)
	return page, true, err
}

// Admit signs a browser in as a person of a hub, whom an identity provider has verified; empty: as whoever runs the
// server. It returns the key of the browser's pages. An error means that the session was not saved: it ends with this
// server.
func (g *Guard) Admit(w http.ResponseWriter, r *http.Request, person string) (page string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	cookie := random()
	g.sessions = append(g.sessions, session{hashOf(cookie), hashOf(r.UserAgent()), r.Host, g.now().Add(sessionTime), person})
	http.SetCookie(w, &http.Cookie{Name: g.cookie(), Value: cookie, Path: "/", HttpOnly: true, Secure: g.tls,
		SameSite: http.SameSiteStrictMode,
		MaxAge:   int(sessionTime.Seconds())})
	return g.page(cookie), g.save()
}

// SignOut ends the session of a request. Without a cookie it does nothing.
func (g *Guard) SignOut(w http.ResponseWriter, r *http.Request) error {
	cookie, err := r.Cookie(g.cookie())
	if err != nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	hash := hashOf(cookie.Value)
	g.sessions = slices.DeleteFunc(g.sessions, func(s session) bool { return s.Cookie == hash })
	http.SetCookie(w, &http.Cookie{Name: g.cookie(), Path: "/", HttpOnly: true, Secure: g.tls, SameSite: http.SameSiteStrictMode,
		MaxAge: -1})
	return g.save()
}

// holds reports whether a cookie belongs to a session of this browser and this host name, and returns it. A cookie
// copied into a program with another user agent, or to another host, is invalid.
func (g *Guard) holds(cookie string, r *http.Request) (s session, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	hash, agent, now := hashOf(cookie), hashOf(r.UserAgent()), g.now()
	i := slices.IndexFunc(g.sessions, func(s session) bool {
		return s.Cookie == hash && s.Agent == agent && s.Host == r.Host && now.Before(s.Until)
	})
	if i < 0 {
		return s, false
	}
	return g.sessions[i], true
}
