// Package socket lets the processes of a hub's person submit tasks to the hub and receive the results. Debates and
// runs are processes of their own, and use workers only through it.
//
// It is HTTP over a Unix socket in the hub's folder (package local). A task is submitted with POST /tasks, whose
// answer is a stream of Events, one JSON object a line. A client that loses the stream, because the hub restarted,
// submits the same task again and gets the existing one.
//
//	POST   /tasks             submit a task, and receive its events from delta ?from= of ?epoch= on
//	POST   /tasks/NAME/may    decide about the use of a tool
//	POST   /tasks/NAME/cancel end it; the answer names the worker that had it
//	DELETE /tasks/NAME        forget it: its result is kept elsewhere
//	GET    /tasks             the unfinished tasks
//	GET    /seats             what workers offer, to ?person=
//	GET    /workers           the workers
//	POST   /workers           add one, by a token
//	POST   /workers/NAME/drain  let it finish what it has
//	DELETE /workers/NAME      remove it
//	GET    /health            the state of the hub
//	POST   /pause             hold a worker or a task back, or let it go on
//	GET    /audit             what was refused and changed, newest first; POST adds a line
//	GET    /people, /shares, /quotas, /spent   who uses the hub, what they see, and what they may spend and spent
//	POST   /people, /shares, /quotas           change it; DELETE /people/NAME removes a person
//	GET    /people/NAME/hidden/KIND            what of a kind a person does not see
//	POST   /calls, /bills                      reserve what a call can cost, and record what it cost
package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/team"
)

// Name is the name of the socket.
const Name = "hub.sock"

// Event is news of a task. Another epoch than that of the event before means that another worker started over.
type Event struct {
	Epoch  int            `json:"epoch"`
	Worker string         `json:"worker,omitempty"`
	First  int            `json:"first"` // the number of the first delta
	Deltas []llm.Delta    `json:"deltas,omitempty"`
	Wishes []lease.Wish   `json:"wishes,omitempty"`
	Over   bool           `json:"over,omitempty"`
	Lost   string         `json:"lost,omitempty"` // why it ended without an answer of its worker
	Failed *trouble.Error `json:"failed,omitempty"`
	Made   string         `json:"made,omitempty"`
}

// Offered is an available seat: of a worker, or a pool.
type Offered struct {
	fleet.Seat
	Where string `json:"where"` // the worker or the pool
	Queue string `json:"queue"`
	Alive bool   `json:"alive"` // a worker with it is connected
}

// Hub is what the handler needs of the hub. All fields must be set.
type Hub struct {
	Put     func(ctx context.Context, k lease.Task) error               // submits a task
	Stop    func(ctx context.Context, task string) (string, error)      // ends a task, tells its worker at once, and returns the worker
	Seats   func(ctx context.Context, person string) ([]Offered, error) // visible to a person; empty: all
	Workers func(ctx context.Context) ([]Worker, error)
	Invite  func(ctx context.Context, i Invitation) (token string, err error) // makes a token for a worker to join once
	Drain   func(ctx context.Context, worker string) error
	Revoke  func(ctx context.Context, worker string) error
	Pause   func(ctx context.Context, name string, paused bool) (said string, err error) // a worker or a task
	Health  func(ctx context.Context) (Health, error)
	Team    *team.Book
}

// Worker is a machine that executes tasks.
type Worker struct {
	lease.Known
	State string `json:"state"` // connected, away, invited or revoked
}

// Invitation is what a worker may do once it has joined.
type Invitation struct {
	Worker string        `json:"worker"`
	Pools  []string      `json:"pools,omitempty"`
	Life   time.Duration `json:"life"` // of the token
}

// Handler serves the socket.
func Handler(h Hub, t *lease.Table) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /tasks", func(w http.ResponseWriter, r *http.Request) { put(h, t, w, r) })
	mux.HandleFunc("POST /tasks/{name}/may", func(w http.ResponseWriter, r *http.Request) {
		var d decision
		err := json.NewDecoder(r.Body).Decode(&d)
		if err == nil {
			err = t.Decide(r.PathValue("name"), d.N, d.No)
		}
		answer(w, struct{}{}, err)
	})
	mux.HandleFunc("POST /tasks/{name}/cancel", func(w http.ResponseWriter, r *http.Request) {
		worker, err := h.Stop(r.Context(), r.PathValue("name"))
		answer(w, stopped{worker}, err)
	})
	mux.HandleFunc("DELETE /tasks/{name}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, t.Forget(r.PathValue("name")))
	})
	mux.HandleFunc("GET /seats", func(w http.ResponseWriter, r *http.Request) {
		list, err := h.Seats(r.Context(), r.URL.Query().Get("person"))
		answer(w, list, err)
	})
	administer(mux, h, t)
	operate(mux, h, t)
	people(mux, h.Team, t)
	return mux
}

