package program

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"crypto/tls"

	"github.com/socrates-cli/socrates/cmd/call"
	fleets "github.com/socrates-cli/socrates/cmd/fleet"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/hub"
	"github.com/socrates-cli/socrates/internal/fleet/invitation"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/metrics"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/local"
	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/serve"
	"github.com/socrates-cli/socrates/internal/team"
)

// shortest is the shortest lease: beats come six times in it.
const shortest = time.Second

// runHub serves workers and, as socrates serve does, pages and the API, until a signal ends it.
// What was opened first is closed last: tasks are in the table before the queue hears of them.
func runHub(ctx context.Context, a *call.Call, o fleets.Hub, pages func(context.Context, serve.Options) error) (err error) {
	if o.Lease < shortest {
		return failure.Usage("--lease must be at least "+shortest.String(), "")
	}
	if o.Metrics != "" {
		if err := metrics.Check(o.Metrics); err != nil || o.Every < time.Second {
			return failure.Usage("--metrics and --metrics-every: "+fmt.Sprint(cmp.Or(err, errors.New("the minimum is one second"))),
				"for example: --metrics http://127.0.0.1:4318")
		}
	}
	vouches, err := provider(o.OIDC)
	if err != nil {
		return err
	}
	path, err := a.Home.Settings.StoreFile()
	if err != nil {
		return err
	}
	dir := filepath.Join(filepath.Dir(path), "hub")
	names, err := hosts(o)
	if err != nil {
		return err
	}
	var external *bus.External
	if n := o.NATS; n.URL != "" {
		external = &bus.External{URL: n.URL, Credentials: n.Creds, Signer: n.Signer, Account: n.Account, Roots: n.Roots}
	}
	b, err := bus.Open(ctx, bus.Options{Dir: filepath.Join(dir, "bus"), Addr: o.Workers, Names: names, Lease: o.Lease, External: external,
		Log: slog.With("from", "nats")})
	if err != nil {
		hint := "stop the other hub of this store, if there is one, or choose another port: --workers"
		if strings.Contains(err.Error(), "restore it from a backup") { // what is missing or damaged says so itself
			hint = "see the section Backup of docs/hub.md"
		}
		return failure.New(failure.ExitFailed, "hub", err.Error(), hint)
	}
	defer b.Close()
	table, err := lease.Open(ctx, filepath.Join(dir, "hub.db"), o.Lease)
	if err != nil {
		return failure.New(failure.ExitFailed, "hub", err.Error(), "")
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	if err := table.CountByTime(); err != nil {
		return err
	}
	book, err := team.Open(ctx, filepath.Join(dir, "team.db"), nil)
	if err != nil {
		return failure.New(failure.ExitFailed, "hub", err.Error(), "")
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	o.Web.Team = book
	pin, err := bus.Authority(b)
	if err == nil {
		err = secure(a, &o, dir, names, b.TLS(), pin)
	}
	if err != nil {
		return err
	}
	o.Web.Login = login(vouches, book, func(e lease.AuditLine) {
		if err := table.Note(e); err != nil {
			a.Out.Warn("the audit log could not be written: " + err.Error())
		}
	})
	key, err := secret(filepath.Join(dir, "pass.key"))
	if err != nil {
		return err
	}
	tcp, err := net.Listen("tcp", o.Code)
	if err != nil {
		return failure.New(failure.ExitFailed, "listen", "cannot listen at "+o.Code+": "+err.Error(),
			"choose another port: --code HOST:PORT")
	}
	h := &hub.Hub{Table: table, Bus: b, Team: book, Lease: o.Lease, Key: key, Code: filepath.Join(dir, "code"), Warn: a.Out.Warn,
		Web: fmt.Sprintf("https://%s", net.JoinHostPort(names[0], fmt.Sprint(tcp.Addr().(*net.TCPAddr).Port)))}
	sock, err := local.Listen(filepath.Dir(path), socket.Name)
	if err == nil && sock == nil {
		err = errors.New("the path of " + path + " is too long for a socket; name a shorter one with --store")
	}
	if err != nil {
		tcp.Close()
		return failure.New(failure.ExitFailed, "hub", err.Error(), "")
	}
	if o.Metrics != "" {
		sender := &metrics.Sender{URL: o.Metrics, Every: o.Every, Version: build.Version(), Read: h.Figures, Warn: a.Out.Warn}
		measured, end := context.WithCancel(ctx)
		sent := make(chan struct{})
		go func() { defer close(sent); sender.Run(measured) }()
		defer func() { end(); <-sent }() // before the table is closed
	}
	return run(ctx, h, parts{tcp: tls.NewListener(tcp, b.TLS()), sock: sock, code: h.Code, table: table},
		func(ctx context.Context) error { return pages(ctx, o.Web) }, func() {
			a.Out.Tell(fmt.Sprintf("Workers connect to %s and fetch code at %s. Invite one: socrates hub invite NAME\n",
				strings.Join(b.URLs(), ", "), h.Web))
		})
}

// secure has the pages and the API speak TLS where other machines reach them, with the hub's own certificate unless there is another, and
// says how they are reached: for people's eyes, and for invitations.
func secure(a *call.Call, o *fleets.Hub, dir string, names []string, shown *tls.Config, pin string) error {
	own := o.Web.Cert == ""
	if own && !o.TLS && serve.Near(o.Web.Addr) {
		return invitation.Withdraw(dir)
	}
	i := invitation.Invitation{}
	if own {
		i.Authority, o.Web.TLS, o.Web.Names = pin, shown, names
	}
	o.Web.Opened = func(url string) {
		i.URL = url
		if err := invitation.Announce(dir, i); err != nil {
			a.Out.Warn("invitations cannot be made: " + err.Error())
		}
		if own {
			a.Out.Tell("Other machines know this hub by the fingerprint " + i.Authority + ".\n")
		}
	}
	return nil
}

// parts are what a hub listens at.
type parts struct {
	tcp, sock net.Listener
	code      string
	table     *lease.Table
}

// run has all parts of a hub run until the pages end, or one of the others fails.
func run(ctx context.Context, h *hub.Hub, p parts, pages func(context.Context) error, ready func()) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	quiet := slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug) // clients that go away in the middle, mostly
	web := &http.Server{Handler: h.Handler(p.code), ReadHeaderTimeout: 10 * time.Second, ErrorLog: quiet}
	near := &http.Server{Handler: socket.Handler(h.Socket(), p.table), ErrorLog: quiet,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 4)
	go func() { ended <- web.Serve(p.tcp) }()
	go func() { ended <- near.Serve(p.sock) }()
	go func() { ended <- h.Run(ctx) }()
	go func() { ended <- pages(ctx) }()
	ready()
	err := <-ended
	stop()
	web.Close()
	near.Close()
	for range 3 {
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// hosts are the names by which workers call this machine: those that were given, else its own.
func hosts(o fleets.Hub) ([]string, error) {
	if len(o.Web.Names) > 0 {
		return o.Web.Names, nil
	}
	host, _, err := net.SplitHostPort(o.Workers)
	if err != nil {
		return nil, failure.Usage("--workers "+o.Workers+" is not HOST:PORT", "for example: --workers :4938")
	}
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		return []string{host}, nil
	}
	name, err := os.Hostname()
	if err != nil || name == "" {
		return nil, failure.Usage("this machine has no name", "give the name that workers use: --host NAME")
	}
	return []string{name, "localhost", "127.0.0.1"}, nil
}

// secret is what signs passes. It is made at the first start.
func secret(file string) ([]byte, error) {
	key, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, 32)
		rand.Read(key)
		err = private.Replace(file, key)
	}
	if err != nil {
		return nil, fmt.Errorf("the hub's key: %w", err)
	}
	return key, nil
}
