// Package llmtest is a model vendor on loopback and the exam that every adapter must pass against it.
//
// The server speaks Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini, streaming or not, and
// can go wrong in every way a vendor does. Two clouds that resell models are there as well: Amazon's, which signs and
// frames (bedrock.go), and Google's, which has a server for tokens (vertex.go).
//
// How it fits together. A [Server] hands each request, read into an [Ask], to a function of the test's, which returns
// a [Reply]; a player (play.go) sends that in the protocol of the request and goes wrong as Reply.Fault says.
// [Failing], [Say] and [Panelist] are such functions. [Exam] opens a model against a server of its own for each
// question and looks at both ends: what the adapter yields and what the server was sent. The book (book.go) holds
// examples from vendors' documents, with their source and date, so that what the server believes of a protocol is not
// all that is tested.
//
// What a test may assume. A server of NewServer is on 127.0.0.1; none uses the network. Its ids hold "loop", so that
// nothing in it is a vendor's. All methods are safe for concurrent use. Whoever starts a server must close it; after
// Close no request is being answered, and a client that still waits has lost its connection. A request that a vendor
// would refuse for its form is answered with an error and not given to the test's function.
//
// It does not check everything a vendor checks: fields it does not know pass. It is no model; what it says is up to
// the test.
package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/socrates-cli/socrates/internal/llm/llmtest/fault"
)

// Server is a model vendor on loopback. Make one with NewServer or Serve, and end it with Close. The zero value is
// of no use.
type Server struct {
	URL string // without a trailing slash or path

	answer func(Ask) Reply
	http   *http.Server
	stop   context.CancelFunc // ends the context of every request
	// Requests being answered. It grows under mu and never after the server is closed.
	busy   sync.WaitGroup
	left   chan struct{}
	serial atomic.Int64

	mu     sync.Mutex
	closed bool
	calls  []Ask
}

// NewServer starts a server on a free port. It panics if there is no loopback. answer is as for Serve.
func NewServer(answer func(Ask) Reply) *Server {
	s, err := Serve("127.0.0.1:0", answer)
	if err != nil {
		panic(err)
	}
	return s
}

// Serve starts a server on addr. answer is called concurrently, once for each readable request, and may take its
// time: the client waits.
func Serve(addr string, answer func(Ask) Reply) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("loopback model server: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{URL: "http://" + l.Addr().String(), answer: answer, stop: stop, left: make(chan struct{}, 1024)}
	s.http = &http.Server{Handler: s.routes(), BaseContext: func(net.Listener) context.Context { return ctx }}
	go s.http.Serve(l)
	return s, nil
}

// Close cuts every connection and returns once no request is being answered. It may be called more than once.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.http.Close()
	s.busy.Wait()
}

// Calls returns the requests so far, in the order in which they were read. The list is the caller's; what it points
// to must not be changed.
func (s *Server) Calls() []Ask {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Ask(nil), s.calls...)
}

// Left yields one value for each client that left before its answer was complete. It comes when the server notices.
// At most a thousand are stored; more are dropped.
func (s *Server) Left() <-chan struct{} { return s.left }

// routes returns the paths of the protocols, and what other vendors' programs request besides: lists of models,
// counts of tokens, whether anything is there.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/messages", s.handler(anthropicProtocol))
	mux.Handle("POST /v1/responses", s.handler(responsesProtocol))
	mux.Handle("POST /v1/chat/completions", s.handler(chatProtocol))
	mux.Handle("POST /v1beta/models/{call}", s.handler(geminiProtocol))
	mux.Handle("POST /model/{model}/invoke-with-response-stream", s.handler(bedrockProtocol))
	mux.Handle("POST /openai/v1/chat/completions", s.handler(signedProtocol(chatProtocol)))
	mux.Handle("POST /openai/v1/responses", s.handler(signedProtocol(responsesProtocol)))
	mux.HandleFunc("POST /v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{call}", s.vertexProtocol)
	mux.Handle("POST /v1/projects/{project}/locations/{location}/endpoints/openapi/chat/completions", s.handler(chatProtocol))
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("GET /v1/responses", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no WebSocket here", http.StatusUpgradeRequired)
	})
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		writeJSON(w, 200, object{"input_tokens": len(body)/4 + 1})
	})
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, 200, object{"object": "list", "has_more": false, "data": []object{
			{"id": "loop-1", "object": "model", "type": "model", "display_name": "Loop", "created": 1, "owned_by": "loopback"}}})
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, 200, object{"models": []object{{"name": "loop-1:latest", "model": "loop-1:latest", "size": 1}}})
	})
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {})
	return mux
}

// protocol is how one vendor's API looks from the server's side. An error of read refuses the request.
type protocol struct {
	read   func(r *http.Request, body []byte) (ask Ask, stream bool, err error)
	whole  func(exchange) object                                            // the answer in one piece
	events func(exchange) []event                                           // the answer as a stream
	refuse func(fault.Fault) (int, object)                                  // an error answer
	broken func() event                                                     // the error event inside a stream
	dress  func(http.ResponseWriter) (w http.ResponseWriter, finish func()) // how a cloud sends the maker's answer; nil: unchanged
}

// exchange is one request, its reply and a number that makes its ids unique.
type exchange struct {
	Ask
	Reply
	serial int64
}

// handler answers requests of one protocol.
func (s *Server) handler(p protocol) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if p.dress != nil {
			var finish func()
			w, finish = p.dress(w)
			defer finish()
		}
		ask, stream, err := p.read(r, body)
		if err != nil {
			status, kind := 400, "invalid_request_error"
			if _, is := errors.AsType[unsigned](err); is {
				status, kind = 403, "authentication_error"
			}
			writeJSON(w, status, object{"type": "error", "error": object{"type": kind, "message": err.Error()}})
			return
		}
		ask.Header, ask.Body, ask.Peer = r.Header.Clone(), body, r.RemoteAddr
		if !s.begin(ask) {
			return
		}
		defer s.busy.Done()
		turn := exchange{ask, s.answer(ask), s.serial.Add(1)}
		player{w: w, ctx: r.Context(), exchange: turn, protocol: p}.play(stream)
		if r.Context().Err() != nil {
			select {
			case s.left <- struct{}{}:
			default:
			}
		}
	})
}

// begin records a request; it returns false once the server is closed.
func (s *Server) begin(a Ask) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.busy.Add(1)
	s.calls = append(s.calls, a)
	return true
}

// object is a message of a protocol before it is encoded as JSON.
type object = map[string]any

// writeJSON writes a whole answer.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// dig returns a nested value of a request; nil if a step is missing.
func dig(body []byte, path ...string) json.RawMessage {
	raw := json.RawMessage(body)
	for _, key := range path {
		var m map[string]json.RawMessage
		if json.Unmarshal(raw, &m) != nil {
			return nil
		}
		raw = m[key]
	}
	if strings.TrimSpace(string(raw)) == "null" {
		return nil
	}
	return raw
}
