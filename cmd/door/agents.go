package door

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/serve/model"
)

// doors are the protocols of the HTTP server besides the API. Their scope is the least a token needs to connect; each
// handler checks what a request may do.
func (a *commands) doors(h *api.Host) (map[string]api.Door, error) {
	self, err := hostOf(a.Call)
	if err != nil {
		return nil, err
	}
	doors := model.Doors(a.models(h))
	doors["/mcp"] = api.Door{Handler: agentsOverHTTP(h, self), Scope: guard.Read}
	return doors, nil
}

// models is the host for clients that use a panel as if it were a model.
func (a *commands) models(h *api.Host) model.Host {
	return model.Host{Host: h, Single: a.single,
		Presets: func() (list []model.Named, err error) {
			cfg, err := a.Home.Settings.Load()
			if err != nil {
				return nil, err
			}
			for _, p := range cfg.Presets() {
				list = append(list, model.Named{Name: p.Name, Doc: p.Doc})
			}
			return list, nil
		},
		Strategies: func() (list []model.Named, err error) {
			for _, s := range strategy.All() {
				list = append(list, model.Named{Name: s.Name, Doc: s.Doc})
			}
			return list, nil
		}}
}

// single returns the model that answers without a debate: that of the setting chat.titles for titles, else that of a
// chat.
func (a *commands) single(ctx context.Context, titles bool) (m llm.Model, usd float64, err error) {
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return nil, 0, err
	}
	spec := ""
	if titles {
		spec = cfg.String("chat.titles")
	}
	if spec, err = a.Home.Seats.Choose(ctx, spec, ""); err != nil {
		return nil, 0, err
	}
	m, err = a.Home.Seats.Solo(ctx, spec)
	return m, cfg.Float("debate.budget_usd"), err
}

// idle is how long a silent session of an MCP client is kept. A client that was killed sends nothing, and its session
// holds memory.
const idle = time.Hour

// sessionless is the first version of MCP without sessions. Its requests name it in a header.
const sessionless = "2026-07-28"

// agentsOverHTTP returns the MCP server for agents that connect over HTTP. The scope of a token decides which tools
// its sessions have; a session belongs to the token it was opened with. Cancelling a request ends its wait, never the
// debate. One MCP server is made for each folder and scope and kept as long as the process.
func agentsOverHTTP(h *api.Host, self door.Host) http.Handler {
	servers := sync.Map{} // by folder and permission to debate
	find := func(r *http.Request) *mcp.Server {
		at := self
		var err error
		if at.Dir, err = h.Folder(r); err != nil {
			return nil
		}
		if at.Project, err = home.ProjectOf(at.Dir); err != nil {
			return nil
		}
		at.ReadOnly = !api.CallerOf(r).Scope.Covers(guard.Debate)
		type key struct {
			dir      string
			readOnly bool
		}
		s, ok := servers.Load(key{at.Dir, at.ReadOnly})
		if !ok {
			s, _ = servers.LoadOrStore(key{at.Dir, at.ReadOnly}, door.New(at))
		}
		return s.(*mcp.Server)
	}
	options := mcp.StreamableHTTPOptions{SessionTimeout: idle, MaxRequestBodyBytes: maxAsk,
		PropagateRequestCancellation: true, DisableLocalhostProtection: true} // the guard checks host names itself
	old := mcp.NewStreamableHTTPHandler(find, &options)
	options.Stateless = true // the SDK needs this for the version without sessions, and its absence for the others
	now := mcp.NewStreamableHTTPHandler(find, &options)
	speak := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
			now.ServeHTTP(w, r)
		} else {
			old.ServeHTTP(w, r)
		}
	})
	owned := auth.RequireBearerToken(func(_ context.Context, _ string, r *http.Request) (*auth.TokenInfo, error) {
		c := api.CallerOf(r)
		return &auth.TokenInfo{UserID: c.Name + " " + string(c.Scope)}, nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(speak)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := h.Folder(r); err != nil {
			h.Fail(w, err)
			return
		}
		owned.ServeHTTP(w, r)
	})
}
