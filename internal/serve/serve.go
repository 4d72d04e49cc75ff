// Package serve is the HTTP server of this program: pages for a browser, the engine as an API, events, and what other doors hang in.
//
// Open takes a port and makes a Server of an api.Host; Run answers until its context ends. Three things hang in one
// mux: package api under /api/ with its description and /healthz, the Doors that are given by pattern (models under
// /v1/, the MCP door), and the pages of package page for everything else. In front of all stands package guard, which
// refuses what does not come from a browser that a person signed in or from a program with a token.
//
// The server is the person's own: it listens on the loopback. To be reached from other machines it wants TLS and at
// least one token, or Open refuses. There is one server for a store; commands of the same person reach it over a socket
// in a folder of theirs (Ask), which makes links that sign a browser in. Where the socket's path would be too long, and
// not on Linux, there is none, which is said, and a second server is not noticed.
//
// A body is bounded in size (guard.MostBody) and in the time it may take, headers in both; answers have no limit, since
// streams of events last for hours. What is slow runs in processes of its own. Open fails with bad usage, or with
// failure.ExitFailed if it cannot listen; Run fails only if the listener does.
package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/serve/page"
	"github.com/socrates-cli/socrates/internal/team"
)

// Options are how a server is reached.
// Addr must be HOST:PORT. Dir must be private to the person.
type Options struct {
	Addr      string              // host and port; port 0: any
	Cert, Key string              // files for TLS; empty: none
	TLS       *tls.Config         // instead of files; nil: none
	Opened    func(url string)    // hears where the server is, once it listens; may be nil
	Names     []string            // host names, besides those of the loopback
	Dir       string              // where tokens, sessions and the socket lie
	Doors     map[string]api.Door // further handlers, by pattern
	Team      *team.Book          // of a hub: its people, who may sign in; nil: the server is one person's
	Login     *Login              // how those people sign in elsewhere; nil: by links and tokens alone
	// View makes what one of those people is served with; nil with Team nil.
	View func(ctx context.Context, person string) (View, error)
}

// Login is a way to sign in by somebody who vouches for people.
type Login struct {
	Path string // where it begins; what it answers lies there and below
	Name string // of who vouches
	// Handler answers there. It signs a browser in by sending it to /in# with a link, which link makes for a person, and tells by fail what
	// goes wrong.
	Handler func(link func(person string) string, fail func(w http.ResponseWriter, r *http.Request, status int, why string)) http.Handler
}

// View is the program behind the server as one person of a hub sees it.
type View struct {
	Host  *api.Host
	Doors map[string]api.Door
	Close func() error
}

// secured says whether it speaks TLS.
func (o Options) secured() bool { return o.Cert != "" || o.TLS != nil }

// Near says whether an address is of this machine alone. A name other than localhost is not resolved: it counts as reachable from
// elsewhere.
func Near(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip, bad := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || bad == nil && ip.IsLoopback())
}

// Server is one that listens.
// It serves once: after Run it is spent. Links, URL and Plain are safe at any time.
type Server struct {
	Guard *guard.Guard
	o     Options
	addr  netip.AddrPort
	tcp   net.Listener
	unix  net.Listener // nil: there is none
	http  *http.Server
	local *http.Server
	warn  func(text string)
	views views
}

// Open listens. Nothing is answered before Run.
// On an error nothing listens any more. Whoever opens a Server runs it, or the port stays taken until the program ends.
func Open(h *api.Host, o Options) (*Server, error) {
	s := &Server{o: o, warn: func(text string) {
		if h.Home != nil {
			h.Home.Warn(text)
		}
	}}
	if err := s.sound(); err != nil {
		return nil, err
	}
	if err := s.alone(); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, failure.New(failure.ExitFailed, "listen", "cannot listen at "+o.Addr+": "+because(err), "choose another port: "+
			"socrates serve --addr 127.0.0.1:0")
	}
	s.tcp, s.addr = l, l.Addr().(*net.TCPAddr).AddrPort()
	if s.Guard, err = guard.Open(o.Dir, guard.Options{Port: fmt.Sprint(s.addr.Port()), TLS: o.secured(), Also: o.Names,
		Role: s.role()}); err != nil {
		l.Close()
		return nil, err
	}
	s.http = server(s.handler(h))
	s.http.TLSConfig = o.TLS
	if err := s.listenLocal(); err != nil {
		return s, err
	}
	if o.Opened != nil {
		o.Opened(s.URL())
	}
	return s, nil
}

// because is what the system says of a failure to listen.
func because(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	return err.Error()
}

// sound refuses to be reached from other machines without TLS and a token: whoever reads along could do what the person can.
func (s *Server) sound() error {
	if _, _, err := net.SplitHostPort(s.o.Addr); err != nil {
		return failure.Usage("--addr "+s.o.Addr+" is not HOST:PORT", "for example: --addr 127.0.0.1:4937")
	}
	if Near(s.o.Addr) {
		return nil
	}
	tokens, err := guard.Tokens(s.o.Dir)
	switch {
	case s.o.TLS == nil && (s.o.Cert == "" || s.o.Key == ""):
		return failure.Usage("the server would be reachable from other machines at "+s.o.Addr+" without TLS",
			"add --tls-cert and --tls-key; or keep 127.0.0.1 and connect with: ssh -L 4937:127.0.0.1:4937 HOST")
	case err != nil:
		return err
	case len(tokens) == 0 && s.o.Team == nil: // people of a hub get theirs from it
		return failure.Usage("the server would be reachable from other machines, but no token exists", "make one: socrates token "+
			"add NAME")
	}
	return nil
}

