// Package vertex asks models that Google Cloud serves (Vertex AI, since 2026 also called Agent Platform), in the protocols of their makers.
//
// Facts are those of "Claude Models on Google Cloud (Google managed)" at platform.claude.com, of Google's REST reference of
// projects.locations.publishers.models and of its page on models as a service, read on 2026-11-26.
package vertex

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/anthropic"
	"github.com/socrates-cli/socrates/internal/llm/gemini"
	"github.com/socrates-cli/socrates/internal/llm/openai"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// Access says where requests go and what authorizes them. It is the transport between a protocol and the network: see
// wire.Through.
type Access struct {
	URL               string // without the version
	Project, Location string
	Login             *Login
}

// New returns a model: Claude, Gemini, or PUBLISHER/MODEL for those served by OpenAI's protocol.
func New(info llm.Info, to Access) llm.Model {
	to.URL = strings.TrimSuffix(strings.TrimRight(to.URL, "/"), "/v1")
	client := wire.Through(to)
	switch name := strings.ToLower(info.ID); {
	case strings.Contains(name, "/"):
		return openai.Over(client, info, to.URL+to.location()+"/endpoints/openapi", openai.Chat)
	case strings.HasPrefix(name, "claude"):
		return anthropic.Over(client, info, to.URL)
	}
	return gemini.Over(client, info, to.URL)
}

// Address returns the address of a location.
func Address(location string) string {
	switch location {
	case "global":
		return "https://aiplatform.googleapis.com"
	case "us", "eu": // several regions
		return "https://aiplatform." + location + ".rep.googleapis.com"
	}
	return "https://" + location + "-aiplatform.googleapis.com"
}

// location returns the path of the project's location.
func (to Access) location() string { return "/v1/projects/" + to.Project + "/locations/" + to.Location }

// RoundTrip sends a request of any of the three protocols to the project's model, with an access token. If the stored
// token is refused, it is sent again with a new one.
func (to Access) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := wire.Body(r)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	if before, ok := strings.CutSuffix(r.URL.Path, "/v1/messages"); ok {
		var is struct{ Model string }
		json.Unmarshal(body, &is)
		r.URL.Path = before + to.location() + "/publishers/anthropic/models/" + is.Model + ":streamRawPredict"
		body, err = wire.Reshape(body, map[string]string{"anthropic_version": `"vertex-2023-10-16"`}, "model")
		r.Header.Del("Anthropic-Version")
	} else if before, model, ok := strings.Cut(r.URL.Path, "/v1beta/models/"); ok {
		r.URL.Path = before + to.location() + "/publishers/google/models/" + model
	}
	r.URL.RawPath = ""
	if err != nil {
		return nil, err
	}
	token, err := to.Login.token(r.Context(), "")
	if err != nil {
		return nil, err
	}
	res, err := to.send(r, body, token)
	if err == nil && res.StatusCode == http.StatusUnauthorized {
		if newer, lost := to.Login.token(r.Context(), token); lost == nil && newer != token {
			res.Body.Close()
			res, err = to.send(r, body, newer)
		}
	}
	if err == nil && res.StatusCode != http.StatusOK {
		err = unlisted(res)
	}
	return res, err
}

// send sends a copy of the request with a token.
func (to Access) send(r *http.Request, body []byte, token string) (*http.Response, error) {
	r = wire.WithBody(r, body)
	r.Header.Set("Authorization", "Bearer "+token)
	if quota := to.Login.Quota(); quota != "" {
		r.Header.Set("X-Goog-User-Project", quota)
	}
	return wire.HTTPClient().Transport.RoundTrip(r)
}

// unlisted takes an error out of the one-element list in which streaming methods may wrap it.
func unlisted(res *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	res.Body.Close()
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		raw = list[0]
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	return err
}
