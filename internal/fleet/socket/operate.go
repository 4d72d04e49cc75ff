package socket

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet/lease"
)

// Health is the state of a hub.
type Health struct {
	Build           string          `json:"build"`
	Now             time.Time       `json:"now"`
	Lease           time.Duration   `json:"lease"`
	NATS            string          `json:"nats"` // the server's version
	Own             bool            `json:"own"`  // it is embedded in the hub
	URLs            []string        `json:"urls"` // where workers connect
	Web             string          `json:"web"`  // where they fetch code
	Unreachable     []string        `json:"unreachable,omitempty"`
	CertificateEnds time.Time       `json:"certificate_ends"`
	AuthorityEnds   time.Time       `json:"authority_ends"`
	Table           lease.Soundness `json:"table"`
	Queued          int             `json:"queued"`          // tasks in the queue, delivered or not
	Missing         []string        `json:"missing"`         // waiting tasks that are not in the queue
	Queue           string          `json:"queue,omitempty"` // why it could not be read
}

// hold is a request to pause or resume.
type hold struct {
	Name   string `json:"name"`
	Paused bool   `json:"paused"`
}

// operate adds the routes for operating a hub.
func operate(mux *http.ServeMux, h Hub, t *lease.Table) {
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		health, err := h.Health(r.Context())
		answer(w, health, err)
	})
	mux.HandleFunc("GET /tasks", func(w http.ResponseWriter, r *http.Request) {
		list, err := t.Tasks(r.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("POST /pause", take(func(ctx context.Context, p hold) (string, error) { return h.Pause(ctx, p.Name, p.Paused) }))
}

// Pause pauses or resumes a worker or a task, and returns what that means.
func (c *Client) Pause(ctx context.Context, name string, paused bool) (said string, err error) {
	resp, err := c.ask(ctx, http.MethodPost, "/pause", hold{name, paused})
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	return said, json.NewDecoder(resp.Body).Decode(&said)
}

// Tasks returns those that are not over, oldest first.
func (c *Client) Tasks(ctx context.Context) ([]lease.Unfinished, error) {
	return read[[]lease.Unfinished](ctx, c, "/tasks")
}

// Health returns the state of the hub.
func (c *Client) Health(ctx context.Context) (Health, error) { return read[Health](ctx, c, "/health") }
