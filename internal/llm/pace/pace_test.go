package pace_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http/httptrace"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/pace"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

const (
	file    = "SOCRATES_TEST_BOOK"
	each    = 40
	tokens  = 700
	perCall = 7
	perMin  = 5000
)

// TestMain is one of several processes that book at once, if it was told so: it books as soon as its stdin ends, and prints its slots.
func TestMain(m *testing.M) {
	path := os.Getenv(file)
	if path == "" {
		os.Exit(m.Run())
	}
	io.Copy(io.Discard, os.Stdin)
	book := pace.Book{File: path, Limits: pace.Limits{Requests: perCall, Tokens: perMin}}
	for range each {
		s, err := book.Take(context.Background(), time.Now(), tokens)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		json.NewEncoder(os.Stdout).Encode(s)
	}
}

// TestProcessesShareALimit: whatever minute one looks at, two processes together have booked no more in it than the limits.
func TestProcessesShareALimit(t *testing.T) {
	book := filepath.Join(t.TempDir(), "limits", "acme.json")
	var began []io.Closer
	var told []*bufio.Scanner
	var running []*exec.Cmd
	for range 2 {
		cmd := exec.Command(os.Args[0])
		cmd.Env, cmd.Stderr = append(os.Environ(), file+"="+book), os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		began, told, running = append(began, in), append(told, bufio.NewScanner(out)), append(running, cmd)
	}
	for _, in := range began {
		in.Close()
	}
	var all []pace.Slot
	for i, lines := range told {
		for lines.Scan() {
			var s pace.Slot
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		if err := running[i].Wait(); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) != 2*each {
		t.Fatalf("%d slots, want %d", len(all), 2*each)
	}
	slices.SortFunc(all, func(a, b pace.Slot) int { return a.At.Compare(b.At) })
	for i, s := range all {
		n, sum := 0, 0
		for _, later := range all[i:] {
			if later.At.Sub(s.At) <= time.Minute {
				n, sum = n+1, sum+later.Tokens
			}
		}
		if n > perCall || sum > perMin {
			t.Fatalf("the minute from %v has %d requests and %d tokens", s.At, n, sum)
		}
	}
}

// model answers at once with what it took, and notes when it was asked.
type model struct{ asked *[]time.Time }

func (m model) Info() llm.Info { return llm.Info{ID: "m", Lineage: "acme"} }

func (m model) Stream(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		*m.asked = append(*m.asked, time.Now())
		yield(llm.Delta{End: &llm.End{Stop: llm.StopDone, Usage: cost.Usage{Input: 10, Output: 10}, Message: llm.AssistantText("yes")}}, nil)
	}
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{llm.UserText(text)}}
}

// TestALaterRequestWaits: and says how long. One that nobody waits for any more takes nobody's place.
func TestALaterRequestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []time.Time
		book := pace.Book{File: filepath.Join(t.TempDir(), "acme.json"), Limits: pace.Limits{Requests: 2}}
		m := pace.Model(model{&asked}, "acme", book)
		for range 2 {
			if _, err := llm.Collect(m.Stream(t.Context(), ask("a"))); err != nil {
				t.Fatal(err)
			}
		}
		gone, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if _, err := llm.Collect(m.Stream(gone, ask("b"))); err == nil {
			t.Error("it was asked although nobody waited")
		}
		var told []time.Duration
		for d, err := range m.Stream(t.Context(), ask("c")) {
			if err != nil {
				t.Fatal(err)
			}
			if d.Retry != nil {
				told = append(told, d.Retry.Wait)
			}
		}
		if len(asked) != 3 || asked[2].Sub(asked[0]) != 61*time.Second {
			t.Errorf("asked at %v", asked)
		}
		if len(told) != 2 || told[0] != time.Minute || told[1] != 30*time.Second {
			t.Errorf("told %v", told)
		}
	})
}

// far is a vendor that a request reaches late, and that answers later.
type far struct {
	model
	way, thinks time.Duration
}

func (f far) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		sent := httptrace.ContextClientTrace(ctx)
		time.Sleep(f.way) // synthetic
		sent.WroteRequest(httptrace.WroteRequestInfo{})
		f.model.Stream(ctx, req)(func(d llm.Delta, err error) bool {
			time.Sleep(f.thinks)
			sent.GotFirstResponseByte()
			return yield(d, err)
		})
	}
}

