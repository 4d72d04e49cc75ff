// Package invitation defines the string by which a person's programs find and verify a hub: its address, the
// fingerprint of its certificate authority, and the token for access. Whoever runs the hub makes one; socrates hub
// connect takes it.
package invitation

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/private"
)

// Invitation gives a person access to a hub.
type Invitation struct {
	URL       string `json:"url"`
	Authority string `json:"ca,omitempty"` // fingerprint of its CA; empty: one that the system trusts
	Token     string `json:"token"`
}

// head is the prefix of every invitation, so that one is recognized.
const head = "socrates-hub-"

// String encodes the invitation as one word. It contains the token: whoever reads it has access.
func (i Invitation) String() string {
	raw, _ := json.Marshal(i) // of strings
	return head + base64.RawURLEncoding.EncodeToString(raw)
}

// Is reports whether a text looks like an invitation.
func Is(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), head) }

// Parse parses one.
func Parse(text string) (i Invitation, err error) {
	word, ok := strings.CutPrefix(strings.TrimSpace(text), head)
	if !ok {
		return i, errors.New("it is not an invitation to a hub")
	}
	raw, err := base64.RawURLEncoding.DecodeString(word)
	if err != nil || json.Unmarshal(raw, &i) != nil {
		return i, errors.New("the invitation is damaged: copy all of it")
	}
	if i.URL, err = Address(i.URL); err != nil {
		return i, err
	}
	if i.Authority != "" && !Fingerprint(i.Authority) || i.Token == "" {
		return i, errors.New("the invitation is damaged: copy all of it")
	}
	return i, nil
}

// Address normalizes the address of a hub: https, a host and a port, nothing else.
func Address(text string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return "", fmt.Errorf("%.80q is not the address of a hub: it is https://HOST:PORT", text)
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	host := strings.ToLower(u.Hostname())
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	if strings.Trim(host, letters+".-:") != "" || strings.Contains(host, "..") || host[0] == '.' || host[0] == '-' {
		return "", fmt.Errorf("%.80q is not the address of a hub: its host has letters, digits, dots and dashes", text)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return "https://" + host + ":" + port, nil
}

// Of returns the fingerprint of a certificate.
func Of(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// Fingerprint reports whether a text is one.
func Fingerprint(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

// ErrOther means that the server's certificate is not from the hub's authority.
var ErrOther = errors.New("its certificate is not that of the connected hub")

// TLS verifies a host by a certificate that the pinned authority has signed, or that is itself pinned. The authority
// must come with the certificate, as a hub sends it. With an empty pin it is one that the system trusts.
func TLS(host, pin string) *tls.Config {
	if pin == "" {
		return &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // VerifyConnection verifies: only the fingerprint of the authority is known
		VerifyConnection: func(s tls.ConnectionState) error {
			roots, others := x509.NewCertPool(), x509.NewCertPool()
			known := false
			for _, c := range s.PeerCertificates {
				if Of(c) == pin {
					roots.AddCert(c)
					known = true
				} else {
					others.AddCert(c)
				}
			}
			if !known {
				return ErrOther
			}
			_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{DNSName: host, Roots: roots, Intermediates: others})
			return err
		},
	}
}

// addressFile contains a hub's address, below the folder of its store.
const addressFile = "address.json"

// Announce stores a hub's address, for invitations. dir is the hub's folder.
func Announce(dir string, i Invitation) error {
	i.Token = ""
	raw, err := json.Marshal(i)
	if err != nil {
		return err
	}
	return private.Replace(filepath.Join(dir, addressFile), append(raw, '\n'))
}

// Withdraw records that other machines can no longer reach the hub.
func Withdraw(dir string) error {
	if err := os.Remove(filepath.Join(dir, addressFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// For returns the invitation for a token; empty: other machines cannot reach this folder's hub.
func For(dir, token string) string {
	i, err := Announced(dir)
	if err != nil {
		return ""
	}
	i.Token = token
	return i.String()
}

// Announced returns the address of a folder's hub when it was last started. It is an error if it never was.
func Announced(dir string) (i Invitation, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, addressFile))
	if err == nil {
		err = json.Unmarshal(raw, &i)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return i, errors.New("no hub of this store accepts connections from other machines")
	}
	return i, err
}
