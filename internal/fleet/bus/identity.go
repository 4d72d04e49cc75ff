package bus

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/socrates-cli/socrates/internal/private"
)

// The files in a hub's folder. Identity is written once and is as valuable as the hub; certificate can be derived
// from it.
const (
	identityFile    = "identity.json"
	certificateFile = "certificate.pem"
	rosterFile      = "workers.json"
	lockFile        = "lock"
	storeDir        = "jetstream"
)

// identity is the identity of a hub. It is one file, so that a start that is killed leaves all of it or nothing.
type identity struct {
	Authority string `json:"authority"` // the certificate of its CA, PEM
	Key       string `json:"key"`       // and its key
	Operator  string `json:"operator"`  // seeds
	System    string `json:"system"`
	Account   string `json:"account"`
}

// identify reads a hub's identity, and makes one in a new folder.
func identify(dir string) (*identity, error) {
	file := filepath.Join(dir, identityFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return newIdentity(dir, file)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the hub's identity: %w", err)
	}
	id := &identity{}
	if err := json.Unmarshal(text, id); err != nil {
		return nil, fmt.Errorf("%s is damaged: restore it from a backup: %w", file, err)
	}
	if _, _, err := id.authority(); err != nil {
		return nil, fmt.Errorf("%s is damaged: restore it from a backup: %w", file, err)
	}
	for _, seed := range []string{id.Operator, id.System, id.Account} {
		if _, err := nkeys.FromSeed([]byte(seed)); err != nil {
			return nil, fmt.Errorf("%s is damaged: restore it from a backup: %w", file, err)
		}
	}
	return id, nil
}

// newIdentity makes one, unless workers already know another.
func newIdentity(dir, file string) (*identity, error) {
	if _, err := os.Lstat(filepath.Join(dir, rosterFile)); err == nil {
		return nil, fmt.Errorf("%s is missing, and it identifies the hub to workers: restore it from a backup, "+
			"or delete %s to start over (every worker must join again)", file, filepath.Join(dir, rosterFile))
	}
	id := &identity{}
	var err error
	if id.Authority, id.Key, err = newAuthority(time.Now()); err != nil {
		return nil, fmt.Errorf("cannot make the hub's certificate authority: %w", err)
	}
	for _, of := range []struct {
		into *string
		make func() (nkeys.KeyPair, error)
	}{{&id.Operator, nkeys.CreateOperator}, {&id.System, nkeys.CreateAccount}, {&id.Account, nkeys.CreateAccount}} {
		if *of.into, err = seedOf(of.make()); err != nil {
			return nil, fmt.Errorf("cannot make the hub's keys: %w", err)
		}
	}
	text, err := json.MarshalIndent(id, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := private.Replace(file, append(text, '\n')); err != nil {
		return nil, fmt.Errorf("cannot save the hub's identity: %w", err)
	}
	return id, nil
}

// seedOf returns the secret half of a key.
func seedOf(k nkeys.KeyPair, err error) (string, error) {
	if err != nil {
		return "", err
	}
	seed, err := k.Seed()
	return string(seed), err
}

// newAuthority makes a CA that lasts ten years.
func newAuthority(now time.Time) (cert, key string, err error) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	t := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "Socrates hub"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(10, 0, 0),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &k.PublicKey, k)
	if err != nil {
		return "", "", err
	}
	return asPEM(der, k)
}

// asPEM encodes a certificate and its key as text.
func asPEM(der []byte, k *ecdsa.PrivateKey) (cert, key string, err error) {
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})), err
}

// serial returns a new certificate number.
func serial() *big.Int {
	n := make([]byte, 16)
	rand.Read(n)
	return new(big.Int).SetBytes(n)
}

// authority returns the CA's certificate and key.
func (id *identity) authority() (*x509.Certificate, *ecdsa.PrivateKey, error) {
	cert, err := certOf(id.Authority)
	if err != nil {
		return nil, nil, err
	}
	b, _ := pem.Decode([]byte(id.Key))
	if b == nil {
		return nil, nil, errors.New("it contains no key")
	}
	k, err := x509.ParsePKCS8PrivateKey(b.Bytes)
	if err != nil {
		return nil, nil, err
	}
	key, ok := k.(*ecdsa.PrivateKey)
	if !ok || !key.PublicKey.Equal(cert.PublicKey) {
		return nil, nil, errors.New("its key does not match the certificate")
	}
	return cert, key, nil
}

// certOf returns the first certificate of a PEM text.
func certOf(text string) (*x509.Certificate, error) {
	b, _ := pem.Decode([]byte(text))
	if b == nil || b.Type != "CERTIFICATE" {
		return nil, errors.New("it contains no certificate")
	}
	return x509.ParseCertificate(b.Bytes)
}

// pinOf returns the fingerprint of a CA, as in a token.
func pinOf(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}
