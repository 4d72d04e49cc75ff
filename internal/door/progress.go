package door

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/internal/engine"
)

// maxNote is the maximum length of a progress notification, in bytes: clients show one line.
const maxNote = 200

// progress reports the progress of a debate to a client that asked for it. Some clients give up a call that is silent
// for a minute.
type progress struct {
	notify func(n float64, text string) // nil: not requested
	clean  func(string) string

	mu   sync.Mutex
	n    float64 // must increase
	text string
}

// progress is for one call, whose context it must get: without a session, notifications travel with the answer to
// that request. Without a token in the request nothing is sent.
func (d *door) progress(ctx context.Context, req request) *progress {
	p := &progress{clean: d.Clean}
	if token := req.Params.GetProgressToken(); token != nil {
		p.notify = func(n float64, text string) { // a client that is gone needs no notification; its call ends with an error
			note := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: text}
			req.Session.NotifyProgress(context.WithoutCancel(ctx), note)
		}
	}
	return p
}

// tell sends a notification, which is repeated until the next one. Numbers only increase, as the protocol requires;
// there is no total.
func (p *progress) tell(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = clip(p.clean(text), maxNote)
	p.send()
}

// send requires the lock.
func (p *progress) send() {
	if p.notify != nil {
		p.n++
		p.notify(p.n, p.text)
	}
}

// every repeats the last notification until the returned function is called.
func (p *progress) every(beat time.Duration) (stop func()) {
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				p.mu.Lock()
				p.send()
				p.mu.Unlock()
			}
		}
	})
	return func() { close(over); done.Wait() }
}

// take updates a view and reports what is new.
func (p *progress) take(v *view, b engine.Batch) {
	for _, n := range b.Nodes {
		v.Node(n)
		v.seqs[n.ID], v.last = n.Seq, n.Seq
	}
	v.Growing(b.Growing)
	if len(b.Nodes) > 0 {
		p.tell(v.line())
	}
}

// line describes the state of the debate in a line: the stage, the seats it waits for, the leader, money, time.
func (v *view) line() string {
	parts := []string{v.Stage}
	busy := []string{}
	for _, s := range v.Seats {
		if s.Busy {
			busy = append(busy, s.Info.ID)
		}
	}
	if len(busy) > 0 {
		n := len(v.Seats)
		parts = append(parts, fmt.Sprintf("%d of %d seats answered, waiting for %s", n-len(busy), n, strings.Join(busy, ", ")))
	}
	if all := v.Moves(); len(all) > 0 && len(all[len(all)-1].Beliefs) > 0 {
		parts = append(parts, all[len(all)-1].Beliefs[0].Option+" leads")
	}
	usd := 0.0
	for _, s := range v.Seats {
		usd += s.Usage.USD
	}
	if usd > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", usd))
	}
	if d := v.Clock.Took().Round(time.Second); d > 0 {
		parts = append(parts, d.String())
	}
	return strings.Join(parts, " · ")
}

// news returns the lines of events after a node, at most the newest most.
func (v *view) news(after int64, most int) (out []string) {
	for _, l := range v.Lines {
		if v.seqs[l.Node] <= after {
			continue
		}
		text := l.Text
		if l.Who != "" {
			text = l.Who + ": " + text
		}
		out = append(out, clip(strings.Join(strings.Fields(text), " "), maxNote))
	}
	return out[max(0, len(out)-most):]
}
