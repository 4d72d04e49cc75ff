package bedrock

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// frame is one message of Amazon's event-stream encoding (application/vnd.amazon.eventstream): the lengths, their
// checksum, headers, a payload, and a checksum over all. Numbers are big-endian, checksums CRC-32.
type frame struct {
	headers map[string]string // those whose value is text
	payload []byte
}

// frames reads frames one after another.
type frames struct{ io.Reader }

// The sizes of a message's fixed parts, and the most bytes a message may have.
const prelude, checksum, longest = 12, 4, 32 << 20

// next returns the next message, io.EOF after the last, and io.ErrUnexpectedEOF within one.
func (in frames) next() (f frame, err error) {
	head := make([]byte, prelude)
	if _, err := io.ReadFull(in, head); err != nil {
		return f, err
	}
	if binary.BigEndian.Uint32(head[8:]) != crc32.ChecksumIEEE(head[:8]) {
		return f, damaged()
	}
	all, headers := int(binary.BigEndian.Uint32(head)), int(binary.BigEndian.Uint32(head[4:]))
	if all > longest || headers < 0 || headers > all-prelude-checksum {
		return f, damaged()
	}
	rest := make([]byte, all-prelude)
	if _, err := io.ReadFull(in, rest); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return f, err
	}
	body := rest[:len(rest)-checksum]
	if binary.BigEndian.Uint32(rest[len(body):]) != crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, body) {
		return f, damaged()
	}
	f.payload = body[headers:]
	f.headers, err = texts(body[:headers])
	return f, err
}

// widths are the sizes in bytes of a header's value, by its type; bytes and text carry their own length.
var widths = [...]int{0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 6: -1, 7: -1, 8: 8, 9: 16}

// isText is the type of a text value; of other types only the length is read.
const isText = 7

// texts returns the headers whose value is text.
func texts(raw []byte) (map[string]string, error) {
	out := map[string]string{}
	for len(raw) > 0 {
		n := 1 + int(raw[0])
		if len(raw) < n+1 || int(raw[n]) >= len(widths) {
			return nil, damaged()
		}
		name, kind, value := string(raw[1:n]), raw[n], raw[n+1:]
		width := widths[kind]
		if width < 0 {
			if len(value) < 2 {
				return nil, damaged()
			}
			width, value = int(binary.BigEndian.Uint16(value)), value[2:]
		}
		if len(value) < width {
			return nil, damaged()
		}
		if kind == isText {
			out[name] = string(value[:width])
		}
		raw = value[width:]
	}
	return out, nil
}

// damaged returns the error of a message whose checksum is wrong; the call may be repeated.
func damaged() error {
	return &trouble.Error{Kind: trouble.Malformed, Message: "part of the response arrived damaged (wrong checksum)"}
}
