package bus

import (
	"context"
	crand "crypto/rand"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/release"
)

// Client is a worker's connection. It reconnects by itself, for as long as it takes, and repeats its offer each time.
// Its methods are safe for concurrent use.
type Client struct {
	dir    string
	inst   string // distinguishes it from another client with the same key
	key    nkeys.KeyPair
	lock   *flock.Flock
	nc     *nats.Conn
	js     jetstream.JetStream
	queues sync.Map // jetstream.Consumer, by the queue
	orders chan Order
	ctx    context.Context // ends with Close, or when the hub revokes the worker
	end    context.CancelCauseFunc

	mu      sync.Mutex
	me      member
	offer   fleet.Offer
	granted fleet.Admitted
	ready   bool          // connected with the rights of granted
	turn    chan struct{} // closed and replaced when any of these fields changes
	links   int           // how often the connection was made or lost
	using   string        // the credential of the current connection
	refused int           // how often the server refused a credential since it last accepted one
	renew   *time.Timer

	settling, wanted, renewing bool // an offer is being made; another is due; it will renew the credential
}

// Dial connects a worker that joined, and makes its offer. It waits until the hub has admitted it, or ctx ends.
func Dial(ctx context.Context, dir string, offer fleet.Offer) (*Client, error) {
	me, err := memberIn(dir)
	if err != nil {
		return nil, err
	}
	c := &Client{dir: dir, inst: crand.Text(), me: me, offer: offer, turn: make(chan struct{}),
		orders: make(chan Order, 256)}
	c.ctx, c.end = context.WithCancelCause(context.Background())
	if c.key, err = nkeys.FromSeed([]byte(me.Seed)); err != nil {
		return nil, fmt.Errorf("the worker's key is damaged: join the hub again with a new token: %w", err)
	}
	c.lock = flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600))
	if ours, err := ownFolder(c.lock); err != nil || !ours {
		return nil, fmt.Errorf("the worker %s %w from %s", me.Name, ErrRuns, dir)
	}
	if err := c.reach(ctx); err != nil {
		c.Close()
		return nil, err
	}
	c.settle(false)
	if err := c.admitted(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// reach connects for the first time. It retries until ctx ends, unless the server refuses us, or is not the hub.
func (c *Client) reach(ctx context.Context) error {
	for n := 0; ; n++ {
		err := c.connect()
		if err == nil {
			return nil
		}
		c.failed(err)
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		if err = connectError(err, c.me.URLs[0]); isRefused(err) && !isAuth(err) {
			return err
		}
		again := time.NewTimer(delay(n))
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return err
		}
	}
}

// connect makes the connection.
func (c *Client) connect() (err error) {
	nc, err := nats.Connect(strings.Join(c.me.URLs, ","),
		nats.Name(c.me.Name+" "+c.inst), nats.Secure(c.me.tls()), nats.CustomInboxPrefix(inbox(c.me.Name)),
		nats.UserJWT(c.credential, c.key.Sign),
		nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.IgnoreAuthErrorAbort(),
		nats.Timeout(patience), nats.PingInterval(10*time.Second), nats.MaxPingsOutstanding(2), nats.CustomReconnectDelay(c.again),
		nats.ReconnectHandler(func(*nats.Conn) { c.arrived() }),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { c.left() }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { c.failed(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.failed(err) }),
	)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.nc = nc
	c.mu.Unlock()
	if c.js, err = jetstream.New(c.nc); err != nil {
		return err
	}
	_, err = c.nc.Subscribe(fleet.Control+"."+c.me.Name, func(m *nats.Msg) {
		if o, ok := orderOf(m, c.me.Name); ok {
			select {
			case c.orders <- o:
			default: // the next beat reports it
			}
		}
	})
	return err
}

// delay returns how long to wait before the n-th try to connect, with jitter: a hub's workers must not all come back
// at once.
func delay(n int) time.Duration {
	most := min(100*time.Millisecond<<min(n, 7), 10*time.Second)
	return most/2 + rand.N(most/2)
}

// again returns how long to wait before the n-th try to reconnect. After a restart of the hub, a worker keeps its
// tasks for one lease: it must be back by then, however long the hub was away.
func (c *Client) again(n int) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if most := c.granted.Lease / 4; most > 0 {
		return min(delay(n), most)
	}
	return delay(n)
}

// credential returns the one for the next connection: the granted one, or if that was refused, the one that may only
// make an offer.
func (c *Client) credential() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.using = c.me.Granted
	if c.using == "" {
		c.using = c.me.Base
	}
	return c.using, nil
}

// changed wakes waiting goroutines. The caller holds the lock.
func (c *Client) changed() {
	close(c.turn)
	c.turn = make(chan struct{})
}

// left is called when the connection is lost.
func (c *Client) left() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = false
	c.links++
	c.changed()
}

// failed is called for each failed try to connect, and for errors of the server.
func (c *Client) failed(err error) {
	if !isAuth(err) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// Another server of a cluster may learn of a change later, so it retries before this counts.
	if c.refused++; c.refused > 3 {
		const why = "%w this worker's credential: it was revoked, or not used for too long; join again with a new token"
		c.end(fmt.Errorf(why, ErrRefused))
		if c.nc != nil {
			go c.nc.Close()
		}
	}
	if c.me.Granted != "" && c.using == c.me.Granted { // revoked or expired while the worker was away
		c.me.Granted = ""
	}
}

// arrived is called when a connection is made. Each sends the offer.
func (c *Client) arrived() {
	c.mu.Lock()
	dialing := c.nc == nil
	c.links++
	c.changed()
	c.mu.Unlock()
	if !dialing { // Dial makes the first one itself
		c.settle(false)
	}
}

