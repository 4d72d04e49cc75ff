package event_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/event"
)

// TestMain lets hooks run this binary as their program: hear MODE FILE, or hear hang ADDRESS.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "hear" {
		os.Exit(hear(os.Args[2], os.Args[3]))
	}
	os.Exit(m.Run())
}

func hear(mode, file string) int {
	switch mode {
	case "fail":
		fmt.Fprintln(os.Stderr, "first line\n\x1b[31mno such channel\x1b[0m")
		return 3
	case "hang":
		c, err := net.Dial("tcp", file)
		if err != nil {
			return 1
		}
		io.ReadAll(c) // the other end never closes it while we live
	case "deaf":
		return 0
	}
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	text := fmt.Sprintf("%s%s\n%s\n", body, os.Getenv("SOCRATES_EVENT"), strings.Join(os.Environ(), "\n"))
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	f.WriteString(text)
	return 0
}

func program(t *testing.T, mode, file string) event.Hook {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return event.Hook{Name: "1", On: []event.Name{event.Started, event.Ended}, Command: []string{self, "hear", mode, file}}
}

func sample(name event.Name) event.Event {
	score, code := 0.875, 0
	return event.Event{Name: name, ID: "01ID", At: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.FixedZone("", 3600)),
		Subject: "room-abcd", Data: event.Debate{Room: "room-abcd", Question: `A "or" B?`, Folder: "/src", Outcome: "decided", Winner: "A", Score: &score, ExitCode: &code}}
}

