package mcp_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/mcp"
)

// gatekeeper is a server behind a sign-in, and who signs in: both ends of OAuth 2.1 with PKCE, on loopback.
type gatekeeper struct {
	mu         sync.Mutex
	base       string
	registered int
	challenge  string
	access     string // what is let in now
	issued     int
	renewed    int
}

func (g *gatekeeper) guard(h http.Handler) http.Handler {
	mux := http.NewServeMux()
	say := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, r *http.Request) {
		say(w, map[string]any{"resource": g.base + "/mcp", "authorization_servers": []string{g.base}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, r *http.Request) {
		say(w, map[string]any{"issuer": g.base, "authorization_endpoint": g.base + "/authorize", "token_endpoint": g.base + "/token", "registration_endpoint": g.base + "/register",
			"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"}, "token_endpoint_auth_methods_supported": []string{"none"}})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var asked map[string]any
		json.NewDecoder(r.Body).Decode(&asked)
		g.registered++
		asked["client_id"] = "client-1"
		w.WriteHeader(http.StatusCreated)
		say(w, asked)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		r.ParseForm()
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		switch {
		case r.Form.Get("grant_type") == "refresh_token" && r.Form.Get("refresh_token") == "again":
			g.renewed++
		case r.Form.Get("code") != "code-1" || base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge:
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		g.issued++
		g.access = fmt.Sprintf("access-%d", g.issued)
		say(w, map[string]any{"access_token": g.access, "token_type": "Bearer", "expires_in": 1, "refresh_token": "again"})
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		ok := g.access != "" && r.Header.Get("Authorization") == "Bearer "+g.access
		g.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.base+`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
	return mux
}

// person opens the page a sign-in names, and comes back with its code, or with a refusal.
func (g *gatekeeper) person(t *testing.T, answer string) func(string) {
	return func(address string) {
		u, err := url.Parse(address)
		if err != nil {
			t.Error(err)
		}
		q := u.Query()
		g.mu.Lock()
		g.challenge = q.Get("code_challenge")
		g.mu.Unlock()
		go func() {
			r, err := http.Get(q.Get("redirect_uri") + "?state=" + url.QueryEscape(q.Get("state")) + "&" + answer)
			if err == nil {
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
		}()
	}
}

func TestSignIn(t *testing.T) {
	g := &gatekeeper{}
	s := remote(t, g.guard)
	g.base = strings.TrimSuffix(s.URL, "/mcp")
	kept := map[string][]byte{}
	o := mcp.Options{Tokens: mcp.Tokens{Load: func(name string) ([]byte, error) { return kept[name], nil },
		Save: func(name string, secret []byte) error { kept[name] = secret; return nil }}}

	// Nobody has signed in, and nobody can now.
	_, err := mcp.Connect(t.Context(), s, o)
	if err == nil || err.Error() != "the MCP server web: sign-in required (401 Unauthorized): socrates mcp login web" || g.registered != 0 {
		t.Fatalf("%v", err)
	}
	with := o
	with.SignIn = g.person(t, "error=access_denied&error_description=not+today")
	if _, err := mcp.Connect(t.Context(), s, with); err == nil || !strings.Contains(err.Error(), "the sign-in was refused: access_denied not today") {
		t.Fatalf("%v", err)
	}
	with.SignIn = g.person(t, "code=code-1")
	c, err := mcp.Connect(t.Context(), s, with)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if len(c.Offers) == 0 || g.registered != 2 || !strings.Contains(string(kept["web"]), `"refresh_token":"again"`) {
		t.Errorf("%d registrations, kept %s", g.registered, kept["web"])
	}

	// What was obtained is used by the next session, which renews it: it lasts for a second.
	c, err = mcp.Connect(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if g.renewed == 0 || !strings.Contains(string(kept["web"]), g.access) {
		t.Errorf("renewed %d times, kept %s", g.renewed, kept["web"])
	}

	// Another address gets none of it.
	var got []string
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
		http.Error(w, "", http.StatusUnauthorized)
	}))
	defer thief.Close()
	s.URL = thief.URL + "/mcp"
	if _, err := mcp.Connect(t.Context(), s, o); err == nil || strings.Join(got, "") != "" {
		t.Errorf("%v %q", err, got)
	}
}
