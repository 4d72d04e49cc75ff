package oidc_test

import (
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/team/oidc"
	"github.com/socrates-cli/socrates/internal/team/oidc/oidctest"
)

var b64 = base64.RawURLEncoding

func provider(t *testing.T) *oidctest.Issuer {
	p, err := oidctest.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// hub is one whose people sign in there.
type hub struct {
	*httptest.Server
	refused []string
}

func hubOf(t *testing.T, p *oidctest.Issuer) *hub {
	t.Helper()
	login, err := oidc.New(oidc.Options{Issuer: p.URL, Client: "hub"})
	if err != nil {
		t.Fatal(err)
	}
	h := &hub{}
	h.Server = httptest.NewServer(login.Handler(oidc.Hub{
		Known: func(_ context.Context, logins ...string) (string, error) {
			for _, l := range logins {
				if strings.EqualFold(l, "bob@example.org") || l == "subject-8" {
					return "bob", nil
				}
			}
			return "", nil
		},
		Link:    func(person string) string { return "link-of-" + person },
		Refused: func(login, why string) { h.refused = append(h.refused, login+": "+why) },
		Fail:    func(w http.ResponseWriter, _ *http.Request, status int, why string) { http.Error(w, why, status) },
	}))
	t.Cleanup(h.Close)
	return h
}

// browser follows redirects up to the one that has a link in it.
func browser(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/in" {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

// visit is where a browser ends, and what is said there.
func visit(t *testing.T, c *http.Client, url string) (status int, at, said string) {
	t.Helper()
	answer, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("Location"), string(raw)
}

func TestSignIn(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *oidctest.Issuer)
		status int
		says   string // in the address of a link, or in what is said
	}{
		{"a verified address", func(*oidctest.Issuer) {}, 303, "/in#link-of-bob"},
		{"a verified address, as a text", func(p *oidctest.Issuer) { p.Claims = map[string]any{"email_verified": "true"} }, 303, "/in#link-of-bob"},
		{"a subject", func(p *oidctest.Issuer) { p.Claims = map[string]any{"sub": "subject-8", "email": nil} }, 303, "/in#link-of-bob"},
		{"an address that nobody verified", func(p *oidctest.Issuer) { p.Claims = map[string]any{"email_verified": false} }, 403,
			"nobody here signs in as subject-7"},
		{"an address of which nothing is said", func(p *oidctest.Issuer) { p.Claims = map[string]any{"email_verified": nil} }, 403, "nobody here"},
		{"somebody else", func(p *oidctest.Issuer) { p.Claims = map[string]any{"email": "eve@example.org"} }, 403,
			"nobody here signs in as eve@example.org"},
		{"it refuses", func(p *oidctest.Issuer) { p.Refuses = "access_denied" }, 403, "the sign-in provider refused: access_denied"},
		{"another hub's token", func(p *oidctest.Issuer) { p.Claims = map[string]any{"aud": "other"} }, 403, "cannot be trusted"},
		{"another issuer's", func(p *oidctest.Issuer) { p.Claims = map[string]any{"iss": "https://evil.example"} }, 403, "cannot be trusted"},
		{"an old one", func(p *oidctest.Issuer) { p.Claims = map[string]any{"exp": time.Now().Add(-time.Hour).Unix()} }, 403, "cannot be trusted"},
		{"one of another sign-in", func(p *oidctest.Issuer) { p.Claims = map[string]any{"nonce": "another"} }, 403, "is for another sign-in"},
		{"one without a nonce", func(p *oidctest.Issuer) { p.Claims = map[string]any{"nonce": nil} }, 403, "is for another sign-in"},
		{"one that is not signed", func(p *oidctest.Issuer) {
			p.Sign = func(string, string) (string, string) { return `{"alg":"none"}`, "" }
		}, 403, "cannot be trusted"},
		{"one signed with the public key as a secret", func(p *oidctest.Issuer) {
			p.Sign = func(_, body string) (string, string) {
				head := `{"alg":"HS256","kid":"k"}`
				m := hmac.New(sha256.New, p.Key.N.Bytes())
				m.Write([]byte(b64.EncodeToString([]byte(head)) + "." + b64.EncodeToString([]byte(body))))
				return head, b64.EncodeToString(m.Sum(nil))
			}
		}, 403, "cannot be trusted"},
		{"one signed by another key", func(p *oidctest.Issuer) {
			p.Sign = func(head, body string) (string, string) {
				other, _ := rsa.GenerateKey(rand.Reader, 2048)
				sum := sha256.Sum256([]byte(b64.EncodeToString([]byte(head)) + "." + b64.EncodeToString([]byte(body))))
				mac, _ := rsa.SignPKCS1v15(rand.Reader, other, crypto.SHA256, sum[:])
				return head, b64.EncodeToString(mac)
			}
		}, 403, "cannot be trusted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := provider(t)
			h := hubOf(t, p)
			c.change(p)
			status, at, said := visit(t, browser(t), h.URL+oidc.Path)
			if status != c.status || !strings.Contains(at+said, c.says) {
				t.Errorf("%d %s %s; want %d with %q", status, at, said, c.status, c.says)
			}
			if c.status == 403 && c.name != "it refuses" && len(h.refused) != 1 {
				t.Errorf("%d refusals are told", len(h.refused))
			}
		})
	}
}

// What comes back must be what this browser began, once.
func TestBegunHere(t *testing.T) {
	p := provider(t)
	h := hubOf(t, p)
	var back string
	victim, attacker := browser(t), browser(t)
	attacker.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == oidc.Back { // the attacker keeps their own code for somebody else
			back = r.URL.String()
			return http.ErrUseLastResponse
		}
		return nil
	}
	visit(t, attacker, h.URL+oidc.Path)
	if status, at, said := visit(t, victim, back); status != 403 || !strings.Contains(said, "was not started in this browser") {
		t.Errorf("the victim is signed in as the attacker: %d %s %s", status, at, said)
	}
	if status, _, _ := visit(t, victim, h.URL+oidc.Back+"?code=x&state=y"); status != 403 {
		t.Errorf("made up: %d", status)
	}
	attacker.CheckRedirect = victim.CheckRedirect
	if status, at, _ := visit(t, attacker, back); status != 303 || at != "/in#link-of-bob" {
		t.Errorf("where it was begun: %d %s", status, at)
	}
	if status, _, _ := visit(t, attacker, back); status != 403 {
		t.Errorf("a second time: %d", status)
	}
}

func TestIssuers(t *testing.T) {
	for issuer, ok := range map[string]bool{"https://login.example.org": true, "http://127.0.0.1:9/x": true, "http://localhost:9": true,
		"http://login.example.org": false, "": false, "login.example.org": false} {
		if _, err := oidc.New(oidc.Options{Issuer: issuer, Client: "hub"}); (err == nil) != ok {
			t.Errorf("%q: %v", issuer, err)
		}
	}
	p := provider(t)
	h := hubOf(t, p)
	p.Close()
	if status, _, said := visit(t, browser(t), h.URL+oidc.Path); status != 502 || !strings.Contains(said, "does not answer") {
		t.Errorf("a provider that is away: %d %s", status, said)
	}
}
