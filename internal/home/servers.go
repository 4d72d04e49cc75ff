package home

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/keyring"
	"github.com/socrates-cli/socrates/internal/mcp"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/trust"
)

// Own returns the MCP servers of the person's own settings. A server whose secret cannot be found is left out
// with a warning: it is one tool among many.
func (sv *Servers) Own(dir string) ([]mcp.Server, error) {
	c, err := sv.home.Settings.Load()
	if err != nil {
		return nil, err
	}
	var list []mcp.Server
	for _, u := range c.Servers() {
		key, err := u.Bearer.Reveal(os.LookupEnv)
		if err != nil {
			sv.home.Warn("MCP server " + u.Name + " skipped: " + err.Error())
			continue
		}
		sv.home.Learn(key)
		s := mcp.Server{Name: u.Name, Command: u.Command, Args: u.Args, Env: u.Env, URL: u.URL, Headers: u.Headers, Bearer: key, Dir: dir,
			Origin: FromSettings, Local: u.Local}
		if err := s.Check(); err != nil {
			return nil, failure.New(failure.ExitConfig, "config", "in your settings, "+err.Error(), "")
		}
		list = append(list, s)
	}
	return list, nil
}

// All returns the MCP servers of a session: the person's own, then those of the project among trusted that have
// another name.
func (sv *Servers) All(dir string, trusted []trust.Item) ([]mcp.Server, error) {
	list, err := sv.Own(dir)
	if err != nil {
		return nil, err
	}
	for _, i := range trusted {
		if i.Kind != trust.MCP {
			continue
		}
		if slices.ContainsFunc(list, func(s mcp.Server) bool { return s.Name == i.Name }) {
			sv.home.Warn("MCP server " + i.Name + " of " + i.Path + " skipped: you have a server with that name")
			continue
		}
		s, err := mcp.Parse(i.Name, i.Definition)
		if err != nil {
			return nil, failure.New(failure.ExitConfig, "config", i.Path+": "+err.Error(), "")
		}
		s.Dir, s.Origin = dir, i.Path
		list = append(list, s)
	}
	return list, nil
}

