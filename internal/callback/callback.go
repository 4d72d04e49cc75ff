// Package callback is the address on this machine to which a browser returns after a sign-in. Only a browser that a person sent
// there is heard, and only once: every other page open in it could ask for the address, too.
//
// [Open] listens on a free port of the loopback, with a path that cannot be guessed; [Address.Wait] returns the
// query of the first request that is a navigation to it; [Address.Close] stops. What the query says (a state, a
// code) is for the caller to verify.
package callback

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Address waits for the browser.
type Address struct {
	URL    string // its last part is a secret of whoever is shown it
	host   string
	path   string
	server *http.Server
	came   chan url.Values
	once   chan struct{} // holds a token until a request is heard
}

// Open begins to wait, at a port that only this machine can reach. Close it after use.
func Open() (*Address, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("wait for the browser: %w", err)
	}
	a := &Address{host: l.Addr().String(), path: "/callback/" + rand.Text(), came: make(chan url.Values, 1), once: make(chan struct{}, 1)}
	a.URL = "http://" + a.host + a.path
	a.once <- struct{}{}
	a.server = &http.Server{Handler: a, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	go a.server.Serve(l)
	return a, nil
}

// Wait returns what the browser brought. The error is that of ctx.
func (a *Address) Wait(ctx context.Context) (url.Values, error) {
	select {
	case q := <-a.came:
		return q, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close lets the last page go out and stops waiting.
func (a *Address) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if a.server.Shutdown(ctx) != nil {
		a.server.Close()
	}
}

// ServeHTTP implements http.Handler.
func (a *Address) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(a.path)) != 1 || !a.sent(r) {
		http.NotFound(w, r)
		return
	}
	select {
	case <-a.once:
	default:
		http.Error(w, "This response was already received.", http.StatusGone)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Connection", "close")
	io.WriteString(w, "socrates received the response. Close this page and return to the terminal.\n")
	a.came <- r.URL.Query()
}

// sent says whether a browser shows the address to a person: it was not led here by another name of this machine, and no
// page asks for it behind the person's back. Old browsers do not say for what they ask.
func (a *Address) sent(r *http.Request) bool {
	mode, dest := r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
	return r.Method == http.MethodGet && r.Host == a.host && len(r.Header["Origin"]) == 0 && (mode == "" || mode == "navigate") &&
		(dest == "" || dest == "document")
}
