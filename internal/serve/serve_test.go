package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/serve"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/store"
)

// world is a store with a server before it.
type world struct {
	*testing.T
	dir   string
	store *store.Store
	host  *api.Host
	srv   *serve.Server
	stop  func()
	began []door.Ask // debates that processes would have been started for
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, dir: t.TempDir()}
	var err error
	if w.store, err = store.Open(t.Context(), filepath.Join(w.dir, "store.db"), clean.Text); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.store.Close() })
	e := all.New(w.store, all.Wiring{})
	t.Cleanup(func() { e.Close() })
	if _, err := e.Do(t.Context(), conversation.NewTree{Name: "work", Dir: w.dir}); err != nil {
		t.Fatal(err)
	}
	mine := home.New(home.Outside{Warn: func(string) {}})
	mine.Settings.Path = filepath.Join(w.dir, "config.yaml")
	w.host = &api.Host{Engine: e, Home: mine, Version: "test", Dir: w.dir, State: w.dir, Clean: clean.Text,
		Debate: func(_ context.Context, _ string, ask door.Ask) (string, []string, error) {
			w.began = append(w.began, ask)
			return "begun", nil, nil
		},
		Estimate: func(context.Context, string, door.Ask) (door.Estimate, error) { return door.Estimate{}, nil },
		Turn:     func(_ context.Context, say turns.Say) (turns.Say, error) { return say, nil },
		Seats:    func(context.Context) ([]api.Candidate, error) { return nil, nil },
	}
	w.open("127.0.0.1:0")
	return w
}

// open starts the server, at the same port if it ran before.
func (w *world) open(addr string) {
	w.Helper()
	w.openWith(serve.Options{Addr: addr, Dir: w.dir})
}

func (w *world) openWith(o serve.Options) {
	w.Helper()
	srv, err := serve.Open(w.host, o)
	if err != nil {
		w.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	w.srv, w.stop = srv, func() {
		cancel()
		if err := <-ended; err != nil {
			w.Error(err)
		}
		w.stop = func() {}
	}
	w.Cleanup(func() { w.stop() })
}

// addr is where the server listens.
func (w *world) addr() string {
	u, _ := url.Parse(w.srv.Plain())
	return u.Host
}

// own is the address by the name that no other server has.
func (w *world) own() string {
	u, _ := url.Parse(w.srv.URL())
	return u.Host
}

// ask sends a request to the server whatever its host is called.
func (w *world) ask(method, host, path, body string, headers ...string) (int, http.Header, string) {
	w.Helper()
	req, err := http.NewRequest(method, "http://"+w.addr()+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	req.Host = host
	req.Header.Set("User-Agent", "browser/1")
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Transfer-Encoding" { // the body does not say how long it is
			req.ContentLength, req.TransferEncoding = -1, []string{headers[i+1]}
			continue
		}
		if headers[i] == "Cookie" {
			req.Header.Set("Cookie", headers[i+1])
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: 20 * time.Second}
	answer, err := c.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		w.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(raw)
}

const formType = "application/x-www-form-urlencoded"

// signIn is a browser's cookie, and the key of its pages.
func (w *world) signIn(host string) (cookie, page string) {
	w.Helper()
	link := w.srv.Guard.Link("")
	code, h, body := w.ask("POST", host, "/in", "link="+link, "Content-Type", formType, "Accept", "text/plain")
	if code != 200 {
		w.Fatalf("sign in: %d %s", code, body)
	}
	cookie, _, _ = strings.Cut(h.Get("Set-Cookie"), ";")
	if set := h.Get("Set-Cookie"); !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") {
		w.Errorf("the cookie is %s", set)
	}
	return cookie, body
}

func (w *world) token(scope guard.Scope) string {
	w.Helper()
	token, err := guard.AddToken(w.dir, "test-"+string(scope), scope, "")
	if err != nil {
		w.Fatal(err)
	}
	return "Bearer " + token
}

