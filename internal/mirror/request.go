package mirror

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/invitation"
	"github.com/socrates-cli/socrates/internal/plain"
)

// patience is how long it is tried to reach a hub, and largest how long an answer may be.
const (
	patience = 5 * time.Second
	largest  = 64 << 20
)

var dialer = &net.Dialer{Timeout: patience}

// away is a hub that could not be reached.
type away struct{ error }

// Away says whether an error is that the hub could not be reached, or answers that it cannot now.
func Away(err error) bool {
	_, is := errors.AsType[away](err)
	return is
}

// Unwrap is the failure it is.
func (a away) Unwrap() error { return a.error }

// problem is an error as the hub tells it.
type problem struct {
	Detail string `json:"detail"`
	Hint   string `json:"hint"`
	Reason string `json:"reason"`
	Code   int    `json:"exit_code"`
}

// send asks the hub. in is nil where there is no body, out where the answer does not matter. key makes a change be done once.
func (h *Hub) send(ctx context.Context, method, path, key string, in, out any) error {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	for wait := time.Duration(0); ; {
		res, err := h.ask(ctx, method, path, key, body)
		if err != nil {
			return err
		}
		again := res.StatusCode == http.StatusTooManyRequests && in == nil && wait < time.Minute
		if !again {
			return h.answer(res, out)
		}
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		res.Body.Close()
		pause := time.Duration(min(max(seconds, 1), 10)) * time.Second
		wait += pause
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// ask sends one request.
func (h *Hub) ask(ctx context.Context, method, path, key string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.URL+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+h.Token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := h.client.Do(req)
	if err != nil {
		return nil, h.unreached(ctx, err)
	}
	return res, nil
}

// unreached says why nobody answered, or that somebody else did.
func (h *Hub) unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, invitation.ErrOther) {
		return failure.New(failure.ExitAuth, "hub", "the server at "+h.URL+" is not the hub you connected to: its certificate "+
			"was issued by another authority; nothing was sent",
			"ask the hub's admin; if the hub was set up again: socrates hub connect INVITATION")
	}
	if why := certificate(err); why != "" {
		return failure.New(failure.ExitAuth, "hub", "the certificate of "+h.URL+" cannot be trusted: "+why,
			"connect with an invitation, which contains the authority's fingerprint: socrates hub connect INVITATION")
	}
	return away{failure.New(failure.ExitProvider, "hub", "the hub "+h.URL+" cannot be reached: "+plain.Text(innermost(err).Error()), "")}
}

// answer reads what came back.
func (h *Hub) answer(res *http.Response, out any) error {
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, largest+1))
	if err != nil {
		return away{failure.New(failure.ExitProvider, "hub", "the answer of the hub "+h.URL+" broke off", "try again")}
	}
	if len(raw) > largest {
		return failure.New(failure.ExitFailed, "hub", fmt.Sprintf("the hub %s sent more than %d MB at once; nothing was saved",
			h.URL, largest>>20), "")
	}
	if res.StatusCode >= 300 {
		return h.refused(res.StatusCode, raw)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return failure.New(failure.ExitFailed, "hub", h.URL+" does not respond like a hub", "check the address, or update this program")
	}
	return nil
}

// refused is an answer that says no, in the hub's own words.
func (h *Hub) refused(status int, raw []byte) error {
	var p problem
	if json.Unmarshal(raw, &p) != nil || p.Detail == "" {
		p = problem{Detail: h.URL + " answers " + strconv.Itoa(status)}
	}
	switch {
	case status == http.StatusUnauthorized:
		return failure.New(failure.ExitAuth, "auth", "the hub "+h.URL+" does not know the token: it has expired or was revoked",
			"ask whoever runs the hub for an invitation, then: socrates hub connect INVITATION")
	case status == http.StatusForbidden:
		return failure.New(failure.ExitDenied, "denied", "at the hub: "+p.Detail, "ask whoever runs the hub")
	case status == http.StatusMisdirectedRequest:
		return failure.New(failure.ExitFailed, "hub", "the hub does not go by this name: "+p.Detail,
			"start it with: socrates hub --host NAME")
	case status == http.StatusBadGateway || status == http.StatusGatewayTimeout:
		return away{failure.New(failure.ExitProvider, "hub", "the hub "+h.URL+" cannot be reached: "+p.Detail, "")}
	}
	code := p.Code
	if code <= 0 || code > 255 {
		code = failure.ExitFailed
	}
	return &told{failure.New(code, p.Reason, "at the hub: "+p.Detail, p.Hint), status}
}

// told is what a hub said no with.
type told struct {
	says   *failure.Error
	status int
}

// Error is what it says.
func (t *told) Error() string { return t.says.Error() }

// Unwrap is the failure it is.
func (t *told) Unwrap() error { return t.says }

// certificate says what is wrong with a certificate, if that is what is wrong.
func certificate(err error) string {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var other *tls.CertificateVerificationError
	switch {
	case errors.As(err, &host):
		return host.Error()
	case errors.As(err, &invalid):
		return invalid.Error()
	case errors.As(err, &unknown):
		return "it is not signed by an authority this machine trusts"
	case errors.As(err, &other):
		return other.Err.Error()
	}
	return ""
}

// innermost is the cause of an error without what was done at the time.
func innermost(err error) error {
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		return call.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// is says whether a hub said no with a status.
func is(err error, status int) bool {
	t, ok := errors.AsType[*told](err)
	return ok && t.status == status
}

// Hello asks whether the hub is there and lets us in.
func (h *Hub) Hello(ctx context.Context) error {
	var health struct {
		Version string `json:"version"`
	}
	return h.send(ctx, http.MethodGet, "/api/v1/health", "", nil, &health)
}
