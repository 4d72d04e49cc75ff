package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// Handler handles the calls of a hub's workers. Calls of one worker for one task come one after another, all others
// concurrently. The server has verified that the call comes from the worker it names. After an error the worker
// retries, as if nobody had answered. Offer's answer has no credential: one is made for the queues it grants.
type Handler struct {
	Offer func(ctx context.Context, worker string, o fleet.Offer) (fleet.Admitted, error)
	Claim func(ctx context.Context, worker string, c fleet.Claim) (fleet.Claimed, error)
	Beat  func(ctx context.Context, worker string, b fleet.Beat) (fleet.Told, error)
	Node  func(ctx context.Context, worker string, n fleet.Node) (fleet.Told, error)
	Done  func(ctx context.Context, worker string, d fleet.Done) (fleet.Told, error)
	May   func(ctx context.Context, worker string, m fleet.May) (fleet.Told, error)

	Refused func(Refusal) // receives refusals, for the audit log; must be quick. nil: not needed
}

// Refusal is a call that the server did not pass on, or something else that it refused a connection.
type Refusal struct {
	Worker  string // from the subject; empty: a joining client, or a refused connection
	Subject string // or a description: connection, a message
	Why     string
}

// Serve handles workers' calls until ctx ends and the calls in progress are answered.
func (s *Server) Serve(ctx context.Context, h Handler) error {
	// Calls in progress when ctx ends are completed.
	whole := context.WithoutCancel(ctx)
	calls, err := s.nc.Subscribe("hub.>", func(m *nats.Msg) { s.receive(whole, h, m) })
	if err != nil {
		return fmt.Errorf("cannot listen to workers: %w", err)
	}
	defer calls.Unsubscribe()
	if err := calls.SetPendingLimits(1<<16, 512<<20); err != nil {
		return err
	}
	if err := s.nc.FlushTimeout(patience); err != nil {
		return fmt.Errorf("cannot listen to workers: %w", err)
	}
	s.watch.tell(h, ctx.Done())
	return nil
}

// receive verifies the caller, and has the call answered.
func (s *Server) receive(ctx context.Context, h Handler, m *nats.Msg) {
	refuse := func(worker string, why error) {
		if h.Refused != nil {
			h.Refused(Refusal{Worker: worker, Subject: m.Subject, Why: why.Error()})
		}
	}
	if m.Subject == fleet.Join {
		if !s.lanes.add(lane{}, len(m.Data), func() { s.join(m, refuse) }) {
			refuse("", errors.New("too many workers are joining at once"))
		}
		return
	}
	cut := strings.LastIndexByte(m.Subject, '.')
	verb, worker := m.Subject[:cut], m.Subject[cut+1:]
	// An answer may only go to its worker: otherwise the hub itself would write where the worker may not.
	if !strings.HasPrefix(m.Reply, inbox(worker)+".") || fleet.Named(worker) != nil {
		refuse(worker, fmt.Errorf("it wants the answer at %q", m.Reply))
		return
	}
	w, ok := s.roster.seen(worker)
	if !ok {
		refuse(worker, refusal("no such worker, or revoked"))
		answerRefused(m, "this worker was revoked or never joined")
		return
	}
	call := s.calls(h)[verb]
	if call == nil {
		refuse(worker, refusal("no such call"))
		return
	}
	task := m.Header.Get(headTask)
	if !s.lanes.add(lane{worker, task}, len(m.Data), func() { answer(m, worker, refuse)(call(ctx, w, m.Data)) }) {
		refuse(worker, errors.New("it has too many calls waiting"))
	}
}

// answer sends the result of a call.
func answer(m *nats.Msg, worker string, refuse func(string, error)) func(any, error) {
	return func(v any, err error) {
		var no refusal
		switch {
		case errors.As(err, &no):
			refuse(worker, err)
			answerRefused(m, no.Error())
			return
		case err == nil:
			var body []byte
			if body, err = json.Marshal(v); err == nil {
				err = m.Respond(body)
			}
		}
		var two twin
		if errors.As(err, &two) {
			refuse(worker, err)
		}
		if err != nil {
			_ = m.RespondMsg(&nats.Msg{Header: nats.Header{headLater: {strings.ToValidUTF8(firstLine(err.Error()), "")}}})
		}
	}
}