// server is one with limits on what a client may make it wait for.
func server(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(io.Discard, "", 0)} // of clients that go away or speak something else
}

// quiet is how long nobody must have asked for memory to be given back: a server runs for days.
// Go keeps memory that it once needed; a server that idles should not hold what one large record took.
const quiet = 30 * time.Second

// bodyTime is how long a client may take to send a body.
const bodyTime = time.Minute

// routes are all that a host is asked by.
func (s *Server) routes(h *api.Host, doors map[string]api.Door) http.Handler {
	mux, routes := http.NewServeMux(), api.New(h, s.Guard)
	for _, path := range []string{"/api/", "/openapi.json", "/healthz"} {
		mux.Handle(path, routes)
	}
	for pattern, d := range doors {
		mux.Handle(pattern, api.Behind(h, s.Guard, d))
	}
	mux.Handle("/", page.New(h, s.Guard))
	return mux
}

// The order counts: guard first, then bounds on the body, then whose routes they are.
func (s *Server) handler(h *api.Host) http.Handler {
	own := s.routes(h, s.o.Doors)
	login := s.login(h)
	refuse := func(w http.ResponseWriter, r *http.Request, status int, why string) {
		h.Fail(w, &api.Problem{Status: status, Detail: why})
	}
	rest := time.AfterFunc(quiet, debug.FreeOSMemory)
	return s.Guard.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest.Reset(quiet)
		if r.ContentLength != 0 {
			c := http.NewResponseController(w)
			c.SetReadDeadline(time.Now().Add(bodyTime))
			r.Body = &timed{r.Body, c}
		}
		if tooLong(r) {
			refuse(w, r, http.StatusRequestEntityTooLarge, guard.TooLong)
			return
		}
		if login != nil && (r.URL.Path == s.o.Login.Path || strings.HasPrefix(r.URL.Path, s.o.Login.Path+"/")) {
			login.ServeHTTP(w, r)
			return
		}
		if c, ok := s.Guard.Who(r); ok && c.Who != "" {
			if err := s.serveFor(c.Who, w, r); err != nil {
				h.Fail(w, err)
			}
			return
		} else if !ok && s.o.Team != nil { // who comes in between, and is a person, would be served what whoever runs the hub sees
			r = r.Clone(r.Context())
			r.Header.Del("Authorization")
			r.Header.Del("Cookie")
		}
		own.ServeHTTP(w, r)
	}), refuse)
}

// tooLong reads a form that does not say how long it is. One that is too long would be taken for one without its fields.
func tooLong(r *http.Request) bool {
	if r.ContentLength >= 0 || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return false
	}
	_, long := errors.AsType[*http.MaxBytesError](r.ParseForm())
	return long
}

// timed is a body that must come in time; what is done with it may take longer.
type timed struct {
	io.ReadCloser
	c *http.ResponseController
}

// The deadline is lifted at the end of the body, or it would end the answer as well.
func (t *timed) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if err == io.EOF { // a body that did not come in time is not waited for any more
		t.c.SetReadDeadline(time.Time{})
	}
	return n, err
}

// Run answers until ctx ends. Streams end then; other answers have a moment.
// It returns nil after ctx has ended. The contexts of requests end with it, so streams end at once; others have five
// seconds.
func (s *Server) Run(ctx context.Context) error {
	s.http.BaseContext = func(net.Listener) context.Context { return ctx }
	ended := make(chan error, 1)
	go func() {
		if s.o.secured() {
			ended <- s.http.ServeTLS(s.tcp, s.o.Cert, s.o.Key)
		} else {
			ended <- s.http.Serve(s.tcp)
		}
	}()
	if s.unix != nil {
		go s.local.Serve(s.unix)
		defer s.local.Close() // takes the socket's file away
	}
	defer s.views.close()
	select {
	case err := <-ended:
		return failure.New(failure.ExitFailed, "serve", "the server ended: "+err.Error(), "")
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if s.http.Shutdown(grace) != nil {
		s.http.Close()
	}
	return nil
}

// URL is where the server is reached by a browser on this machine, by a name that no other server here has.
func (s *Server) URL() string { return s.at(s.Guard.Name) }

// Plain is the same for browsers that do not know names below localhost.
func (s *Server) Plain() string { return s.at("127.0.0.1") }

// The first name that was given counts, since a certificate is for it.
func (s *Server) at(host string) string {
	scheme := "http"
	if s.o.secured() {
		scheme = "https"
	}
	if len(s.o.Names) > 0 {
		host = s.o.Names[0]
	}
	return fmt.Sprintf("%s://%s", scheme, net.JoinHostPort(strings.ToLower(host), fmt.Sprint(s.addr.Port())))
}
