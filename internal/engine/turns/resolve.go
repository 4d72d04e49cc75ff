package turns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/web"
)

// Resolved is the current and the recorded content of a handle. If it was never resolved before, Was is nil and State is handle.Unseen.
type Resolved struct {
	URI    string           `json:"uri"`
	State  handle.Standing  `json:"state"`
	Why    string           `json:"why,omitempty"` // why it is gone
	SHA256 string           `json:"sha256,omitempty"`
	Bytes  int64            `json:"bytes"`
	Face   string           `json:"face"`
	Was    *material.Handle `json:"was,omitempty"`  // as recorded in the conversation
	Node   tree.ID          `json:"node,omitempty"` // where it is recorded
	Kept   string           `json:"kept,omitempty"` // the node that records this content
	Text   string           `json:"-"`              // all of it, as it is now
	Before string           `json:"-"`              // all of it, as it was stored; empty: it was not
}

// Lookup selects a handle to resolve.
type Lookup struct {
	Tree, What string          // What is a handle, or a node that has one
	Mode       permission.Mode // for the decision about what reaches other machines; empty: as set
	Keep       bool            // record the result in the conversation, with the bytes
}

// Resolve reads what a handle refers to.
func (l *Library) Resolve(ctx context.Context, at Lookup) (Resolved, error) {
	t, err := l.talks.Open(ctx, at.Tree)
	if err != nil {
		return Resolved{}, err
	}
	r := Resolved{URI: at.What, State: handle.Unseen}
	if err := l.heldHandle(ctx, t, &r); err != nil {
		return r, err
	}
	found, err := l.look(ctx, t, r.URI, at.Mode)
	if refused, ok := asRefused(err); ok {
		return r, refused
	}
	switch lost := (*handle.Error)(nil); {
	// If something that was recorded can no longer be read, that is an answer, not an error.
	case err != nil && r.Was != nil:
		r.State, r.Why, r.Face = handle.Gone, err.Error(), r.Was.Face
		return r, nil
	case errors.As(err, &lost):
		return r, &engine.Refusal{Message: lost.Message, Hint: lost.Hint, Err: err}
	case err != nil:
		return r, err
	}
	r.SHA256, r.Bytes, r.Text, r.Face = found.SHA256, found.Bytes, found.Text, handle.Face(found.Text)
	if r.Was != nil {
		if r.State = handle.Changed; r.Was.SHA256 == r.SHA256 {
			r.State = handle.Same
		}
	}
	if !at.Keep {
		return r, nil
	}
	h := material.Handle{URI: r.URI, Face: r.Face, SHA256: r.SHA256, Bytes: r.Bytes}
	if r.Was != nil {
		h.Title = r.Was.Title
	}
	if h.Blob, err = l.store.PutBlob(ctx, r.Text); err != nil {
		return r, err
	}
	if _, err := l.engine.Do(ctx, conversation.Remark{Tree: t.Name, Handle: &h}); err != nil {
		return r, err
	}
	t, err = l.talks.Open(ctx, t.Name)
	r.Kept = string(t.Head)
	return r, err
}

// heldHandle finds the newest record of a handle on the path to a conversation's head.
func (l *Library) heldHandle(ctx context.Context, t conversation.Tree, r *Resolved) error {
	hold := func(n tree.Node) bool {
		h, ok := material.HandleKind.Of(n)
		if ok {
			r.URI = h.URI
		}
		if ok && !h.Held { // files in the context are read again in every turn
			r.Was, r.Node = &h, n.ID
		}
		return ok
	}
	if !strings.Contains(r.URI, ":") {
		n, err := l.talks.Locate(ctx, t, r.URI)
		if err == nil && !hold(n) {
			hint := "socrates tree show --nodes lists the nodes"
			if n.Kind == string(talk.ExchangeKind) {
				hint = "the output of its first call is bash:" + n.ID.Short() + "/1"
			}
			err = &engine.Refusal{Message: r.URI + " is not a handle: it is a node of kind " + n.Kind, Hint: hint}
		}
		if err != nil {
			return err
		}
	} else {
		path, err := l.store.Path(ctx, t.Head)
		if err != nil {
			return err
		}
		for _, n := range slices.Backward(path) {
			if h, ok := material.HandleKind.Of(n); ok && !h.Held && h.URI == r.URI {
				hold(n)
				break
			}
		}
	}
	if r.Was != nil && r.Was.Blob != "" {
		text, err := l.store.Blob(ctx, r.Was.Blob)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		r.Before = text
	}
	return nil
}

