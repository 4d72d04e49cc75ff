package login

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/keyring"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// Check asks a vendor whether a key works if ask is set, says what came of it, and puts into info when the key ends.
// The key is known to the redactor before anything can be said about it.
func Check(ctx context.Context, h *home.Home, e home.Endpoint, info *keyring.KeyInfo, key string, ask bool) (said string, err error) {
	h.Learn(key)
	if err := keyring.Check(key); err != nil {
		return "", failure.Usage("not a valid key: "+err.Error(), "")
	}
	info.Expires, said, err = Try(ctx, e, key, ask)
	return said, err
}

// Try asks the vendor for something that costs nothing and takes a key that works. An error says that the key does not;
// else said is what came of it, and expires is when the key ends, if the vendor says so. Without ask nobody is asked.
// Only an answer that says the key is wrong fails. A vendor that cannot be reached, or an account without credit, says
// nothing about the key, and a person without network must be able to keep one.
func Try(ctx context.Context, e home.Endpoint, key string, ask bool) (expires time.Time, said string, err error) {
	if !ask {
		return expires, "the key was not checked.", nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 15*time.Second, errors.New("no answer within 15s"))
	defer cancel()
	body, err := fetch(ctx, e, key)
	if err == nil {
		var is struct {
			Data struct {
				Expires time.Time `json:"expires_at"`
			} `json:"data"`
		}
		if e.Vendor.Name == home.SignsIn && json.Unmarshal(body, &is) == nil {
			expires = is.Data.Expires
		}
		return expires, "the key works.", nil
	}
	// Too slow is not wrong; an interrupt is the person's.
	if cause := context.Cause(ctx); cause != nil {
		if errors.Is(cause, context.Canceled) {
			return expires, "", cause
		}
		err = cause
	}
	what, failed := plainly(err), trouble.As(err)
	switch {
	case refused(failed):
		return expires, "", failure.New(failure.ExitAuth, "auth", e.Vendor.Name+" rejected the key, so it was not saved: "+what,
			"to save it anyway: --no-check")
	// A vendor that speaks of credit has taken the key for good.
	case failed.Kind == trouble.Quota:
		return expires, "the key works, but the account has no credit or quota left: " + what, nil
	}
	return expires, "the key could not be checked: " + what, nil
}

// refused says that an answer means the key, not what it may do: a key that may only ask models is forbidden their list.
// A key of narrow rights gets 403 for a list of models and still works; some vendors say 400 where others say 401.
func refused(e *trouble.Error) bool {
	return e.Status == http.StatusUnauthorized || e.Kind == trouble.Auth && e.Status != http.StatusForbidden ||
		e.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(e.Message), "api key")
}

// plainly is what an answer said, without what kind of failure we take it for.
func plainly(err error) string {
	if e, ok := errors.AsType[*trouble.Error](err); ok && e.Message != "" {
		return clean.Line(e.Message)
	}
	return clean.Line(err.Error())
}

// fetch gets what only a key that works gets.
func fetch(ctx context.Context, e home.Endpoint, key string) ([]byte, error) {
	req, err := e.Probe(ctx, key)
	if err != nil {
		return nil, err
	}
	return answer(req, key)
}

// answer does a request and returns the body of a good answer. secret is taken out of a bad one.
func answer(req *http.Request, secret string) ([]byte, error) {
	resp, err := wire.HTTPClient().Do(req)
	if err != nil {
		return nil, wire.CallError(req.Context(), err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, wire.CallError(req.Context(), err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, wire.HTTPError(resp.StatusCode, resp.Header, string(body), sentence(body), secret)
	}
	return body, nil
}

// sentence is what an error answer says to people.
func sentence(body []byte) string {
	var is struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	if json.Unmarshal(body, &is) != nil {
		return ""
	}
	var inner struct {
		Message string `json:"message"`
	}
	var plain string
	json.Unmarshal(is.Error, &inner)
	json.Unmarshal(is.Error, &plain)
	return cmp.Or(inner.Message, plain, is.Message, is.Detail)
}
