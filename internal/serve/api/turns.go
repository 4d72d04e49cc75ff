package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/attach"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/permission"
	grants "github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Saying is a message to a conversation, and the conditions of its answer.
type Saying struct {
	Name  string `json:"name"`
	Text  string `json:"text"`
	Model string `json:"model,omitempty"`
	Phase string `json:"phase,omitempty"`
	Mode  string `json:"mode,omitempty"`
	Aside bool   `json:"aside,omitempty" jsonschema:"a side question: the branch stays where it is"`
	From  string `json:"from,omitempty" jsonschema:"answer below this node instead of the head"`
	Again bool   `json:"again,omitempty" jsonschema:"answer the last message again on a new branch"`

	Files []enclosed `json:"files,omitempty" jsonschema:"pictures, PDFs, notebooks and texts sent with the message"`
}

// enclosed is a file attached to a message.
type enclosed struct {
	Name string `json:"name"`
	Data []byte `json:"data" jsonschema:"its bytes in base64"`
}

// enclose attaches the files of a message.
func (in Saying) enclose(op *turns.Say) error {
	var texts []string
	for _, e := range in.Files {
		if utf8.Valid(e.Data) && !attach.Named(e.Name) && !attach.Document(e.Data) {
			texts = append(texts, e.Name+":\n"+string(e.Data))
			continue
		}
		f, err := attach.Read(e.Name, e.Data)
		if err != nil {
			return &Problem{Status: http.StatusBadRequest, Detail: "cannot attach " + e.Name + ": " + err.Error()}
		}
		if op.Images = append(op.Images, f.Attachments...); f.Text != "" {
			texts = append(texts, e.Name+":\n"+f.Text)
		}
	}
	op.Data = strings.Join(texts, "\n\n")
	return nil
}

// adjustment is a setting of a conversation, or a file of its context.
type adjustment struct {
	Name  string `json:"name"`
	Key   string `json:"key,omitempty" jsonschema:"model, phase or mode"`
	Value string `json:"value,omitempty"`
	File  string `json:"file,omitempty"`
	Undo  bool   `json:"undo,omitempty"`
}

// turnRoutes are the routes of turns: sending messages, answering questions, and conditions of the next turn.
func turnRoutes() []Route {
	return []Route{
		row("POST", "/api/v1/trees/{name}/say", "turns.Say turns.Interject", guard.Agent,
			"Send a message: to the running turn, or starting one", Say).status(http.StatusAccepted),
		row("POST", "/api/v1/trees/{name}/stop", "Interrupt Stop", guard.Agent, "Stop the running turn; what was done is kept", StopTree),
		row("POST", "/api/v1/needs/{id}", "turns.Answer", guard.Agent, "Answer a turn: allow, deny, or reply to its question", Answer),
		row("POST", "/api/v1/trees/{name}/exec", "turns.Exec", guard.Agent, "Run a command with an agent's permission checks",
			func(ctx context.Context, r Request, in wordsTo) (rooted, error) {
				return r.do(ctx, turns.Exec{Tree: in.Name, Command: in.Text})
			}).
			status(http.StatusAccepted),
		row("POST", "/api/v1/trees/{name}/set", "turns.Set", guard.Agent, "Set model, phase or mode",
			func(ctx context.Context, r Request, in adjustment) (rooted, error) {
				return r.do(ctx, turns.Set{Tree: in.Name, Key: in.Key, Value: in.Value})
			}),
		row("POST", "/api/v1/trees/{name}/hold", "turns.Hold", guard.Agent, "Add a file to the context",
			func(ctx context.Context, r Request, in adjustment) (rooted, error) {
				return r.do(ctx, turns.Hold{Tree: in.Name, Name: in.File})
			}),
		row("POST", "/api/v1/trees/{name}/release", "turns.Release", guard.Agent, "Remove a file from the context",
			func(ctx context.Context, r Request, in adjustment) (rooted, error) {
				return r.do(ctx, turns.Release{Tree: in.Name, Name: in.File})
			}),
		row("POST", "/api/v1/trees/{name}/compact", "turns.Compact", guard.Agent, "Compact the conversation, or undo a compaction",
			func(ctx context.Context, r Request, in adjustment) (rooted, error) {
				return r.do(ctx, turns.Compact{Tree: in.Name, Model: in.Value, Undo: in.Undo})
			}).status(http.StatusAccepted),
		row("GET", "/api/v1/trees/{name}/grants", "turns.Library.Grants turns.Library.SessionGrants", guard.Read,
			"The grants of a conversation: for the session and for the project", onTree(
				func(ctx context.Context, r Request, t conversation.Tree) ([]grants.Granted, error) {
					return turns.In(r.Engine).Grants(ctx, t.Name)
				})),
		row("POST", "/api/v1/trees/{name}/revoke", "turns.Revoke", guard.Agent, "Revoke a grant; text is its id",
			func(ctx context.Context, r Request, in wordsTo) (struct{}, error) {
				_, err := r.Engine.Do(ctx, turns.Revoke{Tree: in.Name, IDs: []string{in.Text}})
				return struct{}{}, err
			}),
		row("GET", "/api/v1/trees/{name}/prompt", "turns.Library.Prompt", guard.Read, "The exact model context at a node", prompt),
		row("POST", "/api/v1/trees/{name}/resolve", "turns.Library.Resolve", guard.Agent,
			"Resolve a handle, with permission checks", resolve),
	}
}

