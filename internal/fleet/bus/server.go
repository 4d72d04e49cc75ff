package bus

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/jwt/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// Options configure a hub's server.
type Options struct {
	Dir      string        // its keys, its workers and its queue
	Addr     string        // HOST:PORT to listen on for workers; port 0: any. Not used with External
	Names    []string      // this machine's names for workers; tokens contain the first. Empty: the host of Addr
	Lease    time.Duration // after which an unrenewed delivery goes to another worker; 0: 30 s
	External *External     // the operator's own NATS instead of a server in this process
	Log      *slog.Logger  // the server's log; nil: none
}

// lease is the default time that a delivery waits for a beat.
const lease = 30 * time.Second

// Server is a hub's side of the bus. Its methods are safe for concurrent use.
type Server struct {
	opts   Options
	cert   *certificate
	id     *identity
	signer *signer
	roster *roster
	lock   *flock.Flock
	nats   *natsserver.Server // nil: External
	urls   []string
	roots  string // PEM that verifies the server, if not the hub's CA
	nc     *nats.Conn
	js     jetstream.JetStream

	mu     sync.Mutex
	queues map[string]bool // those with consumers
	tasks  jetstream.Stream
	known  map[uint64]string // subjects of unfinished tasks, by their number in the stream
	lanes  *lanes
	watch  *watch
}

// Open starts a hub's server. At the first start it creates in Dir everything it needs: a CA, keys and a store. It is
// ready when it returns; ctx ends only the start.
func Open(ctx context.Context, o Options) (*Server, error) {
	if o.Lease <= 0 {
		o.Lease = lease
	}
	s := &Server{opts: o, queues: map[string]bool{}, known: map[uint64]string{}, lanes: newLanes(),
		watch: &watch{noted: make(chan breach, mostBreaches)}}
	if err := s.prepare(); err != nil {
		s.Close()
		return nil, err
	}
	start := s.embed
	if o.External != nil {
		start = s.external
	}
	if err := start(); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.restock(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// prepare locks the folder and reads its contents.
func (s *Server) prepare() error {
	dir := s.opts.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the hub's folder: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the hub's folder private: %w", err)
	}
	s.lock = flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600))
	ours, err := ownFolder(s.lock)
	if err != nil {
		return fmt.Errorf("cannot lock the hub's folder: %w", err)
	}
	if !ours {
		return fmt.Errorf("another hub runs in %s", dir)
	}
	if s.id, err = identify(dir); err != nil {
		return err
	}
	if s.roster, err = openRoster(filepath.Join(dir, rosterFile), time.Now); err != nil {
		return err
	}
	s.watch.roster = s.roster
	s.cert, err = openCertificate(s.id, dir, s.names(), time.Now)
	return err
}

// lockPatience is how long to try for the lock of a folder. That of a process that was killed is free only when the last
// child it was about to start has begun or died, which takes a while on a busy machine.
const lockPatience = 3 * time.Second

// ownFolder locks a folder and reports whether it could: otherwise another process has it.
func ownFolder(l *flock.Flock) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	ours, err := l.TryLockContext(ctx, 20*time.Millisecond)
	if ctx.Err() != nil {
		return false, nil
	}
	return ours, err
}

// names returns this machine's names for workers.
func (s *Server) names() []string {
	if len(s.opts.Names) > 0 {
		return s.opts.Names
	}
	host, _, err := net.SplitHostPort(s.opts.Addr)
	if ip := net.ParseIP(host); err != nil || host == "" || ip != nil && ip.IsUnspecified() {
		return []string{"127.0.0.1"}
	}
	return []string{host}
}

// embed starts the server in this process and connects to it.
func (s *Server) embed() error {
	key, err := nkeys.FromSeed([]byte(s.id.Account))
	if err != nil {
		return err
	}
	s.signer = &signer{key: key, life: granted, keep: kept}
	opts, err := s.natsOptions()
	if err != nil {
		return err
	}
	s.nats, err = natsserver.NewServer(opts)
	if err != nil {
		return fmt.Errorf("cannot start the hub's queue: %w", err)
	}
	s.watch.nats = s.nats
	if s.watch.own, err = key.PublicKey(); err != nil {
		return err
	}
	said := &natsLog{to: s.opts.Log, fatal: make(chan struct{}), broken: s.watch.logged}
	debug := s.opts.Log != nil && s.opts.Log.Enabled(context.Background(), slog.LevelDebug)
	s.nats.SetLoggerV2(said, debug, false, false) // never a trace: it contains messages and credentials
	s.nats.Start()
	ready := make(chan bool, 1)
	go func() { ready <- s.nats.ReadyForConnections(time.Minute) }()
	ok := false
	select {
	case ok = <-ready:
	case <-said.fatal:
	}
	if !ok {
		return fmt.Errorf("cannot start the hub's queue on %s: %s", s.opts.Addr, said.last())
	}
	_, port, err := net.SplitHostPort(s.nats.Addr().String())
	if err != nil {
		return err
	}
	for _, name := range s.names() {
		s.urls = append(s.urls, "tls://"+net.JoinHostPort(name, port))
	}
	auth, err := ownCredential(s.id.Account)
	if err == nil {
		err = s.watch.listen(s.id.System)
	}
	if err != nil {
		return err
	}
	return s.connect("", nats.InProcessServer(s.nats), auth)
}

