package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// answers serves requests by the table. It has the Host, and what is kept between requests.
type answers struct {
	*Host
	guard   *guard.Guard
	watches *watches
	mu      sync.Mutex
	kept    map[string]*kept // answers to requests with an Idempotency-Key
	order   []string         // of kept, in order of arrival
	lines   int              // of the file of kept answers
	mux     *http.ServeMux
}

// New returns the handler. It asks the guard for each request; New must be behind its Wrap.
func New(h *Host, g *guard.Guard) http.Handler {
	a := &answers{Host: h, guard: g, watches: &watches{guard: g}, kept: map[string]*kept{}, mux: http.NewServeMux()}
	a.read()
	for _, t := range Routes() {
		a.mux.Handle(t.Pattern(), a.handle(t))
	}
	return a
}

// ServeHTTP implements http.Handler. If no route matches, the mux knows; the error is answered here like every other.
func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, pattern := a.mux.Handler(r); pattern == "" {
		status := http.StatusNotFound
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, there := a.mux.Handler(other); there != "" {
				status = http.StatusMethodNotAllowed
			}
		}
		a.Fail(w, &Problem{Status: status, Detail: r.Method + " " + r.URL.Path + " is not a route",
			Hint: "all routes: GET /openapi.json, with the token of this server"})
		return
	}
	a.mux.ServeHTTP(w, r)
}

// handle serves a route after checking who asks, and how often. Streams of events are counted per caller, and end
// within a second of their token being revoked.
func (a *answers) handle(t Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := a.admit(w, t, r)
		if err == nil && strings.HasSuffix(t.Path, "/events") {
			end, ok := a.guard.Stream(c)
			defer end()
			watched, stop := a.watches.add(r)
			defer stop()
			// The watched request is the one to serve.
			if r = watched; !ok {
				err = crowded(w)
			}
		}
		if err == nil && t.changes() && r.Header.Get("Idempotency-Key") != "" {
			err = a.once(t, w, r, c)
		} else if err == nil {
			err = t.perform(a.Host, w, r, c)
		}
		if err == nil && t.changes() {
			a.Note(r.Context(), c, r.Method+" "+r.URL.Path)
		}
		if err != nil {
			a.Fail(w, err)
		}
	})
}

// crowded refuses a stream of a caller who has too many.
func crowded(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "5")
	return &Problem{Status: http.StatusTooManyRequests, Detail: fmt.Sprintf("%d event streams are already open", guard.MostStreams),
		Hint: "close one, or follow everything in one: GET /api/v1/events"}
}

// Door is a handler that speaks another protocol than the API.
type Door struct {
	http.Handler
	Scope guard.Scope                         // needed to use it
	Fail  func(http.ResponseWriter, *Problem) // refuses in its protocol; nil: as the API does
}

// Behind serves a door to callers who may use it, and not too often. Its handler gets the caller from CallerOf.
func Behind(h *Host, g *guard.Guard, d Door) http.Handler {
	a := &answers{Host: h, guard: g}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := a.admit(w, Route{Method: r.Method, Scope: d.Scope}, r)
		switch {
		case err == nil:
			d.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
		case d.Fail == nil:
			a.Fail(w, err)
		default:
			p := ProblemOf(err)
			d.Fail(w, &p)
		}
	})
}

// Owned refuses people of a hub who do not manage it what concerns everybody: settings, and the list of projects.
func (r Request) Owned() error {
	if r.Caller.Who == "" || r.Caller.Scope.Covers(guard.Admin) {
		return nil
	}
	return &Problem{Status: http.StatusForbidden, Detail: "only an admin of the hub can change this", Hint: "ask an admin"}
}

// Note records in the hub's log who changed what; without a hub there is no log. A failed write is reported, and does
// not undo the change.
func (h *Host) Note(ctx context.Context, c guard.Caller, what string) {
	// The hub itself records its own changes. A path that contains /hub/ further on is something else.
	_, path, _ := strings.Cut(what, " ")
	if h.Hub == nil || strings.HasPrefix(path, "/hub/") || strings.HasPrefix(path, "/api/v1/hub/") {
		return
	}
	who := cmp.Or(c.Who, socket.Owner)
	if err := h.Hub.Note(context.WithoutCancel(ctx), lease.AuditLine{Who: who, What: what, Why: c.Name}); err != nil {
		h.Home.Warn("the audit log could not be written: " + err.Error())
	}
}

// callerKey is the context key of a door's caller.
type callerKey struct{}

// CallerOf returns who uses a door.
func CallerOf(r *http.Request) guard.Caller {
	c, _ := r.Context().Value(callerKey{}).(guard.Caller)
	return c
}

// narrow refuses what a caller's scope does not cover, and says who can widen it: at a hub, an admin.
func narrow(c guard.Caller, needed guard.Scope) *Problem {
	if c.Who != "" {
		return &Problem{Status: http.StatusForbidden, Detail: fmt.Sprintf("%s has the scope %s; this needs %s", c.Who, c.Scope,
			needed), Hint: "ask an admin of the hub for another role"}
	}
	return &Problem{Status: http.StatusForbidden, Detail: fmt.Sprintf("the token %s has the scope %s; this needs %s", c.Name, c.Scope,
		needed), Hint: "make another: socrates token add NAME --scope " + string(needed)}
}

// admit returns the caller, or why they are refused. An unknown caller is refused first; the rate is checked last, so
// that a refused request does not count. Routes without a scope are open.
func (a *answers) admit(w http.ResponseWriter, t Route, r *http.Request) (guard.Caller, error) {
	if t.Scope == "" {
		return guard.Caller{}, nil
	}
	c, ok := a.guard.Who(r)
	switch {
	case !ok:
		w.Header().Set("WWW-Authenticate", "Bearer")
		return c, &Problem{Status: http.StatusUnauthorized, Detail: "no token, or an unknown one", Hint: "make one: socrates " +
			"token add NAME"}
	case !c.Scope.Covers(t.Scope):
		return c, narrow(c, t.Scope)
	// A cookie alone proves only that the browser has been here.
	case t.changes() && !a.guard.Meant(c, r):
		return c, &Problem{Status: http.StatusForbidden, Detail: "this request did not come from a page of this server",
			Hint: "send " + guard.PageHeader + ", or use a token"}
	}
	if wait, ok := a.guard.Allow(c); !ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
		return c, &Problem{Status: http.StatusTooManyRequests, Detail: "too many requests", Hint: "wait a second between them"}
	}
	return c, nil
}