// Say sends a message to a conversation. If a turn runs, the message goes to that turn, unless a new answer or a side
// question is wanted; if the turn ends without reading it, it begins the next one. It returns once the turn has
// begun.
func Say(ctx context.Context, r Request, in Saying) (rooted, error) {
	l := conversation.In(r.Engine)
	t, err := l.Open(ctx, in.Name)
	if err != nil {
		return rooted{}, err
	}
	op := turns.Say{Tree: t.Name, Text: in.Text, Model: in.Model, Phase: in.Phase, Mode: permission.Mode(in.Mode), Aside: in.Aside,
		Again: in.Again}
	if err := in.enclose(&op); err != nil {
		return rooted{}, err
	}
	// Two turns of one branch would write into each other's files.
	if l.AtWork(t.Name) && !in.Again && !in.Aside {
		message, err := r.do(ctx, turns.Interject{Tree: t.Name, Text: in.Text, Data: op.Data, Images: op.Images})
		if err == nil {
			in.Name = t.Name
			go sayUnread(context.WithoutCancel(ctx), r, in, message.Root)
		}
		if refused := (*engine.Refusal)(nil); !errors.As(err, &refused) {
			return message, err
		} // the turn has just ended
	}
	if in.Text == "" && len(in.Files) == 0 && !in.Again {
		return rooted{}, &Problem{Status: http.StatusBadRequest, Detail: "no message given"}
	}
	if in.From != "" {
		n, err := l.Locate(ctx, t, in.From)
		if err != nil {
			return rooted{}, err
		}
		op.From = n.ID
	}
	// What is not named comes from the person's settings, read before the turn begins so that a refusal is an answer.
	if op, err = r.Turn(ctx, op); err != nil {
		return rooted{}, err
	}
	return r.do(ctx, op)
}

// sayUnread sends a message that a turn has ended without reading. A stopped turn drops its messages. Nobody waits
// for the answer: a refusal is then part of the conversation.
func sayUnread(ctx context.Context, r Request, in Saying, message tree.ID) {
	if read, err := turns.In(r.Engine).AwaitRead(ctx, in.Name, message); err != nil || read {
		return
	}
	t, err := conversation.In(r.Engine).Open(ctx, in.Name)
	if err != nil {
		return
	}
	last, err := conversation.In(r.Engine).PathEnd(ctx, t.Head, 1)
	if err != nil {
		return
	}
	if end, ok := talk.ReplyKind.Of(last[0]); !ok || end.State != talk.Interrupted {
		Say(ctx, r, in)
	}
}

// StopTree stops the running turn. It refuses a turn of another process, which cannot be stopped from here.
func StopTree(ctx context.Context, r Request, in Named) (rooted, error) {
	t, err := conversation.In(r.Engine).Open(ctx, in.Name)
	switch {
	case err != nil:
		return rooted{}, err
	case !r.Engine.Running(t.Root) && conversation.In(r.Engine).AtWork(t.Name):
		return rooted{}, &Problem{Status: http.StatusConflict, Detail: "another process is running " + t.Name, Hint: "stop it there"}
	}
	return r.do(ctx, engine.Interrupt{Root: t.Root})
}

// Answering is the answer to a question of a turn.
type Answering struct {
	ID     string `json:"id"`
	Choice string `json:"choice" jsonschema:"for a permission: once, session, project or deny; otherwise the answer"`
	Reason string `json:"reason,omitempty"`
}

// Answer answers a question of a turn. The id may be any node: one that asks nothing is not found. An earlier answer
// stays, as the engine decides.
func Answer(ctx context.Context, r Request, in Answering) (rooted, error) {
	path, err := conversation.In(r.Engine).PathEnd(ctx, tree.ID(in.ID), 1)
	if err != nil || len(path) == 0 {
		return rooted{}, &Problem{Status: http.StatusNotFound, Detail: "no question " + in.ID}
	}
	need, ok := asking.NeedKind.Of(path[len(path)-1])
	if !ok {
		return rooted{}, &Problem{Status: http.StatusNotFound, Detail: "no question " + in.ID}
	}
	if need.Question == nil {
		choices := append([]string{"once", "deny"}, told.Scopes(need)...)
		if !r.Caller.Owns() { // only whoever runs the server can give what lasts beyond this conversation
			choices = slices.DeleteFunc(choices, func(c string) bool { return c == "project" })
		}
		if !slices.Contains(choices, in.Choice) {
			return rooted{}, &Problem{Status: http.StatusBadRequest, Detail: "the answer must be one of: " + list(choices)}
		}
	}
	return r.do(ctx, turns.Answer{To: path[len(path)-1].ID, Choice: in.Choice, Reason: in.Reason})
}

// prompt returns what a model would be shown at a node.
func prompt(ctx context.Context, r Request, in spot) (turns.Prompt, error) {
	t, at, err := r.locate(ctx, in.Name, in.At)
	if err != nil {
		return turns.Prompt{}, err
	}
	return turns.In(r.Engine).Prompt(ctx, t, at)
}

// looking is a handle to resolve.
type looking struct {
	Name string `json:"name"`
	What string `json:"what" jsonschema:"a handle, or a node that holds one"`
	Keep bool   `json:"keep,omitempty" jsonschema:"save the content as a node"`
}

// resolve resolves a handle, through the gate: it may run something.
func resolve(ctx context.Context, r Request, in looking) (turns.Resolved, error) {
	return turns.In(r.Engine).Resolve(ctx, turns.Lookup{Tree: in.Name, What: in.What, Keep: in.Keep})
}
