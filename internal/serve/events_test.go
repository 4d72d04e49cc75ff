package serve_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/serve/news"
)

// stream reads events from a server until it has so many, or ends.
func (w *world) stream(path, token string, after int64, most int) (lines []news.Line) {
	w.Helper()
	req, _ := http.NewRequest("GET", "http://"+w.addr()+path, nil)
	req.Header.Set("Authorization", token)
	if after > 0 {
		req.Header.Set("Last-Event-ID", fmt.Sprint(after))
	}
	answer, err := (&http.Client{Timeout: 20 * time.Second}).Do(req)
	if err != nil {
		w.Error(err)
		return nil
	}
	defer answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != 200 || !strings.HasPrefix(kind, "text/event-stream") {
		w.Errorf("%d %s", answer.StatusCode, kind)
	}
	in := bufio.NewScanner(answer.Body)
	in.Buffer(nil, 1<<20)
	id := ""
	for len(lines) < most && in.Scan() {
		if v, ok := strings.CutPrefix(in.Text(), "id: "); ok {
			id = v
		}
		data, ok := strings.CutPrefix(in.Text(), "data: ")
		if !ok {
			continue
		}
		var l news.Line
		if err := json.Unmarshal([]byte(data), &l); err != nil {
			w.Errorf("%s: %v", data, err)
		}
		if l.Type == "node" && (fmt.Sprint(l.Seq) != id || l.Node == nil || l.Node.Seq != l.Seq) {
			w.Errorf("event %s holds %s", id, data)
		}
		lines = append(lines, l)
		id = ""
	}
	return lines
}

// A caller may follow so many things at once; one stream more is refused until another ends, and other callers do not notice.
func TestStreamsPerCaller(t *testing.T) {
	w := newWorld(t)
	token := w.token(guard.Read)
	open := func(token string) *http.Response {
		req, _ := http.NewRequest("GET", "http://"+w.addr()+"/api/v1/events", nil)
		req.Header.Set("Authorization", token)
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	var last *http.Response
	for range guard.MostStreams {
		if last = open(token); last.StatusCode != http.StatusOK {
			t.Fatal(last.Status)
		}
	}
	if refused := open(token); refused.StatusCode != http.StatusTooManyRequests || refused.Header.Get("Retry-After") == "" {
		t.Errorf("%s %v", refused.Status, refused.Header)
	}
	if other := open(w.token(guard.Debate)); other.StatusCode != http.StatusOK {
		t.Error(other.Status)
	}
	last.Body.Close()
	for open(token).StatusCode != http.StatusOK { // the server hears soon that it has gone
	}
}

func (w *world) remark(text string) {
	w.Helper()
	if _, err := w.host.Engine.Do(w.Context(), conversation.Remark{Tree: "work", Role: "user", Text: text}); err != nil {
		w.Fatal(err)
	}
}

// Whoever comes back with the last number gets each node once, whatever was restarted meanwhile.
func TestEventsAcrossARestart(t *testing.T) {
	w := newWorld(t)
	token, path := w.token(guard.Read), "/api/v1/trees/work/events"
	w.remark("one")
	w.remark("two")
	first := w.stream(path, token, 0, 3) // the root, too
	addr := w.addr()
	w.stop()
	w.remark("three")
	w.open(addr)
	w.remark("four")
	second := w.stream(path, token, first[len(first)-1].Seq, 2)
	var got []int64
	for _, l := range append(first, second...) {
		if l.Session != "work" || l.Type != "node" {
			t.Errorf("%+v", l)
		}
		got = append(got, l.Seq)
	}
	if fmt.Sprint(got) != "[1 2 3 4 5]" {
		t.Errorf("%v", got)
	}
}

// A stream of everything begins with what comes, or where it is told to.
func TestEventsOfEverything(t *testing.T) {
	w := newWorld(t)
	token := w.token(guard.Read)
	w.remark("one")
	if all := w.stream("/api/v1/events?after=0", token, 0, 2); all[0].Seq != 1 || all[1].Seq != 2 || all[0].Session != "work" || all[1].Session != "work" {
		t.Errorf("%+v", all)
	}
	came := make(chan []news.Line)
	go func() { came <- w.stream("/api/v1/events?after=2", token, 0, 1) }()
	w.remark("two")
	if lines := <-came; len(lines) != 1 || lines[0].Seq != 3 {
		t.Errorf("%+v", lines)
	}
}

// A server that ends ends its streams.
func TestStreamsEndWithTheServer(t *testing.T) {
	w := newWorld(t)
	token := w.token(guard.Read)
	req, _ := http.NewRequest("GET", "http://"+w.addr()+"/api/v1/trees/work/events", nil)
	req.Header.Set("Authorization", token)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	w.stop()
	if text, err := io.ReadAll(answer.Body); err != nil || !strings.HasPrefix(string(text), "retry: ") {
		t.Errorf("%s, %v", text, err)
	}
}
