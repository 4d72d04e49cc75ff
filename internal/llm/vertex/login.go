package vertex

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// Login gets access tokens with Google's Application Default Credentials, and keeps them until shortly before they
// expire: from the file that GOOGLE_APPLICATION_CREDENTIALS names, the one that gcloud stores, or the machine's own
// account. It is safe for concurrent use.
type Login struct {
	Learn func(secret string) // receives every secret that is found

	mu   sync.Mutex
	kept *oauth2.Token
}

// The scope of a token, and how long before its expiry it is no longer used.
const (
	scope = "https://www.googleapis.com/auth/cloud-platform"
	early = time.Minute
)

// Where says in a few words where the credentials are, without requesting any. An error says what is missing.
func (l *Login) Where() (string, error) {
	c, err := read()
	switch {
	case err != nil:
		return "", err
	case c.machine:
		return "the machine's service account", nil
	case c.Type == "service_account":
		return "service account " + c.Email, nil
	}
	return "gcloud's login", nil
}

// Project returns the one that the credentials belong to; empty if they name none.
func (l *Login) Project() string {
	c, _ := read() // unreadable credentials name none
	return cmp.Or(c.Project, c.Quota)
}

// Quota returns the project to which the requests of a person's login are charged; empty means that of the request.
func (l *Login) Quota() string {
	c, _ := read()
	return c.Quota
}

// token returns an access token, another one than refused if that is not empty.
func (l *Login) token(ctx context.Context, refused string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.kept; k != nil && k.AccessToken != refused && (k.Expiry.IsZero() || time.Until(k.Expiry) > early) {
		return k.AccessToken, nil
	}
	c, err := read()
	if err != nil {
		return "", err
	}
	for _, secret := range []string{c.PrivateKey, c.ClientSecret, c.RefreshToken} {
		if secret != "" {
			l.Learn(secret)
		}
	}
	t, err := c.fetch(ctx)
	if err != nil {
		return "", c.explain(ctx, err)
	}
	l.Learn(t.AccessToken)
	l.kept = t
	return t.AccessToken, nil
}

// fetch gets a token according to the kind of credentials. It uses our client, which follows no redirect with a
// secret.
func (c credentials) fetch(ctx context.Context) (*oauth2.Token, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, wire.HTTPClient())
	switch {
	case c.machine:
		return machineToken(ctx)
	case c.Type == "service_account":
		own := jwt.Config{Email: c.Email, PrivateKey: []byte(c.PrivateKey), PrivateKeyID: c.PrivateKeyID, Scopes: []string{scope},
			TokenURL: c.TokenAddress}
		return own.TokenSource(ctx).Token()
	}
	own := oauth2.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret,
		Endpoint: oauth2.Endpoint{TokenURL: c.TokenAddress, AuthStyle: oauth2.AuthStyleInParams}}
	return own.TokenSource(ctx, &oauth2.Token{RefreshToken: c.RefreshToken}).Token()
}

// explain converts a failure to get a token to our error. If the service says that a login has ended, the error says
// what to do.
func (c credentials) explain(ctx context.Context, err error) error {
	if strings.Contains(err.Error(), "private key should be") { // found out before any request
		return &trouble.Error{Kind: trouble.Auth, Message: c.path + " has a private_key that cannot be read; " + signIn}
	}
	e, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return wire.CallError(ctx, err)
	}
	var told struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	json.Unmarshal(e.Body, &told) // a body that is not JSON says nothing
	if e.Response != nil && e.Response.StatusCode >= 500 {
		return wire.HTTPError(e.Response.StatusCode, e.Response.Header, told.Error, told.Description, "")
	}
	why := "Google refused the login in " + c.path
	if text := cmp.Or(told.Description, told.Error); text != "" {
		why += " (" + text + ")"
	}
	return &trouble.Error{Kind: trouble.Auth, Message: why + "; " + signIn}
}

// machineToken asks the machine's metadata server.
func machineToken(ctx context.Context) (*oauth2.Token, error) {
	host := cmp.Or(env("GCE_METADATA_HOST"), "metadata.google.internal")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+host+"/computeMetadata/v1/instance/service-accounts/default/token?scopes="+url.QueryEscape(scope), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Metadata-Flavor", "Google")
	res, err := wire.HTTPClient().Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var told struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, res.Body, 1<<20)).Decode(&told); err != nil || told.AccessToken == "" {
		return nil, &trouble.Error{Kind: trouble.Auth, Message: "the machine's service account gives no access token"}
	}
	return &oauth2.Token{AccessToken: told.AccessToken, Expiry: time.Now().Add(time.Duration(told.ExpiresIn) * time.Second)}, nil
}
