package socket

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/team"
)

// people adds the routes for people, sharing, and money. Whoever reaches the socket runs the hub, or acts for it.
func people(mux *http.ServeMux, b *team.Book, t *lease.Table) {
	mux.HandleFunc("GET /people", func(w http.ResponseWriter, r *http.Request) {
		list, err := b.People(r.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("POST /people", change(t, func(ctx context.Context, p team.Person) (string, error) {
		return strings.TrimSpace("person " + p.Name + ": " + string(p.Role) + " " + p.Login), b.Enter(ctx, p)
	}))
	mux.HandleFunc("DELETE /people/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		answer(w, struct{}{}, logged(r, t, "person "+name+": removed", b.Leave(r.Context(), name)))
	})
	mux.HandleFunc("GET /people/{name}/hidden/{kind}", func(w http.ResponseWriter, r *http.Request) {
		list, err := b.Hidden(r.Context(), r.PathValue("name"), r.PathValue("kind"))
		answer(w, list, err)
	})
	mux.HandleFunc("GET /shares", func(w http.ResponseWriter, r *http.Request) {
		list, err := b.Shares(r.Context(), "")
		answer(w, list, err)
	})
	mux.HandleFunc("POST /shares", change(t, func(ctx context.Context, s team.Share) (string, error) {
		return fmt.Sprintf("share %s %s: owner %s, with %s", s.Kind, s.Name, cmp.Or(s.Owner, Owner), cmp.Or(strings.Join(s.People, " "),
			team.Nobody)), b.Share(ctx, s)
	}))
	mux.HandleFunc("GET /quotas", func(w http.ResponseWriter, r *http.Request) {
		list, err := b.Quotas(r.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("POST /quotas", change(t, func(ctx context.Context, q team.Quota) (string, error) {
		return fmt.Sprintf("quota %s %s: %s", q.Kind, q.Name, q.Limits()), b.Limit(ctx, q)
	}))
	mux.HandleFunc("GET /spent", func(w http.ResponseWriter, r *http.Request) {
		since, err := time.Parse(time.DateOnly, r.URL.Query().Get("since"))
		var list []team.Line
		if err == nil {
			list, err = b.Spent(r.Context(), since)
		}
		answer(w, list, err)
	})
	mux.HandleFunc("POST /calls", take(func(ctx context.Context, c team.Call) (reserved, error) {
		id, err := b.Reserve(ctx, c)
		if over, ok := errors.AsType[*team.Over](err); ok {
			return reserved{Over: over}, nil
		}
		return reserved{ID: id}, err
	}))
	mux.HandleFunc("POST /bills", take(func(ctx context.Context, s settled) (struct{}, error) {
		return struct{}{}, b.Settle(ctx, s.ID, s.Call, s.Bill)
	}))
}

// mostSaid limits a request here, in bytes.
const mostSaid = 1 << 20

// take decodes a request and answers with the result.
func take[In, Out any](do func(context.Context, In) (Out, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		var out Out
		err := json.NewDecoder(io.LimitReader(r.Body, mostSaid)).Decode(&in)
		if err == nil {
			out, err = do(r.Context(), in)
		}
		answer(w, out, err)
	}
}

// Owner is whoever runs the hub, where people are listed.
const Owner = team.Owner

// change decodes a change, applies it, and logs who made it and what.
func change[In any](t *lease.Table, do func(context.Context, In) (what string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		err := json.NewDecoder(io.LimitReader(r.Body, mostSaid)).Decode(&in)
		if err == nil {
			what := ""
			what, err = do(r.Context(), in)
			err = logged(r, t, what, err)
		}
		answer(w, struct{}{}, err)
	}
}

// logged records a successful change.
func logged(r *http.Request, t *lease.Table, what string, err error) error {
	if err != nil {
		return err
	}
	return t.Note(lease.AuditLine{Who: cmp.Or(r.Header.Get(byHeader), Owner), What: what})
}

// reserved is a reservation, or the quota that forbids one.
type reserved struct {
	ID   int64      `json:"id"`
	Over *team.Over `json:"over,omitempty"`
}

// settled is a call that is over.
type settled struct {
	ID   int64     `json:"id"`
	Call team.Call `json:"call"`
	Bill team.Bill `json:"bill"`
}

// Note adds a line to the audit log.
func (c *Client) Note(ctx context.Context, e lease.AuditLine) error {
	return c.do(ctx, http.MethodPost, "/audit", e)
}

// People returns those who use the hub.
func (c *Client) People(ctx context.Context) ([]team.Person, error) {
	return read[[]team.Person](ctx, c, "/people")
}

// Enter adds a person, or changes one.
func (c *Client) Enter(ctx context.Context, p team.Person) error {
	return c.do(ctx, http.MethodPost, "/people", p)
}

// Leave removes a person.
func (c *Client) Leave(ctx context.Context, name string) error {
	return c.do(ctx, http.MethodDelete, "/people/"+url.PathEscape(name), nil)
}

// Hidden returns what of a kind a person cannot see.
func (c *Client) Hidden(ctx context.Context, person, kind string) ([]string, error) {
	return read[[]string](ctx, c, "/people/"+url.PathEscape(person)+"/hidden/"+kind)
}

// Shares returns who sees what.
func (c *Client) Shares(ctx context.Context) ([]team.Share, error) {
	return read[[]team.Share](ctx, c, "/shares")
}

// Share sets who sees a worker or a project.
func (c *Client) Share(ctx context.Context, s team.Share) error {
	return c.do(ctx, http.MethodPost, "/shares", s)
}

// Quotas returns all limits, with what is used of them.
func (c *Client) Quotas(ctx context.Context) ([]team.Quota, error) {
	return read[[]team.Quota](ctx, c, "/quotas")
}

// Limit sets one.
func (c *Client) Limit(ctx context.Context, q team.Quota) error {
	return c.do(ctx, http.MethodPost, "/quotas", q)
}

// Spent returns the spending since a day, newest first.
func (c *Client) Spent(ctx context.Context, since time.Time) ([]team.Line, error) {
	return read[[]team.Line](ctx, c, "/spent?since="+since.UTC().Format(time.DateOnly))
}

// Reserve reserves the maximum cost of a call; 0: no quota applies. The error is a *team.Over if one forbids it.
func (c *Client) Reserve(ctx context.Context, call team.Call) (id int64, err error) {
	resp, err := c.ask(ctx, http.MethodPost, "/calls", call)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var r reserved
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil {
		return 0, err
	}
	if r.Over != nil {
		return 0, r.Over
	}
	return r.ID, nil
}

// Settle books the cost of a call that was reserved as id.
func (c *Client) Settle(ctx context.Context, id int64, call team.Call, bill team.Bill) error {
	return c.do(ctx, http.MethodPost, "/bills", settled{id, call, bill})
}
