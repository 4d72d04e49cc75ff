package bus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/private"
)

// The files in a worker's folder. Its key never leaves them.
const (
	memberFile  = "worker.json"
	joiningFile = "joining.json" // the key being used with a token, so that a lost answer can be requested again
)

// member is a worker's membership at a hub.
type member struct {
	Name      string   `json:"name"`
	URLs      []string `json:"urls"`
	Authority string   `json:"authority"`        // the hub's CA, PEM
	Roots     string   `json:"roots,omitempty"`  // another CA of the NATS servers
	Public    bool     `json:"public,omitempty"` // theirs is one that the system trusts
	Seed      string   `json:"seed"`
	Base      string   `json:"base"`              // the credential to make an offer
	Granted   string   `json:"granted,omitempty"` // the credential of the last offer
	Web       string   `json:"web,omitempty"`
}

// joiningKey is the key being used with a token.
type joiningKey struct {
	Token string `json:"token"` // its hash
	Seed  string `json:"seed"`
}

// Join uses a token: it makes a key in dir, and the hub admits that key. Another membership in dir is replaced.
func Join(ctx context.Context, token, dir string) (name string, err error) {
	t, err := ticketOf(token)
	if err != nil {
		return "", err
	}
	seed, err := keyFor(token, dir)
	if err != nil {
		return "", err
	}
	key, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return "", err
	}
	public, err := key.PublicKey()
	if err != nil {
		return "", err
	}
	w, err := askIn(ctx, t, public)
	if err != nil {
		return "", err
	}
	if ca, err := certOf(w.Authority); err != nil || pinOf(ca) != t.Pin || fleet.Named(w.Name) != nil {
		return "", fmt.Errorf("%w: its answer does not match the token", ErrRefused)
	}
	m := member{Name: w.Name, URLs: t.URLs, Authority: w.Authority, Roots: t.Roots, Public: t.Public, Seed: seed, Base: w.Base}
	if err := m.save(dir); err != nil {
		return "", err
	}
	return w.Name, os.Remove(filepath.Join(dir, joiningFile))
}

// keyFor returns the seed of the key to use with a token: a new one, unless the answer to an earlier try was lost.
func keyFor(token, dir string) (string, error) {
	file := filepath.Join(dir, joiningFile)
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	of := hex.EncodeToString(sum[:])
	var k joiningKey
	text, err := os.ReadFile(file)
	if err == nil && json.Unmarshal(text, &k) == nil && k.Token == of {
		return k.Seed, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("cannot read the worker's key: %w", err)
	}
	k.Token = of
	if k.Seed, err = seedOf(nkeys.CreateUser()); err != nil {
		return "", err
	}
	if text, err = json.Marshal(k); err != nil {
		return "", err
	}
	if err := private.Replace(file, text); err != nil {
		return "", fmt.Errorf("cannot save the worker's key: %w", err)
	}
	return k.Seed, nil
}

// starting is the retry interval if a hub's queue is up but the hub is not listening yet.
const starting = 50 * time.Millisecond