// administer adds the routes for managing workers.
func administer(mux *http.ServeMux, h Hub, t *lease.Table) {
	mux.HandleFunc("GET /workers", func(w http.ResponseWriter, r *http.Request) {
		list, err := h.Workers(r.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("POST /workers", func(w http.ResponseWriter, r *http.Request) {
		var i Invitation
		token, err := "", json.NewDecoder(r.Body).Decode(&i)
		if err == nil {
			token, err = h.Invite(r.Context(), i)
		}
		answer(w, token, err)
	})
	mux.HandleFunc("POST /workers/{name}/drain", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, h.Drain(r.Context(), r.PathValue("name")))
	})
	mux.HandleFunc("DELETE /workers/{name}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, h.Revoke(r.Context(), r.PathValue("name")))
	})
	mux.HandleFunc("GET /audit", func(w http.ResponseWriter, r *http.Request) {
		list, err := t.Audit(r.Context(), 1000)
		answer(w, list, err)
	})
	mux.HandleFunc("POST /audit", take(func(_ context.Context, e lease.AuditLine) (struct{}, error) { return struct{}{}, t.Note(e) }))
}

// stopped names the worker of an ended task; empty: nobody had claimed it.
type stopped struct {
	Worker string `json:"worker"`
}

// decision is the answer to a wish.
type decision struct {
	N  int    `json:"n"`
	No string `json:"no"`
}

// answer writes a body, or an error.
func answer(w http.ResponseWriter, body any, err error) {
	if err != nil {
		status := http.StatusInternalServerError
		if _, ok := errors.AsType[*team.Refusal](err); ok {
			status = http.StatusBadRequest
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(body)
}

// mostRequest is the maximum size of a task in bytes: what every vendor accepts of pictures and PDFs, in base64.
const mostRequest = 64 << 20

// put submits a task and streams its events until it is over or the client leaves.
func put(h Hub, t *lease.Table, w http.ResponseWriter, r *http.Request) {
	var k lease.Task
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostRequest)).Decode(&k)
	epoch, from := 0, 0
	for name, n := range map[string]*int{"epoch": &epoch, "from": &from} {
		if text := r.URL.Query().Get(name); text != "" && err == nil {
			*n, err = strconv.Atoi(text)
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := h.Put(r.Context(), k); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	defer t.Listen(k.Name)()
	follow(r.Context(), t, k.Name, epoch, from, func(e Event) error {
		if err := json.NewEncoder(w).Encode(e); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	})
}

// follow sends the events of a task. It ends when the task is over, or with the first event that cannot be sent.
func follow(ctx context.Context, t *lease.Table, task string, epoch, from int, tell func(Event) error) {
	asked := map[int]bool{}
	for told := false; ; {
		changed := t.Watch(task)
		s, deltas, err := t.Read(ctx, task, from)
		var wishes []lease.Wish
		if err == nil && s.Epoch != epoch {
			if epoch, asked = s.Epoch, map[int]bool{}; from > 0 {
				from = 0
				continue
			}
		}
		if err == nil && s.Works {
			wishes, err = t.Wishes(ctx, task)
		}
		if err != nil {
			tell(Event{Over: true, Lost: err.Error()})
			return
		}
		e := Event{Epoch: s.Epoch, Worker: s.Worker, First: from, Deltas: deltas, Over: s.Over() || s.State == "", Failed: s.Failed,
			Made: s.Made}
		for _, wish := range wishes {
			if !asked[wish.N] {
				asked[wish.N] = true
				e.Wishes = append(e.Wishes, wish)
			}
		}
		if s.Cancelled() || s.State == "" {
			e.Lost = "the task was cancelled on the hub"
		}
		if !told || len(deltas) > 0 || len(e.Wishes) > 0 || e.Over {
			if tell(e) != nil || e.Over {
				return
			}
			told = true
		}
		from += len(deltas)
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// errStream means that a stream ended before its task did.
var errStream = errors.New("the hub closed the connection")

// problem converts an error answer of the hub.
func problem(status int, text string) error {
	if status == http.StatusBadRequest { // it says what is wrong with the request
		return errors.New(text)
	}
	return fmt.Errorf("the hub answered %d: %s", status, text)
}
