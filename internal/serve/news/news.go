// Package news streams what is added to a store to browsers and programs over HTTP, as server-sent events. Committed
// nodes carry their number, so that a client which reconnects with the last one misses nothing and gets nothing
// twice; growing text carries none.
//
// Serve follows a Source, one tree or everything, and writes until the client leaves, ctx ends or Over says that it
// is done. Committed nodes come in the order of their numbers, each once. Of a growing text only the difference is
// sent, so a long answer is not sent again and again; if its beginning changed, all of it is sent again. Nothing is
// sent more often than a frame of a screen. An event named beat now and then stops proxies from closing the
// connection, and updates pages that show values nobody commits.
//
// A client that reads too slowly is disconnected after longSend. A later failure is sent as an event named failed,
// since the status was sent long before. Everything goes through Source.Clean.
package news

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Line is the data of an event: a line of stream-json, numbered as the store numbers nodes.
type Line struct {
	out.Head
	Type   string     `json:"type"` // node
	Parent tree.ID    `json:"parent,omitempty"`
	Node   *tree.Node `json:"node,omitempty"`
}

// delta is the data of an event on a growing text: the node whose answer it is, the writer's activity, and the text
// that replaces everything after the first From UTF-16 units of what was sent. It says nothing else: most of a stream
// is deltas.
type delta struct {
	Type  string  `json:"type"` // delta
	Of    tree.ID `json:"of"`
	State string  `json:"state,omitempty"`
	Note  string  `json:"note,omitempty"`
	From  int     `json:"from,omitempty"`
	Text  string  `json:"text,omitempty"`
}

// Source is what to follow. Engine and Clean must be set. Fold is called once for each batch, from one goroutine, and
// its result for each text of that batch.
type Source struct {
	Engine *engine.Engine
	Root   tree.ID // empty: everything
	Name   string  // of the debate, conversation or run
	// Named returns the name of what a node belongs to, if everything is followed; nil: Name.
	Named func(tree.Node) string
	// Fold applies news and returns how growing texts are read; nil: unchanged.
	Fold func(engine.Batch) func(feed.Snapshot) string
	// Over reports whether a node ends the stream; nil: none does.
	Over  func(tree.Node) bool
	Clean func(string) string
}

// The shortest time between writes, the interval of beats without other news, and how long one write may take.
const (
	frame    = 33 * time.Millisecond
	beat     = 15 * time.Second
	longSend = 30 * time.Second
)

// After returns the number of the last node that a client has, as it says; 0: none. The header is the browser's own
// and wins over the address, which was right when the page was loaded.
func After(r *http.Request) (int64, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("after")
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not the number of an event", text)
	}
	return n, nil
}

// Serve streams what comes after a number until the client leaves, the server ends, or the debate does. It writes the
// header itself: the caller refuses before.
func Serve(ctx context.Context, w http.ResponseWriter, s Source, after int64) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	t := &teller{Source: s, w: w, flush: http.NewResponseController(w), sent: map[tree.ID]sent{}}
	if t.put("retry: 1000\n\n") != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches, failed := t.follow(ctx, after)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case b, ok := <-batches:
			if !ok {
				if err := <-failed; err != nil {
					t.put("event: failed\ndata: " + quote(s.Clean(err.Error())) + "\n\n")
				}
				return
			}
			over, err := t.tell(b)
			if err != nil || over {
				return
			}
			tick.Reset(beat)
		case <-tick.C:
			if t.put("event: beat\ndata: {\"type\":\"beat\"}\n\n") != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// follow passes batches on, at most one in the time of a frame: later news are in the next. It is a separate
// goroutine, so that a slow client blocks only itself. The error is sent before batches is closed.
func (t *teller) follow(ctx context.Context, after int64) (<-chan engine.Batch, <-chan error) {
	batches, failed := make(chan engine.Batch), make(chan error, 1)
	go func() {
		defer close(batches)
		defer close(failed)
		for b, err := range t.Engine.Follow(ctx, t.Root, after) {
			if err != nil {
				failed <- err
				return
			}
			select {
			case batches <- b:
			case <-ctx.Done():
				return
			}
			select {
			case <-time.After(frame):
			case <-ctx.Done():
				return
			}
		}
	}()
	return batches, failed
}

