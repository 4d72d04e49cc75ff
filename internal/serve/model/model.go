// Package model offers a panel as a model, over the protocols of OpenAI: clients of those can start debates. Seats'
// texts arrive as reasoning, the decision with its dissent as the answer, and computed results as an object beside
// them.
//
// Doors gives the handlers: /v1/models, /v1/chat/completions and /v1/responses. A request is read into one shape
// (request), whichever protocol it has, and answered through a form, one for each protocol, as a whole or as a stream
// (output). The last message of the user is the question; everything before becomes facts for all seats, the newest
// if they are too many. A model's name says which panel: socrates, socrates:PRESET, socrates:STRATEGY;
// socrates:single is one model without a debate.
//
// Not every request is a question. Requests that chat programs make on their own (titles, tags, suggestions) and
// those too short for a decision are answered by one model, and the answer says why (about.Alone). X-Socrates-Panel
// overrides that. A seat that is such a model would ask panels without an end, so our own clients are refused.
//
// A debate here is a debate like any other: it is recorded, runs in a process of its own, and a request that is sent
// again joins it. If its client leaves, it is decided after a minute from the replies it has, unless the client asked
// for it to be stored. The person's settings limit spending; a client's tools are ignored with a warning.
//
// Errors have the status that makes clients do the right thing: 503 for what may pass, 402 for money, 400 for what
// will never work. In a stream that has begun they are events. All handlers are safe for concurrent use.
package model

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

// Host is the program behind the models. Single must limit its result by the person's settings: it is called for each
// request.
type Host struct {
	*api.Host
	// Presets and Strategies return what a panel's name may contain, each with a description.
	Presets, Strategies func() ([]Named, error)
	// Single returns one model that answers alone, the one for titles if titles is set, and the most it may spend on
	// an answer.
	Single func(ctx context.Context, titles bool) (m llm.Model, usd float64, err error)
}

// Named is a preset or strategy for a panel's name.
type Named struct{ Name, Doc string }

// The names of models: the default panel, one model alone, and the prefix of a preset or a strategy.
const (
	usual  = "socrates"
	single = usual + ":single"
)

// handler serves requests. Its state is lost with the process: debates continue all the same, and a retry joins them
// by key.
type handler struct {
	Host
	mu      sync.Mutex
	waiting map[string]int // how many wait for a debate, by its name
	over    map[string]int // how often a question was given up, by its debate's key: asked again it is another debate
}

// Doors returns the handlers, by pattern. An unsupported path is refused as the protocol does, so that clients say so
// instead of failing to read HTML.
func Doors(h Host) map[string]api.Door {
	d := &handler{Host: h, waiting: map[string]int{}, over: map[string]int{}}
	doors := map[string]api.Door{}
	for pattern, do := range map[string]struct {
		scope guard.Scope
		f     http.HandlerFunc
	}{
		"GET /v1/models": {guard.Read, d.list}, "GET /v1/models/{id}": {guard.Read, d.one},
		"POST /v1/chat/completions": {guard.Debate, d.asked(newChat)}, "POST /v1/responses": {guard.Debate, d.asked(newResponse)},
		"/v1/": {guard.Read, func(w http.ResponseWriter, r *http.Request) {
			d.refuse(w, &api.Problem{Status: http.StatusNotFound, Detail: r.Method + " " + r.URL.Path + " is not offered here",
				Hint: "offered: /v1/models, /v1/chat/completions, /v1/responses"})
		}},
	} {
		doors[pattern] = api.Door{Handler: do.f, Scope: do.scope, Fail: d.refuse}
	}
	return doors
}

// listedModel is a model in the list.
type listedModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Owner   string `json:"owned_by"`
	Doc     string `json:"description"`
	panel   panel
}

// panel is the meaning of a model's name.
type panel struct {
	preset, strategy string
	single           bool
}

// models returns all models. A name of both a preset and a strategy means the preset. The order is what clients show.
func (d *handler) models() ([]listedModel, error) {
	made := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix() // clients sort by it
	all := []listedModel{{usual, "model", made, usual, "the default panel", panel{}},
		{single, "model", made, usual, "one model alone, without a debate", panel{single: true}}}
	presets, err := d.Presets()
	if err != nil {
		return nil, err
	}
	strategies, err := d.Strategies()
	taken := map[string]bool{"single": true}
	add := func(n Named, p panel) {
		if !taken[n.Name] {
			taken[n.Name] = true
			all = append(all, listedModel{usual + ":" + n.Name, "model", made, usual, n.Doc, p})
		}
	}
	for _, n := range presets {
		add(n, panel{preset: n.Name})
	}
	for _, n := range strategies {
		add(n, panel{strategy: n.Name})
	}
	return all, err
}

// list answers with all models.
func (d *handler) list(w http.ResponseWriter, _ *http.Request) {
	all, err := d.models()
	if err != nil {
		p := api.ProblemOf(err)
		d.refuse(w, &p)
		return
	}
	d.write(w, http.StatusOK, map[string]any{"object": "list", "data": all})
}

// one answers with one model.
func (d *handler) one(w http.ResponseWriter, r *http.Request) {
	e, err := d.find(r.PathValue("id"))
	if err != nil {
		p := api.ProblemOf(err)
		d.refuse(w, &p)
		return
	}
	d.write(w, http.StatusOK, e)
}

// find returns the model of a name.
func (d *handler) find(id string) (listedModel, error) {
	all, err := d.models()
	if err != nil {
		return listedModel{}, err
	}
	var names []string
	for _, e := range all {
		if e.ID == id {
			return e, nil
		}
		names = append(names, e.ID)
	}
	return listedModel{}, &api.Problem{Status: http.StatusNotFound, Detail: "no model named " + id, Reason: "model_not_found",
		Hint: "offered: " + strings.Join(names, ", ")}
}

// write answers with JSON, cleaned.
func (d *handler) write(w http.ResponseWriter, status int, v any) {
	raw, _ := json.Marshal(v) // of strings and numbers
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write([]byte(d.Clean(string(raw)) + "\n")) // a client that has gone cannot be told
}

// refuse answers with an error in the protocol's format.
func (d *handler) refuse(w http.ResponseWriter, p *api.Problem) {
	d.write(w, p.Status, map[string]any{"error": failureOf(p)})
}

// failed is an error.
type failed struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    any    `json:"code"` // null: none
	Param   any    `json:"param"`
}

// kinds are the protocol's names for statuses.
var kinds = map[int][2]string{http.StatusUnauthorized: {"authentication_error", "invalid_api_key"},
	http.StatusForbidden:       {"permission_error", "insufficient_scope"},
	http.StatusPaymentRequired: {"insufficient_quota", "budget_exhausted"},
	http.StatusTooManyRequests: {"rate_limit_error", "rate_limit_exceeded"}, http.StatusServiceUnavailable: {"server_error", "no_seats"}}

// The hint is part of the message: the protocol has no field for it.
func failureOf(p *api.Problem) failed {
	f := failed{Message: p.Detail, Type: "invalid_request_error"}
	if p.Reason != "" {
		f.Code = p.Reason
	}
	if p.Hint != "" {
		f.Message += "; " + p.Hint
	}
	if k, ok := kinds[p.Status]; ok {
		f.Type, f.Code = k[0], k[1]
	} else if p.Status >= http.StatusInternalServerError {
		f.Type = "server_error"
	}
	return f
}
