// Package fleet has the commands of a hub and its workers: one table for a team, on many machines.
//
// What connects to other machines is linked into a second program, socrates-hub, since it would slow the start of
// every command. hub and worker replace this process by that program, which has the same commands and flags and does
// the work. The commands below hub talk to a running hub over its socket.
//
// Exit codes: hub and worker exit with 0 when a signal stops them, 1 if they cannot listen or are shut out, 2 for a
// token or an address that is refused. Requests to a hub exit with 1 if none runs.
package fleet

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/serve"
)

// Hub holds the options of a hub.
type Hub struct {
	TLS     bool          // even if only this machine can connect
	Web     serve.Options // the pages and the API
	Workers string        // host:port that workers connect to
	Code    string        // host:port where they fetch and push code
	NATS    NATS
	Lease   time.Duration
	OIDC    OIDC
	Metrics string        // URL of a collector for metrics; empty: none are sent
	Every   time.Duration // how often
}

// OIDC identifies the provider that signs people in; without Issuer there is none.
type OIDC struct{ Issuer, Client, SecretFile string }

// NATS is a cluster of the operator's own; without URL the hub has a server inside.
type NATS struct{ URL, Creds, Signer, Account, Roots string }

// Worker holds the options of a worker.
type Worker struct {
	Join  string   // the token; empty: it has joined already
	Seats []string // the seats it offers; empty: those ready here
	Pools []string
	Slots int
}

// Program holds the functions of hub and worker, if they are linked in. The zero value is a program without them.
type Program struct {
	Hub    func(ctx context.Context, a *call.Call, o Hub, serve func(context.Context, serve.Options) error) error
	Worker func(ctx context.Context, a *call.Call, o Worker) error
}

type commands struct {
	*call.Call
	here  Program
	serve func(context.Context, serve.Options) error
}

// New returns the commands hub and worker. With the zero Program they run the second program. serve serves the hub's
// pages.
func New(a *call.Call, here Program, serve func(context.Context, serve.Options) error) []*cobra.Command {
	c := &commands{a, here, serve}
	return []*cobra.Command{c.hub(), c.worker()}
}

// usualWorkers and usualCode are the default addresses at which workers reach a hub.
const usualWorkers, usualCode = ":4938", ":4939"

func (c *commands) hub() *cobra.Command {
	o := Hub{}
	hub := &cobra.Command{Use: "hub", Short: "Share seats of many machines, each under its owner's login",
		Long: `Serve the web UI and the API as socrates serve does, and let workers on other machines answer for
seats. A worker keeps its logins and keys; debates and runs here ask it as --seat worker:NAME/SEAT.

The first start creates keys and a certificate. Workers connect to --workers and fetch code at
--code, both with TLS. Invite one with: socrates hub invite NAME`,
		Example: `  socrates hub
  socrates hub invite laptop-2
  socrates debate --seat worker:laptop-2/claude --seat openai:big "A or B?"`,
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			if c.here.Hub == nil {
				return c.other()
			}
			return c.here.Hub(cmd.Context(), c.Call, o, c.serve)
		}}
	f := hub.Flags()
	f.StringVar(&o.Web.Addr, "addr", "127.0.0.1:4937", "serve pages and the API at this `host:port`")
	f.BoolVar(&o.TLS, "tls", false, "use TLS at --addr also on this machine")
	f.StringVar(&o.Web.Cert, "tls-cert", "", "certificate `file` for --addr (default: the hub makes one)")
	f.StringVar(&o.Web.Key, "tls-key", "", "key `file` of the certificate")
	f.StringArrayVar(&o.Web.Names, "host", nil, "host `name` that other machines use (repeatable)")
	f.StringVar(&o.Workers, "workers", usualWorkers, "accept workers at this `host:port`")
	f.StringVar(&o.Code, "code", usualCode, "serve code to workers at this `host:port`")
	f.StringVar(&o.NATS.URL, "nats", "", "use your own NATS cluster at this `URL` instead of the built-in server")
	f.StringVar(&o.NATS.Creds, "nats-creds", "", "credentials `file` of the hub's user there")
	f.StringVar(&o.NATS.Signer, "nats-signer", "", "`file` with the account's signing key, for workers' credentials")
	f.StringVar(&o.NATS.Account, "nats-account", "", "public `key` of the account")
	f.StringVar(&o.NATS.Roots, "nats-ca", "", "certificate `file` of the cluster's CA")
	f.StringVar(&o.Metrics, "metrics", "", "send metrics to the OpenTelemetry collector at this `URL` (OTLP over HTTP)")
	f.DurationVar(&o.Every, "metrics-every", 30*time.Second, "send them this often")
	f.StringVar(&o.OIDC.Issuer, "oidc-issuer", "", "allow sign-in with the OpenID Connect provider at this `URL`")
	f.StringVar(&o.OIDC.Client, "oidc-client", "", "`id` of this hub there; its redirect address is https://HOST:PORT/login/back")
	f.StringVar(&o.OIDC.SecretFile, "oidc-secret", "", "`file` with the client secret (none: public client)")
	f.DurationVar(&o.Lease, "lease", 30*time.Second, "reassign the tasks of a worker silent this long")
	call.Unattended(hub)
	hub.AddCommand(c.connect(), c.leave())
	hub.AddCommand(c.invite(), c.workers().List("List workers and what they offer"), c.drain(),
		c.hold(true), c.hold(false), c.tasks(), c.doctor(),
		c.revoke(), c.audit(),
		c.person(), c.share(), c.shares(), c.quota(), c.quotas(), c.spending())
	return hub
}

