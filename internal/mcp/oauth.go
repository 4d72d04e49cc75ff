package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/socrates-cli/socrates/internal/callback"
)

// Tokens keep what a sign-in obtained, by server. What they keep is a secret.
type Tokens struct {
	Load func(server string) ([]byte, error) // nothing without error: there is none
	Save func(server string, secret []byte) error
}

// patience is how long a person may take to sign in.
const patience = 5 * time.Minute

// grant is what a sign-in obtained, and what is needed to renew it.
type grant struct {
	URL      string           `json:"url"` // of the server: another address gets nothing
	ClientID string           `json:"client_id"`
	Secret   string           `json:"client_secret,omitempty"`
	TokenURL string           `json:"token_url"`
	Style    oauth2.AuthStyle `json:"auth_style"`
	Token    *oauth2.Token    `json:"token"`
}

// config is what renewing needs.
func (g grant) config() *oauth2.Config {
	return &oauth2.Config{ClientID: g.ClientID, ClientSecret: g.Secret, Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: g.Style}}
}

// remote is the way to a server over HTTP. done is called once the session has begun or failed. A key that the
// settings name is used as it is; only without one is there a sign-in.
func (s Server) remote(o Options) (transport sdk.Transport, done func(), err error) {
	at := host(s.URL)
	header := http.Header{}
	for _, line := range s.Headers {
		name, value, _ := strings.Cut(line, ":")
		header.Add(name, strings.TrimSpace(value))
	}
	if s.Bearer != "" {
		header.Set("Authorization", "Bearer "+s.Bearer)
	}
	client := &http.Client{Transport: sender{at, header}, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
			return fmt.Errorf("it redirects to %s", r.URL.Host)
		}
		if len(via) > 5 {
			return errors.New("too many redirects")
		}
		return nil
	}}
	t := &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, DisableStandaloneSSE: true, MaxRetries: 1}
	if header.Get("Authorization") != "" {
		return t, func() {}, nil
	}
	handler, done, err := s.signIn(o, client)
	t.OAuthHandler = handler
	return t, done, err
}

// signIn authorizes requests by what was obtained earlier, or by a person who opens a page.
func (s Server) signIn(o Options, client *http.Client) (auth.OAuthHandler, func(), error) {
	earlier, err := s.renewed(o, client)
	if err != nil {
		return nil, nil, err
	}
	if o.SignIn == nil {
		return signedIn{earlier, s.Name}, func() {}, nil
	}
	page, err := callback.Open()
	if err != nil {
		return nil, nil, err
	}
	h, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		RedirectURL: page.URL, Client: client, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName:   "Socrates",
			RedirectURIs: []string{page.URL}, GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
			TokenEndpointAuthMethod: "none"}},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if !strings.HasPrefix(args.URL, "https://") && !strings.HasPrefix(args.URL, "http://") {
				return nil, errors.New("its sign-in page is not a web address")
			}
			o.SignIn(args.URL)
			return brought(ctx, page)
		},
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			g := grant{s.URL, c.ClientID, c.ClientSecret, c.Endpoint.TokenURL, c.Endpoint.AuthStyle, token}
			return s.keeping(o, g, c.TokenSource(ctx, token)), s.keep(o, g)
		},
	})
	if err != nil {
		page.Close()
		return nil, nil, err
	}
	return &once{AuthorizationCodeHandler: h}, page.Close, nil
}

// once asks the person a single time: a session that begins tries two ways in.
type once struct {
	*auth.AuthorizationCodeHandler
	mu     sync.Mutex
	failed error
}

// Authorize asks the first time. Afterwards it is the error of then, if there was one, without asking.
func (o *once) Authorize(ctx context.Context, q *http.Request, r *http.Response) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed != nil {
		r.Body.Close()
		return o.failed
	}
	o.failed = o.AuthorizationCodeHandler.Authorize(ctx, q, r)
	return o.failed
}

// signedIn authorizes by an earlier sign-in only.
type signedIn struct {
	source oauth2.TokenSource
	name   string
}

// TokenSource is nil if nobody signed in earlier: then the server decides whether that is needed.
func (s signedIn) TokenSource(context.Context) (oauth2.TokenSource, error) { return s.source, nil }

// Authorize is called when the server refuses what it was sent. Nobody can be asked now, so the error says how.
func (s signedIn) Authorize(_ context.Context, _ *http.Request, r *http.Response) error {
	io.Copy(io.Discard, io.LimitReader(r.Body, 64<<10))
	r.Body.Close()
	return fmt.Errorf("sign-in required (%s): socrates mcp login %s", r.Status, s.name)
}

// renewed is the source of an earlier sign-in; nil if there was none.
func (s Server) renewed(o Options, client *http.Client) (oauth2.TokenSource, error) {
	if o.Tokens.Load == nil {
		return nil, nil
	}
	raw, err := o.Tokens.Load(s.Name)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	var g grant
	if err := json.Unmarshal(raw, &g); err != nil || g.URL != s.URL || g.Token == nil {
		return nil, nil // of another address, or not ours: as if there were none
	}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, client)
	return s.keeping(o, g, g.config().TokenSource(ctx, g.Token)), nil
}

// keep saves what a sign-in obtained, where there is a place for it.
func (s Server) keep(o Options, g grant) error {
	if o.Tokens.Save == nil {
		return nil
	}
	raw, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return o.Tokens.Save(s.Name, raw)
}

// keeper saves tokens that were renewed.
type keeper struct {
	oauth2.TokenSource
	mu   *sync.Mutex
	last *grant
	save func(grant) error
}

// keeping is a source of tokens that saves each new one: a renewal may invalidate the token before.
func (s Server) keeping(o Options, g grant, source oauth2.TokenSource) oauth2.TokenSource {
	return keeper{source, &sync.Mutex{}, &g, func(g grant) error { return s.keep(o, g) }}
}

// Token renews as its source does. A new token that cannot be saved is an error: the next session would find one
// that is no longer good.
func (k keeper) Token() (*oauth2.Token, error) {
	t, err := k.TokenSource.Token()
	if err != nil {
		return nil, fmt.Errorf("the sign-in cannot be renewed: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.AccessToken != k.last.Token.AccessToken {
		k.last.Token = t
		if err := k.save(*k.last); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// brought waits for what the browser brings back from the sign-in.
func brought(ctx context.Context, back *callback.Address) (*auth.AuthorizationResult, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	q, err := back.Wait(ctx)
	switch {
	case err != nil:
		return nil, errors.New("not signed in")
	case q.Get("code") == "":
		return nil, fmt.Errorf("the sign-in was refused: %s", strings.TrimSpace(q.Get("error")+" "+q.Get("error_description")))
	}
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}
