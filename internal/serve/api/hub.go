package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/team"
)

// days is the period of a spending report.
type days struct {
	Days int `json:"days,omitempty" jsonschema:"number of days to list; default: 30"`
}

// since returns its first day.
func (d days) since() time.Time {
	if d.Days <= 0 {
		d.Days = 30
	}
	return time.Now().UTC().AddDate(0, 0, 1-d.Days)
}

// me is the caller, and what they may still spend.
type me struct {
	Name   string       `json:"name,omitempty" jsonschema:"empty: whoever runs the server"`
	Scope  guard.Scope  `json:"scope"`
	Quotas []team.Quota `json:"quotas"`
	Spent  []team.Line  `json:"spent" jsonschema:"what they triggered or paid"`
}

// hubRoutes are the routes of people, sharing, and money. They are refused if no hub runs.
func hubRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/hub/me", "", guard.Read, "Who you are at a hub, your quotas, and what you spent", aboutMe),
		row("GET", "/api/v1/hub/people", "", guard.Admin, "List the people of a hub, with their roles",
			listed((*socket.Client).People)),
		row("POST", "/api/v1/hub/people", "", guard.Admin, "Add a person, or change a person's role and login",
			changed((*socket.Client).Enter)),
		row("DELETE", "/api/v1/hub/people/{name}", "", guard.Admin, "Shut a person out and revoke their tokens",
			func(ctx context.Context, r Request, in Named) (none, error) { return none{}, r.Expel(ctx, in.Name) }),
		row("GET", "/api/v1/hub/shares", "", guard.Admin, "List who sees which workers and projects", listed((*socket.Client).Shares)),
		row("POST", "/api/v1/hub/shares", "", guard.Admin, "Set who sees a worker or a project", changed((*socket.Client).Share)),
		row("GET", "/api/v1/hub/quotas", "", guard.Admin, "List quotas and how much of each is used", listed((*socket.Client).Quotas)),
		row("POST", "/api/v1/hub/quotas", "", guard.Admin, "Set a quota, or remove it", changed((*socket.Client).Limit)),
		row("GET", "/api/v1/hub/spending", "", guard.Admin, "List spending: who triggered it and who paid",
			func(ctx context.Context, r Request, in days) (items[team.Line], error) {
				return listed(func(c *socket.Client, ctx context.Context) ([]team.Line, error) {
					return c.Spent(ctx, in.since())
				})(ctx, r, none{})
			}),
		row("GET", "/api/v1/hub/workers", "", guard.Admin, "List workers and what they offer", listed((*socket.Client).Workers)),
		row("POST", "/api/v1/hub/workers/{name}/drain", "", guard.Admin, "Have a worker finish its tasks and exit",
			func(ctx context.Context, r Request, in Named) (none, error) {
				return changed(func(c *socket.Client, ctx context.Context, in Named) error { return c.Drain(ctx, in.Name) })(ctx, r, in)
			}),
		row("DELETE", "/api/v1/hub/workers/{name}", "", guard.Admin, "Shut a worker out; its tasks go to others",
			func(ctx context.Context, r Request, in Named) (none, error) {
				return changed(func(c *socket.Client, ctx context.Context, in Named) error { return c.Revoke(ctx, in.Name) })(ctx, r, in)
			}),
		row("GET", "/api/v1/hub/audit", "", guard.Admin, "List the audit log, newest first",
			listed(func(c *socket.Client, ctx context.Context) ([]lease.AuditLine, error) { return c.Audit(ctx) })),
	}
}

// noHub refuses what needs a hub.
func (r Request) noHub() error {
	if r.Hub != nil {
		return nil
	}
	return &Problem{Status: http.StatusNotFound,
		Detail: "this server belongs to one person and is not a hub", Hint: "start one: socrates hub"}
}

// asked converts an answer of the hub; its refusal is the caller's mistake.
func asked(err error) error {
	if err == nil || socket.Away(err) {
		return err
	}
	return &Problem{Status: http.StatusBadRequest, Detail: err.Error()}
}

// listed makes a route that returns a list of the hub.
func listed[T any](list func(*socket.Client, context.Context) ([]T, error)) func(context.Context, Request, none) (items[T], error) {
	return func(ctx context.Context, r Request, _ none) (items[T], error) {
		if err := r.noHub(); err != nil {
			return items[T]{}, err
		}
		all, err := list(r.Hub, ctx)
		return items[T]{Items: slices.Concat([]T{}, all)}, asked(err)
	}
}

// changed makes a route that changes something of the hub.
func changed[T any](do func(*socket.Client, context.Context, T) error) func(context.Context, Request, T) (none, error) {
	return func(ctx context.Context, r Request, in T) (none, error) {
		if err := r.noHub(); err != nil {
			return none{}, err
		}
		return none{}, asked(do(r.Hub, ctx, in))
	}
}

// Expel removes a person and their tokens.
func (r Request) Expel(ctx context.Context, name string) error {
	if err := r.noHub(); err != nil {
		return err
	}
	if name == r.Caller.Who {
		return &Problem{Status: http.StatusConflict, Detail: "you cannot remove yourself", Hint: "another admin can"}
	}
	if err := asked(r.Hub.Leave(ctx, name)); err != nil {
		return err // without a name, these would be the tokens of the hub's operator
	}
	return guard.RemoveTokens(r.State, name)
}

// aboutMe returns what concerns the caller; admins see the rest with the other routes.
func aboutMe(ctx context.Context, r Request, in days) (out me, err error) {
	if err := r.noHub(); err != nil {
		return out, err
	}
	out = me{Name: r.Caller.Who, Scope: r.Caller.Scope, Quotas: []team.Quota{}, Spent: []team.Line{}}
	quotas, err := r.Hub.Quotas(ctx)
	if err != nil {
		return out, asked(err)
	}
	for _, q := range quotas {
		if q.Kind == team.OfPerson && q.Name == out.Name {
			out.Quotas = append(out.Quotas, q)
		}
	}
	lines, err := r.Hub.Spent(ctx, in.since())
	out.Spent = append(out.Spent, r.Theirs(lines, out.Name)...)
	return out, asked(err)
}

// Theirs returns the lines that a person triggered or paid. Projects that they cannot see are unnamed: the owner of a
// worker pays for calls of others' projects.
func (h *Host) Theirs(lines []team.Line, who string) (list []team.Line) {
	for _, l := range lines {
		if l.Person != who && l.Payer != who {
			continue
		}
		if h.hides(l.Project) {
			l.Project = ""
		}
		list = append(list, l)
	}
	return list
}