// askIn presents the token to the hub.
func askIn(ctx context.Context, t ticket, public string) (w welcome, err error) {
	opts := []nats.Option{
		nats.Name("join " + t.Worker), nats.NoReconnect(), nats.Timeout(patience), nats.CustomInboxPrefix(joinInbox(t.ID)),
		nats.UserJWT(func() (string, error) { return t.Credential, nil }, func([]byte) ([]byte, error) { return nil, nil }),
		nats.Secure(t.tls()), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	nc, err := nats.Connect(strings.Join(t.URLs, ","), opts...)
	if err != nil {
		return w, connectError(err, strings.Join(t.URLs, " or "))
	}
	defer nc.Close()
	body, err := json.Marshal(request{ID: t.ID, Secret: t.Secret, Key: public})
	if err != nil {
		return w, err
	}
	ctx, done := context.WithTimeout(ctx, 4*patience)
	defer done()
	m, err := nc.RequestWithContext(ctx, fleet.Join, body)
	for errors.Is(err, nats.ErrNoResponders) && ctx.Err() == nil { // the hub is just starting
		select {
		case <-time.After(starting):
		case <-ctx.Done():
		}
		m, err = nc.RequestWithContext(ctx, fleet.Join, body)
	}
	if err != nil {
		return w, fmt.Errorf("%w at %s: %w", ErrUnreachable, t.URLs[0], err)
	}
	if err := saidNo(m); err != nil {
		return w, err
	}
	return w, json.Unmarshal(m.Data, &w)
}

// connectError explains why a connection failed: another server answers, the hub refuses us, or nobody answers.
func connectError(err error, where string) error {
	var unknown x509.UnknownAuthorityError
	var other *tls.CertificateVerificationError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		const why = "%w here: by this machine's clock it is %s, and the hub's certificate is valid from %s to %s; correct the clock"
		return fmt.Errorf(why, ErrRefused, time.Now().UTC().Format(time.DateTime), invalid.Cert.NotBefore.Format(time.DateOnly),
			invalid.Cert.NotAfter.Format(time.DateOnly))
	case errors.As(err, &unknown), errors.As(err, &other), errors.Is(err, errOtherHub):
		return fmt.Errorf("%w: %s is not the hub that this worker knows: %w", ErrRefused, where, err)
	case isAuth(err):
		return fmt.Errorf("%w the token or credential: it has expired, was revoked, or is another hub's; ask for a new token (%w)",
			ErrRefused, err)
	}
	return fmt.Errorf("%w at %s: %w", ErrUnreachable, where, err)
}

func isAuth(err error) bool {
	for _, e := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// saidNo returns the hub's refusal.
func saidNo(m *nats.Msg) error {
	if why := m.Header.Get(headRefuse); why != "" {
		return fmt.Errorf("%w: %s", ErrRefused, why)
	}
	if why := m.Header.Get(headLater); why != "" {
		return fmt.Errorf("%w now: %s", ErrUnreachable, why)
	}
	return nil
}

var errOtherHub = errors.New("its certificate is signed by another authority")

// tls verifies the hub by the hash of its CA, which it sends with its certificate. That CA signs only for the hub.
func (t ticket) tls() *tls.Config {
	switch {
	case t.Public:
		return &tls.Config{MinVersion: tls.VersionTLS13}
	case t.Roots != "":
		return &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: poolOf(t.Roots)}
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // VerifyConnection verifies: only the hash of the CA is known
		VerifyConnection: func(s tls.ConnectionState) error {
			roots := x509.NewCertPool()
			for _, c := range s.PeerCertificates[1:] {
				if pinOf(c) == t.Pin {
					roots.AddCert(c)
				}
			}
			if _, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots}); err != nil {
				return fmt.Errorf("%w: %w", errOtherHub, err)
			}
			return nil
		},
	}
}

func poolOf(pem string) *x509.CertPool {
	p := x509.NewCertPool()
	p.AppendCertsFromPEM([]byte(pem))
	return p
}

// tls verifies the NATS servers for a worker that joined.
func (m member) tls() *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS13}
	switch {
	case m.Public:
	case m.Roots != "":
		c.RootCAs = poolOf(m.Roots)
	default:
		c.RootCAs = poolOf(m.Authority)
	}
	return c
}

func (m member) save(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := private.Replace(filepath.Join(dir, memberFile), append(text, '\n')); err != nil {
		return fmt.Errorf("cannot save the worker's registration: %w", err)
	}
	return nil
}

// memberIn reads a worker's folder.
func memberIn(dir string) (m member, err error) {
	text, err := os.ReadFile(filepath.Join(dir, memberFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, errors.New("this worker has not joined a hub: use a join token first")
	}
	if err != nil {
		return m, fmt.Errorf("cannot read the worker's registration: %w", err)
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&m); err != nil || fleet.Named(m.Name) != nil || len(m.URLs) == 0 {
		return m, fmt.Errorf("%s is damaged: join the hub again with a new token", filepath.Join(dir, memberFile))
	}
	return m, nil
}
