// Package oidc has people of a hub sign in by a provider of their organisation: OpenID Connect Core 1.0, the authorization code flow
// with PKCE (RFC 7636).
//
// [Provider.Handler] answers two addresses: one sends the browser to the provider, the other takes it back. The provider says who it is
// in a signed token, whose issuer, audience, time, signature and nonce are checked; who that is here is asked of the hub, and what signs
// the browser in then is a link of the hub's own, which works once. A state is known to one browser, by a cookie, for ten minutes, and
// is spent when it comes back. Nothing of the provider is kept.
//
// The provider is asked for its keys when somebody first signs in, so that a hub starts without it.
package oidc

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Options say which provider it is. Issuer and Client must be set.
type Options struct {
	Issuer string // https, or http on this machine
	Client string // the hub's id there
	Secret string // empty: the hub is a public client
}

// Paths are where people begin, and where the provider sends them back.
const (
	Path = "/login"
	Back = "/login/back"
)

// Provider is one that people sign in by. It is made by New and safe for concurrent use.
type Provider struct {
	o    Options
	http *http.Client

	mu      sync.Mutex
	found   *oidc.Provider // nil: it was not asked yet
	waiting map[string]wait
}

// wait is somebody who was sent to the provider.
type wait struct {
	cookie   string // a hash of it
	nonce    string
	verifier string
	back     string
	until    time.Time
}

// How long somebody may take at the provider, and how many may be there at once.
const (
	patience = 10 * time.Minute
	most     = 1000
	slowest  = 20 * time.Second // for an answer of the provider
)

// New makes a provider, which is not asked anything before somebody signs in.
func New(o Options) (*Provider, error) {
	u, err := url.Parse(o.Issuer)
	if err != nil || u.Host == "" || o.Client == "" {
		return nil, errors.New("sign-in needs the address of the issuer and the hub's client id there")
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme != "https" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("the issuer %s is not an https address", o.Issuer)
	}
	return &Provider{o: o, http: &http.Client{Timeout: slowest, Transport: bounded{http.DefaultTransport}}, waiting: map[string]wait{}}, nil
}

// Name is what people know the provider by: its host.
func (p *Provider) Name() string {
	u, _ := url.Parse(p.o.Issuer) // New has parsed it
	return u.Hostname()
}

// bounded reads no more of an answer than keys and tokens need.
type bounded struct{ http.RoundTripper }

// RoundTrip is that of http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, 1<<20), answer.Body}
	}
	return answer, err
}

// Hub is what the handler needs of the hub.
type Hub struct {
	// Known finds the person who signs in by one of these names; empty: nobody does.
	Known func(ctx context.Context, logins ...string) (person string, err error)
	Link  func(person string) string // the end of an address that signs a browser in, once
	// Refused is told who was not let in, and why.
	Refused func(login, why string)
	// Fail shows somebody what went wrong.
	Fail func(w http.ResponseWriter, r *http.Request, status int, why string)
}

// Handler answers at Path and Back.
func (p *Provider) Handler(h Hub) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) { p.send(h, w, r) })
	mux.HandleFunc("GET "+Back, func(w http.ResponseWriter, r *http.Request) { p.receive(h, w, r) })
	return mux
}

// provider asks it for its addresses and keys, once.
func (p *Provider) provider(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	// The keys are fetched again with this context for as long as the hub runs.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.http), p.o.Issuer)
	if err == nil {
		p.found = found
	}
	return found, err
}

// flow is how the provider is spoken to.
func (p *Provider) flow(found *oidc.Provider, back string) *oauth2.Config {
	return &oauth2.Config{ClientID: p.o.Client, ClientSecret: p.o.Secret, Endpoint: found.Endpoint(), RedirectURL: back,
		Scopes: []string{oidc.ScopeOpenID, "email"}}
}

// cookie is the name of what knows a browser again.
const cookie = "socrates-login"

