package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	group "github.com/socrates-cli/socrates/internal/process"
)

// model answers through processes of one program, one for each session. A request without a session gets a process
// that ends with it.
type model struct {
	program Program
	o       Options

	mu     sync.Mutex
	closed bool
	// mu guards the rest. A process is started while it is held, so that Close misses none.
	seats map[string]*liveSession // by session
	live  map[*talk]bool
}

// liveSession is a session. Whoever holds its turn may use its talk and its rest. It outlives its processes.
type liveSession struct {
	token chan struct{} // holds one token while no turn runs
	talk  *talk         // nil: no process
	rest  *time.Timer   // ends an unused process; nil if never used
}

// talk is a process, what it was started for and what it was told. Only the holder of the seat's turn uses it, except
// that Close ends the process during a turn.
type talk struct {
	*process
	dialect
	start start
	said  []string        // everything said to it and by it, as plain wrote it; the caller may leave out some of it
	did   map[string]bool // what it did with leave, by the ids of the calls
}

// knows records what the process was told in a turn and what it answered.
func (t *talk) knows(told []llm.Message, answer llm.Message) {
	for _, m := range append(slices.Clip(told), answer) {
		t.said = append(t.said, plain(m))
	}
}

// strange returns a request without what the process did itself.
func (t *talk) strange(req llm.Request) llm.Request {
	req.Messages = slices.DeleteFunc(slices.Clone(req.Messages), func(m llm.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p llm.Part) bool {
			c, _ := p.(llm.Call)
			r, _ := p.(llm.Result)
			return t.did[c.ID] || t.did[r.ID]
		})
	})
	return req
}

// start is what a process cannot change once it runs. A request that differs in any of it needs another process.
type start struct {
	system, dir, effort string
	vars                string
	works               bool // it has leave to work
}

// Info returns what the options say about the program; the program is not asked.
func (m *model) Info() llm.Info { return m.o.Info }

// Stream sends only what the session's process does not know yet. Text is yielded as it comes, including what the
// program says between its own actions; the end carries the complete last answer.
//
// It waits for its turn if another call of the session runs. The process stays for the next call only if the turn
// closed properly; after a failure the next call starts a new one and sends it the history. Waiting counts towards
// Options.Longest.
func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(tell func(llm.Delta, error) bool) {
		ctx, cancel := m.limited(ctx)
		defer cancel()
		s := m.seat(req.Session)
		var once onceMore
		yield := func(d llm.Delta, err error) bool {
			if err != nil && s.talk != nil {
				err = s.talk.explain(err)
			}
			return !once.takes(d, err) && tell(d, hide(err, m.o.Env))
		}
		select {
		case <-s.token:
		case <-ctx.Done():
			yield(llm.Delta{}, cancelled(ctx, ctx.Err()))
			return
		}
		healthy := false
		defer func() { m.leave(s, healthy && req.Session != "") }()
		if req.Effort == "" {
			req.Effort = m.o.Effort
		}
		for {
			news, err := m.sit(ctx, s, req)
			if err != nil {
				tell(llm.Delta{}, hide(unsent(cancelled(ctx, err)), m.o.Env))
				return
			}
			healthy = m.listen(ctx, s.talk, news, req, yield)
			if once.failed == nil {
				return
			}
			m.drop(s)
			if !tell(llm.Delta{Retry: once.retry()}, nil) {
				return
			}
			select {
			case <-time.After(againAfter):
			case <-ctx.Done():
				tell(llm.Delta{}, cancelled(ctx, ctx.Err()))
				return
			}
		}
	}
}

// onceMore repeats a request once that failed before its first word because the vendor was busy: some programs give
// up at the first such answer. Programs that retry by themselves have done so.
type onceMore struct {
	spoke  bool
	failed *trouble.Error // why it is to be repeated; nil if it is not
	over   bool           // it was repeated
}

// againAfter is the wait before a busy vendor is asked again.
const againAfter = time.Second

// takes reports whether a failure is kept from the reader.
func (o *onceMore) takes(d llm.Delta, err error) bool {
	o.spoke = o.spoke || err == nil && d.Note == "" && d.Usage == nil
	e, ok := errors.AsType[*trouble.Error](err)
	if !ok || o.spoke || o.over || e.Kind != trouble.Overloaded && e.Kind != trouble.RateLimit || e.RetryAfter > againAfter {
		return false
	}
	o.failed = e
	return true
}

// retry reports the failed attempt. From then on no failure is kept from the reader.
func (o *onceMore) retry() *llm.Retry {
	r := &llm.Retry{Attempt: 1, Wait: againAfter, Err: o.failed}
	o.failed, o.over = nil, true
	return r
}

