// Package invitation is the one string by which a person's programs find a hub and know it: its address, the fingerprint of its
// certificate authority, and the token that lets them in. Whoever runs the hub makes one; socrates hub connect takes it.
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

// Invitation lets a person in at a hub.
type Invitation struct {
	URL       string `json:"url"`
	Authority string `json:"ca,omitempty"` // fingerprint of its CA; empty: one that the system trusts
	Token     string `json:"token"`
}

// head begins every invitation, so that one is known for what it is.
const head = "socrates-hub-"

// String is the invitation as one word. It holds the token: who reads it is let in.
func (i Invitation) String() string {
	raw, _ := json.Marshal(i) // of strings
	return head + base64.RawURLEncoding.EncodeToString(raw)
}

// Is says whether a text is meant to be one.
func Is(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), head) }

// Parse reads one.
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

// Address is the address of a hub as it is kept: https, a host and a port, nothing else.
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

// Of is the fingerprint of a certificate.
func Of(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// Fingerprint says whether a text is one.
func Fingerprint(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

// ErrOther says that whoever answers does not have the authority that the hub has.
var ErrOther = errors.New("its certificate is not that of the connected hub")

// TLS speaks with a host whose certificate the pinned authority has signed, or is itself what is pinned. The authority must come with the
// certificate, as that of a hub does. With an empty pin it is one that the system trusts.
func TLS(host, pin string) *tls.Config {
	if pin == "" {
		return &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // VerifyConnection does it: the authority is known by its fingerprint alone
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

// addressFile is where a hub says how it is reached, below the folder of its store.
const addressFile = "address.json"

// Announce keeps how a hub is reached, for whoever makes invitations. dir is the hub's folder.
func Announce(dir string, i Invitation) error {
	i.Token = ""
	raw, err := json.Marshal(i)
	if err != nil {
		return err
	}
	return private.Replace(filepath.Join(dir, addressFile), append(raw, '\n'))
}

// Withdraw says that other machines do not reach the hub any more.
func Withdraw(dir string) error {
	if err := os.Remove(filepath.Join(dir, addressFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// For is the invitation that goes with a token; empty: no hub of this folder is reached by other machines.
func For(dir, token string) string {
	i, err := Announced(dir)
	if err != nil {
		return ""
	}
	i.Token = token
	return i.String()
}

// Announced is how the hub of a folder was reached when it was last started. The error says if it never was.
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
