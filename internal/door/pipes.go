package door

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/internal/lines"
)

// longestLine limits one message, in bytes.
const longestLine = 16 << 20

// lastAnswers is how long a client that closed its pipe is still answered.
const lastAnswers = 10 * time.Second

// Serve serves a client over pipes until it closes them or ctx ends. A client that closed its pipe gets answers to
// earlier requests for lastAnswers; a call that waits for a debate returns its state. The error is that of the
// server, nil after an orderly end.
func Serve(ctx context.Context, h Host, in io.Reader, out io.Writer) error {
	d, p := newDoor(h), newPipes(in, out)
	d.gone = p.gone
	return d.server().Run(ctx, p)
}

// pipes is a connection with one message a line. Unlike the SDK's it survives an invalid line, which it answers with
// an error. One goroutine reads; several may write.
type pipes struct {
	in   *bufio.Reader
	got  chan jsonrpc.Message
	gone chan struct{} // closed once the client has closed its pipe
	shut chan struct{} // closed by Close
	once sync.Once

	mu   sync.Mutex
	out  io.Writer
	open map[jsonrpc.ID]int // unanswered requests
	idle *sync.Cond         // signalled when one was answered
}

// newPipes returns a connection that reads nothing before Connect.
func newPipes(in io.Reader, out io.Writer) *pipes {
	p := &pipes{in: bufio.NewReaderSize(in, 64<<10), got: make(chan jsonrpc.Message), gone: make(chan struct{}), shut: make(chan struct{}),
		out: out, open: map[jsonrpc.ID]int{}}
	p.idle = sync.NewCond(&p.mu)
	return p
}

// Connect implements mcp.Transport.
func (p *pipes) Connect(context.Context) (mcp.Connection, error) {
	go p.listen()
	return p, nil
}

// SessionID implements mcp.Connection.
func (p *pipes) SessionID() string { return "" }

// Close implements mcp.Connection.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.shut) })
	return nil
}

// Read implements mcp.Connection.
func (p *pipes) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-p.got:
		if !ok {
			return nil, io.EOF
		}
		return m, nil
	case <-p.shut:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// listen passes messages on until there are no more and all were answered. The channel is closed only once the
// answers are written: the SDK ends the session with it.
func (p *pipes) listen() {
	defer close(p.got)
	for {
		line, long, err := lines.Read(p.in, longestLine)
		if m := p.message(line, long); m != nil {
			select {
			case p.got <- m:
			case <-p.shut:
				return
			}
		}
		if err != nil {
			close(p.gone)
			p.settle()
			return
		}
	}
}

// message parses one. An invalid one is answered with an error; nil: there is none. One line is one message; a batch,
// which the protocol no longer has, is refused.
func (p *pipes) message(line []byte, long bool) jsonrpc.Message {
	switch {
	case long:
		p.refuse(nil, jsonrpc.CodeInvalidRequest, "the message is longer than 16 MiB")
		return nil
	case len(line) == 0:
		return nil
	case !json.Valid(line):
		p.refuse(nil, jsonrpc.CodeParseError, "the line is not JSON; send one message per line")
		return nil
	case line[0] != '{':
		p.refuse(nil, jsonrpc.CodeInvalidRequest, "send one object per line; batches are not supported")
		return nil
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		var of struct {
			ID any `json:"id"`
		}
		json.Unmarshal(line, &of) // a message without a readable id is refused without one
		p.refuse(of.ID, jsonrpc.CodeInvalidRequest, "not a message of JSON-RPC 2.0: "+err.Error())
		return nil
	}
	if r, ok := m.(*jsonrpc.Request); ok {
		p.begun(r)
	}
	return m
}

// begun counts a request, or discounts one that was cancelled and gets no answer.
func (p *pipes) begun(r *jsonrpc.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.IsCall() {
		p.open[r.ID]++
		return
	}
	var of struct {
		RequestID any `json:"requestId"`
	}
	if r.Method != "notifications/cancelled" || json.Unmarshal(r.Params, &of) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(of.RequestID); err == nil {
		delete(p.open, id)
		p.idle.Broadcast()
	}
}

// settle waits until all requests were answered, at most lastAnswers.
func (p *pipes) settle() {
	late := time.AfterFunc(lastAnswers, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		clear(p.open)
		p.idle.Broadcast()
	})
	defer late.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.open) > 0 {
		p.idle.Wait()
	}
}

// Write implements mcp.Connection.
func (p *pipes) Write(_ context.Context, m jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r, ok := m.(*jsonrpc.Response); ok {
		if p.open[r.ID]--; p.open[r.ID] <= 0 {
			delete(p.open, r.ID)
		}
		defer p.idle.Broadcast()
	}
	_, err = p.out.Write(append(raw, '\n'))
	return err
}

// refuse answers an invalid message. A client that is gone hears nothing. The id is that of the request if it could
// be parsed.
func (p *pipes) refuse(id any, code int, why string) {
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out.Write(append(raw, '\n'))
}
