package retry_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/retry"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// script is a model whose n-th call runs the n-th function; the last one repeats.
type script struct {
	calls int
	acts  []func(ctx context.Context, yield func(llm.Delta, error) bool)
}

func (s *script) Info() llm.Info { return llm.Info{ID: "script", Lineage: "script"} }

func (s *script) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		act := s.acts[min(s.calls, len(s.acts)-1)]
		s.calls++
		act(ctx, yield)
	}
}

func says(text string) func(context.Context, func(llm.Delta, error) bool) {
	return func(_ context.Context, yield func(llm.Delta, error) bool) {
		if yield(llm.Delta{Text: text}, nil) {
			yield(llm.Delta{End: &llm.End{Stop: llm.StopDone, Message: llm.AssistantText(text)}}, nil)
		}
	}
}

func fails(e *trouble.Error) func(context.Context, func(llm.Delta, error) bool) {
	return func(_ context.Context, yield func(llm.Delta, error) bool) { yield(llm.Delta{}, e) }
}

// speaksThen says something before it does the rest.
func speaksThen(rest func(context.Context, func(llm.Delta, error) bool)) func(context.Context, func(llm.Delta, error) bool) {
	return func(ctx context.Context, yield func(llm.Delta, error) bool) {
		if yield(llm.Delta{Text: "Well"}, nil) {
			rest(ctx, yield)
		}
	}
}

// hangs says nothing until its call is cancelled.
func hangs(ctx context.Context, yield func(llm.Delta, error) bool) {
	<-ctx.Done()
	yield(llm.Delta{}, ctx.Err())
}

type outcome struct {
	calls, retries int
	voids          int
	text           string
	kind           trouble.Kind // of the error; empty: none
	took           time.Duration
}

func run(t *testing.T, p retry.Patience, s *script) outcome {
	start := time.Now()
	var o outcome
	for d, err := range retry.Guard(s, p).Stream(t.Context(), llm.Request{}) {
		if err != nil {
			o.kind = trouble.As(err).Kind
		}
		if d.Retry != nil {
			o.retries++
		}
		if d.Retry != nil && d.Retry.Void {
			o.voids++
			o.text = ""
		}
		o.text += d.Text
	}
	o.calls, o.took = s.calls, time.Since(start)
	return o
}

func TestGuard(t *testing.T) {
	limited, offline := fails(&trouble.Error{Kind: trouble.RateLimit}), fails(&trouble.Error{Kind: trouble.Network, Unsent: true, Offline: true})
	type acts = []func(context.Context, func(llm.Delta, error) bool)
	for _, tc := range []struct {
		name   string
		p      retry.Patience
		acts   acts
		want   outcome
		atMost time.Duration // took lies between want.took and this
	}{
		{"succeeds at once", retry.Patience{}, acts{says("yes")}, outcome{calls: 1, text: "yes"}, 0},
		{"tries again, twice as late each time", retry.Patience{}, acts{limited, limited, says("yes")},
			outcome{calls: 3, retries: 2, text: "yes", took: 3 * time.Second}, 3600 * time.Millisecond},
		{"gives up after so many tries", retry.Patience{Tries: 3}, acts{limited}, outcome{calls: 3, retries: 2, kind: trouble.RateLimit, took: 3 * time.Second}, 3600 * time.Millisecond},
		{"waits as long as it is told", retry.Patience{}, acts{fails(&trouble.Error{Kind: trouble.Overloaded, RetryAfter: 30 * time.Second}), says("yes")},
			outcome{calls: 2, retries: 1, text: "yes", took: 30 * time.Second}, 30 * time.Second},
		{"but not longer than it likes", retry.Patience{}, acts{fails(&trouble.Error{Kind: trouble.RateLimit, RetryAfter: time.Hour})},
			outcome{calls: 1, kind: trouble.RateLimit}, 0},
		{"does not repeat what cannot help", retry.Patience{}, acts{fails(&trouble.Error{Kind: trouble.Auth})}, outcome{calls: 1, kind: trouble.Auth}, 0},
		{"asks again what broke off", retry.Patience{}, acts{speaksThen(limited), says("yes")},
			outcome{calls: 2, retries: 1, voids: 1, text: "yes", took: time.Second}, 1200 * time.Millisecond},
		{"takes silence for a stall and tries again", retry.Patience{}, acts{hangs, says("yes")},
			outcome{calls: 2, retries: 1, text: "yes", took: 121 * time.Second}, 121200 * time.Millisecond},
		{"counts silence from the last delta", retry.Patience{Idle: time.Minute}, acts{speaksThen(hangs), says("yes")},
			outcome{calls: 2, retries: 1, voids: 1, text: "yes", took: 61 * time.Second}, 61200 * time.Millisecond},
		{"calls a stream without an end malformed", retry.Patience{}, acts{func(context.Context, func(llm.Delta, error) bool) {}},
			outcome{calls: 3, retries: 2, kind: trouble.Malformed, took: 3 * time.Second}, 3600 * time.Millisecond},
		{"waits for the network", retry.Patience{Tries: 2, Offline: time.Minute}, acts{offline, offline, offline, says("yes")},
			outcome{calls: 4, retries: 3, text: "yes", took: 7 * time.Second}, 8400 * time.Millisecond},
		{"for a while", retry.Patience{Tries: 2, Offline: 2 * time.Second}, acts{offline}, outcome{calls: 4, retries: 3, kind: trouble.Network, took: 4 * time.Second}, 5400 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := run(t, tc.p, &script{acts: tc.acts})
				if got.took < tc.want.took || got.took > tc.atMost {
					t.Errorf("took %v, want %v to %v", got.took, tc.want.took, tc.atMost)
				}
				if got.took = tc.want.took; got != tc.want {
					t.Errorf("got %+v, want %+v", got, tc.want)
				}
			})
		})
	}
}

func TestGuardEndsItsCallWhenTheReaderLeaves(t *testing.T) {
	ended := false
	s := &script{acts: []func(context.Context, func(llm.Delta, error) bool){func(ctx context.Context, yield func(llm.Delta, error) bool) {
		yield(llm.Delta{Text: "one"}, nil)
		ended = true
	}}}
	for range retry.Guard(s, retry.Patience{}).Stream(t.Context(), llm.Request{}) {
		break
	}
	if !ended || s.calls != 1 {
		t.Errorf("ended %v after %d calls", ended, s.calls)
	}
}

func TestGuardStopsWaitingWhenCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s := &script{acts: []func(context.Context, func(llm.Delta, error) bool){fails(&trouble.Error{Kind: trouble.RateLimit, RetryAfter: 50 * time.Second})}}
		start := time.Now()
		_, err := llm.Collect(retry.Guard(s, retry.Patience{}).Stream(ctx, llm.Request{}))
		if time.Since(start) != time.Second || s.calls != 1 || err == nil {
			t.Errorf("after %v and %d calls: %v", time.Since(start), s.calls, err)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v, want the context's", err)
		}
	})
}

func TestGuardDoesNotTakeASlowReaderForAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{acts: []func(context.Context, func(llm.Delta, error) bool){speaksThen(func(ctx context.Context, yield func(llm.Delta, error) bool) {
			if err := ctx.Err(); err != nil {
				yield(llm.Delta{}, err)
				return
			}
			says("!")(ctx, yield)
		})}}
		text := ""
		for d, err := range retry.Guard(s, retry.Patience{Idle: time.Minute}).Stream(t.Context(), llm.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			text += d.Text
			time.Sleep(time.Hour)
		}
		if text != "Well!" {
			t.Errorf("read %q", text)
		}
	})
}
