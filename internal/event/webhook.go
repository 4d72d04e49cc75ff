package event

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

const (
	tries    = 3
	tryTime  = 3 * time.Second        // how long one try may take
	firstGap = 250 * time.Millisecond // between tries; it doubles
)

// SignatureHeader carries "sha256=" and the HMAC-SHA256 of the body under the hook's secret, in hex.
const SignatureHeader = "Socrates-Signature"

// It is shared, so that several events to one server use one connection.
var client = &http.Client{Transport: transport(),
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// transport is how webhooks are reached: never at an address that only hands out what this machine may not tell, and without more of an
// answer than its status. A body is not read at all.
func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: tryTime, Control: reachable}).DialContext
	t.MaxResponseHeaderBytes = 64 << 10
	return t
}

// reachable refuses an address as it is dialled, whatever its name was a moment ago. On a cloud's machine, link-local addresses hand out
// its credentials; nobody listens to events there.
func reachable(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	ip := at.Addr().Unmap()
	if err == nil && (ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() || ip.WithZone("") == amazon) {
		return errors.New("its address is one of this network's own services")
	}
	return err
}

// amazon hands out credentials, too, and is not link-local.
var amazon = netip.MustParseAddr("fd00:ec2::254")

// post sends a body to the hook's URL, again if that may help. Errors do not hold the URL, whose path may be a secret.
func (h Hook) post(ctx context.Context, body []byte) (string, error) {
	for try := 1; ; try++ {
		status, err := h.try(ctx, body)
		if err == nil {
			return status, nil
		}
		again, _ := errors.AsType[*retryable](err)
		if ctx.Err() != nil {
			return "", ended(ctx)
		}
		if again == nil || try == tries {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", ended(ctx)
		case <-time.After(firstGap << (try - 1)):
		}
	}
}

// retryable is a failure that another try may not have.
type retryable struct{ error }

func (h Hook) try(ctx context.Context, body []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return "", errors.New("its address cannot be used")
	}
	req.Header.Set("Content-Type", "application/cloudevents+json; charset=utf-8")
	req.Header.Set("User-Agent", "socrates")
	if h.Secret != "" {
		mac := hmac.New(sha256.New, []byte(h.Secret))
		mac.Write(body)
		req.Header.Set(SignatureHeader, "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	resp, err := client.Do(req)
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	switch {
	case ctx.Err() != nil:
		return "", &retryable{fmt.Errorf("it did not answer within %d s", tryTime/time.Second)}
	case err != nil:
		return "", &retryable{err}
	}
	resp.Body.Close()
	status := fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		return status, nil
	case code >= 300 && code < 400:
		// The body may be signed for this address and nobody else.
		return "", errors.New(status + ": redirects are not followed")
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return "", &retryable{errors.New(status)}
	}
	return "", errors.New(status)
}
