package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// Through is HTTPClient with a transport before it, which may change requests and answers, and sends with the Transport of HTTPClient.
func Through(transport http.RoundTripper) *http.Client {
	c := *HTTPClient()
	c.Transport = transport
	return &c
}

// Body takes the body of a request that a transport got.
func Body(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

// WithBody is a copy of a request that a transport got, with this body.
func WithBody(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.ContentLength = int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	return r
}

// Reshape is a JSON object without some of its fields and with others, which are JSON. One object is always written
// one way, so that what a vendor caches by its bytes is found again.
func Reshape(object []byte, with map[string]string, without ...string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, err
	}
	for _, name := range without {
		delete(fields, name)
	}
	for name, value := range with {
		fields[name] = json.RawMessage(value)
	}
	return json.Marshal(fields)
}
