package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// answers answers requests by the table.
// It has what the Host has, and what is kept between requests.
type answers struct {
	*Host
	guard   *guard.Guard
	watches *watches
	mu      sync.Mutex
	kept    map[string]*kept // answers to requests with an Idempotency-Key
	order   []string         // of kept, by when they came
	mux     *http.ServeMux
}

// New makes it.
// The guard is asked for each request; New must be behind its Wrap.
func New(h *Host, g *guard.Guard) http.Handler {
	a := &answers{Host: h, guard: g, watches: &watches{guard: g}, kept: map[string]*kept{}, mux: http.NewServeMux()}
	for _, t := range Routes() {
		a.mux.Handle(t.Pattern(), a.handle(t))
	}
	return a
}

// ServeHTTP implements http.Handler. Where no route is, the mux says so; here it is told as everything else that goes wrong.
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

// handle is a route behind who may ask for it, and how often.
// Streams of events are counted for a caller, and ended within a second of their token being taken back.
func (a *answers) handle(t Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := a.admit(w, t, r)
		if err == nil && strings.HasSuffix(t.Path, "/events") {
			end, ok := a.guard.Stream(c)
			defer end()
			watched, stop := a.watches.add(r)
			defer stop()
			// The request that goes on is the one whose end is watched.
			if r = watched; !ok {
				err = crowded(w)
			}
		}
		if err == nil && t.changes() && r.Header.Get("Idempotency-Key") != "" {
			err = a.once(t, w, r, c)
		} else if err == nil {
			err = t.perform(a.Host, w, r, c)
		}
		if err != nil {
			a.Fail(w, err)
		}
	})
}

// crowded refuses a stream of a caller who has too many.
func crowded(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "5")
	return &Problem{Status: http.StatusTooManyRequests, Detail: fmt.Sprintf("%d streams of events are open already", guard.MostStreams),
		Hint: "close one, or follow everything in one: GET /api/v1/events"}
}

// Door is a handler that speaks another protocol than the API.
type Door struct {
	http.Handler
	Scope guard.Scope                         // who may reach it
	Fail  func(http.ResponseWriter, *Problem) // refuses in its protocol; nil: as the API does
}

// Behind lets those reach a door who may, and not too often.
// A door's handler finds who asks by CallerOf.
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

// callerKey is where a door finds who asks.
type callerKey struct{}

// CallerOf is who asks at a door.
func CallerOf(r *http.Request) guard.Caller {
	c, _ := r.Context().Value(callerKey{}).(guard.Caller)
	return c
}

// admit says who asks, or why they may not.
// Who is not known is told so before anything else; how often they ask is looked at last, so that a refused request
// costs them nothing. Routes without a scope are open.
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
		return c, &Problem{Status: http.StatusForbidden, Detail: fmt.Sprintf("the token %s may only %s; this needs %s", c.Name,
			c.Scope, t.Scope),
			Hint: "make another: socrates token add NAME --scope " + string(t.Scope)}
	// A cookie alone proves only that the browser has been here.
	case t.changes() && !a.guard.Meant(c, r):
		return c, &Problem{Status: http.StatusForbidden, Detail: "no page of this server sent this",
			Hint: "send " + guard.PageHeader + ", or use a token"}
	}
	if wait, ok := a.guard.Allow(c); !ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
		return c, &Problem{Status: http.StatusTooManyRequests, Detail: "too many requests", Hint: "wait a second between them"}
	}
	return c, nil
}

// keptTime is how long an answer to a request with a key is kept, and mostKept how many are.
const (
	keptTime = 24 * time.Hour
	mostKept = 10_000
)

// kept is an answer that is given again.
// A retry that comes while the first is at work waits for it.
type kept struct {
	once   sync.Mutex // held while the first request is at work
	body   string     // its hash
	until  time.Time
	answer *recorder // nil: there is none yet
}

// once performs what a key names once. A retry gets the same answer; the key with another body is refused.
// A failure is not kept. The key holds for one caller: names of tokens are unique.
func (a *answers) once(t Route, w http.ResponseWriter, r *http.Request, c guard.Caller) error {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return &Problem{Status: http.StatusRequestEntityTooLarge, Detail: "the body cannot be read whole"}
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	// Method and path count as well: a key belongs to one deed.
	sum := sha256.Sum256(append([]byte(r.Method+" "+r.URL.Path+"\n"), raw...))
	k := a.keep(c.Name+"\n"+r.Header.Get("Idempotency-Key"), hex.EncodeToString(sum[:]))
	k.once.Lock()
	defer k.once.Unlock()
	switch {
	case k.body != hex.EncodeToString(sum[:]):
		return &Problem{Status: http.StatusUnprocessableEntity, Detail: "this Idempotency-Key was used for another request"}
	case k.answer != nil:
		k.answer.copyTo(w)
		return nil
	}
	// Nothing is written to the client before the answer is kept.
	rec := &recorder{header: http.Header{}, status: http.StatusOK}
	if err := t.perform(a.Host, rec, r, c); err != nil {
		return err // nothing happened: a retry tries again
	}
	k.answer = rec
	rec.copyTo(w)
	return nil
}

// keep finds or makes what is kept of a key.
// Old ones are dropped here, and the oldest of a full map. All are kept equally long, so the order they came in is that they go in.
func (a *answers) keep(key, body string) *kept {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for len(a.order) > 0 && now.After(a.kept[a.order[0]].until) {
		a.drop()
	}
	k := a.kept[key]
	if k == nil {
		if len(a.order) >= mostKept {
			a.drop()
		}
		k = &kept{body: body, until: now.Add(keptTime)}
		a.kept[key], a.order = k, append(a.order, key)
	}
	return k
}

// drop drops the oldest. a.mu is held.
func (a *answers) drop() {
	delete(a.kept, a.order[0])
	a.order = a.order[1:]
}

// recorder keeps an answer.
// It is an http.ResponseWriter whose answer is sent later, perhaps more than once.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header can be changed until the answer is copied.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader keeps the status; nothing is sent yet.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write keeps the body for whoever sends the request again with its key.
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// copyTo sends the answer, as often as it is asked for.
func (r *recorder) copyTo(w http.ResponseWriter) {
	for name, values := range r.header {
		w.Header()[name] = values
	}
	w.WriteHeader(r.status)
	w.Write(r.body.Bytes())
}
