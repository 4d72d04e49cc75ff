package door

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/teller"
	"github.com/socrates-cli/socrates/internal/browser"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/serve"
	"github.com/socrates-cli/socrates/internal/serve/api"
)

// usualAddr is where the server listens unless something else is said.
const usualAddr = "127.0.0.1:4937"

// servers are serve, web and token.
func (a *commands) servers() []*cobra.Command {
	o := &serve.Options{}
	c := &cobra.Command{Use: "serve", Short: "Serve the web UI and the HTTP API on this machine",
		Long: `Serve pages for your browser and an HTTP API for programs, on this machine only. A link signs
your browser in; it works once. Programs need a token: socrates token add NAME.

Each debate runs in its own process and finishes even if the server ends. Conversation turns run
in the server.`,
		Example: `  socrates serve
  socrates serve --addr 127.0.0.1:8080
  socrates serve --addr 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem --host debates.example.org`,
		Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return a.serveHTTP(c.Context(), *o, false) }}
	f := c.Flags()
	f.StringVar(&o.Addr, "addr", usualAddr, "listen at this `host:port`")
	f.StringVar(&o.Cert, "tls-cert", "", "certificate `file`")
	f.StringVar(&o.Key, "tls-key", "", "key `file` of the certificate")
	f.StringArrayVar(&o.Names, "host", nil, "host `name` that other machines use (repeatable)")
	web := a.webCommand()
	call.Unattended(c, web) // the terminal asks nobody: the browser does
	return []*cobra.Command{c, web, a.tokenCommand()}
}

// serveHTTP serves until a signal ends it.
// The order of closing is the reverse of opening: the listener first, then jobs, whose events are delivered before the
// process ends.
func (a *commands) serveHTTP(ctx context.Context, o serve.Options, open bool) error {
	dir, err := a.stateDir()
	if err != nil {
		return err
	}
	o.Dir = dir
	jobs, err := teller.NewJobs(a.Call)
	if err != nil {
		return err
	}
	defer jobs.Close()
	h, err := a.apiHost(ctx)
	if err != nil {
		return err
	}
	if o.Doors, err = a.doors(h); err != nil {
		return err
	}
	if o.Team != nil {
		h.Hub = socket.NewClient(dir)
		o.View = a.view
	}
	s, err := serve.Open(h, o)
	if err != nil {
		return err
	}
	ctx, end := a.Ended(ctx)
	defer end()
	a.announceServer(s, open)
	if err := a.retake(ctx, h.Engine); err != nil {
		return err
	}
	return s.Run(ctx)
}

// view is this program as one person of the hub has it, with a store and an engine of its own.
func (a *commands) view(ctx context.Context, person string) (serve.View, error) {
	theirs := &commands{a.For(person), a.frames, a.rooms}
	h, err := theirs.apiHost(ctx)
	if err != nil {
		return serve.View{}, errors.Join(err, theirs.Close())
	}
	h.Hub = socket.NewClient(h.State)
	h.Hub.By = person
	doors, err := theirs.doors(h)
	if err != nil {
		return serve.View{}, errors.Join(err, theirs.Close())
	}
	return serve.View{Host: h, Doors: doors, Close: theirs.Close}, nil
}

// retake takes over the runs of all projects whose process died: they are resumed here, or paused, as the setting says.
// Runs that cannot be listed keep no server from beginning; who asks for them is told.
func (a *commands) retake(ctx context.Context, e *engine.Engine) error {
	all, err := runs.In(e).Died(ctx, "")
	if err != nil || len(all) == 0 {
		return nil
	}
	c, err := a.Home.Settings.Load()
	if err != nil {
		return err
	}
	resumes := c.String("work.died") == "resume"
	for _, r := range all {
		_, err := e.Do(ctx, runs.Retake{Run: r.Name, Resume: resumes})
		if _, refused := errors.AsType[*engine.Refusal](err); refused {
			continue // another process has it
		}
		if err != nil {
			return err
		}
		_, s, err := runs.In(e).Status(ctx, r.Name)
		if err != nil {
			return err
		}
		said := "Resumed run " + r.Name + ": its process had died. It runs in this server and stops with it. Pause it: socrates work pause "
		if s.Held() {
			said = "Paused run " + r.Name + ": its process had died. Continue with: socrates work resume "
		}
		a.Out.Tell(clean.Line(said+r.Name) + "\n")
	}
	return nil
}

// announceServer says where the server is, and opens the browser if that is wanted.
// The link holds a secret that works once, so it is written past the redactor, to stderr alone, and never logged.
func (a *commands) announceServer(s *serve.Server, open bool) {
	l := s.Links("")
	if a.Out.Format != "text" {
		a.Out.Line(map[string]string{"type": "serving", "url": s.URL(), "plain": s.Plain()})
	}
	if open && browser.Open(l.Link) == nil {
		a.Out.Tell("Serving at " + s.URL() + "; your browser opens. Ctrl-C ends the server.\n")
		return
	}
	a.Out.Err.Raw(fmt.Sprintf("Serving at %s. Open this link within 5 minutes; it works once:\n\n  %s\n\nIf your browser does not "+
		"find it: %s\nCtrl-C ends the server.\n",
		s.URL(), l.Link, l.Plain))
}

// stateDir is where tokens and sessions lie: beside the store.
// Each store has its own, so two servers over two stores do not meet.
func (a *commands) stateDir() (string, error) {
	path, err := a.Home.Settings.StoreFile()
	return filepath.Dir(path), err
}

// apiHost is this program as the server needs it.
func (a *commands) apiHost(ctx context.Context) (*api.Host, error) {
	self, err := hostOf(a.Call)
	if err != nil {
		return nil, err
	}
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	h := &api.Host{Engine: e, Version: build.Version(), Dir: self.Project, Home: a.Home, Clean: a.Out.Clean}
	if h.State, err = a.stateDir(); err != nil {
		return nil, err
	}
	h.Debate = func(ctx context.Context, dir string, ask door.Ask) (string, []string, error) {
		return door.Start(ctx, self.Program, dir, ask)
	}
	h.Estimate = func(ctx context.Context, dir string, ask door.Ask) (door.Estimate, error) {
		return door.Guess(ctx, self.Program, dir, ask)
	}
	h.Resume = func(ctx context.Context, dir, room string) error {
		running := func() bool { return rooms.In(e).Elsewhere(room) }
		return door.Launch(ctx, self.Program, dir, running, "debate", "resume", "--", room)
	}
	h.Execute = func(ctx context.Context, dir, run string) error {
		running := func() bool { return runs.In(e).Running(run) }
		return door.Launch(ctx, self.Program, dir, running, "work", "resume", "--", run)
	}
	h.Turn, h.Seats = a.turn, a.seats
	return h, nil
}
