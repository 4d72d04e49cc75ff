package guard

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// policy limits browsers on our pages to our style, script and pictures, and requests to us.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// Wrap puts before a handler what applies to every request. refuse answers rejected ones. Headers are set before
// anything is refused, so refusals have them too. Reads beyond MostBody fail with *http.MaxBytesError.
func (g *Guard) Wrap(next http.Handler, refuse func(w http.ResponseWriter, r *http.Request, status int, why string)) http.Handler {
	cross := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !g.Known(r.Host):
			refuse(w, r, http.StatusMisdirectedRequest, "unknown host: "+strconv.Quote(r.Host))
		// That only checks changes; loading is checked next.
		case cross.Check(r) != nil || g.otherScheme(r):
			refuse(w, r, http.StatusForbidden, "this was sent by a page of another origin")
		case foreign(r):
			refuse(w, r, http.StatusForbidden, "this was requested by a page of another origin")
		case r.ContentLength > MostBody:
			refuse(w, r, http.StatusRequestEntityTooLarge, TooLong)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, MostBody)
			next.ServeHTTP(w, r)
		}
	})
}

// otherScheme reports whether the sender has our name and port, but another scheme: that is another origin.
// http.CrossOriginProtection compares hosts and cannot know our scheme behind TLS.
func (g *Guard) otherScheme(r *http.Request) bool {
	scheme, _, ok := strings.Cut(r.Header.Get("Origin"), "://")
	return ok && scheme != map[bool]string{true: "https", false: "http"}[g.tls]
}

// foreign reports whether a page of another origin loads this, even on another port of this machine. Following a link
// is not loading.
func foreign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none" && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// MostBody limits a request's body, in bytes, and TooLong is the message for a longer one.
const (
	MostBody = 10 << 20
	TooLong  = "the body is longer than 10 MiB"
)

// MostStreams is how many event streams one caller, a token or a browser's session, may have open.
const MostStreams = 32

// Stream counts a stream of a caller, until the returned function is called. False: it is one too many. All tabs of a
// session are counted together.
func (g *Guard) Stream(c Caller) (end func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	who := c.Who + " " + c.Name + " " + c.Page
	if g.streams[who] >= MostStreams {
		return func() {}, false
	}
	g.streams[who]++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.streams[who]--; g.streams[who] == 0 {
			delete(g.streams, who)
		}
	}, true
}

// The rate of a caller: a burst, and requests a second from then on. Far above what a person or a program needs, and
// far below what slows a machine down.
const (
	burst     = 120
	perSecond = 40
)

// rate is the remaining allowance of a caller.
type rate struct {
	left float64
	at   time.Time
}

// Allow counts a request of a caller. If it is one too many, wait says when the next is allowed. It is a token
// bucket. All browsers of a person are one caller; callers of pages who are persons are counted but not refused.
func (g *Guard) Allow(c Caller) (wait time.Duration, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	who := c.Who + " " + c.Name
	r := g.rates[who]
	if r == nil {
		r = &rate{left: burst, at: now}
		g.rates[who] = r
	}
	r.left = min(burst, r.left+max(0, now.Sub(r.at).Seconds())*perSecond)
	r.at = now
	if r.left < 1 {
		return time.Duration(math.Ceil((1-r.left)/perSecond)) * time.Second, false
	}
	r.left--
	return 0, true
}
