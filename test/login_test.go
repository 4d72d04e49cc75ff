package test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
)

// gatekeeper is a vendor on loopback that lets people sign in and knows which keys are good: those with "good" in them. It
// repeats a key it refuses, as some do.
func gatekeeper() *httptest.Server {
	var mu sync.Mutex
	challenges := map[string]string{} // by code
	mux := http.NewServeMux()
	mux.HandleFunc("GET /auth", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 {
			http.Error(w, "no challenge", http.StatusBadRequest)
			return
		}
		mu.Lock()
		code := fmt.Sprintf("code-%d-of-the-gatekeeper", len(challenges)+1)
		challenges[code] = q.Get("code_challenge")
		mu.Unlock()
		if back := q.Get("callback_url"); back != "" {
			http.Redirect(w, r, back+"?code="+url.QueryEscape(code), http.StatusFound)
			return
		}
		fmt.Fprint(w, code)
	})
	mux.HandleFunc("POST /v1/auth/keys", func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			Code     string `json:"code"`
			Verifier string `json:"code_verifier"`
			Method   string `json:"code_challenge_method"`
		}
		json.NewDecoder(r.Body).Decode(&ask)
		sum := sha256.Sum256([]byte(ask.Verifier))
		mu.Lock()
		challenge := challenges[ask.Code]
		challenges[ask.Code] = "" // a code works once
		mu.Unlock()
		if ask.Method != "S256" || challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"error": {"message": "Invalid code or code_verifier", "code": 403}}`)
			return
		}
		io.WriteString(w, `{"key": "sk-or-v1-good-made-in-the-browser-w1x9", "user_id": "user_1"}`)
	})
	guard := func(refusal int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("X-Api-Key") + r.Header.Get("X-Goog-Api-Key") + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			if !strings.Contains(key, "good") {
				w.WriteHeader(refusal)
				fmt.Fprintf(w, `{"error": {"message": "API key not valid: %s"}}`, key)
				return
			}
			io.WriteString(w, body)
		}
	}
	mux.HandleFunc("GET /v1/key", guard(401, `{"data": {"label": "sk-or-v1-goo...1x9", "expires_at": "2099-12-31T12:00:00Z"}}`))
	mux.HandleFunc("GET /v1/models", guard(401, `{"data": [{"id": "loop-1"}]}`))
	mux.HandleFunc("GET /v1beta/models", guard(400, `{"models": [{"name": "models/loop-1"}]}`))
	return httptest.NewServer(mux)
}

// browse is a browser whose person agrees, or as PERSON says declines, or is somebody who guesses at the way back first.
func browse() {
	address := os.Args[len(os.Args)-1]
	u, err := url.Parse(address)
	if err == nil && os.Getenv("OPENAI_API_KEY") != "" {
		err = fmt.Errorf("the browser was given a secret")
	}
	back, _ := url.Parse(u.Query().Get("callback_url"))
	switch os.Getenv("PERSON") {
	case "declines":
		address = back.String() + "?error=access_denied"
	case "guesses":
		for _, path := range []string{"/", "/favicon.ico", "/callback/", "/callback/AAAAAAAAAAAAAAAAAAAAAAAAAA?code=forged"} {
			resp, err := http.Get(back.Scheme + "://" + back.Host + path)
			if err != nil || resp.StatusCode != http.StatusNotFound {
				fmt.Println("a guess was heard:", path, err)
				os.Exit(1)
			}
		}
	}
	if err == nil {
		_, err = http.Get(address)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
