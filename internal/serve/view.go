package serve

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/serve/page"
	"github.com/socrates-cli/socrates/internal/team"
)

// role returns the roles of people, for the guard; nil: there are none.
func (s *Server) role() func(person string) (guard.Scope, time.Time, bool) {
	if s.o.Team == nil {
		return nil
	}
	scopes := map[team.Role]guard.Scope{team.Reader: guard.Read, team.Debater: guard.Debate, team.Agent: guard.Agent,
		team.Admin: guard.Admin}
	return func(person string) (guard.Scope, time.Time, bool) {
		p, ok, err := s.o.Team.Person(context.Background(), person)
		return scopes[p.Role], p.Since, ok && err == nil
	}
}

// login returns the handler of the identity provider; nil: none.
func (s *Server) login(h *api.Host) http.Handler {
	if s.o.Login == nil {
		return nil
	}
	h.Login, h.LoginName = s.o.Login.Path, s.o.Login.Name
	return s.o.Login.Handler(s.Guard.Link, page.Fails(h))
}

// views are what people of a hub are served with: each has an engine without what they cannot see, so no page and no
// route has to check. One is made when its person first asks for something, and again when what they see has changed.
type views struct {
	mu sync.Mutex
	of map[string]*served // by person
}

// served is a view while it is used.
type served struct {
	View
	hidden []string
	routes http.Handler
	ended  context.Context // it ends the view's requests
	end    context.CancelFunc
	busy   sync.WaitGroup
}

// serveFor serves a request of a person.
func (s *Server) serveFor(person string, w http.ResponseWriter, r *http.Request) error {
	hidden, err := s.o.Team.Hidden(r.Context(), person, team.OfProject)
	if err != nil {
		return err
	}
	v, err := s.view(r.Context(), person, hidden)
	if err != nil {
		return err
	}
	defer v.busy.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(v.ended, cancel)()
	go s.watch(ctx, cancel, person, hidden)
	v.routes.ServeHTTP(w, r.WithContext(ctx))
	return nil
}

// watch ends a long request within a second of something being hidden from its person, or shown to them: otherwise an
// event stream would continue in an outdated view.
func (s *Server) watch(ctx context.Context, end func(), person string, hidden []string) {
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if now, err := s.o.Team.Hidden(ctx, person, team.OfProject); err != nil || !slices.Equal(now, hidden) {
			end()
		}
	}
}

// view finds or makes that of a person; the caller must report when they are done with it.
func (s *Server) view(ctx context.Context, person string, hidden []string) (*served, error) {
	s.views.mu.Lock()
	defer s.views.mu.Unlock()
	v := s.views.of[person]
	if v != nil && slices.Equal(v.hidden, hidden) {
		v.busy.Add(1)
		return v, nil
	}
	made, err := s.o.View(context.WithoutCancel(ctx), person)
	if err != nil {
		return nil, err
	}
	made.Host.Person, made.Host.Hidden = person, hidden
	if s.o.Login != nil {
		made.Host.Login, made.Host.LoginName = s.o.Login.Path, s.o.Login.Name
	}
	if s.views.of == nil {
		s.views.of = map[string]*served{}
	} else if v != nil {
		go v.close()
	}
	v = &served{View: made, hidden: hidden, routes: s.routes(made.Host, made.Doors)}
	v.ended, v.end = context.WithCancel(context.Background())
	v.busy.Add(1)
	s.views.of[person] = v
	return v, nil
}

// close ends the requests of a view, and closes what it has open.
func (v *served) close() {
	v.end()
	v.busy.Wait()
	v.View.Close()
}

func (vs *views) close() {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	for _, v := range vs.of {
		v.close()
	}
	vs.of = nil
}
