package bus

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/private"
)

const (
	leafLife = 90 * 24 * time.Hour
	leafLeft = 30 * 24 * time.Hour // with less left, the next connection gets a new one
)

// certificate is the certificate that the hub presents to workers: signed by its CA, for its names and this machine.
// It is renewed on use.
type certificate struct {
	id    *identity
	file  string
	names []string
	now   func() time.Time

	mu   sync.Mutex
	leaf *tls.Certificate
}

// openCertificate reads the last one, or makes one if that is missing, damaged, for other names or about to expire.
func openCertificate(id *identity, dir string, names []string, now func() time.Time) (*certificate, error) {
	all := slices.Concat(names, []string{"localhost", "127.0.0.1", "::1"})
	slices.Sort(all)
	c := &certificate{id: id, file: filepath.Join(dir, certificateFile), names: slices.Compact(all), now: now}
	if text, err := os.ReadFile(c.file); err == nil {
		if pair, err := tls.X509KeyPair(text, text); err == nil && c.fits(&pair) {
			c.leaf = &pair
		}
	}
	_, err := c.current()
	return c, err
}

// fits reports whether a certificate is ours, for our names, and valid long enough.
func (c *certificate) fits(pair *tls.Certificate) bool {
	ca, _, err := c.id.authority()
	if err != nil || pair.Leaf == nil || pair.Leaf.CheckSignatureFrom(ca) != nil || pair.Leaf.Subject.CommonName == ca.Subject.CommonName {
		return false
	}
	for _, n := range c.names {
		if pair.Leaf.VerifyHostname(n) != nil {
			return false
		}
	}
	return pair.Leaf.NotAfter.Sub(c.now()) > leafLeft
}

// current returns the certificate, renewed if necessary.
func (c *certificate) current() (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaf != nil && c.leaf.Leaf.NotAfter.Sub(c.now()) > leafLeft {
		return c.leaf, nil
	}
	next, text, err := c.issue()
	if err != nil {
		return c.leaf, fmt.Errorf("cannot make the hub's certificate: %w", err)
	}
	if err := private.Replace(c.file, text); err != nil && c.leaf == nil {
		return nil, fmt.Errorf("cannot save the hub's certificate: %w", err)
	}
	c.leaf = next
	return next, nil
}

// issue signs a new one.
func (c *certificate) issue() (*tls.Certificate, []byte, error) {
	ca, caKey, err := c.id.authority()
	if err != nil {
		return nil, nil, err
	}
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	t := &x509.Certificate{
		// Another name than the CA's: OpenSSL treats a certificate whose issuer has its own name as self-signed.
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "Socrates hub: pages and workers"},
		NotBefore: c.now().Add(-time.Hour), NotAfter: c.now().Add(leafLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, n := range c.names {
		if ip := net.ParseIP(n); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, n)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, ca, &k.PublicKey, caKey)
	if err != nil {
		return nil, nil, err
	}
	cert, key, err := asPEM(der, k)
	if err != nil {
		return nil, nil, err
	}
	text := []byte(cert + c.id.Authority + key) // with the CA, by which a joining worker recognizes the hub
	pair, err := tls.X509KeyPair(text, text)
	return &pair, text, err
}

// config returns the TLS settings of the hub's listeners.
func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			pair, err := c.current()
			if pair != nil { // the old one is better than none
				return pair, nil
			}
			return nil, err
		},
	}
}
