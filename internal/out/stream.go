package out

import (
	"encoding/json"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
)

// Formats are what stdout can carry.
var Formats = []string{"text", "json", "stream-json"}

// StreamVersion is the version of the lines of stream-json and of records.
const StreamVersion = "socrates.stream/1"

// Head is what every line of a stream has.
type Head struct {
	Seq     int64     `json:"seq"`
	TS      time.Time `json:"ts"`
	Session string    `json:"session"`
}

// Head numbers the next line of the stream.
func (o *Out) Head() Head {
	h := o.NextHead()
	o.seq = h.Seq
	return h
}

// Line writes one object as a line of JSON on stdout.
func (o *Out) Line(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = o.Write(append(raw, '\n'))
	return err
}

// JSON writes the one value a command has to say on stdout: indented, or a line where lines are wanted.
func (o *Out) JSON(v any) error {
	o.Told = true
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

// Failed is the one last object when a command could not do what it was to do.
type Failed struct {
	Type   string `json:"type"`
	Status string `json:"status"` // error, limit or cancelled
	Reason string `json:"reason"`
	Code   int    `json:"exit_code"`
	Error  string `json:"error"`
	Hint   string `json:"hint"`
	Resume string `json:"resume"` // the debate that can go on; empty: there is none
}

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

// Last writes the last object of json or stream-json, which a stream numbers like the lines before it.
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
	for _, text := range o.held {
		o.Warn(text)
	}
	o.held = nil
}

// NextHead is how the line after the last one will begin.
func (o *Out) NextHead() Head {
	return Head{o.seq + 1, time.Now().UTC().Truncate(time.Millisecond), o.Room}
}
