package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/serve/api"
)

// When a stream begins although nothing is known yet, how often it is kept alive, and how long one write may take. A
// stream begins late, so that an immediate failure still has a status.
const (
	patience = 700 * time.Millisecond
	beat     = 10 * time.Second
	longSend = 30 * time.Second
)

// frame is an event of a stream.
type frame struct {
	name string // empty: it has none
	data any
}

// form is the protocol of one request. open comes first and once, then think and say in any order, then close or
// fail. A form has state and is for one request.
type form interface {
	open() []frame
	think(text string) []frame
	say(text string) []frame
	close(a *answer) []frame
	fail(f failed) []frame
	// whole returns an answer that is sent at once, with its reasoning.
	whole(a *answer, thought string) any
}

// output writes one answer: at once, or as a stream that begins within a second. The goroutine that keeps a stream
// alive and that of the request share it, guarded by mu.
type output struct {
	form   form
	stream bool
	clean  func(string) string
	w      http.ResponseWriter
	rc     *http.ResponseController

	mu      sync.Mutex
	begun   bool
	ended   bool
	thought strings.Builder
	stop    func()
}

// finish or fail must be called once, and ends that goroutine.
func (d *handler) output(w http.ResponseWriter, f form, stream bool) *output {
	o := &output{form: f, stream: stream, clean: d.Clean, w: w, rc: http.NewResponseController(w), stop: func() {}}
	if stream {
		over := make(chan struct{})
		var done sync.WaitGroup
		done.Go(func() { o.live(over) })
		o.stop = func() { close(over); done.Wait() }
	}
	return o
}

// live begins a stream in time, and keeps it alive.
func (o *output) live(over <-chan struct{}) {
	wait := time.NewTimer(patience)
	defer wait.Stop()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-wait.C:
			o.send(nil)
		case <-tick.C:
			o.mu.Lock()
			if o.begun && !o.ended {
				o.put(": here\n\n")
			}
			o.mu.Unlock()
		}
	}
}

// name tells a client which debate it is, if nothing was sent yet.
func (o *output) name(debate string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.begun {
		o.w.Header().Set("X-Socrates-Debate", debate)
	}
}

// think streams reasoning, or keeps it for an answer that is sent at once.
func (o *output) think(text string) {
	o.thought.WriteString(text)
	o.send(func() []frame { return o.form.think(text) })
}

// say streams a part of the answer.
func (o *output) say(text string) {
	o.send(func() []frame { return o.form.say(text) })
}

// send writes frames to a stream, after the opening ones. Frames are made under the lock: a form has state.
func (o *output) send(frames func() []frame) {
	if !o.stream {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	if !o.begun {
		o.begun = true
		h := o.w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("X-Accel-Buffering", "no")
		o.w.WriteHeader(http.StatusOK)
		o.frames(o.form.open())
	}
	if frames != nil {
		o.frames(frames())
	}
}

// Every frame is cleaned, whoever made it.
func (o *output) frames(list []frame) {
	var b strings.Builder
	for _, f := range list {
		if f.name != "" {
			fmt.Fprintf(&b, "event: %s\n", f.name)
		}
		if text, ok := f.data.(string); ok {
			b.WriteString("data: " + text + "\n\n")
			continue
		}
		raw, _ := json.Marshal(f.data) // of strings, numbers and lists of them
		b.WriteString("data: " + o.clean(string(raw)) + "\n\n")
	}
	o.put(b.String())
}

// put writes; if the client has gone, its request's context ends.
func (o *output) put(text string) {
	o.rc.SetWriteDeadline(time.Now().Add(longSend))
	if _, err := o.w.Write([]byte(text)); err == nil {
		o.rc.Flush()
	}
}

// finish sends the answer. In a stream the text was already sent; only the end is left.
func (o *output) finish(d *handler, a *answer) {
	o.stop()
	if !o.stream {
		d.write(o.w, http.StatusOK, o.form.whole(a, o.thought.String()))
		return
	}
	o.send(func() []frame { return o.form.close(a) })
}

// fail reports an error: by the status, if none was sent yet.
func (o *output) fail(d *handler, p *api.Problem) {
	o.stop()
	o.mu.Lock()
	begun := o.begun
	o.ended = o.ended || !begun
	o.mu.Unlock()
	if !begun {
		d.refuse(o.w, p)
		return
	}
	o.send(func() []frame { return o.form.fail(failureOf(p)) })
}