func answerRefused(m *nats.Msg, why string) {
	_ = m.RespondMsg(&nats.Msg{Header: nats.Header{headRefuse: {firstLine(why)}}})
}

// firstLine returns what fits into a header.
func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, text)
}

// calls returns the handlers by subject.
func (s *Server) calls(h Handler) map[string]func(context.Context, Worker, []byte) (any, error) {
	return map[string]func(context.Context, Worker, []byte) (any, error){
		fleet.OfferTo: func(ctx context.Context, w Worker, body []byte) (any, error) { return s.offer(ctx, h, w, body) },
		fleet.ClaimTo: func(ctx context.Context, w Worker, body []byte) (any, error) { return s.claim(ctx, h, w, body) },
		fleet.BeatTo:  handed(h.Beat),
		fleet.NodeTo:  handed(h.Node),
		fleet.DoneTo:  handed(h.Done),
		fleet.MayTo:   handed(h.May),
	}
}

// handed decodes a call and passes it to the handler.
func handed[In, Out any](to func(context.Context, string, In) (Out, error)) func(context.Context, Worker, []byte) (any, error) {
	if to == nil {
		return nil
	}
	return func(ctx context.Context, w Worker, body []byte) (any, error) {
		in, err := decoded[In](body)
		if err != nil {
			return nil, err
		}
		return to(ctx, w.Name, in)
	}
}

func decoded[In any](body []byte) (in In, err error) {
	if err := json.Unmarshal(body, &in); err != nil {
		return in, refusal("this call cannot be read: " + err.Error())
	}
	return in, nil
}

// claim passes a claim on if its delivery is the worker's. If the message is gone from the queue, the task is done or
// was put back since: then the worker will get it again.
func (s *Server) claim(ctx context.Context, h Handler, w Worker, body []byte) (fleet.Claimed, error) {
	c, err := decoded[fleet.Claim](body)
	if err != nil {
		return fleet.Claimed{}, err
	}
	ours, err := s.delivered(ctx, w, c)
	if err != nil {
		return fleet.Claimed{}, err
	}
	if !ours {
		return fleet.Claimed{Verdict: fleet.Gone}, nil
	}
	return h.Claim(ctx, w.Name, c)
}

// admission is the answer to an offer, and the credential for the next one after the granted one has expired.
type admission struct {
	fleet.Admitted
	Base string `json:"base,omitempty"`
}

// offer makes the queues that the handler grants, and the credential for them.
func (s *Server) offer(ctx context.Context, h Handler, w Worker, body []byte) (any, error) {
	o, err := decoded[fleet.Offer](body)
	if err != nil {
		return nil, err
	}
	if s.twins(w) {
		return nil, twin(w.Name)
	}
	a, err := h.Offer(ctx, w.Name, o)
	if err != nil || a.Refused != "" {
		return a, err
	}
	if err := s.offerQueues(ctx, a.Queues); err != nil {
		return nil, err
	}
	if !slices.Equal(w.Queues, a.Queues) || w.Expires.Sub(s.roster.now()) < kept/2 {
		if err := s.roster.grant(w.Name, a.Queues); err != nil {
			return nil, err
		}
	}
	if a.Lease == 0 {
		a.Lease = s.opts.Lease
	}
	answer := admission{Admitted: a}
	if answer.Credential, err = s.signer.granted(w.Key, w.Name, a.Queues); err != nil {
		return nil, err
	}
	answer.Base, err = s.signer.base(w.Key, w.Name)
	return answer, err
}

// twin is a worker's name that two machines use. The real one cannot be told, so neither gets new rights until the
// other is gone; after a broken connection the hub takes up to half a minute to notice.
type twin string

// Error explains it.
func (t twin) Error() string {
	return "another machine is connected as " + string(t) + ", with the same key"
}

// stream returns the stream of tasks.
func (s *Server) stream(ctx context.Context) (jetstream.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tasks == nil {
		t, err := s.js.Stream(ctx, fleet.Stream)
		if err != nil {
			return nil, err
		}
		s.tasks = t
	}
	return s.tasks, nil
}
