package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// Bounds on a server. One that does not answer in time is left out with a warning, and the others go on.
const (
	initial  = 10 * time.Second // a server has to answer and to list its tools
	callTime = 5 * time.Minute  // a call may take at most
	mostTool = 200              // tools of one server
)

// Options are what a session needs from outside.
type Options struct {
	Wait time.Duration // until a server has listed its tools; 0: ten seconds
	// Vet says which offers of a server may be used: an error for each that may not, nil for the others; nil: all may.
	Vet func(s Server, offers []Offer) []error
	// Taken are names of tools that no server may take.
	Taken  []string
	Tokens Tokens // of servers that want a sign-in
	// SignIn is told the address a person has to open; nil: nobody can sign in now.
	SignIn func(address string)
	Lookup func(string) (string, bool) // of variables; nil: ours
}

// Offer is a tool as its server describes it, letter by letter.
type Offer struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// Session is a connection to one server. It is safe for concurrent use; Close it once no call runs.
type Session struct {
	server  Server
	client  *sdk.ClientSession
	program *program // nil: over HTTP
	Offers  []Offer

	mu      sync.Mutex // guards the rest
	running int        // calls
	ask     asker      // of the last call that began; nil: nobody can be asked
}

// Connect starts or reaches a server and lists its tools. The errors are sentences about the server.
func Connect(ctx context.Context, s Server, o Options) (*Session, error) {
	if o.Wait == 0 {
		o.Wait = initial
	}
	if o.Lookup == nil {
		o.Lookup = os.LookupEnv
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	full, err := s.expanded(o.Lookup)
	if err != nil {
		return nil, fmt.Errorf("the MCP server %s: %w", s.Name, err)
	}
	c := &Session{server: s}
	var transport sdk.Transport
	if full.URL == "" {
		if c.program, err = full.start(o.Lookup); err != nil {
			return nil, fmt.Errorf("the MCP server %s: %w", s.Name, err)
		}
		transport = &sdk.IOTransport{Reader: c.program.out, Writer: c.program.in}
	} else {
		remote, done, err := full.remote(o)
		if err != nil {
			return nil, fmt.Errorf("the MCP server %s: %w", s.Name, err)
		}
		defer done()
		transport = remote
	}
	if err := c.begin(ctx, transport, o.Wait); err != nil {
		c.Close()
		return nil, fmt.Errorf("the MCP server %s: %w", s.Name, err)
	}
	return c, nil
}

// begin shakes hands and lists the tools, within a time. A server that does not even read must not hold us up.
func (c *Session) begin(ctx context.Context, transport sdk.Transport, wait time.Duration) error {
	inner, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	type outcome struct {
		client *sdk.ClientSession
		offers []Offer
		err    error
	}
	came := make(chan outcome, 1)
	go func() {
		var o outcome
		client := sdk.NewClient(&sdk.Implementation{Name: "socrates", Version: "1"}, &sdk.ClientOptions{
			Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{
				Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}}, ElicitationHandler: c.elicit})
		client.AddReceivingMiddleware(shielded)
		client.AddSendingMiddleware(shielded)
		if o.client, o.err = client.Connect(inner, transport, nil); o.err == nil {
			o.offers, o.err = list(inner, o.client)
		}
		came <- o
	}()
	var o outcome
	select {
	case o = <-came:
	case <-inner.Done():
		o.err = inner.Err()
		go func() { // who comes late is not let in
			if late := <-came; late.client != nil {
				late.client.Close()
			}
		}()
	}
	c.client, c.Offers = o.client, o.offers
	if o.err == nil {
		return nil
	}
	if c.program != nil && inner.Err() == nil {
		select { // its end explains more than that it does not answer
		case <-c.program.done:
		case <-time.After(farewell):
		}
		if why := c.program.why(); why != nil {
			return why
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case inner.Err() != nil:
		return fmt.Errorf("it did not answer within %s", wait)
	}
	return plainly(o.err)
}

// shielded makes an error of a panic over what a server sent: the protocol's library follows some nulls.
func shielded(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				res, err = nil, fmt.Errorf("it sent an unreadable message: %v", fault)
			}
		}()
		return next(ctx, method, req)
	}
}

// list asks for the tools.
func list(ctx context.Context, client *sdk.ClientSession) ([]Offer, error) {
	var out []Offer
	for t, err := range listed(client.Tools(ctx, nil)) {
		if err != nil {
			return nil, err
		}
		if len(out) == mostTool {
			return nil, fmt.Errorf("it offers more than %d tools", mostTool)
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, err
		}
		out = append(out, Offer{t.Name, t.Description, schema})
	}
	return out, nil
}

// Call asks the server to do what one of its tools does. What it answers is data from outside.
func (c *Session) Call(ctx context.Context, tool string, args json.RawMessage) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	res, err := c.client.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil && c.sent(ctx, err) {
		res, err = c.client.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	}
	if err != nil {
		if c.program != nil && ctx.Err() == nil && (errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, io.EOF)) {
			select { // its output has ended, so it does
			case <-c.program.done:
				err = c.program.why()
			case <-time.After(farewell):
			}
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("it did not answer within %s", callTime)
		}
		return Answer{}, fmt.Errorf("the MCP server %s, tool %s: %w", c.server.Name, clean.Line(tool), plainly(err))
	}
	return read(c.server.Name, tool, res), nil
}

// Close ends the session, and the program behind it with all it started.
func (c *Session) Close() {
	if c.program != nil {
		c.program.close()
	}
	if c.client != nil {
		c.client.Close()
	}
}

// passing is through whom of the protocol's layers an error came.
var passing = pattern.Of(`^((calling|sending) "[^"]+": |rejected by transport: )+`)

// plainly is an error as a person should read it: without escapes, bounded.
func plainly(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = fmt.Errorf("%s cannot be reached: %w", host(e.URL), e.Err)
	}
	text := passing().ReplaceAllString(clean.Line(err.Error()), "")
	if text == "Unauthorized" || text == "Forbidden" {
		text = "it rejected the key: " + text
	}
	if r := []rune(text); len(r) > 500 {
		text = string(r[:500]) + "…"
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// host is the host of an address for a sentence.
func host(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Host
	}
	return "the server"
}

// sender adds what a server is sent with every request, to that server alone.
type sender struct {
	host   string
	header http.Header
}

// RoundTrip adds the headers. Another host, after a redirect or for a sign-in, is not sent them: they may hold a key.
func (s sender) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == s.host && len(s.header) > 0 {
		r = r.Clone(r.Context())
		for name, values := range s.header {
			r.Header[name] = values
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}