// teller writes to one client.
type teller struct {
	Source
	w     io.Writer
	flush *http.ResponseController
	sent  map[tree.ID]sent // growing texts as the client has them
}

// sent is what a client has of a text, and its length in UTF-16 units: browsers count in them.
type sent struct {
	feed.Snapshot
	from  feed.Snapshot // the raw snapshot, before it was read and cleaned
	units int
}

// put writes and flushes, within longSend.
func (t *teller) put(text string) error {
	t.flush.SetWriteDeadline(time.Now().Add(longSend)) // a client that does not read is disconnected
	if _, err := io.WriteString(t.w, text); err != nil {
		return err
	}
	return t.flush.Flush()
}

// tell writes a batch. over reports that nothing follows. A text that no longer grows is forgotten: its node has all
// of it.
func (t *teller) tell(b engine.Batch) (over bool, err error) {
	read := func(s feed.Snapshot) string { return s.Text }
	if t.Fold != nil {
		read = t.Fold(b)
	}
	var text strings.Builder
	for i := range b.Nodes {
		n := &b.Nodes[i]
		name := t.Name
		if t.Named != nil {
			name = t.Named(*n)
		}
		t.event(&text, n.Seq, Line{Head: out.Head{Seq: n.Seq, TS: n.At, Session: name}, Type: "node", Parent: n.Parent, Node: n})
		over = over || t.Over != nil && t.Over(*n)
	}
	for _, s := range b.Growing {
		if len(b.Nodes) > 0 || t.sent[s.Of].from != s { // reading it costs as much as it is long
			t.grown(&text, s, read(s))
		}
	}
	for of := range t.sent {
		if _, still := b.Growing[of]; !still {
			delete(t.sent, of)
		}
	}
	if over {
		text.WriteString("event: end\ndata: {\"type\":\"end\"}\n\n")
	}
	if text.Len() == 0 {
		return false, nil
	}
	return over, t.put(text.String())
}

// grown writes the difference of a growing text.
func (t *teller) grown(b *strings.Builder, s feed.Snapshot, now string) {
	was, from := t.sent[s.Of], s
	s.Text, s.Note, s.Usage = t.Clean(now), t.Clean(s.Note), 0
	if s == was.Snapshot {
		was.from = from
		t.sent[s.Of] = was
		return
	}
	same, units := was.common(s.Text)
	t.sent[s.Of] = sent{s, from, units + length(s.Text[same:])}
	t.event(b, 0, delta{Type: "delta", Of: s.Of, State: s.State, Note: s.Note, From: units, Text: s.Text[same:]})
}

// common returns the length of the common prefix of a text and what a client has: in bytes, at a character, and in
// UTF-16 units.
func (s sent) common(now string) (same, units int) {
	if n := len(s.Text); strings.HasPrefix(now, s.Text) && (n == len(now) || utf8.RuneStart(now[n])) { // it grew, as nearly always
		return n, s.units
	}
	for i, r := range now {
		n := len(string(r))
		if i+n > len(s.Text) || s.Text[i:i+n] != now[i:i+n] {
			return i, units
		}
		units += utf16.RuneLen(r)
		same = i + n
	}
	return same, units
}

// length returns the length of a text in UTF-16 units.
func length(s string) (units int) {
	for _, r := range s {
		units += utf16.RuneLen(r)
	}
	return units
}

// event writes one; without an id if a client cannot resume from it.
func (t *teller) event(b *strings.Builder, id int64, l any) {
	raw, err := json.Marshal(l)
	if err != nil {
		return // nodes are JSON
	}
	data := string(raw)
	if id > 0 {
		fmt.Fprintf(b, "id: %d\n", id)
		data = t.Clean(data) // text and note of growing text were cleaned as a whole
	}
	b.WriteString("data: " + data + "\n\n")
}

// quote encodes a text as JSON, in one line.
func quote(text string) string {
	raw, _ := json.Marshal(text) // of a string
	return string(raw)
}
