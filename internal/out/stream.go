package out

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
)

// Formats are the formats of stdout. text is the default. The order is that of help and completion.
var Formats = []string{"text", "json", "stream-json"}

// StreamVersion is the version of the lines of stream-json and of records.
// Readers refuse a version they do not know, so it changes only when old readers would misread new lines. New fields
// and new types of lines do not change it.
const StreamVersion = "socrates.stream/1"

// Head is the beginning of every line of a stream. Seq counts from 1 without gaps within one stream. TS is UTC
// with milliseconds: when a node was committed, else now. Session is empty until it is known what runs.
type Head struct {
	Seq     int64     `json:"seq"`
	TS      time.Time `json:"ts"`
	Session string    `json:"session"`
}

// Head numbers the next line of the stream.
func (o *Out) Head() Head {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seq++
	return o.head(o.seq)
}

// Line writes one object as a line of JSON on stdout.
// Secrets are removed after encoding: the line as a whole goes through the Sink.
func (o *Out) Line(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = o.Write(append(raw, '\n'))
	return err
}

// JSON writes the one result of a command on stdout: indented, or as a line in stream-json. Finish adds no
// Failed after it.
func (o *Out) JSON(v any) error {
	o.Told = true
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.IsNil() { // programs get a list, even an empty one
		v = []any{}
	}
	if o.Format == "stream-json" {
		return o.Line(v)
	}
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = o.Write(append(raw, '\n'))
	return err
}

// Failed is the final object of a command that failed. Its fields are a contract with programs and documented
// in debate.schema.json.
type Failed struct {
	Type   string `json:"type"`
	Status string `json:"status"` // error, limit or cancelled
	Reason string `json:"reason"`
	Code   int    `json:"exit_code"`
	Error  string `json:"error"`
	Hint   string `json:"hint"`
	Resume string `json:"resume"` // the debate to resume; empty: none
}

// newFailed converts a failure for programs.
func newFailed(f *failure.Error, room string) Failed {
	t := Failed{"result", "error", f.Reason, f.Code, f.Message, f.Hint, room}
	switch f.Code {
	case failure.ExitLimit:
		t.Status = "limit"
	case failure.ExitInterrupted, failure.ExitTerminated, failure.ExitHungUp:
		t.Status = "cancelled"
	}
	return t
}

// Last writes the final object of json or stream-json, which a stream numbers like the lines before it. The
// head and the value become one flat object: v must encode as an object that is not empty and has no seq, ts or
// session of its own.
func (o *Out) Last(v any) error {
	o.Told = true
	if o.Format != "stream-json" {
		return o.JSON(v)
	}
	first, err := json.Marshal(o.Head())
	if err != nil {
		return err
	}
	rest, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return o.Line(json.RawMessage(append(append(first[:len(first)-1], ','), rest[1:]...)))
}

// Release writes the warnings that waited for the stream's first line.
func (o *Out) Release() {
	o.mu.Lock()
	held := o.held
	o.held = nil
	o.mu.Unlock()
	for _, text := range held {
		o.Warn(text)
	}
}

// NextHead returns the head of the next line without using its number; a record beside the stream uses it to
// end with the number that the result gets on stdout.
func (o *Out) NextHead() Head {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.head(o.seq + 1)
}

// head makes a head with a number.
func (o *Out) head(seq int64) Head {
	return Head{seq, time.Now().UTC().Truncate(time.Millisecond), o.Room}
}