// seat returns the seat of a session, which it creates if there is none. A seat without a name belongs to the caller
// alone.
func (m *model) seat(session string) *liveSession {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.seats[session]
	if s == nil || session == "" {
		s = &liveSession{token: make(chan struct{}, 1)}
		s.token <- struct{}{}
	}
	if session != "" {
		m.seats[session] = s
	}
	return s
}

// sit makes sure s has a process that knows the history, and returns what it must still be told. The caller holds the
// turn of s.
func (m *model) sit(ctx context.Context, s *liveSession, req llm.Request) ([]llm.Message, error) {
	if s.rest != nil {
		s.rest.Stop()
	}
	st := start{req.System, req.Dir, req.Effort, strings.Join(req.Vars, "\x00"), req.Leave != nil}
	if s.talk != nil {
		if news := unheard(s.talk.said, s.talk.strange(req)); s.talk.start == st && news != nil && s.talk.alive() {
			return news, nil
		}
		m.drop(s)
	}
	t, err := m.begin(ctx, st, req)
	if err != nil {
		return nil, err
	}
	s.talk = t
	return req.Messages, nil
}

// begin starts a process and opens the conversation.
//
// It reads the environment and the program's own settings each time. If the conversation cannot be opened, the
// process and its home are gone when it returns.
func (m *model) begin(ctx context.Context, st start, req llm.Request) (*talk, error) {
	if len(req.Messages) == 0 {
		return nil, &trouble.Error{Kind: trouble.BadRequest, Message: "nothing to answer"}
	}
	if m.o.Home != "" {
		if err := os.MkdirAll(m.o.Home, 0o700); err != nil {
			return nil, &trouble.Error{Kind: trouble.Crash, Message: "cannot make the program's state folder: " + err.Error(), Err: err}
		}
	}
	args, env := m.program.launch(m.o, req)
	ours := environment()
	home, vars, err := m.program.home(m.o, req)
	if err != nil {
		return nil, err
	}
	if m.program.extra != nil {
		args = append(args, m.program.extra(home.dir)...)
	}
	env = slices.Concat(ours.childEnv(m.program.sees(m.o, ours)), env, home.vars(), vars, m.o.Env)
	needs := m.program.reaches(m.o)
	if st.works {
		env, needs = slices.Concat(group.Environ(), env, req.Vars), needs.atWork()
	}

	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		home.remove()
		return nil, &trouble.Error{Kind: trouble.Crash, Message: m.program.Name + " was closed"}
	}
	p, err := startProcess(command{name: m.program.Name, bin: m.o.Bin, args: args, env: env, dir: st.dir, works: st.works, home: home,
		hold: m.o.Hold, reach: needs, mute: m.o.Mute,
		grace: m.o.Grace, skim: m.program.skim, notices: m.program.notices, text: m.program.text})
	if err != nil {
		m.mu.Unlock()
		if _, told := errors.AsType[*trouble.Error](err); told {
			return nil, err
		}
		if errors.Is(err, exec.ErrNotFound) {
			return nil, &trouble.Error{Kind: trouble.Crash,
				Message: "the program " + m.program.Command() + " is not installed, or not on PATH", Err: err}
		}
		return nil, &trouble.Error{Kind: trouble.Crash, Message: fmt.Sprintf("cannot start %s: %v", m.program.Name, err), Err: err}
	}
	t := &talk{process: p, dialect: m.program.speak(m.o), start: st, did: map[string]bool{}}
	m.live[t] = true
	m.mu.Unlock()

	if err := t.open(ctx, p, req); err != nil {
		err = p.explain(err)
		m.end(t)
		return nil, err
	}
	return t, nil
}

// home makes the home of one process and prepares the program's files in it.
func (p Program) home(o Options, req llm.Request) (h *home, vars []string, err error) {
	if h, err = newHome(); err == nil && p.prepare != nil {
		vars, err = p.prepare(h, o, req)
	}
	if err != nil {
		h.remove()
		if _, told := errors.AsType[*trouble.Error](err); !told {
			err = &trouble.Error{Kind: trouble.Crash, Message: "cannot prepare " + p.Name + ": " + err.Error(), Err: err}
		}
	}
	return h, vars, err
}