func TestJSON(t *testing.T) {
	got, err := sample(event.Person).JSON()
	want := `{"specversion":"1.0","id":"01ID","source":"https://github.com/socrates-cli/socrates","type":"dev.socrates.person.needed",` +
		`"subject":"room-abcd","time":"2026-01-02T02:04:05.006Z","datacontenttype":"application/json","data":{"room":"room-abcd",` +
		`"question":"A \"or\" B?","folder":"/src","outcome":"decided","winner":"A","score":0.875,"exit_code":0}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	got, _ = event.Event{Name: event.Started, Subject: "r", Data: event.Debate{Room: "r"}}.JSON()
	if strings.Contains(string(got), "score") || !strings.Contains(string(got), "dev.socrates.debate.started") {
		t.Errorf("of a debate that has only begun: %s", got)
	}
}

func TestCommand(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-canary")
	t.Setenv("SECRET_TOKEN", "canary-too")
	t.Setenv("LC_ALL", "C.UTF-8")
	file := filepath.Join(t.TempDir(), "heard $(exit 1) `exit 1` & 'it;") // words, which no shell reads
	how, err := program(t, "write", file).Tell(t.Context(), sample(event.Ended))
	if err != nil || how != "exit status 0" {
		t.Fatal(how, err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(raw), "\n")
	var e struct{ Type string }
	if err := json.Unmarshal([]byte(lines[0]), &e); err != nil || e.Type != "dev.socrates.debate.ended" || lines[1] != "debate_ended" {
		t.Errorf("it heard %v %q, %q", err, lines[0], lines[1])
	}
	if strings.Contains(string(raw), "canary") || !slices.Contains(lines, "LC_ALL=C.UTF-8") {
		t.Errorf("it saw %q", lines[2:])
	}
}

func TestCommandThatFails(t *testing.T) {
	if _, err := program(t, "fail", "-").Tell(t.Context(), sample(event.Ended)); err == nil || err.Error() != "exit status 3: no such channel" {
		t.Errorf("%v", err)
	}
	h := event.Hook{Command: []string{"no-such-program-anywhere"}}
	if _, err := h.Tell(t.Context(), sample(event.Ended)); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("%v", err)
	}
	if how, err := program(t, "deaf", "-").Tell(t.Context(), sample(event.Ended)); err != nil || how == "" {
		t.Errorf("a program that reads nothing: %v", err)
	}
}

// server answers with the statuses in turn, the last one for ever, and keeps what it got.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	bodies   []string
	headers  []http.Header
	statuses []int
}

func serve(t *testing.T, statuses ...int) *server {
	s := &server{statuses: statuses}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bodies, s.headers = append(s.bodies, string(body)), append(s.headers, r.Header)
		status := s.statuses[min(len(s.bodies), len(s.statuses))-1]
		if status/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestWebhook(t *testing.T) {
	for name, c := range map[string]struct {
		statuses []int
		calls    int
		want     string // of the error; empty: it was told
	}{
		"at once":          {[]int{204}, 1, ""},
		"second try":       {[]int{503, 200}, 2, ""},
		"third try":        {[]int{429, 408, 202}, 3, ""},
		"never":            {[]int{500}, 3, "500 Internal Server Error"},
		"refused":          {[]int{401}, 1, "401 Unauthorized"},
		"gone":             {[]int{410}, 1, "410 Gone"},
		"redirect":         {[]int{302}, 1, "302 Found: redirects are not followed"},
		"lasting redirect": {[]int{308}, 1, "308 Permanent Redirect: redirects are not followed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.statuses...)
			h := event.Hook{Name: "1", URL: s.URL + "/canary?key=canary", Secret: "s3cret"}
			_, err := h.Tell(t.Context(), sample(event.Ended))
			if (err == nil) != (c.want == "") || err != nil && (err.Error() != c.want || strings.Contains(err.Error(), "canary")) {
				t.Errorf("%v, want %q", err, c.want)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.bodies) != c.calls {
				t.Fatalf("%d calls, want %d", len(s.bodies), c.calls)
			}
			for i, body := range s.bodies {
				mac := hmac.New(sha256.New, []byte("s3cret"))
				mac.Write([]byte(body))
				if got := s.headers[i].Get(event.SignatureHeader); got != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
					t.Errorf("signature %q", got)
				}
				if body != s.bodies[0] || !strings.HasPrefix(s.headers[i].Get("Content-Type"), "application/cloudevents+json") {
					t.Errorf("call %d: %s %q", i, s.headers[i], body)
				}
			}
		})
	}
}

func TestWebhookWithoutServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := event.Hook{URL: "http://" + l.Addr().String() + "/canary"}
	l.Close()
	if _, err := h.Tell(t.Context(), sample(event.Ended)); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
	s := serve(t, 200)
	h.URL = s.URL
	if _, err := h.Tell(t.Context(), sample(event.Ended)); err != nil || s.headers[0].Get(event.SignatureHeader) != "" {
		t.Errorf("without a secret: %v, %v", err, s.headers)
	}
}

// TestTeller: each hook hears only of what it asked for, in order, and one that fails keeps no other from hearing.
func TestTeller(t *testing.T) {
	good, bad := serve(t, 503, 200), serve(t, 404)
	var mu sync.Mutex
	var failures []string
	teller := event.NewTeller([]event.Hook{
		{Name: "good", On: []event.Name{event.Started, event.Ended}, URL: good.URL},
		{Name: "bad", On: []event.Name{event.Consensus}, URL: bad.URL},
	}, func(h event.Hook, e event.Event, err error) {
		mu.Lock()
		defer mu.Unlock()
		failures = append(failures, fmt.Sprintf("%s %s %v", h.Name, e.Name, err))
	})
	for _, name := range []event.Name{event.Started, event.Consensus, event.Ended} {
		teller.Tell(sample(name))
	}
	teller.Close(t.Context())
	var types []string
	for _, body := range good.bodies {
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(body), &e); err != nil {
			t.Fatal(err)
		}
		types = append(types, e.Type)
	}
	if want := []string{"dev.socrates.debate.started", "dev.socrates.debate.started", "dev.socrates.debate.ended"}; !slices.Equal(types, want) {
		t.Errorf("good heard %v, want %v", types, want)
	}
	if len(bad.bodies) != 1 || !slices.Equal(failures, []string{"bad consensus_reached 404 Not Found"}) || teller.Open() != 0 {
		t.Errorf("bad heard %v; failures %v", bad.bodies, failures)
	}
}

// TestGivingUp: nobody waits for a program that hangs once the user wants to go.
func TestGivingUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	failed := make(chan error, 2)
	teller := event.NewTeller([]event.Hook{program(t, "hang", l.Addr().String())}, func(_ event.Hook, _ event.Event, err error) { failed <- err })
	teller.Tell(sample(event.Started))
	teller.Tell(sample(event.Ended))
	begun, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer begun.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	teller.Close(ctx)
	if rest, _ := io.ReadAll(begun); len(rest) > 0 { // it ends only when the program does
		t.Errorf("it said %q", rest)
	}
	for range 2 {
		if err := <-failed; err == nil || err.Error() != "given up" {
			t.Errorf("%v", err)
		}
	}
}
