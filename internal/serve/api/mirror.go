package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/store"
)

// since is the position of a copy of the store.
type since struct {
	After int64 `json:"after,omitempty" jsonschema:"the number of the last node that it has"`
	Moved int64 `json:"moved,omitempty" jsonschema:"time of the newest ref that it has, in milliseconds since 1970; 0: all refs"`
}

// mirrorRoutes let another machine copy the store.
func mirrorRoutes() []Route {
	route := row("GET", "/api/v1/mirror", "Engine.Copy", guard.Read,
		"The next piece of a copy of the store: nodes with their texts, and refs", mirror)
	route.own = true
	return []Route{route}
}

// view identifies what this host's person may see of the store: it changes when that does.
func (h *Host) view() string {
	sum := sha256.Sum256([]byte(h.Person + "\n" + strings.Join(h.Hidden, "\n")))
	return hex.EncodeToString(sum[:8])
}

// mirror reads a batch. A text that may not leave is left out, as is one whose hash would no longer match after
// removing secrets; a body is cleaned on its own, as in an event.
func mirror(ctx context.Context, r Request, in since) (engine.Copy, error) {
	last, err := r.Engine.LastSeq(ctx)
	if err != nil {
		return engine.Copy{}, err
	}
	if in.After > last {
		return engine.Copy{}, beyond(in.After, last)
	}
	c, err := r.Engine.Copy(ctx, store.PageQuery{After: in.After, Moved: time.UnixMilli(in.Moved)})
	if err != nil {
		return c, err
	}
	c.View = r.view()
	for i, n := range c.Nodes {
		c.Nodes[i].Body = []byte(r.Clean(string(n.Body)))
	}
	for h, text := range c.Texts {
		if r.Clean(text) != text {
			delete(c.Texts, h)
		}
	}
	return c, nil
}