func (c *commands) worker() *cobra.Command {
	o := Worker{}
	w := &cobra.Command{Use: "worker", Short: "Run this machine's seats for a hub",
		Long: `Connect to a hub and run this machine's seats for it. Logins and keys stay here. Programs
work in throw-away folders under this machine's sandbox, and ask the hub before each use of a tool.

The token from socrates hub invite is needed once. On Ctrl-C the worker finishes its tasks; a
second Ctrl-C ends it, and the hub gives its tasks to others.`,
		Example: `  socrates worker --join - < token
  socrates worker --seat claude --seat codex --slots 2`,
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			for _, pool := range o.Pools {
				if err := fleet.Named(pool); err != nil {
					return failure.Usage("--pool: "+err.Error(), "")
				}
			}
			if o.Slots < 1 {
				return failure.Usage("--slots must be at least 1", "")
			}
			if c.here.Worker == nil {
				return c.other()
			}
			return c.here.Worker(cmd.Context(), c.Call, o)
		}}
	f := w.Flags()
	f.StringVar(&o.Join, "join", "", "join with this `token`; - reads it from stdin")
	f.StringArrayVar(&o.Seats, "seat", nil, "offer this `seat` (repeatable; default: every seat that is ready here)")
	f.StringArrayVar(&o.Pools, "pool", nil, "also answer for this `pool` (repeatable)")
	f.IntVar(&o.Slots, "slots", 1, "calls at a time per seat")
	call.Unattended(w)
	return w
}

// client returns a client of the hub of this store.
func (c *commands) client() (*socket.Client, error) {
	path, err := c.Home.Settings.StoreFile()
	return socket.NewClient(filepath.Dir(path)), err
}

// asked returns the answer of a hub, or an error that none runs.
func asked[T any](v T, err error) (T, error) {
	if err == nil {
		return v, nil
	}
	if socket.Away(err) {
		return v, failure.New(failure.ExitFailed, "hub", "no hub is running here", "start it: socrates hub")
	}
	return v, failure.New(failure.ExitFailed, "hub", err.Error(), "")
}

