package llmtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
	"github.com/socrates-cli/socrates/internal/llm/retry"
)

// event is one server-sent event. Name may be empty; delta marks those that carry a part of the answer. Faults show
// after the first of them.
type event struct {
	name  string
	data  any // a string is sent as it is
	delta bool
}

// player sends one answer, with the fault of the reply. It ends with the context of the request: when the client
// leaves or the server ends.
type player struct {
	w   http.ResponseWriter
	ctx context.Context
	exchange
	protocol protocol
}

// play answers. It panics with http.ErrAbortHandler to cut the connection.
func (p player) play(stream bool) {
	p.w.Header().Set("Request-Id", p.id("req_"))
	if !p.pause() {
		return
	}
	if p.Raw != "" {
		p.raw()
		return
	}
	switch p.Fault {
	case fault.Unauthorized, fault.Unpaid, fault.Limited, fault.Broken, fault.Overloaded, fault.TooLarge, fault.TooLong, fault.Exhausted:
		p.fail()
	case fault.Page:
		p.w.Header().Set("Content-Type", "text/html")
		p.w.WriteHeader(http.StatusBadGateway)
		p.w.Write([]byte("<html>\n<head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>\n"))
	case fault.Stall:
		<-p.ctx.Done()
	default:
		if stream {
			p.stream(p.protocol.events(p.exchange))
		} else {
			p.whole()
		}
	}
}

// raw plays a recording, in pieces of seven bytes.
func (p player) raw() {
	kind := "text/event-stream"
	if p.Status != 0 {
		kind = "application/json"
	}
	p.w.Header().Set("Content-Type", kind)
	p.w.WriteHeader(cmp.Or(p.Status, http.StatusOK))
	for piece := range slices.Chunk([]byte(p.Raw), 7) {
		p.w.Write(piece)
		http.NewResponseController(p.w).Flush()
	}
}

// fail answers with an error at once.
func (p player) fail() {
	if p.RetryAfter != "" {
		p.w.Header().Set("Retry-After", p.RetryAfter)
	}
	if p.RetryAfterMS != "" {
		p.w.Header().Set("Retry-After-Ms", p.RetryAfterMS)
	}
	status, body := p.protocol.refuse(p.Fault)
	writeJSON(p.w, status, body)
}

// whole answers in one piece, or damages it where the fault would have damaged a stream. Faults of single deltas have
// no counterpart and do nothing.
func (p player) whole() {
	switch p.Fault {
	case fault.Freeze:
		<-p.ctx.Done()
	case fault.Cut, fault.Short:
		panic(http.ErrAbortHandler)
	case fault.Garbled:
		p.w.Write([]byte(`{"type": "con`))
	case fault.ErrorEvent:
		status, body := p.protocol.refuse(fault.Overloaded)
		writeJSON(p.w, status, body)
	default:
		writeJSON(p.w, 200, p.protocol.whole(p.exchange))
	}
}

// stream sends the events, and damages the answer after its first delta.
func (p player) stream(events []event) {
	p.w.Header().Set("Content-Type", "text/event-stream")
	p.w.Header().Set("Cache-Control", "no-cache")
	p.w.WriteHeader(200)
	begun, name := false, ""
	for _, e := range events {
		if begun && p.spoil(name) {
			return
		}
		if e.delta && !p.pause() {
			return
		}
		p.send(e)
		begun, name = e.delta, e.name
	}
}

// spoil applies the fault after a delta of that name and reports whether the answer is over. It runs again after
// later deltas, which matters only for Garbled.
func (p player) spoil(name string) (over bool) {
	switch p.Fault {
	case fault.Freeze:
		<-p.ctx.Done()
	case fault.Cut:
		panic(http.ErrAbortHandler)
	case fault.Short:
	case fault.Garbled:
		p.send(event{name: name, data: `{"type": "con`})
		return false
	case fault.ErrorEvent:
		p.send(p.protocol.broken())
	default:
		return false
	}
	return true
}

// send writes one event and flushes it, byte by byte if runes are to be split.
func (p player) send(e event) {
	var b bytes.Buffer
	if e.name != "" {
		b.WriteString("event: " + e.name + "\n")
	}
	b.WriteString("data: ")
	if s, ok := e.data.(string); ok {
		b.WriteString(s + "\n")
	} else {
		enc := json.NewEncoder(&b) // adds a newline
		enc.SetEscapeHTML(false)
		enc.Encode(e.data)
	}
	b.WriteString("\n")
	flush := http.NewResponseController(p.w).Flush
	if p.Fault != fault.SplitRunes {
		p.w.Write(b.Bytes())
		flush()
		return
	}
	for _, c := range b.Bytes() {
		p.w.Write([]byte{c})
		flush()
	}
}

// pause waits for Delay and reports whether the client is still there.
func (p player) pause() bool { return retry.Pause(p.ctx, p.Delay) }

// deltas cuts s as the fault requires.
func (t exchange) deltas(s string) []string {
	if t.Fault == fault.LongLine && s != "" {
		return []string{s}
	}
	return pieces(s)
}

// usage returns the reply's usage, or an estimate.
func (t exchange) usage() cost.Usage {
	if t.Usage != nil {
		return *t.Usage
	}
	out := len(t.Text) + len(t.Think)
	for _, c := range t.Calls {
		out += len(c.Name) + len(c.Args)
	}
	return cost.Usage{Input: len(t.Body)/4 + 1, Output: out/4 + 1, Reasoning: len(t.Think) / 4}
}