// natsOptions opens one port, for workers, and nothing else.
func (s *Server) natsOptions() (*natsserver.Options, error) {
	host, port, err := net.SplitHostPort(s.opts.Addr)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address to listen on: use HOST:PORT: %w", s.opts.Addr, err)
	}
	number, err := net.LookupPort("tcp", port)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address to listen on: use HOST:PORT: %w", s.opts.Addr, err)
	}
	if number == 0 {
		number = natsserver.RANDOM_PORT
	}
	operator, resolver, system, err := s.accounts()
	if err != nil {
		return nil, err
	}
	return &natsserver.Options{
		ServerName: "socrates-hub", Host: host, Port: number, NoSigs: true, MaxPayload: maxPayload,
		MaxPending: 16 << 20, PingInterval: 10 * time.Second, MaxPingsOut: 2,
		TLSConfig: s.cert.config(), TLSTimeout: 10, AuthTimeout: 15,
		TrustedOperators: []*jwt.OperatorClaims{operator}, AccountResolver: resolver, SystemAccount: system,
		JetStream: true, DisableJetStreamBanner: true,
		StoreDir:          filepath.Join(s.opts.Dir, storeDir), // not synced: what it loses is put back
		JetStreamMaxStore: 4 << 30, JetStreamMaxMemory: 64 << 20,
	}, nil
}

// accounts makes the accounts at each start, from the keys and the revocations.
func (s *Server) accounts() (*jwt.OperatorClaims, *natsserver.MemAccResolver, string, error) {
	keys := map[string]nkeys.KeyPair{}
	public := map[string]string{}
	for name, seed := range map[string]string{"operator": s.id.Operator, "system": s.id.System, "account": s.id.Account} {
		k, err := nkeys.FromSeed([]byte(seed))
		if err == nil {
			keys[name] = k
			public[name], err = k.PublicKey()
		}
		if err != nil {
			return nil, nil, "", err
		}
	}
	o := jwt.NewOperatorClaims(public["operator"])
	o.Name, o.SystemAccount = "socrates", public["system"]
	text, err := o.Encode(keys["operator"])
	if err != nil {
		return nil, nil, "", err
	}
	operator, err := jwt.DecodeOperatorClaims(text)
	if err != nil {
		return nil, nil, "", err
	}
	resolver := &natsserver.MemAccResolver{}
	system := jwt.NewAccountClaims(public["system"])
	system.Name = "system"
	for _, c := range []*jwt.AccountClaims{system, accountClaims(public["account"], s.roster.revoked())} {
		text, err := c.Encode(keys["operator"])
		if err == nil {
			err = resolver.Store(c.Subject, text)
		}
		if err != nil {
			return nil, nil, "", err
		}
	}
	return operator, resolver, public["system"], nil
}

// ownCredential gives the hub itself access to an account, with a key that lives as long as this process.
func ownCredential(account string) (nats.Option, error) {
	key, err := nkeys.FromSeed([]byte(account))
	if err != nil {
		return nil, err
	}
	k, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	public, err := k.PublicKey()
	if err != nil {
		return nil, err
	}
	text, err := (&signer{key: key}).sign(public, "hub", 0, func(*jwt.UserClaims) {})
	return nats.UserJWT(func() (string, error) { return text, nil }, k.Sign), err
}

// connect makes the hub's own connection.
func (s *Server) connect(url string, opts ...nats.Option) (err error) {
	opts = append(opts, nats.Name("hub"), nats.CustomInboxPrefix(hubInbox), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1),
		nats.IgnoreAuthErrorAbort(), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if s.opts.Log != nil { // for example a slow consumer
				s.opts.Log.Warn(err.Error())
			}
		}))
	if s.nc, err = nats.Connect(url, opts...); err != nil {
		return fmt.Errorf("cannot connect to the queue: %w", err)
	}
	s.js, err = jetstream.New(s.nc)
	return err
}

