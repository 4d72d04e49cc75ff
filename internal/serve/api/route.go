// Package api is the engine over HTTP. One table of routes makes its handlers, its OpenAPI description and its page of docs/, and a
// test holds the table against what the engine can do.
//
// Routes is the table: method, path, the scope a caller needs, what it is for, and a function from a request of its own
// type to an answer of its own type. From it New makes the handlers, openAPI the description, and the documentation its
// pages; the test names each operation and query of the engine, so that none is forgotten. A route does one operation,
// or one query, and decides nothing: rules are the engine's, and what a route refuses is what only it can know (a
// folder that is no project, a choice that is a person's alone).
//
// A GET changes nothing and takes its parameters from the address; others take a JSON object, in which an unknown field
// is an error. Answers are JSON objects, lists within items. Errors are Problems (RFC 9457) with the exit code of the
// command that would fail in the same way. Tagged routes have an ETag, the number of the store's last node. A change
// with an Idempotency-Key is done once, also if its caller retries it within a day.
//
// What takes long is not waited for: debates and runs go on in processes of their own, turns as jobs of the engine; the
// answer is 202 with where to follow. Operations are not ended by a client that goes away. Everything that is answered
// goes through Host.Clean, so no secret of the store leaves by this way.
//
// Handlers are safe for concurrent use. The exported functions (Start, Say, Answer and so on) are the same deeds for
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

// Host is the program behind the server.
// Functions must be set and are called from several goroutines at once. Debate and Resume return once the other process
// has begun.
type Host struct {
	Engine  *engine.Engine
	Version string
	Dir     string // where the server was started
	State   string // the folder of what the server keeps
	Home    *home.Home
	Clean   func(string) string
	// Debate has a process of its own run a debate about a folder, and returns once its name is on disk.
	Debate func(ctx context.Context, dir string, ask door.Ask) (room string, notes []string, err error)
	// Estimate says who would sit in it and what it may cost.
	Estimate func(ctx context.Context, dir string, ask door.Ask) (door.Estimate, error)
	// Resume has processes of their own go on with a debate, or with a run of a plan.
	Resume  func(ctx context.Context, dir, room string) error
	Execute func(ctx context.Context, dir, run string) error
	// Turn fills in what a turn of a conversation runs with where nothing is said.
	Turn func(ctx context.Context, say turns.Say) (turns.Say, error)
	// Seats are those that can be taken here.
	Seats func(ctx context.Context) ([]Candidate, error)
	// Of a hub: itself, which keeps people, workers and money (nil: there is none), the person whose this view is (empty: whoever runs the
	// server), and the folders that they do not see, of which the Engine has nothing.
	Hub    *socket.Client
	Person string
	Hidden []string
	// Login is the path at which people sign in by somebody who vouches for them, and LoginName who that is; empty: nobody does.
	Login, LoginName string
}

// changing is held while files of the person are changed, by whichever host of the process.
var changing sync.Mutex

// Candidate is a seat that can be taken, or why it cannot.
type Candidate struct {
	Spec    string `json:"spec"`
	Source  string `json:"source"`
	Model   string `json:"model,omitempty"`
	Lineage string `json:"lineage"`
	Ready   bool   `json:"ready"`
	Used    bool   `json:"used" jsonschema:"it is on the default panel"`
	Why     string `json:"why,omitempty"`
}

// Request is what a route is given: who asks, and by way of what host.
// HTTP is nil where code asks for itself.
type Request struct {
	*Host
	Caller guard.Caller
	HTTP   *http.Request
}

// Route is one row of the table.
// The zero Scope lets anybody in: only /healthz has it.
type Route struct {
	Method, Path string
	Ops          string // the operations and queries of the engine behind it, as its documentation names them
	Scope        guard.Scope
	Doc          string
	Status       int // of success; 0: 200
	// Tagged says that the answer depends on nodes alone, which only grow: it has an ETag, the number of the store's last node.
	Tagged bool
	own    bool // it cleans each of its texts by itself
	in     reflect.Type
	out    reflect.Type                                                // nil: it answers otherwise than with JSON
	do     reflect.Value                                               // the function of row
	raw    func(h *Host, w http.ResponseWriter, r *http.Request) error // instead of do
}

// row makes a route of a function of its own types: func(context.Context, Request, In) (Out, error).
// Both types are read from f, so handler and description cannot differ. A hundred instances of a generic function would do the same
// for 290 kB of the program.
func row(method, path, ops string, scope guard.Scope, doc string, f any) Route {
	t := reflect.TypeOf(f)
	if t.NumIn() != 3 || t.NumOut() != 2 || t.In(1) != reflect.TypeFor[Request]() || t.Out(1) != reflect.TypeFor[error]() {
		panic(method + " " + path + " is not a function of a context, a request and its parameters") // the table's test makes all rows
	}
	return Route{Method: method, Path: path, Ops: ops, Scope: scope, Doc: doc, in: t.In(2), out: t.Out(0), do: reflect.ValueOf(f)}
}

// status sets the code of success.
func (t Route) status(code int) Route { t.Status = code; return t }

// tagged says that the answer depends on nodes alone.
func (t Route) tagged() Route { t.Tagged = true; return t }

// Pattern is the route as the mux of net/http has it.
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

// changes says whether the route changes something.
// Everything but GET may.
func (t Route) changes() bool { return t.Method != http.MethodGet }

// none is what a route is given, or answers, that needs nothing.
type none struct{}

// Routes are the whole table.
func Routes() []Route {
	var all []Route
	for _, part := range [][]Route{debateRoutes(), decisionRoutes(), treeRoutes(), turnRoutes(), fileRoutes(), noteRoutes(),
		runRoutes(), issueRoutes(), projectRoutes(), settingRoutes(), hubRoutes(), mirrorRoutes(), otherRoutes()} {
		all = append(all, part...)
	}
	return all
}

// perform answers a request by a route.
// The tag is read before the answer is made: a node that comes in between makes the tag too old, never too new.
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
		// One number stands for every tagged route: what did not change is sent again only if anything did.
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
	w.Write([]byte(text + "\n")) // who has gone meanwhile cannot be told
	return nil
}
