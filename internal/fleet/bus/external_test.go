package bus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// operated is a NATS cluster as an operator of their own has it, and what they give to a hub.
func operated(t *testing.T, size int) *External {
	t.Helper()
	dir := t.TempDir()
	id, err := newIdentity(dir, filepath.Join(dir, identityFile))
	if err != nil {
		t.Fatal(err)
	}
	cert, err := openCertificate(id, dir, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	signing, err := nkeys.CreateAccount()
	if err != nil {
		t.Fatal(err)
	}
	e := &External{Roots: filepath.Join(dir, "ca.pem"), Signer: filepath.Join(dir, "signer.nk"), Credentials: filepath.Join(dir, "hub.creds")}
	resolver, operator, system := decreed(t, id, signing, e)
	write(t, e.Roots, id.Authority)
	write(t, e.Signer, must(t)(seedOf(signing, nil)))
	base := natsserver.Options{
		Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoSigs: true, NoLog: true, TLSConfig: cert.config(), TLSTimeout: 60, AuthTimeout: 90,
		TrustedOperators: []*jwt.OperatorClaims{operator}, AccountResolver: resolver, SystemAccount: system,
		JetStream: true, JetStreamMaxStore: 1 << 30, JetStreamMaxMemory: 1 << 20,
	}
	for range 5 { // a port that was free may be taken by the time it is used
		if urls := started(t, base, size); urls != nil {
			e.URL = strings.Join(urls, ",")
			return e
		}
	}
	t.Fatal("the servers do not start")
	return nil
}

// started starts servers that know each other; nil: one of them did not get its port.
func started(t *testing.T, base natsserver.Options, size int) (urls []string) {
	t.Helper()
	routes, ports := make([]*url.URL, size), make([]int, size)
	for i := range size {
		ports[i] = freePort(t)
		routes[i] = &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", ports[i])}
	}
	var all []*natsserver.Server
	for i := range size {
		o := base
		o.ServerName, o.StoreDir = fmt.Sprint("n", i), t.TempDir()
		if size > 1 {
			o.Cluster = natsserver.ClusterOpts{Name: "theirs", Host: "127.0.0.1", Port: ports[i]}
			o.Routes = routes
		}
		n, err := natsserver.NewServer(&o)
		if err != nil {
			t.Fatal(err)
		}
		n.Start()
		t.Cleanup(func() { n.Shutdown(); n.WaitForShutdown() })
		all = append(all, n)
		if !n.ReadyForConnections(20 * time.Second) {
			for _, n := range all {
				n.Shutdown()
			}
			return nil
		}
		urls = append(urls, "tls://"+n.Addr().String())
	}
	return urls
}

// decreed is what an operator writes down of their accounts.
func decreed(t *testing.T, id *identity, signing nkeys.KeyPair, e *External) (*natsserver.MemAccResolver, *jwt.OperatorClaims, string) {
	t.Helper()
	pair := func(seed string) (nkeys.KeyPair, string) {
		k, err := nkeys.FromSeed([]byte(seed))
		if err != nil {
			t.Fatal(err)
		}
		return k, must(t)(k.PublicKey())
	}
	root, rootKey := pair(id.Operator)
	_, system := pair(id.System)
	account, accountKey := pair(id.Account)
	e.Account = accountKey
	claims := accountClaims(accountKey, nil)
	claims.SigningKeys.Add(must(t)(signing.PublicKey()))
	resolver := &natsserver.MemAccResolver{}
	for _, c := range []*jwt.AccountClaims{claims, jwt.NewAccountClaims(system)} {
		if err := resolver.Store(c.Subject, must(t)(c.Encode(root))); err != nil {
			t.Fatal(err)
		}
	}
	o := jwt.NewOperatorClaims(rootKey)
	o.SystemAccount = system
	operator, err := jwt.DecodeOperatorClaims(must(t)(o.Encode(root)))
	if err != nil {
		t.Fatal(err)
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	credential := must(t)(jwt.NewUserClaims(must(t)(user.PublicKey())).Encode(account))
	creds, err := jwt.FormatUserConfig(credential, []byte(must(t)(seedOf(user, nil))))
	if err != nil {
		t.Fatal(err)
	}
	write(t, e.Credentials, string(creds))
	return resolver, operator, system
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestTheQueueOfAnOperatorsOwnServers(t *testing.T) {
	for size, replicas := range map[int]int{1: 1, 3: 3} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			b := newBook("p_a")
			s, _ := hub(t, Options{External: operated(t, size)}, b)
			ctx := within(t)
			stream, err := s.stream(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if got := stream.CachedInfo().Config.Replicas; got != replicas {
				t.Error(got, "replicas")
			}
			dir := joined(t, s, "w1")
			c := worker(t, dir)
			for range 2 {
				if err := s.Put(ctx, "p_a", "t1"); err != nil {
					t.Fatal(err)
				}
			}
			task, reply, err := c.Next(ctx, "p_a")
			if err != nil || task != "t1" {
				t.Fatal(task, err)
			}
			if got, err := c.Claim(ctx, fleet.Claim{Task: task, Reply: reply}); err != nil || got.Verdict != fleet.OK {
				t.Fatal(got, err)
			}
			if err := s.Ack(reply); err != nil {
				t.Fatal(err)
			}
			for has := true; has; {
				if has, err = s.Has(ctx, task); err != nil {
					t.Fatal(err)
				}
			}
			nc := raw(t, dir)
			for _, to := range []string{"task.p_a.x", "hub.claim.w2", "$JS.ACK.TASKS.p_a.1.1.1.1.0", "$JS.API.STREAM.DELETE.TASKS"} {
				if err := nc.Publish(to, []byte("x")); err != nil {
					t.Fatal(to, err)
				}
				denied(t, nc, to)
			}
			// It cannot revoke there: it no longer answers, and does not give the name again.
			if err := s.Revoke("w1"); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Beat(ctx, fleet.Beat{Task: "t1"}); !errors.Is(err, ErrRefused) {
				t.Error(err)
			}
			if _, err := s.Invite("w1", time.Hour); err == nil || !strings.Contains(err.Error(), "choose another name") {
				t.Error(err)
			}
		})
	}
}

func TestAnExternalServerThatIsDescribedWrong(t *testing.T) {
	e := operated(t, 1)
	junk := filepath.Join(t.TempDir(), "junk")
	write(t, junk, "junk")
	for name, row := range map[string]struct {
		change func(*External)
		says   string
	}{
		"no key":         {func(e *External) { e.Signer = "/nowhere" }, "cannot read the account's signing key"},
		"another key":    {func(e *External) { e.Signer = junk }, "does not contain the seed"},
		"no account":     {func(e *External) { e.Account = "x" }, "is not an account's public key"},
		"no credentials": {func(e *External) { e.Credentials = junk }, "cannot connect to the queue"},
		"no roots":       {func(e *External) { e.Roots = "/nowhere" }, "cannot read the CA of the NATS servers"},
		"other roots":    {func(e *External) { e.Roots = "" }, "cannot connect to the queue"},
		"nobody":         {func(e *External) { e.URL = "tls://127.0.0.1:1" }, "cannot connect to the queue"},
	} {
		wrong := *e
		row.change(&wrong)
		s, err := Open(context.Background(), Options{Dir: t.TempDir(), External: &wrong})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
