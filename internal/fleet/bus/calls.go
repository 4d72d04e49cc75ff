package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/socrates-cli/socrates/internal/fleet"
)

const (
	patience = 5 * time.Second  // how long one try waits for an answer
	poll     = 25 * time.Second // how long one request for a task waits at the server, at most
)

// Claim claims a task from Next. Like all calls it retries, each try with a deadline of its own, until there is an
// answer or ctx ends: then the error is ErrUnreachable. ErrRefused: the hub refused.
func (c *Client) Claim(ctx context.Context, in fleet.Claim) (out fleet.Claimed, err error) {
	return out, c.call(ctx, fleet.ClaimTo, in.Task, in, &out)
}

// Beat reports that a task is being worked on.
func (c *Client) Beat(ctx context.Context, in fleet.Beat) (out fleet.Told, err error) {
	return out, c.call(ctx, fleet.BeatTo, in.Task, in, &out)
}

// Node sends a part of an answer.
func (c *Client) Node(ctx context.Context, in fleet.Node) (out fleet.Told, err error) {
	return out, c.call(ctx, fleet.NodeTo, in.Task, in, &out)
}

// Done reports how a task ended.
func (c *Client) Done(ctx context.Context, in fleet.Done) (out fleet.Told, err error) {
	return out, c.call(ctx, fleet.DoneTo, in.Task, in, &out)
}

// May asks whether a tool may be used.
func (c *Client) May(ctx context.Context, in fleet.May) (out fleet.Told, err error) {
	return out, c.call(ctx, fleet.MayTo, in.Task, in, &out)
}

// call asks the hub until it answers.
func (c *Client) call(ctx context.Context, to, task string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("cannot write a call: %w", err)
	}
	m := &nats.Msg{Subject: to + "." + c.me.Name, Data: body, Header: nats.Header{}}
	if task != "" {
		m.Header.Set(headTask, task)
	}
	for n := 0; ; n++ {
		err := c.try(ctx, m, out)
		if err == nil || isRefused(err) || errors.Is(err, ErrTooLarge) {
			return err
		}
		c.mu.Lock()
		turn := c.turn
		c.mu.Unlock()
		again := time.NewTimer(delay(n))
		select {
		case <-again.C:
		case <-turn: // possibly connected again
			again.Stop()
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		case <-ctx.Done():
			return err
		}
	}
}

// try asks once.
func (c *Client) try(ctx context.Context, m *nats.Msg, out any) error {
	if most := c.nc.MaxPayload(); most > 0 && int64(m.Size()) > most {
		return fmt.Errorf("%w: it has %d bytes, the hub accepts %d; send it over the web", ErrTooLarge, len(m.Data), most)
	}
	once, done := context.WithTimeout(ctx, patience)
	defer done()
	answer, err := c.nc.RequestMsgWithContext(once, &nats.Msg{Subject: m.Subject, Data: m.Data, Header: m.Header})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err := saidNo(answer); err != nil {
		return err
	}
	if err := json.Unmarshal(answer.Data, out); err != nil {
		return fmt.Errorf("%w: its answer cannot be read: %w", ErrRefused, err)
	}
	return nil
}

func isRefused(err error) bool { return errors.Is(err, ErrRefused) }

// Next waits for a task of a granted queue. The reply is passed to the claim. A task that is not claimed within a
// lease goes to another.
func (c *Client) Next(ctx context.Context, queue string) (task, reply string, err error) {
	for {
		if err := c.admitted(ctx); err != nil {
			return "", "", err
		}
		c.mu.Lock()
		turn, links, ours, paused := c.turn, c.links, slices.Contains(c.granted.Queues, queue), c.granted.Paused
		c.mu.Unlock()
		if !ours {
			return "", "", fmt.Errorf("%w: the queue %s was not granted", ErrRefused, queue)
		}
		if paused {
			select {
			case <-turn:
				continue
			case <-ctx.Done():
				return "", "", context.Cause(ctx)
			case <-c.ctx.Done():
				return "", "", context.Cause(c.ctx)
			}
		}
		m, err := c.pull(ctx, turn, links, queue)
		if err == nil {
			if task := after(m.Subject(), 2); tokens(task) == nil {
				return task, m.Reply(), nil
			}
			continue
		}
		if err := c.rest(ctx, err, turn); err != nil {
			return "", "", err
		}
	}
}

// pull asks the server for one task, until the connection changes, or the worker loses the queue. A repeated offer
// that changes nothing cancels no request: a new request would be last in the queue, and lose what is on its way.
func (c *Client) pull(ctx context.Context, turn <-chan struct{}, links int, queue string) (jetstream.Msg, error) {
	wait := poll
	if term := c.Admitted().Lease; term > 0 {
		wait = min(wait, term/2) // a stopped worker's request must not outlive its lease: it would get its task back
	}
	once, done := context.WithTimeout(ctx, wait)
	defer done()
	go func() {
		for same := true; same; {
			select {
			case <-turn:
				turn, same = c.unchanged(links, queue)
			case <-once.Done():
				return
			}
		}
		done()
	}()
	known, ok := c.queues.Load(queue)
	if !ok {
		consumer, err := c.js.Consumer(once, fleet.Stream, queue)
		if err != nil {
			return nil, err
		}
		known, _ = c.queues.LoadOrStore(queue, consumer)
	}
	return known.(jetstream.Consumer).Next(jetstream.FetchContext(once))
}

// unchanged reports whether a request made over a connection is still valid.
func (c *Client) unchanged(links int, queue string) (turn <-chan struct{}, same bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.turn, c.links == links && slices.Contains(c.granted.Queues, queue) && !c.granted.Paused
}

// rest waits before the next pull: not at all if there was no task.
func (c *Client) rest(ctx context.Context, err error, turn <-chan struct{}) error {
	wait := delay(2)
	if errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, jetstream.ErrNoMessages) {
		wait = 0
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	case <-turn:
	case <-t.C:
	}
	return nil
}
