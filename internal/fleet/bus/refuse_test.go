package bus

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// raw is a connection with a worker's credential and nothing of the client around it: what a hostile worker has.
func raw(t testing.TB, dir string, more ...nats.Option) *nats.Conn {
	t.Helper()
	m, err := memberIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := rawAs(m, more...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func rawAs(m member, more ...nats.Option) (*nats.Conn, error) {
	k, err := nkeys.FromSeed([]byte(m.Seed))
	if err != nil {
		return nil, err
	}
	return nats.Connect(m.URLs[0], append([]nats.Option{
		nats.Secure(m.tls()), nats.CustomInboxPrefix(inbox(m.Name)), nats.NoReconnect(), nats.Timeout(time.Minute),
		nats.UserJWT(func() (string, error) { return m.Granted, nil }, k.Sign), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, more...)...)
}

// admittedWorkers are two with rights for a queue, and their folders.
func admittedWorkers(t testing.TB, b *book) (s *Server, c1, c2 *Client, dir1, dir2 string) {
	s, _ = hub(t, Options{}, b)
	dir1, dir2 = joined(t, s, "w1"), joined(t, s, "w2")
	return s, worker(t, dir1), worker(t, dir2), dir1, dir2
}

func TestWhatAWorkerMayNotSay(t *testing.T) {
	_, _, _, dir, _ := admittedWorkers(t, newBook("p_a"))
	nc := raw(t, dir)
	for _, to := range []string{
		"task.p_a.x", "task.p_b.x", "hub.claim.w2", "hub.offer.w2", "hub.beat.w2", "hub.node.w2", "hub.done.w2", "hub.may.w2", "hub.join",
		"out.w1.t", "out.w2.t", "ctl.w1", "ctl.w2", "_INBOX_w2.x", "_HUB.x", "$JS.ACK.TASKS.p_a.1.1.1.1.0", "$JS.API.STREAM.MSG.GET.TASKS",
		"$JS.API.DIRECT.GET.TASKS", "$JS.API.DIRECT.GET.TASKS.task.p_a.x", "$JS.API.CONSUMER.CREATE.TASKS", "$JS.API.CONSUMER.CREATE.TASKS.x",
		"$JS.API.CONSUMER.DURABLE.CREATE.TASKS.x", "$JS.API.CONSUMER.DELETE.TASKS.p_a", "$JS.API.CONSUMER.MSG.NEXT.TASKS.p_b",
		"$JS.API.CONSUMER.INFO.TASKS.p_b", "$JS.API.CONSUMER.LIST.TASKS", "$JS.API.STREAM.PURGE.TASKS", "$JS.API.STREAM.DELETE.TASKS",
		"$JS.API.STREAM.MSG.DELETE.TASKS", "$JS.API.STREAM.LIST", "$JS.API.STREAM.CREATE.X", "$JS.API.STREAM.UPDATE.TASKS",
		"$JS.API.CONSUMER.PAUSE.TASKS.p_a", "$JS.API.CONSUMER.UNPIN.TASKS.p_a", "$JS.API.INFO", "$SYS.REQ.SERVER.PING",
		"$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.USER.INFO.x",
	} {
		if err := nc.Publish(to, []byte("x")); err != nil {
			t.Fatal(to, err)
		}
		denied(t, nc, to)
	}
	for _, to := range []string{"hub.claim.w1", "$JS.API.CONSUMER.INFO.TASKS.p_a", "$JS.API.CONSUMER.MSG.NEXT.TASKS.p_a"} {
		before := nc.LastError()
		if err := errors.Join(nc.Publish(to, []byte("{}")), nc.Flush()); err != nil || nc.LastError() != before {
			t.Error(to, err, nc.LastError())
		}
	}
}

func TestWhatAWorkerMayNotHear(t *testing.T) {
	_, _, _, dir, _ := admittedWorkers(t, newBook("p_a"))
	nc := raw(t, dir)
	for _, at := range []string{"task.>", "task.p_a.*", ">", "*", "_INBOX.>", "_INBOX_w2.>", "_HUB.>", "ctl.w2", "ctl.w2.>", "ctl.*", "ctl.>", "hub.>",
		"hub.claim.w1", "out.>", "out.w1.>", "$JS.ACK.>", "$JS.EVENT.ADVISORY.>", "$JS.API.>", "$SYS.>", "_INBOX_join_x.>"} {
		if _, err := nc.SubscribeSync(at); err != nil {
			t.Fatal(at, err)
		}
		denied(t, nc, at)
	}
	for _, at := range []string{"_INBOX_w1.x", "ctl.w1"} {
		before := nc.LastError()
		_, err := nc.SubscribeSync(at)
		if err := errors.Join(err, nc.Flush()); err != nil || nc.LastError() != before {
			t.Error(at, err, nc.LastError())
		}
	}
}

// denied makes sure that the server refused the last thing that was sent.
func denied(t testing.TB, nc *nats.Conn, subject string) {
	t.Helper()
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := nc.LastError(); err == nil || !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), fmt.Sprintf("%q", subject)) {
		t.Errorf("%s: %v", subject, err)
	}
}

func TestWhoDoesNotGetIn(t *testing.T) {
	s, _, _, dir, _ := admittedWorkers(t, newBook("p_a"))
	other, _ := hub(t, Options{}, newBook())
	m, err := memberIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(m.URLs[0], "tls://")
	thief, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	jwtOf := func(text string) nats.Option {
		k, _ := nkeys.FromSeed([]byte(m.Seed))
		return nats.UserJWT(func() (string, error) { return text, nil }, k.Sign)
	}
	expired, err := s.signer.sign(must(t)(thief.PublicKey()), "w1", -time.Minute, noRights)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := other.signer.granted(keyOf(t, m), "w1", []string{"p_a"})
	if err != nil {
		t.Fatal(err)
	}
	for name, opts := range map[string][]nats.Option{
		"no credentials":        {nats.Secure(m.tls())},
		"plain text":            {jwtOf(m.Granted), plain},
		"another CA":            {jwtOf(m.Granted), nats.Secure(&tls.Config{RootCAs: poolOf(other.id.Authority)})},
		"the system's roots":    {jwtOf(m.Granted), nats.Secure(&tls.Config{})},
		"an old TLS":            {jwtOf(m.Granted), nats.Secure(&tls.Config{RootCAs: poolOf(m.Authority), MaxVersion: tls.VersionTLS12})},
		"a stolen credential":   {nats.Secure(m.tls()), nats.UserJWT(func() (string, error) { return m.Granted, nil }, thief.Sign)},
		"an expired credential": {nats.Secure(m.tls()), nats.UserJWT(func() (string, error) { return expired, nil }, thief.Sign)},
		"another hub's":         {nats.Secure(m.tls()), jwtOf(foreign)},
		"a password":            {nats.Secure(m.tls()), nats.UserInfo("hub", "hub")},
	} {
		nc, err := nats.Connect("nats://"+address, append(opts, nats.NoReconnect(), nats.Timeout(time.Minute))...)
		if err == nil {
			nc.Close()
			t.Errorf("%s gets in", name)
		}
	}
}

// plain makes a connection that does not do what the server asks, and speaks without TLS.
func plain(o *nats.Options) error {
	o.TLSHandshakeFirst = false
	o.CustomDialer = untold{}
	return nil
}

func TestATokenCountsOnce(t *testing.T) {
	s, stop := hub(t, Options{}, newBook("p_a"))
	ctx := within(t)
	token, err := s.Invite("w1", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	first := t.TempDir()
	if _, err := Join(ctx, token, first); err != nil {
		t.Fatal(err)
	}
	if _, err := Join(ctx, token, t.TempDir()); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "used before") {
		t.Fatal(err)
	}
	// Nor after a restart.
	stop()
	s, _ = hub(t, Options{Dir: s.opts.Dir}, newBook("p_a"))
	again := changedToken(t, token, func(k *ticket) { k.URLs = s.URLs() })
	if _, err := Join(ctx, again, t.TempDir()); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "used before") {
		t.Fatal(err)
	}
	m, err := memberIn(first)
	if err != nil || m.Name != "w1" {
		t.Fatal(m.Name, err)
	}
	m.URLs = s.URLs()
	if err := m.save(first); err != nil {
		t.Fatal(err)
	}
	worker(t, first) // what came of it still counts
}

