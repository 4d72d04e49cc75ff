package bus

import (
	"encoding/json"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// relay stands between workers and a hub, so that the hub can go and come back elsewhere, and connections can be cut.
type relay struct {
	listener net.Listener
	mu       sync.Mutex
	target   string // empty: nobody answers
	open     []net.Conn
}

func newRelay(t testing.TB, s *Server) *relay {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l}
	r.to(t, s)
	go r.accept()
	t.Cleanup(func() { l.Close(); r.cut() })
	return r
}

func (r *relay) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		target := r.target
		r.open = append(r.open, c)
		r.mu.Unlock()
		up, err := net.Dial("tcp", target)
		if target == "" || err != nil {
			c.Close()
			continue
		}
		r.mu.Lock()
		r.open = append(r.open, up)
		r.mu.Unlock()
		go func() { io.Copy(up, c); up.Close() }()
		go func() { io.Copy(c, up); c.Close() }()
	}
}

// to sends new connections to a hub; nil: to nobody.
func (r *relay) to(t testing.TB, s *Server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = ""
	if s != nil {
		u, err := url.Parse(s.URLs()[0])
		if err != nil {
			t.Fatal(err)
		}
		r.target = u.Host
	}
}

// cut ends all connections.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.open {
		c.Close()
	}
	r.open = nil
}

// through makes a worker's folder use it.
func (r *relay) through(t testing.TB, dir string) string {
	m, err := memberIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.URLs = []string{"tls://" + r.listener.Addr().String()}
	if err := m.save(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copied is a copy of a folder.
func copied(t testing.TB, dir string) string {
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// changedToken is a token with something else in it.
func changedToken(t testing.TB, token string, change func(*ticket)) string {
	k, err := ticketOf(token)
	if err != nil {
		t.Fatal(err)
	}
	change(&k)
	text, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	return asToken(text)
}
