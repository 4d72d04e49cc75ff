package stress_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/rehearsal"
)

// hostileRole is the hostile program or one that it is about, where there is one, and says whether this process was.
var hostileRole = func() bool { return false }

// TestMain is also the program that sits in debates: the test binary under another name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "claude" {
		if !hostileRole() {
			code := m.Run()
			os.RemoveAll(builds)
			os.Exit(code)
		}
		return
	}
	model := "loop"
	if i := slices.Index(os.Args, "--model"); i >= 0 && i+1 < len(os.Args) {
		model = os.Args[i+1]
	}
	llmtest.Program(os.Stdin, os.Stdout, os.Getenv("ANTHROPIC_BASE_URL"), model)
}

// within is how long a reply may have been whole when the program is killed without being on its disk. Only long runs,
// which SOCRATES_TEST_KILLS asks for, go by the clock.
const within = 10 * time.Millisecond

// TestNothingWholeIsPaidTwice kills programs at random, has them go on, and looks at what the vendor was asked. A reply that
// was whole is never asked for again, and the conversation it belongs to never loses it. SOCRATES_TEST_KILLS says how often each
// kind is killed; four times if it is not set.
func TestNothingWholeIsPaidTwice(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("kills many programs, and seats one by a link")
	}
	kills, clock := 4, false
	if s := os.Getenv("SOCRATES_TEST_KILLS"); s != "" {
		var err error
		if kills, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
		clock = true
	}
	a := newArena(t)
	for _, c := range []struct {
		name string
		play func(p *payer, name string)
	}{{"run", (*payer).run}, {"chat", (*payer).chat}, {"debate", (*payer).debate}, {"programs", (*payer).programs}} {
		t.Run(c.name, func(t *testing.T) {
			p := newPayer(t, a, clock)
			whole := time.Now()
			c.play(p, "whole")
			p.longest = time.Since(whole)
			for i := range kills {
				p.kill = time.Duration(p.rnd.Int64N(int64(p.longest))) + time.Millisecond
				c.play(p, fmt.Sprint(c.name, i))
			}
			p.count()
		})
	}
}

// payer has programs killed and counts what they pay for.
type payer struct {
	t       *testing.T
	a       *arena
	clock   bool
	rnd     *rand.Rand
	env     []string
	longest time.Duration // of a whole play
	kill    time.Duration // after which the program of a play is killed; 0: it is not
	ran     string        // where tools leave the marks of the replies that called them

	kills, replies int // counted

	mu    sync.Mutex
	asked []*asked // in the play at hand
}

// asked is one request and its reply.
type asked struct {
	key, model, body string
	at, whole        time.Time // zero: it never was
}

// mark is in the reply to a request.
func mark(body []byte) string { return fmt.Sprintf("reply-%x.", sha256.Sum256(body))[:16] }

func newPayer(t *testing.T, a *arena, clock bool) *payer {
	p := &payer{t: t, a: a, clock: clock, rnd: rand.New(rand.NewPCG(7, 7)), ran: filepath.Join(a.dir, "ran")}
	opinion := llmtest.Panelist(rehearsal.Panel()...)
	write(t, filepath.Join(a.dir, "store.txt"), "The store keeps one writer connection.\nA pool of connections would be used by readers.\n")
	vendor := llmtest.NewServer(func(ask llmtest.Ask) llmtest.Reply {
		r := llmtest.Reply{Text: mark(ask.Body)}
		switch last := ask.Messages[len(ask.Messages)-1]; {
		case !strings.HasPrefix(ask.Model, "works"):
			r = opinion(ask)
			if len(ask.Messages) == 1 && strings.HasPrefix(ask.Model, "clumsy") {
				r = llmtest.Reply{Text: "I would rather say it in words."}
			}
		case last.Text() != "": // a person said something
			args, _ := json.Marshal(map[string]string{"command": "echo " + mark(ask.Body) + " >>ran; sleep 0.1"})
			r.Calls = []llm.Call{{ID: "c" + mark(ask.Body)[6:15], Name: "bash", Args: args}}
		}
		switch r.Delay = 2 * time.Millisecond; { // before each piece
		case ask.Header.Get("Seat-Process") != "": // it takes a reply in one
			r.Delay = 300 * time.Millisecond
		case strings.HasPrefix(ask.Model, "clumsy"): // most kills come while its repair is written
			r.Delay = 20 * time.Millisecond
		}
		return r
	})
	t.Cleanup(vendor.Close)
	to, err := url.Parse(vendor.URL)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(p.noting(httputil.NewSingleHostReverseProxy(to)))
	t.Cleanup(front.Close)
	bin, self := t.TempDir(), ""
	if self, err = os.Executable(); err == nil {
		err = os.Symlink(self, filepath.Join(bin, "claude"))
	}
	if err != nil {
		t.Fatal(err)
	}
	p.env = []string{"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=" + front.URL, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	return p
}

// noting notes when requests come and when their replies are whole.
func (p *payer) noting(proxy *httputil.ReverseProxy) http.Handler {
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0) // clients are killed
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		q := &asked{body: string(body), at: time.Now(), key: mark(body)}
		var named struct{ Model string }
		if json.Unmarshal(body, &named) == nil {
			q.model = named.Model
		}
		p.mu.Lock()
		p.asked = append(p.asked, q)
		p.mu.Unlock()
		proxy.ServeHTTP(w, r) // it panics if the client has left
		p.mu.Lock()
		defer p.mu.Unlock()
		q.whole = time.Now()
	})
}