func TestABadToken(t *testing.T) {
	s, _ := hub(t, Options{}, newBook())
	other, _ := hub(t, Options{}, newBook())
	invite := func(life time.Duration) string {
		token, err := s.Invite("w1", life)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	k, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	expired, err := s.signer.sign(must(t)(k.PublicKey()), "join-x", -time.Minute, func(c *jwt.UserClaims) { c.BearerToken = true })
	if err != nil {
		t.Fatal(err)
	}
	revoked := invite(time.Hour)
	if err := s.Revoke("w1"); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ token, says string }{
		"no token":            {"hello", "not a join token"},
		"half of one":         {invite(time.Hour)[:100], "not a join token"},
		"another secret":      {changedToken(t, invite(time.Hour), func(k *ticket) { k.Secret = "x" }), "does not know this token"},
		"another id":          {changedToken(t, invite(time.Hour), func(k *ticket) { k.ID = "x" }), ""},
		"expired":             {changedToken(t, invite(time.Hour), func(k *ticket) { k.Credential = expired }), "has expired"},
		"revoked":             {revoked, "does not know this token"},
		"another hub's":       {changedToken(t, invite(time.Hour), func(k *ticket) { k.URLs = other.URLs() }), "is not the hub that this worker knows"},
		"another pin":         {changedToken(t, invite(time.Hour), func(k *ticket) { k.Pin = "00" }), "is not the hub that this worker knows"},
		"another's, same pin": {changedToken(t, invite(time.Hour), func(k *ticket) { k.URLs = other.URLs(); k.Pin = pin(t, other) }), "another hub's"},
		"nobody there":        {changedToken(t, invite(time.Hour), func(k *ticket) { k.URLs = []string{"tls://127.0.0.1:1"} }), "does not answer"},
	} {
		ctx, done := within(t), func() {}
		if name == "another id" { // the answer goes to an inbox of the token that it really is, or nowhere
			ctx, done = brief(t)
		}
		_, err := Join(ctx, row.token, t.TempDir())
		done()
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.Workers()) != 0 {
		t.Error(s.Workers())
	}
}