// send sends a browser to the provider.
func (p *Provider) send(h Hub, w http.ResponseWriter, r *http.Request) {
	found, err := p.provider(r.Context())
	if err != nil {
		h.Fail(w, r, http.StatusBadGateway, "the sign-in provider does not answer: "+err.Error())
		return
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	own := rand.Text()
	one := wait{cookie: hash(own), nonce: rand.Text(), verifier: oauth2.GenerateVerifier(), back: scheme + r.Host + Back,
		until: time.Now().Add(patience)}
	state := rand.Text()
	if !p.keep(state, one) {
		h.Fail(w, r, http.StatusServiceUnavailable, "too many people are signing in: try again in a few minutes")
		return
	}
	// Lax: the provider sends the browser back, which is another site.
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: own, Path: Path, HttpOnly: true, Secure: r.TLS != nil,
		SameSite: http.SameSiteLaxMode, MaxAge: int(patience.Seconds())})
	http.Redirect(w, r, p.flow(found, one.back).AuthCodeURL(state, oidc.Nonce(one.nonce), oauth2.S256ChallengeOption(one.verifier)),
		http.StatusSeeOther)
}

// keep remembers somebody who was sent away; false: they are too many.
func (p *Provider) keep(state string, one wait) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s, w := range p.waiting {
		if time.Now().After(w.until) {
			delete(p.waiting, s)
		}
	}
	if len(p.waiting) >= most {
		return false
	}
	p.waiting[state] = one
	return true
}

// take finds who comes back, once.
func (p *Provider) take(r *http.Request) (wait, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := r.URL.Query().Get("state")
	one, ok := p.waiting[state]
	own, err := r.Cookie(cookie)
	if !ok || err != nil || subtle.ConstantTimeCompare([]byte(hash(own.Value)), []byte(one.cookie)) != 1 {
		return wait{}, false
	}
	delete(p.waiting, state)
	return one, time.Now().Before(one.until)
}

// receive signs in who comes back.
func (p *Provider) receive(h Hub, w http.ResponseWriter, r *http.Request) {
	one, ok := p.take(r)
	if !ok {
		h.Fail(w, r, http.StatusForbidden, "this sign-in was not started in this browser, or took more than 10 minutes: start again")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Path: Path, MaxAge: -1, HttpOnly: true, Secure: r.TLS != nil,
		SameSite: http.SameSiteLaxMode})
	if why := r.URL.Query().Get("error"); why != "" {
		h.Fail(w, r, http.StatusForbidden, "the sign-in provider refused: "+
			strings.TrimSpace(why+" "+r.URL.Query().Get("error_description")))
		return
	}
	logins, err := p.who(r.Context(), one, r.URL.Query().Get("code"))
	if err != nil {
		h.Refused("", err.Error())
		h.Fail(w, r, http.StatusForbidden, "the sign-in provider's answer cannot be trusted: "+err.Error())
		return
	}
	person, err := h.Known(r.Context(), logins...)
	switch {
	case err != nil:
		h.Fail(w, r, http.StatusInternalServerError, err.Error())
	case person == "":
		h.Refused(logins[len(logins)-1], "nobody here has this login")
		h.Fail(w, r, http.StatusForbidden, "nobody here signs in as "+logins[len(logins)-1]+": an admin of the hub can add you")
	default:
		http.Redirect(w, r, "/in#"+h.Link(person), http.StatusSeeOther)
	}
}

// who trades a code for a token, checks it, and reads the names that it gives somebody: the subject, and the address if it was verified.
func (p *Provider) who(ctx context.Context, one wait, code string) (logins []string, err error) {
	found, err := p.provider(ctx)
	if err != nil {
		return nil, err
	}
	ctx = oidc.ClientContext(ctx, p.http)
	token, err := p.flow(found, one.back).Exchange(ctx, code, oauth2.VerifierOption(one.verifier))
	if err != nil {
		return nil, err
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, errors.New("it sent no id token")
	}
	id, err := found.Verifier(&oidc.Config{ClientID: p.o.Client}).Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(one.nonce)) != 1 {
		return nil, errors.New("its token is for another sign-in")
	}
	var claims struct {
		Email    string `json:"email"`
		Verified any    `json:"email_verified"` // some providers write it as a text
	}
	if err := id.Claims(&claims); err != nil {
		return nil, err
	}
	logins = []string{id.Subject}
	if claims.Email != "" && (claims.Verified == true || claims.Verified == "true") {
		logins = append(logins, claims.Email)
	}
	return logins, nil
}

// hash is what is kept of a secret.
func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
