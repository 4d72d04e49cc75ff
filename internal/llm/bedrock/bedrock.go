// Package bedrock asks models that Amazon Bedrock serves, in the protocols of their makers.
//
// Claude is asked by InvokeModelWithResponseStream with the body of Anthropic's Messages protocol, all others by the
// OpenAI protocols that Bedrock offers for them. Facts are those of the Amazon Bedrock User Guide and API Reference,
// read on 2026-11-26.
package bedrock

import (
	"net/http"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/anthropic"
	"github.com/socrates-cli/socrates/internal/llm/aws"
	"github.com/socrates-cli/socrates/internal/llm/openai"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// Access says where requests go and what authorizes them. It is the transport between a protocol and the network: see
// wire.Through.
type Access struct {
	URL    string // of the runtime in a region, for example https://bedrock-runtime.us-east-1.amazonaws.com
	Region string
	Key    string      // a Bedrock API key; empty means that requests are signed
	Signer *aws.Source // nil if there is a key
}

// New returns a model by its id, or by the id or ARN of an inference profile.
func New(info llm.Info, to Access) llm.Model {
	to.URL = strings.TrimRight(to.URL, "/")
	switch name := strings.ToLower(info.ID); {
	case info.Lineage == "anthropic" || strings.Contains(name, "claude"):
		return anthropic.Over(wire.Through(messages{to, info.ID}), info, to.URL)
	case strings.Contains(name, "openai.gpt-") && !strings.Contains(name, "gpt-oss"):
		return openai.Over(wire.Through(to), info, to.URL+"/openai/v1", openai.Responses)
	}
	return openai.Over(wire.Through(to), info, to.URL+"/openai/v1", openai.Chat)
}

// RoundTrip authorizes a request and sends it. If its credentials are refused as too old, it is sent again with newer
// ones, if there are any.
func (to Access) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := wire.Body(r)
	if err != nil {
		return nil, err
	}
	return to.send(r, body)
}

// send sends a request with a key, or signed. It is signed again for each attempt, since a signature contains a time.
func (to Access) send(r *http.Request, body []byte) (*http.Response, error) {
	if to.Key != "" {
		r = wire.WithBody(r, body)
		r.Header.Set("Authorization", "Bearer "+to.Key)
		return named(wire.HTTPClient().Transport.RoundTrip(r))
	}
	c, err := to.Signer.Get(r.Context())
	if err != nil {
		return nil, err
	}
	res, err := to.sign(r, body, c)
	if err == nil && res.StatusCode == http.StatusForbidden && strings.HasPrefix(res.Header.Get("X-Amzn-Errortype"), "ExpiredToken") {
		if newer, ok := to.Signer.Renew(r.Context(), c); ok {
			res.Body.Close()
			res, err = to.sign(r, body, newer)
		}
	}
	return named(res, err)
}

// sign signs a copy of the request and sends it.
func (to Access) sign(r *http.Request, body []byte, c aws.Credentials) (*http.Response, error) {
	r = wire.WithBody(r, body)
	aws.Sign(r, body, c, to.Region, "bedrock", time.Now())
	return wire.HTTPClient().Transport.RoundTrip(r)
}

// named puts the id that Amazon gave the request where other vendors put theirs.
func named(res *http.Response, err error) (*http.Response, error) {
	if err == nil {
		res.Header.Set("Request-Id", res.Header.Get("X-Amzn-Requestid"))
	}
	return res, err
}