func TestATokenThatEndedByTheHubsClock(t *testing.T) {
	s, _ := hub(t, Options{}, newBook())
	token, err := s.Invite("w1", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s.roster.mu.Lock()
	s.roster.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	s.roster.mu.Unlock()
	if _, err := Join(within(t), token, t.TempDir()); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "expired") {
		t.Fatal(err)
	}
}

func TestALostAnswerToATokenCanBeAskedForAgain(t *testing.T) {
	s, _ := hub(t, Options{}, newBook("p_a"))
	token, err := s.Invite("w1", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	seed, err := keyFor(token, dir)
	if err != nil {
		t.Fatal(err)
	}
	k, err := ticketOf(token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := askIn(within(t), k, keyOf(t, member{Seed: seed})); err != nil {
		t.Fatal(err)
	}
	// Killed before it was written down.
	if _, err := Join(within(t), token, dir); err != nil {
		t.Fatal(err)
	}
	worker(t, dir)
}

func TestARevokedWorkerIsCutOffAtWork(t *testing.T) {
	b := newBook("p_a")
	s, c1, c2, dir, _ := admittedWorkers(t, b)
	ctx := within(t)
	if err := s.Put(ctx, "p_a", "t1"); err != nil {
		t.Fatal(err)
	}
	task, reply, err := c1.Next(ctx, "p_a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c1.Claim(ctx, fleet.Claim{Task: task, Reply: reply}); err != nil {
		t.Fatal(err)
	}
	if err := s.Revoke("w1"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c1.Gone():
	case <-ctx.Done():
		t.Fatal("still there")
	}
	if !errors.Is(c1.Err(), ErrRefused) {
		t.Error(c1.Err())
	}
	if _, err := c1.Done(ctx, fleet.Done{Task: task, Epoch: 1}); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
	if _, err := c2.Beat(ctx, fleet.Beat{Task: "other"}); err != nil {
		t.Error("another worker is cut off, too:", err)
	}
	if _, err := Dial(ctx, copied(t, dir), fleet.Offer{}); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
	if all := s.Workers(); all[0].Revoked.IsZero() || len(all[0].Queues) != 0 || !all[1].Revoked.IsZero() {
		t.Error(all)
	}
	// The name can be given again, to another key.
	worker(t, joined(t, s, "w1"))
}

func TestACredentialEnds(t *testing.T) {
	s, _, _, dir, _ := admittedWorkers(t, newBook("p_a"))
	m, err := memberIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Granted, err = s.signer.sign(keyOf(t, m), "w1", 2*time.Second, noRights)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 8)
	if _, err := rawAs(m, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { ended <- err })); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, nats.ErrAuthExpired) {
		t.Error(err)
	}
}
