package bedrock

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Messages of the test vectors that botocore has for the encoding (tests/unit/test_eventstream.py), noted on 2026-11-26.
const (
	emptyMessage = "\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2H\xeb}\x98\xc8\xff"
	noHeaders    = "\x00\x00\x00\x1d\x00\x00\x00\x00\xfdR\x8cZ{'foo':'bar'}\xc3e96"
	oneHeader    = "\x00\x00\x00=\x00\x00\x00 \x07\xfd\x83\x96\x0ccontent-type\x07\x00\x10application/json{'foo':'bar'}\x8d\x9c\x08\xb1"
)

func TestFrames(t *testing.T) {
	in := frames{iotest.OneByteReader(strings.NewReader(emptyMessage + noHeaders + oneHeader))}
	for _, want := range []struct{ kind, payload string }{{"", ""}, {"", "{'foo':'bar'}"}, {"application/json", "{'foo':'bar'}"}} {
		f, err := in.next()
		if err != nil || string(f.payload) != want.payload || f.headers["content-type"] != want.kind {
			t.Errorf("%+v, %v", f, err)
		}
	}
	if _, err := in.next(); err != io.EOF {
		t.Errorf("after the last: %v", err)
	}
}

// TestHeadersOfEveryType: only text is kept, and what comes after the others is found.
func TestHeadersOfEveryType(t *testing.T) {
	head := "\x01a\x00\x01b\x01\x01c\x02x\x01d\x03xx\x01e\x04xxxx\x01f\x05xxxxxxxx\x01g\x06\x00\x03xxx\x01h\x08xxxxxxxx\x01i\x09xxxxxxxxxxxxxxxx\x01z\x07\x00\x02ok"
	got, err := texts([]byte(head))
	if err != nil || len(got) != 1 || got["z"] != "ok" {
		t.Errorf("%v, %v", got, err)
	}
	for i := range len(head) { // every beginning of it ends between headers, or is damaged
		texts([]byte(head[:i]))
	}
	if _, err := texts([]byte("\x01a\x0ax")); err == nil {
		t.Error("a header of no type is taken")
	}
}

func TestDamage(t *testing.T) {
	flip := func(at int) string {
		b := []byte(oneHeader)
		b[at] ^= 1
		return string(b)
	}
	for name, tc := range map[string]struct {
		raw  string
		kind trouble.Kind
	}{
		"length":          {flip(3), trouble.Malformed},
		"head checksum":   {flip(9), trouble.Malformed},
		"header":          {flip(20), trouble.Malformed},
		"payload":         {flip(50), trouble.Malformed},
		"checksum":        {flip(60), trouble.Malformed},
		"cut in the head": {oneHeader[:7], trouble.Network},
		"cut":             {oneHeader[:40], trouble.Network},
		"too long":        {message(1 << 30), trouble.Malformed},
		"too short":       {message(8), trouble.Malformed},
	} {
		_, err := frames{strings.NewReader(tc.raw)}.next()
		if err == nil || err == io.EOF || trouble.As(err).Kind != tc.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// message is the head of a message that claims to be so long.
func message(length uint32) string {
	b := binary.BigEndian.AppendUint32(nil, length)
	b = append(b, 0, 0, 0, 0)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

func errorEvent(kind, message string) string {
	return fmt.Sprintf("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":%q,\"message\":%q}}\n\n", kind, message)
}

func exception(name, message string) frame {
	return frame{map[string]string{":message-type": "exception", ":exception-type": name}, fmt.Appendf(nil, `{"message":%q}`, message)}
}

// TestEvents: what each kind of message is in the protocol of the model's maker. The exceptions of a stream are those of
// docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html on 26 November 2026.
func TestEvents(t *testing.T) {
	for want, f := range map[string]frame{
		"event: ping\ndata: {\"type\": \"ping\"}\n\n": {map[string]string{":message-type": "event", ":event-type": "chunk"}, []byte(`{"bytes":"eyJ0eXBlIjogInBpbmcifQ==","p":"abc"}`)},
		"": {map[string]string{":message-type": "event", ":event-type": "later"}, []byte(`?`)},
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}\n\n": {
			map[string]string{":message-type": "exception", ":exception-type": "throttlingException"}, []byte(`{"message":"slow down"}`)},
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"modelTimeoutException\"}}\n\n": {
			map[string]string{":message-type": "exception", ":exception-type": "modelTimeoutException"}, nil},
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"broke\"}}\n\n": {
			map[string]string{":message-type": "error", ":error-code": "InternalServerException", ":error-message": "broke"}, nil},
		errorEvent("api_error", "it broke off"):    exception("modelStreamErrorException", "it broke off"),
		errorEvent("api_error", "ours"):            exception("internalServerException", "ours"),
		errorEvent("overloaded_error", "later"):    exception("serviceUnavailableException", "later"),
		errorEvent("invalid_request_error", "bad"): exception("validationException", "bad"),
		errorEvent("laterException", "new"):        exception("laterException", "new"),
	} {
		var s stream
		if err := s.take(f); err != nil || s.ready.String() != want {
			t.Errorf("%v: %q, want %q; %v", f.headers, s.ready.String(), want, err)
		}
	}
	chunk := map[string]string{":message-type": "event", ":event-type": "chunk"}
	for _, raw := range []string{`{`, `{"bytes":"e30"}`, `{"bytes":"e3sx"}`} {
		if err := new(stream).take(frame{chunk, []byte(raw)}); trouble.As(err) == nil || trouble.As(err).Kind != trouble.Malformed {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
