package news_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/serve/news"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// panel is a part of an engine that has one operation: seats speak.
type panel struct{ core *engine.Core }

const asked tree.Kind[string] = "asked"

type speak struct{ seats func(*engine.Core, tree.ID) }

func (op speak) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	core := engine.Of[*panel](e).core
	n := asked.New("", "person", "which")
	if _, err := core.Store.Append(ctx, n); err != nil {
		return "", err
	}
	core.Start(ctx, n.ID, 0, func(context.Context, *engine.Job) error { op.seats(core, n.ID); return nil })
	return n.ID, nil
}

// process opens a store as another process would.
func process(t *testing.T, path string) *engine.Engine {
	t.Helper()
	s, err := store.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(s, func(tree.ID, int64) {}, func(_ *engine.Engine, c *engine.Core) engine.Part {
		return engine.Part{Library: &panel{c}, Shape: store.Shape{Firsts: map[string]store.First{"asked/": {Kind: string(asked)}}}}
	})
	t.Cleanup(func() { e.Close(); s.Close() })
	return e
}

// client notes when each of a seat's words came.
type client struct {
	http.ResponseWriter
	came map[tree.ID][]time.Time
}

func (c *client) Write(raw []byte) (int, error) {
	for l := range strings.Lines(string(raw)) {
		var d struct {
			Of   tree.ID
			Text string
		}
		data, ok := strings.CutPrefix(l, "data: ")
		if ok && json.Unmarshal([]byte(data), &d) == nil {
			for range strings.Count(d.Text, "word ") {
				c.came[d.Of] = append(c.came[d.Of], time.Now())
			}
		}
	}
	return len(raw), nil
}

// Flush has nothing to do: what was written came.
func (c *client) Flush() {}

// Five seats say 50 words a second each in another process: 99 in 100 are late by at most half as much again as on a page that is
// written to each 33 ms. Where they say one in three seconds and commit nothing, they are heard all the same.
func TestFiveSeatsOfAnotherProcess(t *testing.T) {
	for _, c := range []struct {
		words     int
		each, p99 time.Duration
	}{{600, 20 * time.Millisecond, 33 * time.Millisecond * 3 / 2}, {20, 3 * time.Second, 33 * time.Millisecond * 3 / 2}} {
		t.Run(c.each.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				late := lateness(t, 5, c.words, c.each)
				t.Logf("late: p50 %s p99 %s max %s", late[len(late)/2], late[len(late)*99/100], late[len(late)-1])
				if p99 := late[len(late)*99/100]; p99 > c.p99 {
					t.Errorf("1 in 100 words came later than %s", p99)
				}
			})
		})
	}
}

// lateness is how much later than they were said words of another process's seats came to a client, sorted.
// The first tenth is left out: they are heard once the process is found.
func lateness(t *testing.T, seats, words int, each time.Duration) (late []time.Duration) {
	path := filepath.Join(t.TempDir(), "s.db")
	writer, server := process(t, path), process(t, path)
	begin, spoke := make(chan struct{}), make(chan time.Time, 1)
	root, err := writer.Do(t.Context(), speak{func(core *engine.Core, root tree.ID) {
		<-begin
		start, text := time.Now(), ""
		for range words {
			text += "word "
			for seat := range seats { // none speaks when another does
				time.Sleep(each / time.Duration(seats))
				core.Feed.Publish(feed.Snapshot{Root: root, Of: tree.ID('0' + rune(seat)), State: "writing", Text: text})
			}
		}
		spoke <- start
		time.Sleep(time.Second)
	}})
	if err != nil {
		t.Fatal(err)
	}
	page := &client{httptest.NewRecorder(), map[tree.ID][]time.Time{}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		news.Serve(ctx, page, news.Source{Engine: server, Root: root, Clean: strings.Clone}, 0)
	}()
	time.Sleep(time.Second) // it listens
	close(begin)
	start := <-spoke
	time.Sleep(500 * time.Millisecond)
	cancel()
	<-ended
	if len(page.came) != seats {
		t.Fatalf("%d seats were heard", len(page.came))
	}
	for of, came := range page.came {
		if len(came) != words {
			t.Errorf("%d words of %s came", len(came), of)
		}
		for i, at := range came[words/10:] {
			said := start.Add(time.Duration(words/10+i)*each + time.Duration(of[0]-'0'+1)*each/time.Duration(seats))
			late = append(late, at.Sub(said))
		}
	}
	slices.Sort(late)
	return late
}