// TestALateRequestCountsFromItsArrival: a vendor counts a request when it has it, so a minute begins there and not when the request was to
// be made. One that thinks for long before it answers has had the request soon after it was sent.
func TestALateRequestCountsFromItsArrival(t *testing.T) {
	for _, c := range []struct{ way, thinks, gap time.Duration }{
		{0, 0, 61 * time.Second},
		{0, time.Second, 61 * time.Second},
		{20 * time.Second, 0, 61 * time.Second},
		{20 * time.Second, 3 * time.Second, 64 * time.Second},
		{20 * time.Second, 40 * time.Second, 66 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked []time.Time
			book := pace.Book{File: filepath.Join(t.TempDir(), "acme.json"), Limits: pace.Limits{Requests: 1}}
			if _, err := llm.Collect(pace.Model(far{model{&asked}, c.way, c.thinks}, "acme", book).Stream(t.Context(), ask("a"))); err != nil {
				t.Fatal(err)
			}
			if _, err := llm.Collect(pace.Model(model{&asked}, "acme", book).Stream(t.Context(), ask("b"))); err != nil {
				t.Fatal(err)
			}
			if gap := asked[1].Sub(asked[0]); gap != c.gap {
				t.Errorf("%s on its way, %s of thought: the next came %s later, want %s", c.way, c.thinks, gap, c.gap)
			}
		})
	}
}

// TestWhoIsHeldUpIsJudgedAgain: a process that sleeps over its slot begins when it wakes, if that is not one too many by then.
func TestWhoIsHeldUpIsJudgedAgain(t *testing.T) {
	book, now := pace.Book{File: filepath.Join(t.TempDir(), "acme.json"), Limits: pace.Limits{Requests: 1}}, time.Now()
	take := func(at time.Duration) pace.Slot {
		s, err := book.Take(t.Context(), now.Add(at), 1)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	begin := func(s pace.Slot, at time.Duration) pace.Slot {
		s, err := book.Begin(t.Context(), s, now.Add(at))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, held, next := take(0), take(0), take(0)
	if !first.Begun || held.Begun || next.At.Sub(now) != 122*time.Second {
		t.Fatalf("%v, %v, %v", first, held, next)
	}
	held = begin(held, 100*time.Second) // it was to begin at 61 s
	if !held.Begun || held.At.Sub(now) != 100*time.Second {
		t.Errorf("held up: %v", held)
	}
	if next = begin(next, 122*time.Second); next.Begun || next.At.Sub(now) != 161*time.Second {
		t.Errorf("the next: %v", next)
	}
	if next = begin(next, 161*time.Second); !next.Begun {
		t.Errorf("the next: %v", next)
	}
}

// TestTokensAreSettled: what a request took counts instead of what it might have taken; one that is too long alone is refused as such.
func TestTokensAreSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []time.Time
		book := pace.Book{File: filepath.Join(t.TempDir(), "acme.json"), Limits: pace.Limits{Tokens: 9000}}
		m := pace.Model(model{&asked}, "acme", book)
		for range 3 {
			if _, err := llm.Collect(m.Stream(t.Context(), ask("a"))); err != nil {
				t.Fatal(err)
			}
		}
		if asked[2] != asked[0] {
			t.Errorf("short answers waited: %v", asked)
		}
		_, err := llm.Collect(m.Stream(t.Context(), ask(string(make([]byte, 30_000)))))
		if e := trouble.As(err); e == nil || e.Kind != trouble.Context {
			t.Errorf("too long: %v", err)
		}
	})
}

// TestADamagedBookIsEmpty: a file that is no book, or one of a clock that ran ahead, stops nobody.
func TestADamagedBookIsEmpty(t *testing.T) {
	now := time.Now()
	for _, text := range []string{"{", `[{"at":"2999-01-01T00:00:00Z","tokens":1,"id":1}]`} {
		book := pace.Book{File: filepath.Join(t.TempDir(), "acme.json"), Limits: pace.Limits{Requests: 1}}
		if err := os.WriteFile(book.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := book.Take(t.Context(), now, 1); err != nil || !s.At.Equal(now) {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
}
