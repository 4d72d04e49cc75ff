package guard

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// policy is what a browser may do on our pages: load our style, script and pictures, and ask us. Nothing else, from nowhere else.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// Wrap puts before a handler what holds for every request. refuse answers those that go no further.
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
			refuse(w, r, http.StatusMisdirectedRequest, "this server is not called "+strconv.Quote(r.Host))
		case cross.Check(r) != nil:
			refuse(w, r, http.StatusForbidden, "a page of another origin sent this")
		case foreign(r):
			refuse(w, r, http.StatusForbidden, "a page of another origin asked for this")
		default:
			r.Body = http.MaxBytesReader(w, r.Body, MostBody)
			next.ServeHTTP(w, r)
		}
	})
}

// foreign says whether a page of another origin loads this, be it on another port of this machine. Following a link is no loading.
func foreign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none" && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// MostBody bounds a request's body, in bytes.
const MostBody = 10 << 20

// How often a caller may ask: so many at once, and so many a second from then on.
const (
	burst     = 120
	perSecond = 40
)

// rate is how much a caller has left.
type rate struct {
	left float64
	at   time.Time
}

// Allow counts a request of a caller. When it is one too many it says when the next one is not.
func (g *Guard) Allow(c Caller) (wait time.Duration, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	r := g.rates[c.Name]
	if r == nil {
		r = &rate{left: burst, at: now}
		g.rates[c.Name] = r
	}
	r.left = min(burst, r.left+max(0, now.Sub(r.at).Seconds())*perSecond)
	r.at = now
	if r.left < 1 {
		return time.Duration(math.Ceil((1-r.left)/perSecond)) * time.Second, false
	}
	r.left--
	return 0, true
}
