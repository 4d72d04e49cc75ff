// Package remote is a model that answers on another machine: a task of the hub, which one of its workers executes.
//
// The caller sees no difference. Deltas arrive as they are written there; if a worker is lost and another starts
// over, earlier deltas are void, as after any retry. A program's folder goes to the worker as a commit, and its
// changes come back before the answer ends. Requests for permission go to Request.Leave here, where the record is.
//
// A request with an Effect is a task of that name: repeated after a crash, it is the existing task, and an answer
// that was paid for is not requested twice. Without one, the task ends with its client.
package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet/code"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Model is a seat of a worker or a pool. Its fields are set before it is used.
type Model struct {
	Account
	Seat socket.Offered
}

// Info describes the worker's model. It is sandboxed there, but needs a folder of its own here: its changes come back
// as files.
func (m *Model) Info() llm.Info {
	info := m.Seat.Info
	info.Held = false
	return info
}

// away is how long to wait for a hub that is unreachable: it may be restarting. Submitted tasks continue meanwhile.
const away = 2 * time.Minute

// Stream lets a worker answer.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		c := &call{m: m, req: req, yield: yield, asked: map[string]bool{}}
		if err := c.put(ctx); err != nil {
			yield(llm.Delta{}, c.failure(ctx, err))
			return
		}
		key := ""
		if req.Effect != "" {
			key = c.task.Name
		}
		var err error
		if c.tab, err = m.open(ctx, m.Info(), req, m.Seat.Where, key); err != nil {
			c.forget(ctx)
			yield(llm.Delta{}, c.failure(ctx, err))
			return
		}
		defer func() {
			c.tab.lost = c.tab.lost && c.worker != "" // otherwise nobody was asked
			c.tab.settle(ctx, c.worker)
		}()
		c.run(ctx)
	}
}

// call is one running call of a model. It belongs to one goroutine.
type call struct {
	m      *Model
	req    llm.Request
	yield  func(llm.Delta, error) bool
	task   lease.Task
	tab    *tab
	epoch  int
	worker string          // its worker
	tries  int             // how many workers began
	next   int             // the number of the next delta
	part   bool            // a part of an answer was passed on
	asked  map[string]bool // the wishes being decided
	end    *llm.End
}

// code returns the folder of code for workers.
func (c *call) code() string { return filepath.Join(c.m.Hub.Dir, "hub", "code") }

// put submits the task, and its folder.
func (c *call) put(ctx context.Context) (err error) {
	works, dir := c.req.Leave != nil, c.req.Dir
	plain := c.req
	plain.Leave, plain.Dir, plain.Vars = nil, "", nil
	text, err := json.Marshal(plain)
	if err != nil {
		return err
	}
	c.task = lease.Task{Name: name(c.req, c.m.Seat.Queue), Queue: c.m.Seat.Queue, Seat: c.m.Seat.Spec, Request: text, Works: works,
		Person: c.m.Person, Project: c.m.Project, Ends: c.req.Effect == ""}
	if dir != "" && c.m.Seat.Info.Acts {
		c.task.Base, err = code.Offer(ctx, c.code(), c.task.Name, dir)
	}
	return err
}

// name returns that of a task: for an effect always the same.
func name(r llm.Request, queue string) string {
	if r.Effect == "" {
		return rand.Text()
	}
	sum := sha256.Sum256([]byte(queue + "\x00" + r.Effect))
	return hex.EncodeToString(sum[:16])
}

// run follows the task to its end, across restarts of the hub.
func (c *call) run(ctx context.Context) {
	lost := time.Time{}
	for {
		came, err := c.follow(ctx)
		if err == nil {
			return
		}
		if came {
			lost = time.Time{}
		}
		if ctx.Err() != nil || !lost.IsZero() && time.Since(lost) > away {
			c.drop(ctx)
			c.yield(llm.Delta{}, c.failure(ctx, err))
			return
		}
		if lost.IsZero() && !c.yield(llm.Delta{Retry: &llm.Retry{Err: &trouble.Error{Kind: trouble.Network,
			Message: "the hub is unreachable; its workers continue"}}}, nil) {
			c.drop(ctx)
			return
		}
		if lost.IsZero() {
			lost = time.Now()
		}
		pause(ctx)
	}
}

// follow passes on deltas until the task is over. An error is that of the connection.
func (c *call) follow(ctx context.Context) (came bool, err error) {
	for e, err := range c.m.Hub.Follow(ctx, c.task, c.epoch, c.next) {
		if err != nil {
			return came, err
		}
		came = true
		if !c.hear(ctx, e) {
			c.drop(ctx)
			return true, nil
		}
		if e.Over {
			c.close(ctx, e)
			return true, nil
		}
	}
	return came, nil
}

