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
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/serve"
	"github.com/socrates-cli/socrates/internal/serve/api"
)

// usualAddr is the default address of the server.
const usualAddr = "127.0.0.1:4937"

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
	call.Unattended(c, web) // the browser asks, not the terminal
	return []*cobra.Command{c, web, a.tokenCommand()}
}

// serveHTTP serves until a signal ends it. It closes in the reverse order of opening: the listener first, then jobs,
// whose events are delivered before the process ends.
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
	taking := &retaker{commands: a, engine: h.Engine, people: o.Team, theirs: map[string]*own{}}
	defer taking.close()
	if err := taking.all(ctx); err != nil {
		return err
	}
	return s.Run(ctx)
}

// own is this program for one person of the hub, with a store and an engine of its own that reports its own jobs.
type own struct {
	*commands
	jobs *teller.Jobs
}

func (a *commands) as(person string) (*own, error) {
	theirs := &commands{a.For(person), a.frames, a.rooms}
	jobs, err := teller.NewJobs(theirs.Call)
	if err != nil {
		return nil, errors.Join(err, theirs.Close())
	}
	return &own{theirs, jobs}, nil
}

// Close ends their jobs, and closes store and engine.
func (o *own) Close() error {
	o.jobs.Close()
	return o.commands.Close()
}

// view returns what one person of the hub is served with.
func (a *commands) view(ctx context.Context, person string) (serve.View, error) {
	theirs, err := a.as(person)
	if err != nil {
		return serve.View{}, err
	}
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

// announceServer prints the server's address, and opens the browser on request. The link holds a secret that works
// once, so it bypasses the redactor, goes to stderr alone, and is never logged.
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

// stateDir is the folder of tokens and sessions, beside the store. Each store has its own, so two servers over two
// stores do not interfere.
func (a *commands) stateDir() (string, error) {
	path, err := a.Home.Settings.StoreFile()
	return filepath.Dir(path), err
}

// apiHost is what this program provides to the server.
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
