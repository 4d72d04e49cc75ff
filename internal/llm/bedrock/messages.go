package bedrock

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// messages carries requests of Anthropic's Messages protocol to one model, and its answers back in that protocol.
type messages struct {
	Access
	model string
}

// version is the version of the body that Bedrock accepts.
const version = `"bedrock-2023-05-31"`

// RoundTrip sends a request to the model's own address and turns the answer, or the failure, into the protocol's
// form.
func (m messages) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := wire.Body(r)
	if err != nil {
		return nil, err
	}
	body, err := wire.Reshape(raw, map[string]string{"anthropic_version": version}, "model", "stream")
	if err != nil {
		return nil, err
	}
	to := r.Clone(r.Context())
	to.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/vnd.amazon.eventstream"},
		"User-Agent": r.Header["User-Agent"]}
	base := strings.TrimSuffix(r.URL.Path, "/v1/messages") + "/model/"
	to.URL.Path = base + m.model + "/invoke-with-response-stream"
	to.URL.RawPath = base + url.QueryEscape(m.model) + "/invoke-with-response-stream" // escapes slashes and colons of the id, too
	res, err := m.send(to, body)
	switch {
	case err != nil:
		return nil, err
	case res.StatusCode != http.StatusOK:
		err = explain(res)
	case strings.HasPrefix(res.Header.Get("Content-Type"), "application/vnd.amazon.eventstream"):
		res.Body = &stream{frames: frames{res.Body}, Closer: res.Body}
		res.Header.Set("Content-Type", "text/event-stream")
	}
	return res, err
}

// kinds maps Bedrock's failures to the protocol's words. The status tells the rest.
var kinds = map[string]string{
	"throttlingexception": "rate_limit_error", "servicequotaexceededexception": "billing_error",
	"modelnotreadyexception": "overloaded_error", "serviceunavailableexception": "overloaded_error",
	"internalserverexception": "api_error", "modelerrorexception": "api_error",
	"modelstreamerrorexception": "api_error", "modeltimeoutexception": "overloaded_error", "accessdeniedexception": "permission_error",
	"unrecognizedclientexception": "authentication_error", "expiredtokenexception": "authentication_error",
	"validationexception": "invalid_request_error",
}

// failure returns an error event of the protocol for a failure that Bedrock calls name.
func failure(name, message string) []byte {
	name, _, _ = strings.Cut(name, ":") // what follows is an address
	type inner struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	out, _ := json.Marshal(struct {
		Type  string `json:"type"`
		Error inner  `json:"error"`
	}{"error", inner{cmp.Or(kinds[strings.ToLower(name)], name), cmp.Or(message, name)}})
	return out
}

// explain converts an error answer to the protocol's form. An answer that is not Bedrock's stays as it is.
func explain(res *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	res.Body.Close()
	if err != nil {
		return err
	}
	var told struct{ Message string }
	if json.Unmarshal(raw, &told) == nil {
		raw = failure(res.Header.Get("X-Amzn-Errortype"), told.Message)
		if res.StatusCode == http.StatusFailedDependency { // the model failed, not the request
			res.StatusCode = http.StatusBadGateway
		}
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	return nil
}