// listen runs one turn, in which the process is told the news. It reports whether the process can take another turn.
//
// After a turn that was left early the process knows what was said as far as it was heard, so a further request can
// refer to it. After a failed turn it may know anything, and is not used again.
func (m *model) listen(ctx context.Context, t *talk, news []llm.Message, req llm.Request, yield func(llm.Delta, error) bool) bool {
	t.forget()
	if err := t.ask(ctx, t.process, compose(news), req); err != nil {
		yield(llm.Delta{}, cancelled(ctx, err))
		return false
	}
	var received strings.Builder
	listening := true
	var enough error // set after too many retries
	say := func(d llm.Delta) {
		received.WriteString(d.Text)
		if d.Result != nil {
			t.did[d.Result.ID] = true
		}
		if d.Retry != nil && d.Retry.Attempt > tries {
			enough = d.Retry.Err
			return
		}
		listening = listening && enough == nil && yield(d, nil)
	}
	for {
		line, err := t.next(ctx)
		if err != nil {
			// Broken off before it says anything, a program may well wait on for its vendor, unseen and paid.
			healthy := ctx.Err() != nil && received.Len() > 0 && m.breakOff(t)
			t.knows(news, llm.AssistantText(received.String()))
			yield(llm.Delta{}, cancelled(ctx, err))
			return healthy
		}
		end, err := t.hear(ctx, t.process, line, say)
		if enough != nil {
			err = enough
		}
		switch {
		case err != nil:
			if listening {
				yield(llm.Delta{}, cancelled(ctx, err))
			}
			return false
		case end != nil:
			t.knows(news, end.Message)
			end.Request = oneLine(end.Request)
			end.Program = strings.TrimSpace(m.program.Name + " " + oneLine(end.Program))
			if listening {
				yield(llm.Delta{End: end}, nil)
			}
			return !t.spent
		case !listening:
			t.knows(news, llm.AssistantText(received.String()))
			return m.breakOff(t)
		}
	}
}

// breakOff interrupts the running turn. It returns false if the program did not close the turn in time.
//
// What the program still says is discarded. It has Options.Grace to close the turn, since the person is waiting.
func (m *model) breakOff(t *talk) bool {
	ctx, cancel := context.WithTimeout(context.Background(), m.o.Grace)
	defer cancel()
	if t.interrupt(ctx, t.process) != nil {
		return false
	}
	for {
		line, err := t.next(ctx)
		if err != nil {
			return false
		}
		end, err := t.hear(ctx, t.process, line, func(llm.Delta) {})
		if end != nil || err != nil {
			return err == nil || trouble.As(err).Kind != trouble.Malformed
		}
	}
}

// leave ends the turn, and also the process unless it is to be kept. A kept process ends after Options.Keep, unless
// its seat is in use at that moment: whoever has the turn then restarts the timer.
func (m *model) leave(s *liveSession, keep bool) {
	switch {
	case !keep:
		m.drop(s)
	case s.rest == nil:
		s.rest = time.AfterFunc(m.o.Keep, func() {
			select {
			case <-s.token:
				m.drop(s)
				s.token <- struct{}{}
			default: // in use again
			}
		})
	default:
		s.rest.Reset(m.o.Keep)
	}
	s.token <- struct{}{}
}

// drop ends the process of s, if it has one. The caller holds the turn of s.
func (m *model) drop(s *liveSession) {
	if s.talk != nil {
		m.end(s.talk)
		s.talk = nil
	}
}

// end ends a process and forgets it. It returns when the process is gone.
func (m *model) end(t *talk) {
	t.process.end()
	m.mu.Lock()
	delete(m.live, t)
	m.mu.Unlock()
}

// Close ends every process. Running and later calls fail.
func (m *model) Close() error {
	m.mu.Lock()
	m.closed = true
	var ending sync.WaitGroup
	for t := range m.live {
		ending.Go(t.process.end)
	}
	m.mu.Unlock()
	ending.Wait()
	return nil
}

// unsent returns the error of a call that never reached the program. Whoever pays per call may then ask elsewhere
// without having paid.
func unsent(err error) error {
	e := *trouble.As(err)
	e.Unsent = true
	return &e
}

// cancelled returns ctx's own error if that caused err, or the limit's error if the time was up. Otherwise a program
// that was ended because nobody listens would be reported as crashed.
func cancelled(ctx context.Context, err error) error {
	if late, ok := context.Cause(ctx).(*trouble.Error); ok {
		return late
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// limited returns a ctx that ends when an answer takes longer than it may.
func (m *model) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if m.o.Longest == 0 {
		return context.WithCancel(ctx)
	}
	late := &trouble.Error{Kind: trouble.Stall,
		Message: fmt.Sprintf("no answer within %s; to wait longer, raise programs.%s.timeout", m.o.Longest,
			SettingName(m.program.Name))}
	return context.WithTimeoutCause(ctx, m.o.Longest, late)
}
