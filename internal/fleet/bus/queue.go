package bus

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// wrongSequence is the server's error code for: this subject already has a message.
const wrongSequence jetstream.ErrorCode = 10071

// Put adds a task to a queue, unless it is there. It recreates the queue's stream if that is gone.
func (s *Server) Put(ctx context.Context, queue, task string) error {
	if err := tokens(queue, task); err != nil {
		return err
	}
	err := s.put(ctx, queue, task)
	if errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, jetstream.ErrStreamNotFound) {
		if err = s.restock(ctx); err == nil {
			err = s.put(ctx, queue, task)
		}
	}
	if err != nil {
		return fmt.Errorf("cannot queue the task %s: %w", task, err)
	}
	return nil
}

func (s *Server) put(ctx context.Context, queue, task string) error {
	at, mark := subjectOf(queue, task), s.mark(queue, task)
	err := publish(ctx, s, at, mark)
	var api *jetstream.APIError
	if !errors.As(err, &api) || api.ErrorCode != wrongSequence {
		return err
	}
	stream, err := s.stream(ctx)
	if err != nil {
		return err
	}
	msg, err := stream.GetLastMsgForSubject(ctx, at)
	if err != nil || hmac.Equal(msg.Data, mark) {
		return err
	}
	// A worker made the server write there. Ours replaces it.
	if err := stream.DeleteMsg(ctx, msg.Sequence); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return err
	}
	return publish(ctx, s, at, mark)
}

// publish puts a message where none is, and remembers its number.
func publish(ctx context.Context, s *Server, at string, mark []byte) error {
	done, err := s.js.Publish(ctx, at, mark, jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithRetryAttempts(0))
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[done.Sequence] = at
	return nil
}

// mark returns the body of a task's message. A worker can make the queue's server write to any subject, as the answer
// to its own request, but not with the mark of that task in that queue.
func (s *Server) mark(queue, task string) []byte {
	h := hmac.New(sha256.New, []byte(s.id.Account))
	h.Write([]byte(subjectOf(queue, task)))
	return []byte(hex.EncodeToString(h.Sum(nil)[:16]))
}

// Queued returns the tasks in a queue, delivered or not, in no order. The queue "*" is all of them.
func (s *Server) Queued(ctx context.Context, queue string) ([]string, error) {
	if queue != "*" {
		if err := tokens(queue); err != nil {
			return nil, err
		}
	}
	return s.matching(ctx, subjectOf(queue, "*"))
}

// Has reports whether any queue has a task.
func (s *Server) Has(ctx context.Context, task string) (bool, error) {
	if err := tokens(task); err != nil {
		return false, err
	}
	found, err := s.matching(ctx, subjectOf("*", task))
	return len(found) > 0, err
}

func (s *Server) matching(ctx context.Context, subject string) (tasks []string, err error) {
	stream, err := s.js.Stream(ctx, fleet.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the queue: %w", err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return nil, fmt.Errorf("cannot read the queue: %w", err)
	}
	for at := range info.State.Subjects {
		tasks = append(tasks, after(at, 2))
	}
	return tasks, nil
}

// acknowledges matches the subjects that acknowledge a delivery: queue, delivery count, number in the stream, and
// three more.
var acknowledges = pattern.Of(`^\$JS\.ACK\.` + fleet.Stream + `\.([A-Za-z0-9_-]{1,128})\.\d{1,20}\.(\d{1,20})(?:\.\d{1,20}){3}$`)

// Ack removes a delivered task from its queue. Reply is that of a claim that the handler got: the server has verified
// that it is the delivery of that task, from a queue of that worker.
func (s *Server) Ack(reply string) error {
	if m := acknowledges().FindStringSubmatch(reply); m != nil {
		number, _ := strconv.ParseUint(m[2], 10, 64) // 0 is no message
		s.mu.Lock()
		delete(s.known, number)
		s.mu.Unlock()
	}
	return s.answerDelivery(reply, "+ACK")
}

// Renew extends a delivery by another lease.
func (s *Server) Renew(reply string) error { return s.answerDelivery(reply, "+WPI") }

// Nak returns a delivery, to be delivered again after a delay.
func (s *Server) Nak(reply string, delay time.Duration) error {
	body, err := json.Marshal(map[string]int64{"delay": int64(max(delay, time.Millisecond))})
	if err != nil {
		return err
	}
	return s.answerDelivery(reply, "-NAK "+string(body))
}

func (s *Server) answerDelivery(reply, what string) error {
	if !acknowledges().MatchString(reply) {
		return fmt.Errorf("%q is not a task delivery", reply)
	}
	if err := s.nc.Publish(reply, []byte(what)); err != nil {
		return fmt.Errorf("cannot acknowledge a delivery: %w", err)
	}
	return nil
}

// delivered verifies that a claim is for a message of one of the worker's queues, with that task. Without an error it
// may still be false: the message is gone.
func (s *Server) delivered(ctx context.Context, w Worker, c fleet.Claim) (bool, error) {
	m := acknowledges().FindStringSubmatch(c.Reply)
	switch {
	case tokens(c.Task) != nil:
		return false, refusal("its claim names no task")
	case m == nil:
		return false, refusal("its claim names no delivery")
	case !slices.Contains(w.Queues, m[1]):
		return false, refusal("its claim is for a queue that it was not granted")
	}
	number, err := strconv.ParseUint(m[2], 10, 64)
	if err != nil {
		return false, refusal("its claim names no delivery")
	}
	s.mu.Lock()
	ours := s.known[number] == subjectOf(m[1], c.Task)
	s.mu.Unlock()
	if ours { // the hub itself wrote it
		return true, nil
	}
	stream, err := s.stream(ctx)
	if err != nil {
		return false, err
	}
	msg, err := stream.GetMsg(ctx, number)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return false, nil
	case err != nil:
		return false, err
	case msg.Subject != subjectOf(m[1], c.Task):
		return false, refusal("its claim names the delivery of another task")
	case !hmac.Equal(msg.Data, s.mark(m[1], c.Task)):
		return false, errors.Join(refusal("its claim names what the hub did not queue"), stream.DeleteMsg(ctx, number))
	}
	return true, nil
}

// Tell tells a worker at once that a task must stop or is its last. The message may be lost: the answer to the next
// beat repeats it.
func (s *Server) Tell(worker, task string, v fleet.Verdict) error {
	if err := errors.Join(fleet.Named(worker), tokens(task)); err != nil {
		return err
	}
	body, err := json.Marshal(Order{Task: task, Verdict: v})
	if err != nil {
		return err
	}
	if err := s.nc.PublishMsg(&nats.Msg{Subject: fleet.Control + "." + worker, Data: body}); err != nil {
		return fmt.Errorf("cannot reach the worker %s: %w", worker, err)
	}
	return nil
}

// Order is an unsolicited message of the hub about a task.
type Order struct {
	Task    string        `json:"task"`
	Verdict fleet.Verdict `json:"verdict"`
}

// orderOf parses one. Other messages on the subject are no orders: a worker can make the server answer it there.
func orderOf(m *nats.Msg, worker string) (o Order, ok bool) {
	if m.Subject != fleet.Control+"."+worker || m.Reply != "" || len(m.Header) > 0 || json.Unmarshal(m.Data, &o) != nil {
		return o, false
	}
	known := []fleet.Verdict{fleet.OK, fleet.Stale, fleet.Cancel, fleet.Drain, fleet.Again}
	return o, tokens(o.Task) == nil && slices.Contains(known, o.Verdict)
}
