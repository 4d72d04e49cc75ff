package bedrock

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// stream turns the messages of an answer into the server-sent events that the model's maker would send.
type stream struct {
	frames
	io.Closer
	ready bytes.Buffer
	err   error // returned after what is ready
}

// Read never returns part of a damaged event.
func (s *stream) Read(p []byte) (int, error) {
	for s.ready.Len() == 0 && s.err == nil {
		var f frame
		if f, s.err = s.next(); s.err == nil {
			s.err = s.take(f)
		}
	}
	if s.ready.Len() == 0 {
		return 0, s.err
	}
	return s.ready.Read(p)
}

// take turns a message into an event.
func (s *stream) take(f frame) error {
	switch f.headers[":message-type"] {
	case "event":
		if f.headers[":event-type"] != "chunk" {
			return nil
		}
		var part struct{ Bytes []byte }
		var is struct{ Type string }
		err := json.Unmarshal(f.payload, &part)
		if err == nil {
			err = json.Unmarshal(part.Bytes, &is)
		}
		if err != nil {
			return &trouble.Error{Kind: trouble.Malformed, Message: "a part of the response cannot be decoded: " + err.Error(), Err: err}
		}
		s.event(is.Type, part.Bytes)
	case "exception":
		var told struct{ Message string }
		json.Unmarshal(f.payload, &told) // without a message the name is used
		s.event("error", failure(f.headers[":exception-type"], told.Message))
	case "error":
		s.event("error", failure(f.headers[":error-code"], f.headers[":error-message"]))
	}
	return nil
}

// event adds one event in the protocol's form to what is ready.
func (s *stream) event(name string, data []byte) {
	s.ready.WriteString("event: " + name + "\ndata: ")
	s.ready.Write(bytes.ReplaceAll(data, []byte("\n"), []byte("\ndata: ")))
	s.ready.WriteString("\n\n")
}
