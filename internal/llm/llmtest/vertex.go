package llmtest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
)

// vertexProtocol is that of the publisher, on Google's cloud.
func (s *Server) vertexProtocol(w http.ResponseWriter, r *http.Request) {
	switch r.PathValue("publisher") {
	case "anthropic":
		p := anthropicProtocol
		p.read = readVertexClaude
		s.handler(p).ServeHTTP(w, r)
	case "google":
		p := geminiProtocol
		p.read = readVertexGemini
		s.handler(p).ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}

// readVertexClaude reads Anthropic's body in the form of Google's cloud: the model and the method are in the path.
func readVertexClaude(r *http.Request, body []byte) (Ask, bool, error) {
	model, verb, _ := strings.Cut(r.PathValue("call"), ":")
	if v := dig(body, "anthropic_version"); string(v) != `"vertex-2023-10-16"` || dig(body, "model") != nil || verb != "streamRawPredict" {
		return Ask{}, false, errors.New("a body for this model has anthropic_version, and no model")
	}
	ask, stream, err := readAnthropic(r, body)
	ask.Model = model
	return ask, stream, err
}

// readVertexGemini refuses what Google's cloud refuses: calls and results with ids.
func readVertexGemini(r *http.Request, body []byte) (Ask, bool, error) {
	if i := bytes.Index(body, []byte(`"functionCall":{"id"`)); i >= 0 || bytes.Contains(body, []byte(`"functionResponse":{"id"`)) {
		return Ask{}, false, refusal(`Invalid JSON payload received. Unknown name "id": Cannot find field.`)
	}
	ask, stream, err := readGemini(r, body)
	ask.Key = bearer(r.Header)
	return ask, stream, err
}

// Refresh is the refresh token that the token server accepts as a person's login. Tokens are Key, those of scripts
// valid for an hour.
const Refresh = "refresh-of-the-exam"

// token is Google's token server. It accepts any assertion that a service account signs.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	said := string(body)
	if !strings.Contains(said, "refresh_token="+Refresh) && !strings.Contains(said, "assertion=") {
		writeJSON(w, http.StatusBadRequest, object{"error": "invalid_grant", "error_description": "Token has been expired or revoked."})
		return
	}
	writeJSON(w, http.StatusOK, object{"access_token": Key, "expires_in": 3599, "token_type": "Bearer"})
}
