package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/socrates-cli/socrates/internal/llm"
)

// longest is the most bytes one event may have.
const longest = 64 << 20

// events reads server-sent events. The names of events are not needed: the data repeats them.
type events struct{ r *bufio.Reader }

func newEvents(r io.Reader) events { return events{bufio.NewReaderSize(r, 16<<10)} }

// next returns the data of the next event. It is io.EOF after the last; an event the end cuts off is not one.
// The bytes are the caller's.
func (e events) next() ([]byte, error) {
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
func (e events) line(max int) ([]byte, error) {
	var whole []byte
	for {
		part, err := e.r.ReadSlice('\n')
		if len(whole)+len(part) > max {
			return nil, &llm.Error{Kind: llm.Malformed, Message: "one event of the stream is too long"}
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