// restock creates the stream, and the consumers of all granted queues, if missing. A cluster that has just started,
// or lost its leader, does not answer for a while, so it retries.
func (s *Server) restock(ctx context.Context) error {
	for n := 0; ; n++ {
		once, done := context.WithTimeout(ctx, patience)
		err := s.stock(once)
		done()
		if err == nil || s.nats != nil || n == restocks {
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

// restocks is how often that is retried: for about a minute.
const restocks = 10

func (s *Server) stock(ctx context.Context) error {
	c := jetstream.StreamConfig{
		Name: fleet.Stream, Subjects: []string{fleet.Tasks + ".>"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		MaxMsgSize: maxBody, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgs: 1_000_000,
		Replicas: s.replicas(),
	}
	if _, err := s.js.CreateOrUpdateStream(ctx, c); err != nil {
		return fmt.Errorf("cannot make the queue of tasks: %w", err)
	}
	s.mu.Lock()
	clear(s.queues)
	clear(s.known)
	s.mu.Unlock()
	return s.offerQueues(ctx, s.roster.queues())
}

// offerQueues creates consumers, through which workers take tasks.
func (s *Server) offerQueues(ctx context.Context, queues []string) error {
	for _, q := range queues {
		if err := tokens(q); err != nil {
			return err
		}
		s.mu.Lock()
		there := s.queues[q]
		s.mu.Unlock()
		if there {
			continue
		}
		_, err := s.js.CreateOrUpdateConsumer(ctx, fleet.Stream, jetstream.ConsumerConfig{
			Durable: q, FilterSubject: subjectOf(q, "*"), AckPolicy: jetstream.AckExplicitPolicy, AckWait: s.opts.Lease,
			MaxDeliver: -1, MaxAckPending: 10_000, MaxWaiting: maxWaiting,
		})
		if err != nil {
			return fmt.Errorf("cannot make the queue %s: %w", q, err)
		}
		s.mu.Lock()
		s.queues[q] = true
		s.mu.Unlock()
	}
	return nil
}

// URLs returns the addresses of the queue for workers.
func (s *Server) URLs() []string { return s.urls }

// TLS returns the settings of the hub's other listeners, with the certificate by which workers verify it.
func (s *Server) TLS() *tls.Config { return s.cert.config() }

// Authority returns the fingerprint of a hub's CA.
func Authority(s *Server) (string, error) {
	ca, _, err := s.id.authority()
	if err != nil {
		return "", err
	}
	return pinOf(ca), nil
}

// Close ends the server and all connections, after answering the calls in progress.
func (s *Server) Close() error {
	s.lanes.close()
	if s.nc != nil {
		_ = s.nc.FlushTimeout(time.Second) // the last answers
		s.nc.Close()
	}
	s.watch.close()
	if s.nats != nil {
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
	}
	var err error
	if s.roster != nil {
		err = s.roster.flush()
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Unlock())
	}
	return err
}

// natsLog forwards the server's log, and keeps the last warning.
type natsLog struct {
	to    *slog.Logger
	mu    sync.Mutex
	at    string
	once  sync.Once
	fatal chan struct{} // closed when the server cannot start

	broken func(format string, v []any) bool // handles a line about a refused client
}

func (l *natsLog) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == "" {
		return "it was not ready in time"
	}
	return l.at
}

func (l *natsLog) say(level slog.Level, format string, v []any) {
	text := strings.TrimSpace(fmt.Sprintf(format, v...))
	if level >= slog.LevelWarn {
		l.mu.Lock()
		l.at = text
		l.mu.Unlock()
	}
	if l.to != nil {
		l.to.Log(context.Background(), level, text)
	}
}

// Noticef forwards an informational message.
func (l *natsLog) Noticef(format string, v ...any) { l.say(slog.LevelInfo, format, v) }

// Debugf forwards what connections do.
func (l *natsLog) Debugf(format string, v ...any) { l.say(slog.LevelDebug, format, v) }

// Tracef drops the protocol.
func (l *natsLog) Tracef(string, ...any) {}

// Warnf forwards a warning.
func (l *natsLog) Warnf(format string, v ...any) { l.say(slog.LevelWarn, format, v) }

// Errorf forwards an error, or a refusal of a client, which is no error of the server.
func (l *natsLog) Errorf(format string, v ...any) {
	if !l.broken(format, v) {
		l.say(slog.LevelError, format, v)
	}
}

// Fatalf forwards why the server could not start. It does not end the process.
func (l *natsLog) Fatalf(format string, v ...any) {
	l.say(slog.LevelError, format, v)
	l.once.Do(func() { close(l.fatal) })
}