func (c *commands) invite() *cobra.Command {
	i := socket.Invitation{}
	cmd := &cobra.Command{Use: "invite NAME", Short: "Print a token with which one worker joins",
		Long: `Print a token with which one machine joins as worker NAME. It works once. A machine that joined as
NAME before loses its access.`,
		Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			i.Worker = args[0]
			for _, name := range append([]string{i.Worker}, i.Pools...) {
				if err := fleet.Named(name); err != nil {
					return failure.Usage(err.Error(), "for example: socrates hub invite laptop-2")
				}
			}
			client, err := c.client()
			if err != nil {
				return err
			}
			token, err := asked(client.Invite(cmd.Context(), i))
			if err != nil {
				return err
			}
			c.Out.Err.Raw("On the worker's machine, within " + i.Life.String() + ": socrates worker --join TOKEN\n")
			if c.Out.Format != "text" {
				return c.Out.Raw(fmt.Sprintf("{\"worker\":%q,\"token\":%q}\n", i.Worker, token))
			}
			return c.Out.Raw(token + "\n") // the only place that prints it: its owner asked for it
		}}
	cmd.Flags().StringArrayVar(&i.Pools, "pool", nil, "let the worker answer for this `pool` (repeatable)")
	cmd.Flags().DurationVar(&i.Life, "for", 15*time.Minute, "the token is valid for this long")
	return cmd
}

// workers describes workers for noun.
func (c *commands) workers() noun.Noun[socket.Worker] {
	return noun.Noun[socket.Worker]{Call: c.Call, Is: "worker", Are: "workers", Path: "socrates hub",
		First: "Invite one: socrates hub invite NAME",
		Rows: noun.Found(func(ctx context.Context, _ noun.Query) ([]socket.Worker, error) {
			client, err := c.client()
			if err != nil {
				return nil, err
			}
			return asked(client.Workers(ctx))
		}),
		Line: func(w socket.Worker) string {
			var seats []string
			for _, s := range w.Offer.Seats {
				seats = append(seats, scheme.Short(s.Spec))
			}
			seen := "never connected"
			if w.Seen.Unix() > 0 { // 0 in the table means never
				seen = out.Ago(w.Seen)
			}
			return fmt.Sprintf("%-20s %-10s %2d running, %d done  %s  %s\n", w.Name, w.State, w.Busy, w.Done, seen,
				strings.Join(seats, ", "))
		},
		Name: func(w socket.Worker) (string, string) { return w.Name, w.State }}
}

func (c *commands) drain() *cobra.Command {
	return c.workers().Shows(&cobra.Command{Use: "drain NAME", Short: "Have a worker finish its tasks and exit"},
		func(ctx context.Context, name string) error {
			client, err := c.client()
			if err == nil {
				_, err = asked(name, client.Drain(ctx, name))
			}
			if err != nil {
				return err
			}
			return c.Out.Done(map[string]string{"draining": name}, "The worker "+name+" finishes its tasks and exits.")
		})
}

func (c *commands) revoke() *cobra.Command {
	return c.workers().Drops(&cobra.Command{Use: "revoke NAME", Short: "Shut a worker out; its tasks go to others"},
		func(ctx context.Context, name string) error {
			client, err := c.client()
			if err == nil {
				_, err = asked(name, client.Revoke(ctx, name))
			}
			if err != nil {
				return err
			}
			return c.Out.Done(map[string]string{"revoked": name}, "The worker "+name+" is shut out.")
		})
}

func (c *commands) audit() *cobra.Command {
	return noun.Noun[lease.AuditLine]{Call: c.Call, Is: "entry", Are: "entries", Path: "socrates hub audit", Most: 50,
		Rows: noun.Found(func(ctx context.Context, _ noun.Query) ([]lease.AuditLine, error) {
			client, err := c.client()
			if err != nil {
				return nil, err
			}
			return asked(client.Audit(ctx))
		}),
		Line: func(e lease.AuditLine) string {
			return fmt.Sprintf("%s  %-16s %s %s %s\n", e.At.Format(time.DateTime), e.Who, e.What, e.Task, e.Why)
		}}.Lists(&cobra.Command{Use: "audit [WORD]...", Short: "List the audit log, newest first"})
}
