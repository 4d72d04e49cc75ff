// Package oidctest is a provider of sign-ins on the loopback, for tests: it speaks OpenID Connect with PKCE and signs its tokens with
// RS256.
package oidctest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"time"
)

// Issuer is a provider. Its fields change what it says next; they are not to be changed while somebody signs in.
type Issuer struct {
	*httptest.Server
	Key     *rsa.PrivateKey
	Claims  map[string]any                                // replace those of a good token, which is bob's; nil leaves one out
	Sign    func(head, body string) (newHead, mac string) // instead of a good signature; nil: a good one
	Refuses string                                        // the error that it answers with; empty: none

	mu    sync.Mutex
	nonce string
	codes map[string]string // challenges by code
}

var b64 = base64.RawURLEncoding

// New starts one; whoever does closes it.
func New() (*Issuer, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	p := &Issuer{Key: key, codes: map[string]string{}}
	mux := http.NewServeMux()
	say := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		say(w, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
			"jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		say(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "kid": "k", "alg": "RS256", "use": "sig",
			"n": b64.EncodeToString(key.N.Bytes()), "e": b64.EncodeToString(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		back := url.Values{"state": {q.Get("state")}}
		if p.Refuses != "" {
			back.Set("error", p.Refuses)
		} else {
			code := rand.Text()
			p.mu.Lock()
			p.codes[code], p.nonce = q.Get("code_challenge"), q.Get("nonce")
			p.mu.Unlock()
			back.Set("code", code)
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		p.mu.Lock()
		defer p.mu.Unlock()
		if want, ok := p.codes[r.FormValue("code")]; !ok || want != b64.EncodeToString(sum[:]) {
			w.WriteHeader(http.StatusBadRequest)
			say(w, map[string]any{"error": "invalid_grant"})
			return
		}
		say(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": p.token()})
	})
	p.Server = httptest.NewServer(mux)
	return p, nil
}

// token is an id token, good but for what the test changed.
func (p *Issuer) token() string {
	claims := map[string]any{"iss": p.URL, "aud": "hub", "sub": "subject-7", "nonce": p.nonce, "iat": time.Now().Unix(),
		"exp": time.Now().Add(time.Hour).Unix(), "email": "Bob@Example.org", "email_verified": true}
	for k, v := range p.Claims {
		claims[k] = v
		if v == nil {
			delete(claims, k)
		}
	}
	raw, _ := json.Marshal(claims)
	head, body := `{"alg":"RS256","kid":"k"}`, string(raw)
	signed := b64.EncodeToString([]byte(head)) + "." + b64.EncodeToString([]byte(body))
	if p.Sign != nil {
		h, mac := p.Sign(head, body)
		return b64.EncodeToString([]byte(h)) + "." + b64.EncodeToString([]byte(body)) + "." + mac
	}
	sum := sha256.Sum256([]byte(signed))
	mac, _ := rsa.SignPKCS1v15(rand.Reader, p.Key, crypto.SHA256, sum[:])
	return signed + "." + b64.EncodeToString(mac)
}
