package door

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// longestLine is how long one message may be, in bytes.
const longestLine = mcp.DefaultMaxLineLength

// Lines speaks MCP over two streams, a message a line. A line that is no message is answered with an error and ends nothing.
func Lines(in io.Reader, to io.Writer) mcp.Transport {
	l := &lines{in: bufio.NewReaderSize(in, 64<<10), to: to}
	return &mcp.IOTransport{Reader: l, Writer: l}
}

// lines hands on what comes in, without the lines that are no message.
type lines struct {
	in   *bufio.Reader
	rest []byte // of the message that is being handed on

	mu sync.Mutex // held while a line is written
	to io.Writer
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, whole, err := l.line()
		switch text := bytes.TrimSpace(line); {
		case whole && len(text) == 0:
		case !whole:
			l.refuse(jsonrpc.CodeInvalidRequest, "the message is too long")
		case !json.Valid(text):
			l.refuse(jsonrpc.CodeParseError, "the line is not JSON")
		case !message(text):
			l.refuse(jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC message")
		default:
			l.rest = append(text, '\n')
		}
		if err != nil && len(l.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line reads a line; whole is false of one that is too long, of which nothing is kept.
func (l *lines) line() (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := l.in.ReadSlice('\n')
		if whole = whole && len(line)+len(part) < longestLine; whole {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, whole, err
		}
	}
}

// message says whether JSON is a message, or a batch of them.
func message(text []byte) bool {
	var all []json.RawMessage
	if json.Unmarshal(text, &all) != nil {
		all = []json.RawMessage{text}
	}
	for _, one := range all {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			return false
		}
	}
	return len(all) > 0
}

// refuse answers what has no id that could be told.
func (l *lines) refuse(code int, why string) {
	raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why}})
	l.Write(append(raw, '\n'))
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// Close leaves both streams to those who gave them.
func (l *lines) Close() error { return nil }