// look resolves a handle. What reaches other machines goes through the gate, which needs the conversation for itself.
// Files and outputs are read without asking: they are the person's own.
func (l *Library) look(ctx context.Context, t conversation.Tree, uri string, mode permission.Mode) (handle.Found, error) {
	s := handle.Source{Dir: t.Dir}
	s.Output = func(ctx context.Context, node, call string) (string, error) { return l.output(ctx, t, node, call) }
	inner := web.Inner(l.wiring.inner(t.Dir))
	s.Web.Inner = inner
	if by := reaches(uri); by != "" {
		held, unlock, err := l.talks.Lock(ctx, t.Name)
		if err != nil {
			return handle.Found{}, err
		}
		defer unlock()
		w, err := l.manualTurn(ctx, held, mode)
		if err != nil {
			return handle.Found{}, err
		}
		may := w.env(llm.Call{ID: "resolve", Name: by}, tool.Tool{Spec: llm.Spec{Name: by}})
		s.Web = web.Client{Inner: inner, May: func(ctx context.Context, u *url.URL) error {
			return may.May(ctx, tool.Act{Effect: tool.Sends, URL: u.String()})
		}}
	}
	return s.Look(ctx, uri)
}

// reaches is the tool name under which the gate decides about a handle that leads to other machines; empty: it does not.
func reaches(uri string) string {
	switch scheme, _, _ := strings.Cut(uri, ":"); scheme {
	case "http", "https":
		return "fetch"
	case "postgres":
		return scheme
	}
	return ""
}

// output returns the whole output of a call, given by its id or its number in an exchange, or of a command.
func (l *Library) output(ctx context.Context, t conversation.Tree, node, call string) (string, error) {
	n, err := l.withOutput(ctx, t, node)
	if err != nil {
		return "", &handle.Error{Message: "no node, or more than one, matches " + node + " in " + t.Name,
			Hint: "socrates tree show --nodes lists them", Err: err}
	}
	if h, ok := material.HandleKind.Of(n); ok && h.Blob != "" {
		return l.store.Named(ctx, h.Blob)
	}
	x, ok := talk.ExchangeKind.Of(n)
	if !ok {
		return "", &handle.Error{Message: "node " + node + " has no output of a tool: it is of kind " + n.Kind}
	}
	// If call is not a number, number is 0, which no call has.
	number, _ := strconv.Atoi(cmp.Or(call, "1"))
	var ids []string
	for _, m := range x.Messages {
		for _, p := range m.Parts {
			r, ok := p.(llm.Result)
			if !ok {
				continue
			}
			if ids = append(ids, r.ID); r.ID != call && len(ids) != number {
				continue
			}
			if hash := x.Whole[r.ID]; hash != "" {
				return l.store.Named(ctx, hash)
			}
			return r.Text, nil
		}
	}
	return "", &handle.Error{Message: fmt.Sprintf("node %s has no call %s", node, call), Hint: "its calls: " + strings.Join(ids, ", ")}
}

// withOutput returns the node with an output, named by the end of its id, or by a place such as HEAD, which means the last output on the
// path there.
func (l *Library) withOutput(ctx context.Context, t conversation.Tree, name string) (tree.Node, error) {
	if n, err := l.store.Find(ctx, t.Root, strings.ToLower(name)); err == nil {
		return n, nil
	}
	at, err := l.talks.Locate(ctx, t, name)
	if err != nil {
		return at, err
	}
	path, err := l.store.Path(ctx, at.ID)
	if err != nil {
		return at, err
	}
	for _, n := range slices.Backward(path) {
		if h, ok := material.HandleKind.Of(n); ok && h.Blob != "" && strings.HasPrefix(h.URI, "bash:") ||
			n.Kind == string(talk.ExchangeKind) {
			return n, nil
		}
	}
	return at, nil
}

// Handles returns the handles on the path to the head of a conversation, each once, in order.
func (l *Library) Handles(ctx context.Context, t conversation.Tree) ([]string, error) {
	path, err := l.store.Path(ctx, t.Head)
	var uris []string
	for _, n := range path {
		if h, ok := material.HandleKind.Of(n); ok && !h.Held && !slices.Contains(uris, h.URI) {
			uris = append(uris, h.URI)
		}
	}
	return uris, err
}

// asRefused finds the refusal in an error, if something was not allowed.
func asRefused(err error) (*permission.Refused, bool) { return errors.AsType[*permission.Refused](err) }