// hear applies an event. False: nobody listens any more.
func (c *call) hear(ctx context.Context, e socket.Event) bool {
	if e.Epoch != c.epoch {
		if c.part && !c.yield(llm.Delta{Retry: &llm.Retry{Attempt: c.tries, Void: true, Err: &trouble.Error{Kind: trouble.Network,
			Message: "its worker went silent, and another one took over"}}}, nil) {
			return false
		}
		c.epoch, c.next, c.part, c.end = e.Epoch, 0, false, nil
		c.tries++
	}
	if e.Worker != "" {
		c.worker = e.Worker
	}
	for i, d := range e.Deltas {
		if e.First+i < c.next {
			continue
		}
		c.next = e.First + i + 1
		if err := c.tab.saw(ctx, d); err != nil {
			c.yield(llm.Delta{}, err)
			return false
		}
		if d.End != nil { // sent once the changes are here
			c.end = d.End
			continue
		}
		if d.Call != nil {
			own := c.unmasked(*d.Call)
			d.Call = &own
		}
		c.part = c.part || d.Part()
		if !c.yield(d, nil) {
			return false
		}
	}
	for _, wish := range e.Wishes {
		if id := fmt.Sprint(e.Epoch, "/", wish.N); !c.asked[id] {
			c.asked[id] = true
			go c.decide(ctx, wish)
		}
	}
	return true
}

// decide asks whether a tool may be used, and tells the hub. It may wait for a person.
func (c *call) decide(ctx context.Context, w lease.Wish) {
	no := "it only reads"
	if c.req.Leave != nil {
		no = ""
		if err := c.req.Leave(ctx, c.unmasked(w.Call)); err != nil {
			no = err.Error()
		}
	}
	for ctx.Err() == nil && c.m.Hub.Decide(ctx, c.task.Name, w.N, no) != nil { // the hub is away
		pause(ctx)
	}
}

// unmasked replaces the folder in a worker's call by ours.
func (c *call) unmasked(from llm.Call) llm.Call {
	if quoted, err := json.Marshal(c.req.Dir); err == nil && c.req.Dir != "" {
		from.Args = bytes.ReplaceAll(from.Args, []byte(code.Here), quoted[1:len(quoted)-1])
	}
	return from
}

// pause waits before the hub is asked again.
func pause(ctx context.Context) {
	select {
	case <-time.After(500 * time.Millisecond):
	case <-ctx.Done():
	}
}

// close applies the changes, and reports the end.
func (c *call) close(ctx context.Context, e socket.Event) {
	err := error(nil)
	switch {
	case e.Lost != "":
		err = &trouble.Error{Kind: trouble.Network, Message: e.Lost}
	case e.Made != "":
		if _, err = code.Take(ctx, c.code(), c.task.Name, e.Epoch, c.req.Dir); err != nil {
			err = &trouble.Error{Kind: trouble.Crash, Message: "its changes cannot be applied here: " + err.Error(), Err: err}
		}
	}
	if err == nil && e.Failed != nil {
		err, c.tab.lost = e.Failed, mayCost(e.Failed)
	}
	if err == nil && c.end == nil {
		err = &trouble.Error{Kind: trouble.Malformed, Message: "its worker ended without an answer"}
	}
	if c.req.Effect == "" || err != nil { // a failed task is asked again
		c.forget(ctx)
	}
	if err != nil {
		c.yield(llm.Delta{}, c.failure(ctx, err))
		return
	}
	c.yield(llm.Delta{End: c.end}, nil)
}

// drop ends a task that nobody waits for any more. A silent worker may have sent it to its vendor all the same, which
// is paid for.
func (c *call) drop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if worker, err := c.m.Hub.Cancel(ctx, c.task.Name); err == nil && worker != "" {
		c.worker = worker
	}
	c.forget(ctx)
}

func (c *call) forget(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	c.m.Hub.Forget(ctx, c.task.Name)
	if c.task.Base != "" {
		code.Drop(c.code(), c.task.Name)
	}
}

// failure returns the error of a call that did not finish.
func (c *call) failure(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if e, ok := err.(*trouble.Error); ok {
		return e
	}
	return &trouble.Error{Kind: trouble.Network, Message: fmt.Sprintf("the hub cannot be reached: %v", err), Err: err}
}