// settle makes the offer in the background, and gives the connection the rights of the answer.
func (c *Client) settle(renewing bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted, c.renewing = true, c.renewing || renewing
	if !c.settling {
		c.settling = true
		go c.offering()
	}
}

// offering makes offers until none is due.
func (c *Client) offering() {
	for {
		c.mu.Lock()
		if !c.wanted {
			c.settling = false
			c.mu.Unlock()
			return
		}
		offer, renewing := c.offer, c.renewing
		offer.Clock = time.Now()
		c.wanted, c.renewing = false, false
		c.mu.Unlock()
		var a admission
		err := c.call(c.ctx, fleet.OfferTo, "", offer, &a)
		if err == nil {
			err = c.usable(a)
		}
		if err != nil {
			c.stop(err)
			continue
		}
		c.take(a, renewing)
	}
}

// usable returns an error if the hub refuses the worker, or takes it for another.
func (c *Client) usable(a admission) error {
	if a.Refused != "" {
		return fmt.Errorf("%w: %s", ErrOffer, a.Refused)
	}
	c.mu.Lock()
	offer := c.offer
	c.mu.Unlock()
	if err := release.Skew(offer.Speaks, offer.Build, a.Speaks, a.Build); err != nil {
		return fmt.Errorf("%w: %w", ErrOffer, err)
	}
	public, err := c.key.PublicKey()
	if err != nil {
		return err
	}
	u, err := jwt.DecodeUserClaims(a.Credential)
	if err != nil || u.Subject != public {
		return fmt.Errorf("%w: it has another key for %s, perhaps because a backup was restored; join again with a new token",
			ErrRefused, c.me.Name)
	}
	return nil
}

// take applies the hub's grant. If this connection has other rights, it reconnects.
func (c *Client) take(a admission, renewing bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	enough := !renewing && c.using == c.me.Granted && sameQueues(c.granted.Queues, a.Queues)
	c.granted, c.me.Web = a.Admitted, a.Web
	c.me.Granted, c.me.Base = a.Credential, a.Base
	_ = c.me.save(c.dir) // otherwise the offer is repeated at the next start
	if enough {
		c.using, c.refused = a.Credential, 0 // it has the same rights as this connection
		c.ready = !c.wanted
		c.plan()
	}
	c.changed()
	if !enough {
		_ = c.nc.ForceReconnect()
	}
}

// renewIn returns how long a new credential is used before it is renewed; false: it does not expire.
func renewIn(credential string) (time.Duration, bool) {
	u, err := jwt.DecodeUserClaims(credential)
	if err != nil || u.Expires == 0 {
		return 0, false
	}
	return time.Duration(u.Expires-u.IssuedAt) * time.Second * 2 / 3, true
}

func sameQueues(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// stop ends the client for good, unless it has ended: a rejected offer stays rejected.
func (c *Client) stop(err error) {
	if c.ctx.Err() == nil {
		c.end(err)
		c.nc.Close()
	}
}

// plan renews the credential after two thirds of its life, by this machine's own clock: the hub's time does not
// matter. The caller holds the lock.
func (c *Client) plan() {
	in, ends := renewIn(c.me.Granted)
	if !ends {
		return
	}
	if c.renew != nil {
		c.renew.Stop()
	}
	c.renew = time.AfterFunc(in, func() { c.settle(true) })
}

// admitted waits until the connection has the granted rights.
func (c *Client) admitted(ctx context.Context) error {
	for {
		c.mu.Lock()
		ready, turn := c.ready, c.turn
		c.mu.Unlock()
		if ready {
			return nil
		}
		select {
		case <-turn:
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		case <-ctx.Done():
			return fmt.Errorf("%w at %s: %w", ErrUnreachable, c.me.URLs[0], errLast(c.nc, ctx))
		}
	}
}

// errLast returns the connection's last error, or how the wait ended.
func errLast(nc *nats.Conn, ctx context.Context) error {
	if err := nc.LastError(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// Offer changes what the worker offers. It waits for the hub's answer.
func (c *Client) Offer(ctx context.Context, o fleet.Offer) error {
	c.mu.Lock()
	c.offer, c.ready = o, false
	c.mu.Unlock()
	c.settle(false)
	return c.admitted(ctx)
}

// Admitted returns the hub's last grant.
func (c *Client) Admitted() fleet.Admitted {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.granted
	a.Queues = slices.Clone(a.Queues)
	return a
}

// Name is the worker's.
func (c *Client) Name() string { return c.me.Name }

// Web returns where the hub has code and large requests, and how to verify it.
func (c *Client) Web() (string, *tls.Config) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.me.Web, &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: poolOf(c.me.Authority)}
}

// Gone is closed when the hub revoked the worker, or after Close; Err then says why.
func (c *Client) Gone() <-chan struct{} { return c.ctx.Done() }

// Err returns why the client is gone; nil: it is not.
func (c *Client) Err() error { return context.Cause(c.ctx) }

// Close ends the connection. Calls under way fail.
func (c *Client) Close() error {
	c.end(fmt.Errorf("%w: this worker has closed its connection", ErrUnreachable))
	c.mu.Lock()
	if c.renew != nil {
		c.renew.Stop()
	}
	c.mu.Unlock()
	if c.nc != nil {
		c.nc.Close()
	}
	return c.lock.Unlock()
}

// Control returns the hub's unsolicited orders.
func (c *Client) Control() <-chan Order { return c.orders }
