package acp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/store"
)

// methods are the served requests besides session/prompt.
var methods = map[string]func(a *agent, params json.RawMessage) (task, error){
	"initialize":                on((*agent).initialize),
	"authenticate":              on((*agent).authenticate),
	"session/new":               on((*agent).newSession),
	"session/load":              on((*agent).loadSession),
	"session/resume":            on((*agent).resumeSession),
	"session/list":              on((*agent).listSessions),
	"session/fork":              on((*agent).forkSession),
	"session/close":             on((*agent).closeSession),
	"session/delete":            on((*agent).deleteSession),
	"session/set_mode":          on((*agent).setMode),
	"session/set_config_option": on((*agent).setOption),
}

// on makes a method from a function with typed parameters.
func on[In any](f func(*agent, context.Context, In) (any, func(), error)) func(*agent, json.RawMessage) (task, error) {
	return func(a *agent, params json.RawMessage) (task, error) {
		var in In
		if err := decode(params, &in); err != nil {
			return nil, err
		}
		return func(ctx context.Context) (any, func(), error) { return f(a, ctx, in) }, nil
	}
}

// decode parses parameters; none are as good as an empty object.
func decode(params json.RawMessage, in any) error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if err := json.Unmarshal(params, in); err != nil {
		return &problem{Code: badParams, Message: err.Error()}
	}
	return nil
}

// dispatch finds the task of a message. A prompt begins, and a cancel takes effect, before the next message is read.
func (a *agent) dispatch(m message) (task, error) {
	a.mu.Lock()
	greeted := a.client != nil
	a.mu.Unlock()
	method, known := methods[m.Method]
	switch {
	case m.Method != "initialize" && !greeted:
		return nil, &problem{Code: badRequest, Message: "send initialize first"}
	case m.Method == "session/prompt":
		return a.prompted(m.Params)
	case m.Method == "session/cancel":
		var in where
		if err := decode(m.Params, &in); err != nil {
			return nil, err
		}
		s, err := a.session(in.SessionID)
		if err == nil {
			s.cancel()
		}
		return nil, err
	case !known:
		return nil, &problem{Code: noMethod, Message: "unknown method " + m.Method}
	}
	do, err := method(a, m.Params)
	if m.Method == "initialize" && err == nil { // an editor may send what follows without waiting for the answer
		result, _, err := do(a.ctx)
		return func(context.Context) (any, func(), error) { return result, nil, err }, nil
	}
	return do, err
}

// version is that of the protocol.
const version = 1

// initialize records the editor's abilities and returns ours. Whichever version it asks for, we speak ours; it
// disconnects if it cannot.
func (a *agent) initialize(_ context.Context, in hello) (any, func(), error) {
	a.mu.Lock()
	a.client = &in.ClientCapabilities
	a.mu.Unlock()
	none := struct{}{}
	w := welcome{ProtocolVersion: version, AuthMethods: []authMethod{},
		AgentInfo: map[string]any{"name": "socrates", "title": "Socrates", "version": a.Version},
		AgentCapabilities: map[string]any{"loadSession": true,
			"promptCapabilities":  map[string]bool{"embeddedContext": true, "image": true},
			"mcpCapabilities":     map[string]bool{"http": true, "sse": false},
			"sessionCapabilities": map[string]any{"list": none, "resume": none, "close": none, "delete": none, "fork": none}}}
	if in.ClientCapabilities.Auth.Terminal {
		w.AuthMethods = append(w.AuthMethods, authMethod{Type: "terminal", ID: "login", Name: "Sign in with socrates login",
			Description: "Add an API key, or sign in to a program", Args: []string{"--sign-in"}})
	}
	return w, nil, nil
}

// authenticate refuses: signing in needs a terminal, and the editor was told so.
func (a *agent) authenticate(context.Context, struct{}) (any, func(), error) {
	return nil, nil, &problem{Code: badParams, Message: "sign in in a terminal: socrates login"}
}

// able returns the editor's abilities.
func (a *agent) able() ability {
	a.mu.Lock()
	defer a.mu.Unlock()
	return *a.client
}

// session finds an open one.
func (a *agent) session(id string) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[id]
	if s == nil {
		return nil, &problem{Code: noSuchThing, Message: "session " + id + " is not open; open it with session/load"}
	}
	return s, nil
}

// folderOf returns the folder of a session.
func folderOf(dir string) (string, error) {
	if info, err := os.Stat(dir); !filepath.IsAbs(dir) || err != nil || !info.IsDir() {
		return "", &problem{Code: badParams, Message: "cwd must be an absolute path of a folder, not " + dir}
	}
	return filepath.Clean(dir), nil
}

// problemOf converts an error for an editor: what happened, and what to do.
func problemOf(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	f := failure.Explain(err)
	p := &problem{Code: broken, Message: f.Message, Data: map[string]any{"reason": f.Reason, "exit_code": f.Code}}
	if f.Hint != "" {
		p.Message += "; " + f.Hint
	}
	_, refused := errors.AsType[*engine.Refusal](err)
	switch {
	case errors.Is(err, store.ErrNotFound):
		p.Code = noSuchThing
	case errors.Is(err, context.Canceled):
		p.Code = wasCancelled
	case f.Code == failure.ExitAuth:
		p.Code = needsSignIn
	case refused || f.Code == failure.ExitUsage:
		p.Code = badParams
	}
	return p
}
