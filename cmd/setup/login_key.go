package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// typing says whether a person can type to us.
func typing(a *call.Call) bool { return term.IsTerminal(int(a.In.Fd())) }

// longestKey bounds what is read as a key.
const longestKey = 16 << 10

// pipedKey reads a key from stdin; from a terminal unseen.
func pipedKey(ctx context.Context, a *call.Call) (string, error) {
	if typing(a) {
		return typedKey(ctx, a, "API key (hidden while you type): ")
	}
	raw, err := waitFor(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.In, longestKey+1)) })
	if err != nil {
		return "", fmt.Errorf("read the key from stdin: %w", err)
	}
	key := strings.TrimSpace(string(raw))
	// Something longer is a file that was piped in by mistake.
	if key == "" || len(raw) > longestKey {
		return "", failure.Usage("no key on stdin", "")
	}
	return key, nil
}

// typedKey asks for a key at the terminal, which does not show it.
// A terminal whose echo was off must get it back even if the wait was broken off.
func typedKey(ctx context.Context, a *call.Call, prompt string) (string, error) {
	fd := int(a.In.Fd())
	was, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("ask for a key: %w", err)
	}
	a.Out.Ask(prompt)
	raw, err := waitFor(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	a.Out.Ask("\n")
	if ctx.Err() != nil {
		term.Restore(fd, was) // who reads the terminal still waits, and would leave it as it is
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	key := strings.TrimSpace(string(raw))
	if key == "" {
		return "", failure.Usage("no key given", "")
	}
	return key, nil
}

// askLine asks for a line at the terminal. It reads no further, so that what was typed ahead is there for the next.
// A byte at a time: a buffered reader would swallow what was pasted for the questions that follow.
func askLine(ctx context.Context, a *call.Call, prompt string) (string, error) {
	a.Out.Ask(prompt)
	line, err := waitFor(ctx, func() (string, error) {
		var line []byte
		for b := make([]byte, 1); len(line) < longestKey; {
			n, err := a.In.Read(b)
			// A terminal in raw mode ends lines with a carriage return.
			if n == 0 || b[0] == '\n' || b[0] == '\r' {
				return string(line), err
			}
			line = append(line, b[0])
		}
		return string(line), nil
	})
	if err != nil && !errors.Is(err, io.EOF) {
		a.Out.Ask("\n")
		return "", err
	}
	return strings.TrimSpace(line), nil
}

// waitFor does what cannot be broken off, and no longer waits for it once ctx ends.
// What is left waiting reads from the terminal until the process ends; the commands here end right after.
func waitFor[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// tryKey asks the vendor for something that costs nothing and takes a key that works. An error says that the key does not;
// else said is what came of it, and expires is when the key ends, if the vendor says so.
// Only an answer that says the key is wrong fails. A vendor that cannot be reached, or an account without credit, says
// nothing about the key, and a person without network must be able to keep one.
func tryKey(ctx context.Context, e home.Endpoint, key string, how loginFlags) (expires time.Time, said string, err error) {
	if how.unchecked {
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
// Each protocol has one cheap request that needs a key.
func fetch(ctx context.Context, e home.Endpoint, key string) ([]byte, error) {
	if err := e.Placed(); err != nil {
		return nil, err
	}
	path, header, value := "/models", "Authorization", "Bearer "+key
	switch {
	case e.Vendor.Wire == "bedrock": // which lists models beside where it runs them
		path, e.URL = "/foundation-models", strings.Replace(e.URL, "//bedrock-runtime.", "//bedrock.", 1)
	case e.Vendor.Wire == "messages":
		path, header, value = "/v1/models?limit=1", "X-Api-Key", key
	case e.Vendor.Wire == "generate":
		path, header, value = "/v1beta/models?pageSize=1", "X-Goog-Api-Key", key
	case e.Vendor.Name == home.SignsIn:
		path = "/key" // its list of models is for everybody
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(e.URL, "/")+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set(header, value)
	if e.Vendor.Wire == "messages" {
		req.Header.Set("Anthropic-Version", "2023-06-01")
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
