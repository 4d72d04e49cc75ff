package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// Through returns an HTTP client with transport in front, which may change requests and answers, and sends with the
// Transport of HTTPClient.
func Through(transport http.RoundTripper) *http.Client {
	c := *HTTPClient()
	c.Transport = transport
	return &c
}

// Body reads the body of a request that a transport got.
func Body(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

// WithBody returns a copy of a request that a transport got, with this body.
func WithBody(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.ContentLength = int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	return r
}

// Reshape returns a JSON object without some of its fields and with others, which are JSON. The same object always
// has the same bytes, so that the vendor's cache finds it again.
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
