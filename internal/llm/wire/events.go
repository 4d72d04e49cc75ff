package wire

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// longest is the most bytes one event may have.
const longest = 64 << 20

// Events reads server-sent events (the event stream format of the HTML standard). The names of events are not
// needed: the data repeats them. It is for one goroutine; Close it, also after an error.
type Events struct {
	Request string // the vendor's id of the request, from the answer's head; empty: none
	r       *bufio.Reader
	body    io.ReadCloser
}

// Target is where requests go.
type Target struct {
	URL    string
	Header http.Header
	Client *http.Client // nil: HTTPClient
}

// Post sends body as JSON and returns the events of a good answer, which the caller closes. refused turns any other
// answer into an error.
func Post(ctx context.Context, to Target, body any, refused func(res *http.Response, text []byte) error) (*Events, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, &trouble.Error{Kind: trouble.BadRequest, Message: "encode the request: " + err.Error(), Err: err}
	}
	r, err := http.NewRequestWithContext(ctx, "POST", to.URL, bytes.NewReader(raw))
	if err != nil {
		return nil, &trouble.Error{Kind: trouble.BadRequest, Message: "invalid base URL"}
	}
	if to.Header != nil {
		r.Header = to.Header
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("User-Agent", "socrates") // it tells our own server that a panel would ask a panel
	res, err := cmp.Or(to.Client, HTTPClient()).Do(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusOK {
		return &Events{RequestID(res.Header), bufio.NewReaderSize(res.Body, 16<<10), res.Body}, nil
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return nil, refused(res, text)
}

// Close ends the connection.
func (e *Events) Close() { e.body.Close() }

// Next returns the data of the next event, and io.EOF after the last; an event cut off by the end does not count. The
// bytes are the caller's.
func (e *Events) Next() ([]byte, error) {
	var data []byte
	for {
		line, err := e.line(longest - len(data))
		if err != nil {
			return nil, err
		}
		if len(line) == 0 && len(data) > 0 {
			return data, nil
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue // another field, a comment, or space between events
		}
		if len(data) > 0 {
			data = append(data, '\n')
		}
		data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
	}
}

// line reads one line of at most max bytes, without its end.
func (e *Events) line(max int) ([]byte, error) {
	var whole []byte
	for {
		part, err := e.r.ReadSlice('\n')
		if len(whole)+len(part) > max {
			return nil, &trouble.Error{Kind: trouble.Malformed, Message: "one event of the stream is too long"}
		}
		if err == nil && whole == nil {
			return bytes.TrimRight(part, "\r\n"), nil
		}
		whole = append(whole, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(whole, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
