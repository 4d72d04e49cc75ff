package llmtest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"net/http"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/aws"
)

// Requests are signed with Secret for the access key Key, in Region.
const (
	Secret = "secret-of-the-exam"
	Region = "eu-loop-1"
)

// bedrockProtocol is Anthropic's as Amazon's cloud carries it: signed, framed, with other errors.
var bedrockProtocol = func() protocol {
	p := anthropicProtocol
	p.read = readBedrock
	p.dress = func(w http.ResponseWriter) (http.ResponseWriter, func()) {
		f := &framer{ResponseWriter: w}
		return f, f.finish
	}
	return p
}()

// signedProtocol puts another protocol behind the same signature.
func signedProtocol(p protocol) protocol {
	read := p.read
	p.read = func(r *http.Request, body []byte) (Ask, bool, error) {
		key, err := signedBy(r, body)
		if err != nil {
			return Ask{}, false, err
		}
		ask, stream, err := read(r, body)
		ask.Key = key
		return ask, stream, err
	}
	return p
}

// readBedrock reads Anthropic's body in Amazon's form: the model is in the path, and a version in the body.
func readBedrock(r *http.Request, body []byte) (Ask, bool, error) {
	key, err := signedBy(r, body)
	if err != nil {
		return Ask{}, false, err
	}
	if v := dig(body, "anthropic_version"); string(v) != `"bedrock-2023-05-31"` || dig(body, "model") != nil || dig(body, "stream") != nil {
		return Ask{}, false, errors.New("a body for this model has anthropic_version, and neither model nor stream")
	}
	ask, _, err := readAnthropic(r, body)
	ask.Model, ask.Key = r.PathValue("model"), key
	return ask, true, err
}

// refusal is a vendor's error message, in its own words.
type refusal string

// Error is the vendor's sentence, as the server sends it.
func (r refusal) Error() string { return string(r) }

// unsigned refuses a request because of its signature.
type unsigned struct{ refusal }

var errUnsigned = unsigned{"The request signature we calculated does not match the signature you provided."}

// signedBy returns the key of a request: the bearer's, or the one that signed it.
func signedBy(r *http.Request, body []byte) (string, error) {
	said := r.Header.Get("Authorization")
	if token, ok := strings.CutPrefix(said, "Bearer "); ok {
		return token, nil
	}
	_, names, _ := strings.Cut(said, "SignedHeaders=")
	names, _, _ = strings.Cut(names, ",")
	again := &http.Request{Method: r.Method, URL: r.URL, Host: r.Host, Header: http.Header{}}
	for name := range strings.SplitSeq(names, ";") {
		if values := r.Header.Values(name); len(values) > 0 {
			again.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || time.Since(at).Abs() > 5*time.Minute {
		return "", unsigned{errUnsigned.refusal + " It is of another time."}
	}
	aws.Sign(again, body, aws.Credentials{KeyID: Key, Secret: Secret, Token: r.Header.Get("X-Amz-Security-Token")}, Region, "bedrock", at)
	if again.Header.Get("Authorization") != said {
		return "", errUnsigned
	}
	return Key, nil
}

// framer converts what is written to it to Amazon's event stream, and errors to Amazon's. finish must be called at
// the end.
type framer struct {
	http.ResponseWriter
	status int
	rest   bytes.Buffer // an incomplete event, or an error
}

// FlushError sends what is written of an answer; an error is sent as a whole.
func (f *framer) FlushError() error {
	if f.status != http.StatusOK {
		return nil
	}
	return http.NewResponseController(f.ResponseWriter).Flush()
}

// WriteHeader sends the head of an answer at once, and that of an error once finish knows its kind.
func (f *framer) WriteHeader(status int) {
	h := f.Header()
	h.Set("X-Amzn-Requestid", h.Get("Request-Id"))
	h.Del("Request-Id")
	if f.status = status; status == http.StatusOK {
		h.Set("Content-Type", "application/vnd.amazon.eventstream")
		f.ResponseWriter.WriteHeader(status)
	}
}

// Write sends the complete events of an answer, one per frame, and keeps the rest. An error is kept entirely.
func (f *framer) Write(p []byte) (int, error) {
	f.rest.Write(p)
	for f.status == http.StatusOK {
		event, after, whole := bytes.Cut(f.rest.Bytes(), []byte("\n\n"))
		if !whole {
			break
		}
		frame := frameOf(event)
		f.rest = *bytes.NewBuffer(bytes.Clone(after))
		if _, err := f.ResponseWriter.Write(frame); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// exceptions maps Anthropic's errors to Amazon's words.
var exceptions = map[string]string{"rate_limit_error": "throttlingException", "overloaded_error": "serviceUnavailableException",
	"api_error": "internalServerException", "authentication_error": "unrecognizedClientException",
	"permission_error": "accessDeniedException"}

// exception converts an error of Anthropic's to Amazon's: its kind, and the body.
func exception(raw []byte) (name string, message []byte) {
	var told struct {
		Error struct{ Type, Message string }
	}
	json.Unmarshal(raw, &told)
	if name = exceptions[told.Error.Type]; name == "" {
		name = "validationException"
	}
	message, _ = json.Marshal(object{"message": told.Error.Message})
	return name, message
}

// finish sends an error; Amazon puts its kind in the head.
func (f *framer) finish() {
	if f.status == 0 || f.status == http.StatusOK {
		return
	}
	raw := f.rest.Bytes()
	if json.Valid(raw) {
		var name string
		name, raw = exception(raw)
		f.Header().Set("X-Amzn-Errortype", strings.ToUpper(name[:1])+name[1:]+":http://internal.amazon.com/")
	}
	f.ResponseWriter.WriteHeader(f.status)
	f.ResponseWriter.Write(raw)
}

// frameOf returns the message for a server-sent event.
func frameOf(event []byte) []byte {
	var data []string
	for line := range strings.SplitSeq(string(event), "\n") {
		if value, ok := strings.CutPrefix(line, "data:"); ok {
			data = append(data, strings.TrimPrefix(value, " "))
		}
	}
	text := []byte(strings.Join(data, "\n"))
	if bytes.HasPrefix(event, []byte("event: error")) {
		name, message := exception(text)
		return Frame(message, ":message-type", "exception", ":exception-type", name, ":content-type", "application/json")
	}
	part, _ := json.Marshal(object{"bytes": text, "p": "abcdefg"})
	return Frame(part, ":event-type", "chunk", ":content-type", "application/json", ":message-type", "event")
}

// Frame returns one message of Amazon's event stream (application/vnd.amazon.eventstream). headers are names and
// values in turn. It has the lengths of everything and of the headers, a checksum of these, the headers, the payload,
// and a checksum of everything, big-endian.
func Frame(payload []byte, headers ...string) []byte {
	var head []byte
	for i := 0; i < len(headers); i += 2 {
		head = append(append(head, byte(len(headers[i]))), headers[i]...)
		head = append(binary.BigEndian.AppendUint16(append(head, 7), uint16(len(headers[i+1]))), headers[i+1]...)
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(16+len(head)+len(payload)))
	out = binary.BigEndian.AppendUint32(out, uint32(len(head)))
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	out = append(append(out, head...), payload...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}
