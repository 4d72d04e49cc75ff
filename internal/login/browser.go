package login

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/browser"
	"github.com/socrates-cli/socrates/internal/callback"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// consentTime is how long the person has in the browser.
// Five minutes leave room for a password manager and a second factor.
const consentTime = 5 * time.Minute

// InBrowser has the vendor make a key: the person agrees in the browser, which brings back a code, which only we can turn into
// the key, because only we know what the challenge in the address was made from (PKCE, RFC 7636).
func InBrowser(ctx context.Context, h *home.Home, e home.Endpoint, tell func(string)) (string, error) {
	return By(ctx, h, e, func(ctx context.Context, page *url.URL, ask url.Values) (string, error) {
		return broughtCode(ctx, page, ask, tell)
	})
}

// By is InBrowser with the code brought in one of two ways.
// The verifier has 260 bits and never leaves this process before the exchange, so a code that somebody else sees is
// worth nothing.
func By(ctx context.Context, h *home.Home, e home.Endpoint,
	bring func(ctx context.Context, page *url.URL, ask url.Values) (code string, err error)) (string, error) {
	page, err := url.Parse(e.URL)
	if err != nil {
		return "", err
	}
	verifier := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	ask := url.Values{"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"key_label": {"socrates"}}
	// The page to agree on is at the root of the vendor's host, beside its API.
	page = &url.URL{Scheme: page.Scheme, Host: page.Host, Path: "/auth"}
	ctx, cancel := context.WithTimeoutCause(ctx, consentTime, failure.New(failure.ExitAuth, "auth",
		fmt.Sprintf("no answer from the browser within %d minutes",
			int(consentTime.Minutes())), "if the browser is on another machine: socrates login "+e.Vendor.Name+" --paste"))
	defer cancel()
	code, err := bring(ctx, page, ask)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", err
	}
	// Whatever the exchange says about it must not show it.
	h.Learn(code)
	return exchange(ctx, e, code, verifier)
}

// broughtCode waits for the browser to bring the code.
// The listener is on loopback and takes one answer; see internal/callback.
func broughtCode(ctx context.Context, page *url.URL, ask url.Values, tell func(string)) (string, error) {
	back, err := callback.Open()
	if err != nil {
		return "", err
	}
	defer back.Close()
	ask.Set("callback_url", back.URL)
	page.RawQuery = ask.Encode()
	if err := browser.Open(page.String()); err != nil {
		tell("Cannot open a browser (" + err.Error() + ").\nOpen this address in a browser on this machine and approve access:\n")
	} else {
		tell("Opening your browser. If it does not open, visit this address on this machine and approve access:\n")
	}
	tell(page.String() + "\n")
	q, err := back.Wait(ctx)
	if err != nil || q.Get("code") != "" {
		return q.Get("code"), err
	}
	why := cmp.Or(clean.Line(q.Get("error_description")), clean.Line(q.Get("error")), "it returned no code")
	return "", failure.New(failure.ExitAuth, "auth", "sign-in was not approved: "+why, "")
}

// exchange turns the code into a key.
func exchange(ctx context.Context, e home.Endpoint, code, verifier string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	body, err := json.Marshal(map[string]string{"code": code, "code_verifier": verifier, "code_challenge_method": "S256"})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(e.URL, "/")+"/auth/keys", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	raw, err := answer(req, code)
	if err != nil {
		f := failure.Explain(err)
		// The vendor refuses the code, which is the person's affair; anything else is the vendor's.
		if s := trouble.As(err).Status; s >= 400 && s < 500 {
			f.Code, f.Reason = failure.ExitAuth, "auth"
		}
		f.Message = e.Vendor.Name + " did not exchange the code for a key: " + plainly(err)
		f.Hint = "a code works once, within ten minutes; start again: socrates login " + e.Vendor.Name
		return "", f
	}
	var made struct {
		Key string `json:"key"`
	}
	if json.Unmarshal(raw, &made) != nil || made.Key == "" {
		return "", failure.New(failure.ExitProvider, "malformed", e.Vendor.Name+" returned no key", "")
	}
	return made.Key, nil
}
