package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/socrates-cli/socrates/internal/lines"
)

// longestLine is the maximum size of one message, in bytes.
const longestLine = 16 << 20

// message is a request, a notification or an answer of JSON-RPC 2.0; each line has one.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // of a request and its answer; it may be null
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *problem        `json:"error,omitempty"`
}

// problem is why a request failed.
type problem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error returns what the editor shows; the code is for programs.
func (p *problem) Error() string { return p.Message }

// The codes of problems.
const (
	unreadable   = -32700
	badRequest   = -32600
	noMethod     = -32601
	badParams    = -32602
	broken       = -32603
	needsSignIn  = -32000
	noSuchThing  = -32002
	wasCancelled = -32800
)

// task executes a request, and returns what follows after its answer; then may be nil.
type task func(ctx context.Context) (result any, then func(), err error)

// conn is the connection to an editor. Its methods are safe for concurrent use, except listen, which owns last.
type conn struct {
	send func(v any) error // a line; safe for concurrent use
	work sync.WaitGroup    // requests being answered

	last    chan struct{} // closed once the previous request was answered; owned by the reading loop
	mu      sync.Mutex
	serial  int
	asked   map[int]chan message          // our requests that wait for an answer
	running map[string]context.CancelFunc // the editor's requests, by id
}

// listen reads messages until there are no more. The task that dispatch returns runs concurrently with later
// messages.
func (c *conn) listen(ctx context.Context, in io.Reader, dispatch func(m message) (task, error)) error {
	buffered := bufio.NewReaderSize(in, 64<<10)
	for {
		line, long, err := lines.Read(buffered, longestLine)
		if len(line) > 0 || long {
			c.take(ctx, line, long, dispatch)
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// take handles one line: an answer to us, a cancel, a notification or a request.
func (c *conn) take(ctx context.Context, line []byte, long bool, dispatch func(m message) (task, error)) {
	var m message
	if long {
		c.answer(message{ID: json.RawMessage("null")}, nil, &problem{Code: badRequest, Message: "the message is longer than 16 MB"})
		return
	}
	if err := json.Unmarshal(line, &m); err != nil {
		code := unreadable
		if json.Valid(line) {
			code = badRequest
		}
		c.answer(message{ID: json.RawMessage("null")}, nil, &problem{Code: code, Message: "not a message of JSON-RPC 2.0: " + err.Error()})
		return
	}
	if m.Method == "" {
		c.answered(m)
		return
	}
	if m.Method == "$/cancel_request" {
		c.giveUp(m.Params)
		return
	}
	do, err := dispatch(m)
	if m.ID == nil { // a notification: its error is not reported
		return
	}
	if err != nil {
		do = func(context.Context) (any, func(), error) { return nil, nil, err }
	}
	c.perform(ctx, m, do)
}

// longMethod is slow: later requests do not wait for its answer.
const longMethod = "session/prompt"

// perform executes a request once earlier ones were answered, while more messages are read, and answers it. then runs
// after the answer was written: an editor must know a session before it gets its updates.
func (c *conn) perform(ctx context.Context, m message, do task) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.running[string(m.ID)] = cancel
	c.mu.Unlock()
	before, over := c.last, make(chan struct{})
	c.last = over
	c.work.Go(func() {
		if before != nil {
			<-before
		}
		if m.Method == longMethod {
			close(over)
		} else {
			defer close(over)
		}
		result, then, err := do(ctx)
		c.mu.Lock()
		delete(c.running, string(m.ID))
		c.mu.Unlock()
		cancel()
		c.answer(m, result, err)
		if err == nil && then != nil {
			then()
		}
	})
}

// giveUp cancels a request of the editor.
func (c *conn) giveUp(params json.RawMessage) {
	var of struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &of) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.running[string(of.RequestID)]; cancel != nil {
		cancel()
	}
}

// answer answers a request.
func (c *conn) answer(to message, result any, err error) {
	m := message{JSONRPC: "2.0", ID: to.ID}
	if err != nil {
		m.Error = problemOf(err)
	} else if result == nil {
		m.Result = json.RawMessage("{}")
	} else if m.Result, err = json.Marshal(result); err != nil {
		m.Error = problemOf(err)
	}
	c.send(m) // if the editor is gone, its input ends
}

// answered passes an answer to the waiting request.
func (c *conn) answered(m message) {
	id, err := strconv.Atoi(string(m.ID))
	c.mu.Lock()
	defer c.mu.Unlock()
	if waits := c.asked[id]; err == nil && waits != nil {
		delete(c.asked, id)
		waits <- m
	}
}

// notify sends the editor a notification.
func (c *conn) notify(method string, params any) {
	if raw, err := json.Marshal(params); err == nil {
		c.send(message{JSONRPC: "2.0", Method: method, Params: raw})
	}
}

// ask sends the editor a request and waits for its answer. If ctx ends first, the editor is told that nobody waits
// any more.
func (c *conn) ask(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	waits := make(chan message, 1)
	c.mu.Lock()
	c.serial++
	id := c.serial
	c.asked[id] = waits
	c.mu.Unlock()
	if err := c.send(message{JSONRPC: "2.0", ID: json.RawMessage(strconv.Itoa(id)), Method: method, Params: raw}); err != nil {
		return err
	}
	select {
	case m := <-waits:
		if m.Error != nil {
			return fmt.Errorf("%s: %w", method, m.Error)
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.asked, id)
		c.mu.Unlock()
		c.notify("$/cancel_request", map[string]int{"requestId": id})
		return context.Cause(ctx)
	}
}