// start runs a program with its input, and kills it if a kill is due. It returns when that was; zero: it ended by itself.
func (p *payer) start(in string, kill time.Duration, args ...string) time.Time {
	c := p.a.command(args...)
	c.Env = append(c.Env, p.env...)
	c.Stdin = strings.NewReader(in)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	var at time.Time
	if kill > 0 {
		timer := time.AfterFunc(kill, func() { at = time.Now(); c.Process.Kill() })
		c.Wait()
		if !timer.Stop() && c.ProcessState.ExitCode() == -1 {
			p.kills++
			return at
		}
	} else {
		c.Wait()
	}
	if !slices.Contains(decided, c.ProcessState.ExitCode()) {
		p.t.Errorf("%v: %v\n%s", args, c.ProcessState, &out)
	}
	return time.Time{}
}

// play kills one command and has another go on where it was, then looks at what was paid for. In a conversation whatever was
// whole is told to the model again.
func (p *payer) play(in string, talk bool, first []string, then func() []string) {
	p.mu.Lock()
	p.asked = nil
	p.mu.Unlock()
	at := p.start(in, p.kill, first...)
	if at.IsZero() {
		return
	}
	p.mu.Lock()
	before := len(p.asked)
	p.mu.Unlock()
	if args := then(); args != nil {
		p.start("", 0, args...)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	ran, _ := os.ReadFile(p.ran)
	for i, q := range p.asked[:before] {
		if q.whole.IsZero() || q.whole.After(at) {
			continue
		}
		p.replies++
		again := slices.ContainsFunc(p.asked[before:], func(r *asked) bool { return r.key == q.key })
		lost := talk && len(p.asked) > before && !strings.Contains(p.asked[before].body, q.key)
		if !again && !lost {
			continue
		}
		what := fmt.Sprintf("killed %v after the reply to %s was whole: asked again %v, lost %v", at.Sub(q.whole), q.model, again, lost)
		known := strings.Contains(string(ran), q.key) || slices.ContainsFunc(p.asked[i+1:before], func(r *asked) bool { return r.model == q.model && r.at.After(q.whole) })
		if known || p.clock && at.Sub(q.whole) >= within {
			p.t.Error(what)
		} else {
			p.t.Log(what)
		}
	}
}

func (p *payer) run(name string) {
	p.play("", true, []string{"run", "--mode", "yolo", "--model", "anthropic:works", "--session", name, "work " + name},
		func() []string {
			return []string{"run", "--mode", "yolo", "--model", "anthropic:works", "--session", name, "go on " + name}
		})
}

func (p *payer) chat(name string) {
	p.play("work "+name+"\nmore\nmore\n", true, []string{"chat", "--plain", "--mode", "yolo", "--model", "anthropic:works", "--session", name},
		func() []string {
			return []string{"run", "--mode", "yolo", "--model", "anthropic:works", "--session", name, "go on " + name}
		})
}

func (p *payer) debate(name string) {
	p.room(name, "anthropic:clumsy-1", "anthropic:loop-2", "anthropic:loop-3")
}

func (p *payer) programs(name string) {
	p.room(name, "claude:clumsy-1", "claude:loop-2", "claude:loop-3")
}

func (p *payer) room(name string, seats ...string) {
	args := []string{"debate", "--seed", "3", "--grace", "1m"}
	for _, s := range seats {
		args = append(args, "--seat", s)
	}
	p.play("", false, append(args, "Should the store "+name+" keep one writer connection or use a pool?"), func() []string {
		for _, r := range p.a.list(p.t) {
			if !r.Ended {
				return []string{"debate", "resume", r.Room}
			}
		}
		return nil // it had not begun, or had just ended
	})
}

// count says what came of it.
func (p *payer) count() {
	p.t.Logf("%d kills, %d whole replies before them", p.kills, p.replies)
}
