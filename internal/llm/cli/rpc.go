package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// rpc is our side of line-based JSON-RPC 2.0. The zero value is ready. Request numbers begin with 1, so 0 means none.
type rpc struct {
	serial  int             // of our last request
	answers map[int]rpcLine // to requests that somebody waits for
}

// rpcLine is a request, a notification or an answer.
type rpcLine struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *rpcError
}

// rpcError is why a request failed. Data may be anything.
type rpcError struct {
	Code    int
	Message string
	Data    json.RawMessage
}

// unknownMethod is JSON-RPC's code for a request that is not supported.
const unknownMethod = -32601

// request sends a request and returns its number.
func (r *rpc) request(ctx context.Context, p *process, method string, params any) (int, error) {
	r.serial++
	return r.serial, p.send(ctx, object{"jsonrpc": "2.0", "id": r.serial, "method": method, "params": params})
}

// notify sends a notification, which has no answer. params may be nil.
func (r *rpc) notify(ctx context.Context, p *process, method string, params any) error {
	note := object{"jsonrpc": "2.0", "method": method}
	if params != nil {
		note["params"] = params
	}
	return p.send(ctx, note)
}

// reply answers a request of the program.
func (r *rpc) reply(ctx context.Context, p *process, to rpcLine, result any) error {
	return p.send(ctx, object{"jsonrpc": "2.0", "id": to.ID, "result": result})
}

// refuse answers a request of the program that we do not serve.
func (r *rpc) refuse(ctx context.Context, p *process, to rpcLine) error {
	return p.send(ctx, object{"jsonrpc": "2.0", "id": to.ID, "error": object{"code": unknownMethod, "message": "not supported"}})
}

// keep stores the answer to a request of ours and returns its number; 0 if it answers none.
func (r *rpc) keep(l rpcLine) int {
	id, err := strconv.Atoi(string(l.ID))
	if err != nil || id < 1 || id > r.serial {
		return 0
	}
	if r.answers == nil {
		r.answers = map[int]rpcLine{}
	}
	r.answers[id] = l
	return id
}

// call makes a request, passes every line to hear until the answer is kept, and decodes the answer into out unless it
// is nil. hear must call keep for answers. It ends with ctx, with an error of hear, and when the program ends.
func (r *rpc) call(ctx context.Context, p *process, method string, params, out any, hear func(line []byte) error) error {
	id, err := r.request(ctx, p, method, params)
	if err != nil {
		return err
	}
	for {
		line, err := p.next(ctx)
		if err != nil {
			return err
		}
		if err := hear(line); err != nil {
			return err
		}
		answer, ok := r.answers[id]
		if !ok {
			continue
		}
		delete(r.answers, id)
		if answer.Error != nil {
			return answer.Error.kind()
		}
		if out == nil {
			return nil
		}
		if err := json.Unmarshal(answer.Result, out); err != nil {
			return &trouble.Error{Kind: trouble.Malformed, Message: fmt.Sprintf("answer to %s: %v", method, err), Err: err}
		}
		return nil
	}
}

// kind classifies an error. Data often contains the vendor's text; the code may be an HTTP status or one of ACP's
// own.
func (e rpcError) kind() *trouble.Error {
	text := e.Message
	if detail := e.detail(); detail != "" {
		text += ": " + detail
	}
	status, otherwise := 0, trouble.BadRequest
	switch {
	case e.Code == 500: // gemini's code for everything unknown; the text may tell more
		otherwise = trouble.Overloaded
	case e.Code >= 400 && e.Code < 600:
		status = e.Code
	case e.Code == -32000: // ACP: the client must authenticate first
		otherwise = trouble.Auth
	}
	return classify(status, text, otherwise)
}

// detail returns the readable part of Data, unless the message contains it.
func (e rpcError) detail() string {
	var text string
	if json.Unmarshal(e.Data, &text) == nil {
		return text
	}
	var fields struct {
		Details, Message string
		Error            json.RawMessage
	}
	json.Unmarshal(e.Data, &fields) // another shape has nothing to read
	for _, s := range []string{fields.Details, fields.Message} {
		if s != "" {
			return s
		}
	}
	if json.Unmarshal(fields.Error, &text) == nil {
		return text
	}
	return ""
}
