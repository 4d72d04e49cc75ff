// Package serve is the HTTP server of this program: pages for a browser, the engine as an API, events, and other
// protocols.
//
// Open listens on a port and makes a Server for an api.Host; Run serves until its context ends. One mux has three
// parts: package api under /api/ with its description and /healthz, the Doors by pattern (models under /v1/, the MCP
// door), and the pages of package page for everything else. In front of all is package guard, which refuses what does
// not come from a browser that a person signed in or from a program with a token.
//
// The server is the person's own: it listens on the loopback. Listening for other machines requires TLS and at least
// one token, or Open refuses. There is one server for a store; commands of the same person reach it over a socket in
// a folder of theirs (Ask), which makes links that sign a browser in. If the socket's path would be too long, and not
// on Linux, there is none, which is reported, and a second server is not noticed.
//
// A body is limited in size (guard.MostBody) and time, headers too; answers have no limit, since streams of events
// last for hours. Slow work runs in processes of its own. Open fails with bad usage, or with failure.ExitFailed if it
// cannot listen; Run fails only if the listener does.
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

// Options configure a server. Addr must be HOST:PORT. Dir must be private to the person.
type Options struct {
	Addr      string              // host and port; port 0: any
	Cert, Key string              // files for TLS; empty: none
	TLS       *tls.Config         // instead of files; nil: none
	Opened    func(url string)    // called with the server's address once it listens; may be nil
	Names     []string            // host names, besides those of the loopback
	Dir       string              // the folder of tokens, sessions and the socket
	Doors     map[string]api.Door // further handlers, by pattern
	Team      *team.Book          // of a hub: the people who may sign in; nil: the server belongs to one person
	Login     *Login              // how they sign in with an identity provider; nil: only by links and tokens
	// View makes what one of those people is served with; nil if Team is nil.
	View func(ctx context.Context, person string) (View, error)
}

// Login is a way to sign in with an identity provider.
type Login struct {
	Path string // the path where it begins; its handler serves that and everything below
	Name string // of the provider
	// Handler returns its handler. It signs a browser in by sending it to /in# with a link, which link makes for a
	// person, and reports errors with fail.
	Handler func(link func(person string) string, fail func(w http.ResponseWriter, r *http.Request, status int, why string)) http.Handler
}

// View is the program behind the server for one person of a hub.
type View struct {
	Host  *api.Host
	Doors map[string]api.Door
	Close func() error
}

// secured reports whether it uses TLS.
func (o Options) secured() bool { return o.Cert != "" || o.TLS != nil }

// Near reports whether an address is of this machine alone. A name other than localhost is not resolved: it counts as
// reachable from elsewhere.
func Near(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip, bad := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || bad == nil && ip.IsLoopback())
}

// Server is a listening server. It serves once: after Run it is used up. Links, URL and Plain are safe at any time.
type Server struct {
	Guard *guard.Guard
	o     Options
	addr  netip.AddrPort
	tcp   net.Listener
	unix  net.Listener // nil: none
	http  *http.Server
	local *http.Server
	warn  func(text string)
	views views
}

// Open listens. Nothing is served before Run. After an error nothing listens any more. Whoever opens a Server must
// run it, or the port stays taken until the program ends.
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
		return nil, failure.New(failure.ExitFailed, "listen", "cannot listen at "+o.Addr+": "+because(err), "choose another port, such as "+
			"--addr 127.0.0.1:0")
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

// because returns the system's reason for a failure to listen.
func because(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	return err.Error()
}

// sound refuses to listen for other machines without TLS and a token: an eavesdropper could do what the person can.
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

// server makes one with limits on how long a client may make it wait.
func server(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(io.Discard, "", 0)} // of clients that leave or speak something else
}

// quiet is how long without requests until memory is returned: a server runs for days. Go keeps memory that it once
// needed; an idle server should not hold what one large record took.
const quiet = 30 * time.Second

// bodyTime is how long a client may take to send a body.
const bodyTime = time.Minute

// routes returns the handlers of a host.
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

// The order matters: guard first, then limits on the body, then whose routes they are.
func (s *Server) handler(h *api.Host) http.Handler {
	own := s.routes(h, s.o.Doors)
	login := s.login(h)
	refuse := func(w http.ResponseWriter, r *http.Request, status int, why string) {
		p := &api.Problem{Status: status, Detail: why}
		if status == http.StatusForbidden {
			p.Hint = "call it from a page of this server, or from a program with a token and without the header Origin"
		}
		h.Fail(w, p)
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
		} else if !ok && s.o.Team != nil { // otherwise a person added meanwhile would be served what the operator sees
			r = r.Clone(r.Context())
			r.Header.Del("Authorization")
			r.Header.Del("Cookie")
		}
		own.ServeHTTP(w, r)
	}), refuse)
}

// tooLong reads a form that does not declare its length. A longer one would otherwise be taken for one without its
// fields.
func tooLong(r *http.Request) bool {
	if r.ContentLength >= 0 || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return false
	}
	_, long := errors.AsType[*http.MaxBytesError](r.ParseForm())
	return long
}

// timed is a body that must arrive in time; processing it may take longer.
type timed struct {
	io.ReadCloser
	c *http.ResponseController
}

// The deadline is lifted at the end of the body, or it would end the answer as well.
func (t *timed) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if err == io.EOF { // a late body is not waited for any more
		t.c.SetReadDeadline(time.Time{})
	}
	return n, err
}

// Run serves until ctx ends, and then returns nil. The contexts of requests end with it, so streams end at once;
// others have five seconds.
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
		defer s.local.Close() // removes the socket's file
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

// URL returns the server's address for a browser on this machine, by a name that no other server here has.
func (s *Server) URL() string { return s.at(s.Guard.Name) }

// Plain returns it for browsers that do not resolve names below localhost.
func (s *Server) Plain() string { return s.at("127.0.0.1") }

// The first given name counts, since a certificate is for it.
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
