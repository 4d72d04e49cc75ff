package event_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/event"
)

// TestHostileReceivers: whatever a receiver answers, its words and the secrets of its address are in no error, nothing of it is read on,
// and nobody waits for it once the person wants to go.
func TestHostileReceivers(t *testing.T) {
	hanging := make(chan struct{}, 1)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string // of the error; empty: it was told
	}{
		"an endless body": {func(w http.ResponseWriter, r *http.Request) {
			for err := error(nil); err == nil; {
				_, err = io.WriteString(w, strings.Repeat("endless ", 1<<10))
			}
		}, ""},
		"a head of a megabyte": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Big", strings.Repeat("x", 1<<20))
		}, "exceeded"},
		"no HTTP": {func(w http.ResponseWriter, r *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(conn, "\x1b[31mowned\r\n\r\n")
			conn.Close()
		}, "malformed HTTP response"},
		"a redirect to credentials": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusTemporaryRedirect)
		}, "redirects are not followed"},
		"a redirect to a file": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		}, "redirects are not followed"},
		"it never answers": {func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // only then does a server notice that its client is gone
			select {
			case hanging <- struct{}{}:
			default:
			}
			<-r.Context().Done()
		}, "given up"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(c.answer)
			defer s.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.want == "given up" {
				go func() {
					<-hanging
					cancel()
				}()
			}
			h := event.Hook{Name: "1", URL: s.URL + "/canary?key=canary", Secret: "canary"}
			_, err := h.Tell(ctx, sample(event.Ended))
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\x1b\n") ||
				strings.Contains(err.Error(), "canary")) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestAddressesOfTheNetwork: what hands out a machine's credentials is told nothing, however it is written.
func TestAddressesOfTheNetwork(t *testing.T) {
	for _, at := range []string{"169.254.169.254", "[::ffff:169.254.169.254]", "[fe80::1]", "[fd00:ec2::254]", "0.0.0.0", "[::]", "224.0.0.1"} {
		for _, scheme := range []string{"http", "https"} {
			h := event.Hook{Name: "1", URL: scheme + "://" + at + "/canary"}
			if _, err := h.Tell(t.Context(), sample(event.Ended)); err == nil || !strings.Contains(err.Error(), "network's own services") ||
				strings.Contains(err.Error(), "canary") {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
}