// last is the number of the store's last node: what changes something changes it.
func (w *world) last() int64 {
	n, err := w.host.Engine.LastSeq(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// A link works once; what it gives holds for this browser, by this name, for twelve hours, across a restart of the server.
func TestSigningIn(t *testing.T) {
	w := newWorld(t)
	link := w.srv.Guard.Link("")
	if code, _, _ := w.ask("POST", w.own(), "/in", "link="+link, "Content-Type", formType); code != http.StatusSeeOther {
		t.Errorf("a link: %d", code)
	}
	if code, _, _ := w.ask("POST", w.own(), "/in", "link="+link, "Content-Type", formType); code != http.StatusUnauthorized {
		t.Errorf("a link that was used: %d", code)
	}
	cookie, _ := w.signIn(w.own())
	addr := w.addr()
	w.stop()
	w.open(addr)
	for _, one := range []struct {
		host, agent string
		want        int
	}{{w.own(), "browser/1", 200}, {w.own(), "another/1", 401}, {addr, "browser/1", 401}} {
		if code, _, _ := w.ask("GET", one.host, "/", "", "Cookie", cookie, "User-Agent", one.agent); code != one.want {
			t.Errorf("%+v: %d", one, code)
		}
	}
}

// The page's key is in forms only where no other server shares the name, and what a page shows of a model cannot bring it out.
func TestThePagesKey(t *testing.T) {
	w := newWorld(t)
	cookie, page := w.signIn(w.own())
	if _, _, body := w.ask("GET", w.own(), "/new", "", "Cookie", cookie); !strings.Contains(body, page) {
		t.Error("forms on the own name have no key")
	}
	cookie, page = w.signIn(w.addr())
	if _, _, body := w.ask("GET", w.addr(), "/new?question=%7B%7Bpage%7D%7D", "", "Cookie", cookie); strings.Contains(body, page) {
		t.Error("a shared name shows the key")
	}
	code, _, _ := w.ask("POST", w.addr(), "/new", "question=a+or+b", "Cookie", cookie, "Content-Type", formType, guard.PageHeader, page)
	if code != http.StatusSeeOther || len(w.began) != 1 {
		t.Errorf("with the key: %d, %d debates", code, len(w.began))
	}
}

// A token opens what its scope covers, and nothing once it was taken back.
func TestTokens(t *testing.T) {
	w := newWorld(t)
	read := w.token(guard.Read)
	body := `{"question":"a or b?"}`
	for _, one := range []struct {
		method, path, token string
		want                int
	}{{"GET", "/api/v1/debates", "", 401}, {"GET", "/api/v1/debates", read, 200}, {"POST", "/api/v1/debates", read, 403},
		{"POST", "/api/v1/debates", w.token(guard.Debate), 202}, {"POST", "/api/v1/debates", "Bearer soc_x", 401}, {"GET", "/", read, 200}} {
		code, _, said := w.ask(one.method, w.addr(), one.path, body, "Authorization", one.token, "Content-Type", "application/json")
		if code != one.want {
			t.Errorf("%+v: %d %s", one, code, said)
		}
	}
	if err := guard.RemoveToken(w.dir, "test-read"); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := w.ask("GET", w.addr(), "/api/v1/debates", "", "Authorization", read); code != 401 {
		t.Errorf("a token that was taken back: %d", code)
	}
}

// A retry under a key gets the same answer and does nothing again, also after a restart; the key with another request is refused.
func TestIdempotency(t *testing.T) {
	w := newWorld(t)
	token := w.token(guard.Debate)
	ask := func(body string) (int, string) {
		code, _, said := w.ask("POST", w.addr(), "/api/v1/debates", body, "Authorization", token, "Content-Type", "application/json", "Idempotency-Key", "k")
		return code, said
	}
	code, first := ask(`{"question":"a or b?"}`)
	again, second := ask(`{"question":"a or b?"}`)
	if code != 202 || again != 202 || first != second || len(w.began) != 1 {
		t.Errorf("%d %s, then %d %s; %d debates", code, first, again, second, len(w.began))
	}
	refused := func() {
		t.Helper()
		if code, said := ask(`{"question":"c or d?"}`); code != 422 {
			t.Errorf("another request: %d %s", code, said)
		}
	}
	refused()
	addr := w.addr()
	w.stop()
	// What a crash left of a line is no answer, and hides none.
	f, err := os.OpenFile(filepath.Join(w.dir, "answers.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"key":"`)
	f.Close()
	w.open(addr)
	if code, third := ask(`{"question":"a or b?"}`); code != 202 || third != first || len(w.began) != 1 {
		t.Errorf("after a restart: %d %s; %d debates", code, third, len(w.began))
	}
	refused()
}

// What goes wrong is told as RFC 9457 has it.
func TestProblems(t *testing.T) {
	w := newWorld(t)
	token := w.token(guard.Agent)
	for _, one := range []struct {
		method, path, kind, body string
		want                     int
	}{{"GET", "/api/v1/debates/none", "", "", 404}, {"GET", "/api/v1/nothing", "", "", 404}, {"PUT", "/api/v1/debates", "", "", 405},
		{"POST", "/api/v1/notes", "application/json", `{"text":""}`, 409}, {"POST", "/api/v1/notes", "text/plain", `{"text":"x"}`, 415},
		{"POST", "/api/v1/notes", "application/json", `{"words":"x"}`, 400}, {"POST", "/api/v1/notes", "application/json", `{"text":"x"} {}`, 400},
		{"POST", "/api/v1/notes", "application/json", `{"text":"` + strings.Repeat("x", guard.MostBody) + `"}`, 413},
		{"GET", "/api/v1/debates?limit=x", "", "", 400}, {"GET", "/api/v1/debates?colour=x", "", "", 400},
		{"POST", "/api/v1/trees", "application/json", `{"folder":"/"}`, 403}, {"GET", "/api/v1/events?after=-1", "", "", 400},
		{"GET", "/api/v1/events?after=999999", "", "", 409}} {
		code, h, said := w.ask(one.method, w.addr(), one.path, one.body, "Authorization", token, "Content-Type", one.kind)
		var p api.Problem
		if err := json.Unmarshal([]byte(said), &p); err != nil || code != one.want || p.Status != code || p.Detail == "" ||
			h.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d %s %v", one.method, one.path, code, said, err)
		}
	}
}

// Beyond this machine it is served only with TLS and a token; one store has one server.
func TestWhereItListens(t *testing.T) {
	w := newWorld(t)
	if _, err := serve.Open(w.host, serve.Options{Addr: "127.0.0.1:0", Dir: w.dir}); err == nil || !strings.Contains(err.Error(), "already running") {
		t.Errorf("a second server: %v", err)
	}
	dir := t.TempDir()
	for _, o := range []serve.Options{{Addr: "0.0.0.0:0", Dir: dir}, {Addr: "0.0.0.0:0", Dir: dir, Cert: "c", Key: "k"}, {Addr: ":0", Dir: dir},
		{Addr: "[::]:0", Dir: dir}, {Addr: "example.org:0", Dir: dir}, {Addr: "4937", Dir: dir}} {
		if srv, err := serve.Open(w.host, o); err == nil {
			t.Errorf("%+v listens at %s", o, srv.URL())
		}
	}
	if l, ok := serve.Ask(t.Context(), w.dir, ""); !ok || !strings.HasPrefix(l.Link, w.srv.URL()+"/in#") {
		t.Errorf("the socket says %+v, %v", l, ok)
	}
	if runtime.GOOS != "linux" {
		return
	}
	w.stop() // the path of its folder may be longer than that of a socket can be
	if w.dir = filepath.Join(w.dir, strings.Repeat("a long name/", 12)); os.MkdirAll(w.dir, 0o700) != nil {
		t.Fatal("no folder")
	}
	w.open("127.0.0.1:0")
	if l, ok := serve.Ask(t.Context(), w.dir, ""); !ok || !strings.HasPrefix(l.Link, w.srv.URL()+"/in#") {
		t.Errorf("the socket of a long path says %+v, %v", l, ok)
	}
	if _, err := serve.Open(w.host, serve.Options{Addr: "127.0.0.1:0", Dir: w.dir}); err == nil || !strings.Contains(err.Error(), "already running") {
		t.Errorf("a second server: %v", err)
	}
	w.stop()
	if names, err := filepath.Glob(filepath.Join(w.dir, "serve.sock")); err != nil || len(names) > 0 {
		t.Errorf("%q is left, %v", names, err)
	}
}

// A client that sends its head slowly is let go of, and one that only connects keeps nobody out.
func TestSilentClients(t *testing.T) {
	w := newWorld(t)
	for range 50 {
		c, err := net.Dial("tcp", w.addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, "GET / HT")
	}
	if code, _, _ := w.ask("GET", w.addr(), "/healthz", ""); code != 200 {
		t.Errorf("%d", code)
	}
}
