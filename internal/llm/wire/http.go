// Package wire is what every protocol over HTTP needs: the client, server-sent events, and what an error answer
// means.
//
// [Post] sends a request and returns its [Events]. [HTTPError] converts a vendor's error to ours: by its status, its
// codes and, where vendors misuse both, the words of its sentence. [CallError] does so for a call without an answer:
// no connection, a broken one, bytes that are not the protocol. [Through] puts a transport (a cloud's signature or
// token) between a protocol and the network.
//
// No key is ever sent anywhere but to the address it belongs to: redirects are not followed, and a proxy of the
// environment is used only for https, which it tunnels. Keys are removed from error texts. Bodies are never logged.
package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/plain"
)

// HTTPClient is what every adapter that speaks HTTP uses. It has no time limit, since Guard has one, and it does
// not leak keys: it follows no redirect, and uses a proxy of the environment only for https, which is tunnelled.
var HTTPClient = sync.OnceValue(func() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = func(r *http.Request) (*url.URL, error) {
		if r.URL.Scheme != "https" {
			return nil, nil
		}
		return http.ProxyFromEnvironment(r)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: logged{t}, CheckRedirect: stay}
})

// logged writes each request to the program's log: neither headers, which have keys, nor the content.
type logged struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (l logged) RoundTrip(r *http.Request) (*http.Response, error) {
	began := time.Now()
	res, err := l.Transport.RoundTrip(r)
	about := []any{"method", r.Method, "host", r.URL.Host, "path", r.URL.Path, "ms", time.Since(began).Milliseconds()}
	if err != nil {
		slog.Debug("request failed", append(about, "error", err)...)
		return res, err
	}
	slog.Debug("request", append(about, "status", res.StatusCode, "sent", r.ContentLength, "id", RequestID(res.Header))...)
	return res, nil
}

// words are what vendors call their failures, in a code or in a sentence. The first match decides.
var words = []struct {
	kind trouble.Kind
	any  []string
}{
	{trouble.Quota, []string{"insufficient_quota", "insufficient_credits", "insufficient credits", "billing_error",
		"credit balance is too low", "perday", "tokens per day", "credit_balance_exhausted", "spend_limit", "usage_limit_exceeded",
		"api usage limits", "key_limit", "guardrail_budget", "workspace_budget"}},
	{trouble.Auth, []string{"authentication_error", "permission_error", "invalid_api_key", "api_key_invalid", "api key not valid",
		"unauthenticated"}},
	{trouble.RateLimit, []string{"rate_limit", "resource_exhausted", "in_flight_budget"}},
	{trouble.Context, []string{"context_length", "prompt is too long", "input token count", "context window", "context length",
		"maximum context", "context size", "request_too_large", "input is too long"}},
	{trouble.Overloaded, []string{"overloaded", "server_error", "api_error", "unavailable", "internal_error"}},
}

// HTTPError returns the *Error for a vendor's error answer: its status (0 if it came inside a stream), its headers,
// its codes in any form and its sentence. secret is removed from the sentence.
func HTTPError(status int, h http.Header, codes, message, secret string) *trouble.Error {
	e := &trouble.Error{Kind: trouble.BadRequest, Status: status, RetryAfter: retryAfter(h), Message: oneLine(message, secret)}
	if status != 0 {
		e.Kind = trouble.KindOfStatus(status)
	}
	if status >= 300 && (e.Message == "" || strings.HasPrefix(e.Message, "<")) { // a proxy's page
		e.Message = strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
	}
	said := strings.ToLower(codes + " " + message)
	for _, w := range words {
		for _, word := range w.any {
			if strings.Contains(said, word) && believable(status, w.kind) {
				e.Kind = w.kind
				return e
			}
		}
	}
	return e
}

// believable reports whether an answer of that status may mean kind.
func believable(status int, kind trouble.Kind) bool {
	switch status {
	case 0:
		return true
	case 400, 413, 422:
		return kind != trouble.Overloaded
	case 402: // concurrent requests may cost more than is left: temporary
		return kind == trouble.Quota || kind == trouble.RateLimit
	case 403, 429:
		return kind == trouble.Quota
	}
	return status >= 500 && kind == trouble.Context
}

// CallError returns the error of a call without a complete answer: ctx's own if it was cancelled, err itself if it is
// an *Error, Malformed for bytes that do not parse, else Network.
func CallError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e, ok := errors.AsType[*trouble.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*url.Error](err); ok { // its text repeats the address
		err = e.Err
	}
	kind := trouble.Network
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, mismatch := errors.AsType[*json.UnmarshalTypeError](err)
	if syntax || mismatch {
		kind = trouble.Malformed
	}
	e := &trouble.Error{Kind: kind, Message: oneLine(plain.Text(err.Error()), ""), Err: err}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		e.Message = broke
	} else if kind == trouble.Malformed {
		e.Message = "the response cannot be read: " + e.Message
	}
	if e.Unsent, e.Offline = neverSent(err); e.Offline {
		e.Message = "no network connection"
	}
	return e
}

// broke is said of a stream that ended before the answer did.
const broke = "the connection broke in the middle of the response"

// CutError says that a stream ended before the answer did.
func CutError() error {
	return &trouble.Error{Kind: trouble.Network, Message: broke}
}

// RequestID returns the vendor's id of a request, from the head of its answer; empty if none.
func RequestID(h http.Header) string {
	return cmp.Or(FitID(h.Get("Request-Id")), FitID(h.Get("X-Request-Id")))
}

// FitID returns an id if it is fit to be stored and shown; empty for any other.
func FitID(id string) string {
	if len(id) > 200 || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return id
}

// retryAfter returns how long the vendor asks to wait: in milliseconds, in seconds or until a date (RFC 9110,
// 10.2.3); 0 if it does not say.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// oneLine makes s fit for one line of a screen: no control characters, runs of space closed up, 400 runes at most.
func oneLine(s, secret string) string {
	if secret != "" {
		s = strings.ReplaceAll(s, secret, "***")
	}
	clean := func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	if r := []rune(s); len(r) > 400 {
		s = string(r[:400]) + "…"
	}
	return strings.Join(strings.Fields(strings.Map(clean, s)), " ")
}

// neverSent reports whether err occurred before there was a connection, and whether for want of any network.
func neverSent(err error) (unsent, offline bool) {
	if name, ok := errors.AsType[*net.DNSError](err); ok { // a name that does not exist is misspelled, if there is a network to ask
		return true, !name.IsNotFound || !connected()
	}
	e, ok := errors.AsType[*net.OpError](err)
	unsent = ok && e.Op == "dial"
	away := []syscall.Errno{syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN}
	return unsent, unsent && slices.ContainsFunc(away, func(no syscall.Errno) bool { return errors.Is(err, no) })
}

// connected reports whether this machine has an address that others can reach.
func connected() bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true
	}
	return slices.ContainsFunc(all, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast()
	})
}
