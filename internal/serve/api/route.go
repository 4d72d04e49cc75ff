// Package api is the engine over HTTP. One table of routes makes its handlers, its OpenAPI description and its page
// of docs/, and a test holds the table against what the engine can do.
//
// Routes is the table: method, path, the scope a caller needs, what it is for, and a function from a request of its
// own type to an answer of its own type. New makes the handlers from it, openAPI the description, and the
// documentation its pages; the test names each operation and query of the engine, so that none is forgotten. A route
// does one operation, or one query, and decides nothing: rules are the engine's, and a route refuses only what it
// alone can know (a folder that is no project, a choice reserved for a person).
//
// A GET changes nothing and takes its parameters from the address; others take a JSON object, in which an unknown
// field is an error. Answers are JSON objects, lists within items. Errors are Problems (RFC 9457) with the exit code
// of the command that would fail in the same way. Tagged routes have an ETag, the number of the store's last node. A
// change with an Idempotency-Key is done once, also if its caller retries it within a day.
//
// Slow work is not waited for: debates and runs execute in processes of their own, turns as jobs of the engine; the
// answer is 202 with where to follow. Operations continue if the client goes away. Every answer goes through
// Host.Clean, so no secret of the store leaves this way.
//
// Handlers are safe for concurrent use. The exported functions (Start, Say, Answer and so on) perform the same for
// the pages of package page, which checks a form's caller itself.
package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// Host is the program behind the server. All functions must be set and safe for concurrent use. Debate and Resume
// return once the other process has begun.
type Host struct {
	Engine  *engine.Engine
	Version string
	Dir     string // where the server was started
	State   string // the server's own data folder
	Home    *home.Home
	Clean   func(string) string
	// Debate runs a debate about a folder in a process of its own, and returns once its name is on disk.
	Debate func(ctx context.Context, dir string, ask door.Ask) (room string, notes []string, err error)
	// Estimate returns the seats of such a debate and its possible cost.
	Estimate func(ctx context.Context, dir string, ask door.Ask) (door.Estimate, error)
	// Resume resumes a debate, or a run of a plan, in a process of its own.
	Resume  func(ctx context.Context, dir, room string) error
	Execute func(ctx context.Context, dir, run string) error
	// Turn fills in what a turn leaves open.
	Turn func(ctx context.Context, say turns.Say) (turns.Say, error)
	// Seats returns the available seats.
	Seats func(ctx context.Context) ([]Candidate, error)
	// For a hub: its client, for people, workers and money (nil: no hub), the person of this view (empty: whoever
	// runs the server), and the folders that they cannot see, which the Engine leaves out.
	Hub    *socket.Client
	Person string
	Hidden []string
	// Login is the path where people sign in with an identity provider, and LoginName its name; empty: there is none.
	Login, LoginName string
}

// changing is held while files of the person are changed, by any host of the process.
var changing sync.Mutex

// Candidate is an available seat, or why it is unavailable.
type Candidate struct {
	Spec    string `json:"spec"`
	Source  string `json:"source"`
	Model   string `json:"model,omitempty"`
	Lineage string `json:"lineage"`
	Ready   bool   `json:"ready"`
	Used    bool   `json:"used" jsonschema:"it is on the default panel"`
	Why     string `json:"why,omitempty"`
}

// Request is what a route gets: the caller, and the host. HTTP is nil if code calls the route itself.
type Request struct {
	*Host
	Caller guard.Caller
	HTTP   *http.Request
}

// Route is one row of the table.
// The zero Scope lets anybody in: only /healthz has it.
type Route struct {
	Method, Path string
	Ops          string // the engine's operations and queries behind it, by their documented names
	Scope        guard.Scope
	Doc          string
	Status       int // of success; 0: 200
	// Tagged means that the answer depends on nodes alone, which are only added: it has an ETag, the number of the
	// store's last node.
	Tagged bool
	own    bool // it cleans each of its texts itself
	in     reflect.Type
	out    reflect.Type                                                // nil: it does not answer with JSON
	do     reflect.Value                                               // the function of row
	raw    func(h *Host, w http.ResponseWriter, r *http.Request) error // instead of do
}

// row makes a route from a function with its own types: func(context.Context, Request, In) (Out, error). Both types
// are read from f, so handler and description cannot differ. A hundred instances of a generic function would add 290
// kB to the program.
func row(method, path, ops string, scope guard.Scope, doc string, f any) Route {
	t := reflect.TypeOf(f)
	if t.NumIn() != 3 || t.NumOut() != 2 || t.In(1) != reflect.TypeFor[Request]() || t.Out(1) != reflect.TypeFor[error]() {
		panic(method + " " + path + " is not a function of a context, a request and its parameters") // a test builds all rows
	}
	return Route{Method: method, Path: path, Ops: ops, Scope: scope, Doc: doc, in: t.In(2), out: t.Out(0), do: reflect.ValueOf(f)}
}

// status sets the code of success.
func (t Route) status(code int) Route { t.Status = code; return t }

// tagged marks a route whose answer depends on nodes alone.
func (t Route) tagged() Route { t.Tagged = true; return t }

// Pattern returns the route's pattern for the mux of net/http.
func (t Route) Pattern() string { return t.Method + " " + t.Path }

// params are the names in braces of the path.
func (t Route) params() (names []string) {
	for part := range strings.SplitSeq(t.Path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// changes reports whether the route may change something, as everything but GET may.
func (t Route) changes() bool { return t.Method != http.MethodGet }

// none is an empty request or answer.
type none struct{}

// Routes returns the whole table.
func Routes() []Route {
	var all []Route
	for _, part := range [][]Route{debateRoutes(), decisionRoutes(), treeRoutes(), turnRoutes(), fileRoutes(), noteRoutes(),
		runRoutes(), issueRoutes(), projectRoutes(), settingRoutes(), hubRoutes(), mirrorRoutes(), otherRoutes()} {
		all = append(all, part...)
	}
	return all
}

// perform serves a request with a route. The tag is read before the answer is made: a node added meanwhile makes the
// tag too old, never too new.
func (t Route) perform(h *Host, w http.ResponseWriter, r *http.Request, c guard.Caller) error {
	if t.raw != nil {
		return t.raw(h, w, r)
	}
	in, err := t.read(r)
	if err != nil {
		return err
	}
	tag := ""
	if t.Tagged {
		last, err := h.Engine.LastSeq(r.Context())
		if err != nil {
			return err
		}
		// One number serves every tagged route: an unchanged answer is sent again only if anything changed.
		if tag = etag(last); r.Header.Get("If-None-Match") == tag {
			w.Header().Set("ETag", tag)
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	done := t.do.Call([]reflect.Value{reflect.ValueOf(r.Context()), reflect.ValueOf(Request{h, c, r}), in})
	if err, failed := done[1].Interface().(error); failed {
		return err
	}
	raw, err := json.Marshal(done[0].Interface())
	if err != nil {
		return err
	}
	if tag != "" {
		w.Header().Set("ETag", tag)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(max(t.Status, http.StatusOK))
	text := string(raw)
	if !t.own {
		text = h.Clean(text)
	}
	w.Write([]byte(text + "\n")) // a client that has gone cannot be told
	return nil
}
