package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/learn"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/tree"
)

// decisionRoutes are the routes of decisions, and of what was learned from them.
func decisionRoutes() []Route {
	return []Route{
		row("GET", "/api/v1/decisions", "rooms.Library.Decisions Engine.Unindexed", guard.Read, "List or search decisions", decisions),
		row("GET", "/api/v1/decisions/{name}", "rooms.Library.Decision", guard.Read, "One decision, and the one that replaced it",
			func(ctx context.Context, r Request, in Named) (rooms.Decision, error) {
				return rooms.In(r.Engine).Decision(ctx, in.Name)
			}).tagged(),
		row("GET", "/api/v1/decisions/{name}/digest", "rooms.Library.Digest", guard.Read, "A decision as shown to later debates",
			func(ctx context.Context, r Request, in Named) (rooms.Earlier, error) {
				return rooms.In(r.Engine).Digest(ctx, in.Name)
			}).tagged(),
		row("GET", "/api/v1/decisions/{name}/trunk", "rooms.Library.Trunk", guard.Read,
			"A decision's nodes without the seats' prompts and replies",
			func(ctx context.Context, r Request, in Named) (items[tree.Node], error) {
				all, err := rooms.In(r.Engine).Trunk(ctx, in.Name)
				return items[tree.Node]{Items: all}, err
			}).tagged(),
		row("POST", "/api/v1/decisions/{name}/supersede", "rooms.Supersede", guard.Debate, "Mark a decision as superseded",
			func(ctx context.Context, r Request, in superseding) (rooted, error) {
				return r.do(ctx, rooms.Supersede{Old: in.Name, New: in.By, Reason: in.Reason})
			}),
		row("GET", "/api/v1/superseded", "rooms.Library.Superseded", guard.Read, "Superseded decisions, each with its replacement",
			func(ctx context.Context, r Request, _ none) (map[string]string, error) {
				return rooms.In(r.Engine).Superseded(ctx)
			}).tagged(),
		row("GET", "/api/v1/similar", "rooms.Library.Similar", guard.Read, "Find decisions on similar questions", similar),
		row("GET", "/api/v1/knowledge", "rooms.Library.Knowledge", guard.Read, "What outcomes have taught about models and judges",
			func(ctx context.Context, r Request, _ none) (*learn.Knowledge, error) {
				return rooms.In(r.Engine).Knowledge(ctx)
			}),
	}
}

// superseding says what replaced a decision.
type superseding struct {
	Name   string `json:"name"`
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// While the index is being built not everything is found, so more says that there may be more.
func decisions(ctx context.Context, r Request, in Listing) (items[rooms.Decision], error) {
	list, more, err := rooms.In(r.Engine).Decisions(ctx, in.Folder, in.Words, in.most())
	return items[rooms.Decision]{Items: list, More: more || in.Words != "" && r.Engine.Unindexed()}, err
}

// alike is a search for similar questions.
type alike struct {
	Question string `json:"question"`
	Folder   string `json:"folder,omitempty"`
	Most     int    `json:"limit,omitempty"`
}

// similar finds earlier decisions on similar questions.
func similar(ctx context.Context, r Request, in alike) (items[rooms.Earlier], error) {
	list, err := rooms.In(r.Engine).Similar(ctx, rooms.Likeness{Question: in.Question, Dir: in.Folder, Most: Listing{Most: in.Most}.most()})
	return items[rooms.Earlier]{Items: list}, err
}

// decision writes the document of a debate in the preferred format. HTML comes with a policy of its own: the document
// contains its style, and nothing in it may run.
func decision(h *Host, w http.ResponseWriter, r *http.Request) error {
	res, err := result(r.Context(), Request{Host: h, HTTP: r}, Named{r.PathValue("name")})
	if err != nil {
		return err
	}
	d, kind, text := document.Of(res), "text/markdown; charset=utf-8", ""
	switch accepted(r, "application/json", "text/markdown", "text/html") {
	case "text/html":
		kind, text = "text/html; charset=utf-8", d.HTML()
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	case "text/markdown":
		text = d.Markdown()
	default:
		return h.json(w, d)
	}
	w.Header().Set("Content-Type", kind)
	w.Write([]byte(h.Clean(text)))
	return nil
}

// accepted returns the first offered format that a client accepts, or the first of all. It ignores weights: clients
// that accept several list the preferred one first.
func accepted(r *http.Request, offered ...string) string {
	for part := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		for _, o := range offered {
			if o == name {
				return o
			}
		}
	}
	return offered[0]
}

// do performs an operation. It continues if the client goes away.
func (r Request) do(ctx context.Context, op engine.Op) (rooted, error) {
	root, err := r.Engine.Do(context.WithoutCancel(ctx), op)
	return rooted{Root: root}, err
}