// names returns the servers that Extend would connect, as far as settings and approvals can be read: whoever
// uses them gets the errors.
func (sv *Servers) names(dir string) (names []string) {
	allowed, err := sv.home.Approvals.Allowed(dir)
	if err != nil {
		return nil
	}
	all, _ := sv.All(dir, allowed)
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// Extend returns what the person's settings, and the approved parts of a project, add to a conversation. The
// conversation calls x.Close, which ends what was started. taken are names that tools of servers may not have.
func (sv *Servers) Extend(ctx context.Context, dir, session string, taken []string) (x turns.Extension, err error) {
	allowed, err := sv.home.Approvals.Allowed(dir)
	if err != nil {
		return x, err
	}
	if x.Hooks, err = sv.Hooks(dir, session, allowed); err != nil {
		return x, err
	}
	servers, err := sv.All(dir, allowed)
	if err != nil {
		return x, err
	}
	if servers = sv.withAttached(session, servers); len(servers) == 0 {
		return x, nil
	}
	o, err := sv.Options(dir, taken...)
	if err != nil {
		return x, err
	}
	set := mcp.Open(ctx, servers, o)
	x.Prompt = set.Prompt
	x.Prompts = func(ctx context.Context) (list []phase.Command) {
		for _, p := range set.Prompts(ctx) {
			list = append(list, phase.Command{Name: p.Name, Doc: p.Doc, Args: p.Form()})
		}
		return list
	}
	x.Tools, x.Notes, x.Close = set.Tools, set.Warnings, func() { set.Close() }
	return x, nil
}

// Options returns what MCP servers need from us. taken are the names of the other tools.
func (sv *Servers) Options(dir string, taken ...string) (mcp.Options, error) {
	store, err := sv.home.Approvals.Store()
	if err != nil {
		return mcp.Options{}, err
	}
	project, err := trust.Project(dir)
	if err != nil {
		return mcp.Options{}, err
	}
	return mcp.Options{Taken: taken, Tokens: sv.home.Keys.Tokens(), Vet: func(s mcp.Server, offers []mcp.Offer) []error {
		if s.Origin == FromSettings {
			return sv.vet(store, "", s, offers)
		}
		return sv.vet(store, project, s, offers)
	}}, nil
}

// vet compares a server's tool definitions with those pinned when it was first used; a changed tool is not used
// until a person approves it. errs has one entry per offer. If the pins cannot be written no tool is used, or a
// change would go unnoticed next time.
func (sv *Servers) vet(store *trust.Store, scope string, s mcp.Server, offers []mcp.Offer) []error {
	errs, items := make([]error, len(offers)), make([]trust.Item, len(offers))
	first := !slices.ContainsFunc(store.Noted(scope), func(i trust.Item) bool { return trust.Of(i, s.Name) })
	var open []trust.Item
	for n, o := range offers {
		i, err := trust.Offer(s.Name, o.Name, s.Origin, struct {
			Server string    `json:"server"`
			Tool   mcp.Offer `json:"tool"`
		}{s.Says(), o})
		items[n], errs[n] = i, err
		if err != nil || first {
			continue
		}
		if state, _ := store.State(scope, i); state != trust.Approved {
			what := map[trust.State]string{trust.New: "added after you approved the server's other tools",
				trust.Changed: "its definition changed since you approved it"}[state]
			errs[n] = fmt.Errorf("%s; inspect it with: socrates trust show %s", what, i.ID())
			open = append(open, i)
		}
	}
	var err error
	if first {
		err = store.Approve(scope, items...)
	} else if len(open) > 0 {
		err = store.Note(scope, open...)
	}
	if err != nil {
		for n := range errs {
			errs[n] = err
		}
	}
	return errs
}

// Tokens stores tokens of sign-ins with the other keys. They are base64 in the keyring, because some keyrings
// accept only text.
func (k *Keys) Tokens() mcp.Tokens {
	return mcp.Tokens{
		Load: func(server string) ([]byte, error) {
			r, err := k.Keyring()
			if err != nil {
				return nil, err
			}
			kept, err := r.Get(SignInOf(server))
			if errors.Is(err, keyring.ErrNone) {
				return nil, nil
			}
			raw, bad := base64.RawURLEncoding.DecodeString(kept)
			if err = cmp.Or(err, bad); err != nil {
				return nil, fmt.Errorf("the saved sign-in: %w", err)
			}
			k.learnTokens(raw)
			return raw, nil
		},
		Save: func(server string, secret []byte) error {
			k.learnTokens(secret)
			r, err := k.Keyring()
			if err == nil {
				_, _, err = r.Set(keyring.KeyInfo{Vendor: SignInOf(server), Kind: keyring.OAuth},
					base64.RawURLEncoding.EncodeToString(secret))
			}
			if err != nil {
				return fmt.Errorf("save the sign-in: %w", err)
			}
			return nil
		},
	}
}

// SignInOf returns the name under which the sign-in to a server is stored.
func SignInOf(server string) string { return "mcp." + strings.ToLower(server) }

// learnTokens makes the tokens of a sign-in known to the redactor.
func (k *Keys) learnTokens(raw []byte) {
	var kept struct {
		Secret string `json:"client_secret"`
		Token  struct {
			Access  string `json:"access_token"`
			Refresh string `json:"refresh_token"`
		} `json:"token"`
	}
	if json.Unmarshal(raw, &kept) == nil {
		k.home.Learn(kept.Secret)
		k.home.Learn(kept.Token.Access)
		k.home.Learn(kept.Token.Refresh)
	}
}

// FromSettings is the origin of servers and hooks in the person's own settings.
const FromSettings = "your settings"

// OwnHooks returns the hooks of the person's own settings.
func (sv *Servers) OwnHooks() ([]hook.Hook, error) {
	c, err := sv.home.Settings.Load()
	if err != nil {
		return nil, err
	}
	var list []hook.Hook
	for _, u := range c.Hooks() {
		h := hook.Hook{Name: u.Name, Tools: u.Tools, Command: u.Command, Timeout: u.Timeout, Guard: u.Guard, Form: u.Form,
			Origin: FromSettings}
		for _, e := range u.On {
			h.On = append(h.On, hook.Event(e))
		}
		if err := h.Check(); err != nil {
			return nil, failure.New(failure.ExitConfig, "config", "in your settings, "+err.Error(), "")
		}
		list = append(list, h)
	}
	return list, nil
}

// Hooks returns the hooks of a session: the person's own, then those of the project among trusted. A project's
// hook is checked again before each run (Still): its files may have changed since it was approved.
func (sv *Servers) Hooks(dir, session string, trusted []trust.Item) (set hook.Set, err error) {
	set = hook.Set{Dir: dir, Session: session}
	if set.Hooks, err = sv.OwnHooks(); err != nil {
		return set, err
	}
	for _, i := range trusted {
		if i.Kind != trust.Hook {
			continue
		}
		h, err := hook.Parse(i.Name, i.Definition)
		if err != nil {
			return set, failure.New(failure.ExitConfig, "config", i.Path+": "+err.Error(), "")
		}
		h.Origin, h.Still = i.Path, func() error { return trust.Still(dir, i) }
		set.Hooks = append(set.Hooks, h)
	}
	return set, nil
}
