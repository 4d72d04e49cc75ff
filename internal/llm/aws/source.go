package aws

import (
	"cmp"
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// Source finds credentials where Amazon's own tools look, the environment first. It keeps them until shortly before
// they expire. It is safe for concurrent use.
type Source struct {
	Profile string              // takes precedence over the environment; empty means none, and AWS_PROFILE is used after the environment
	Learn   func(secret string) // receives every secret that is found
	// Run runs the program that a profile in file names for its credentials, and returns its output.
	Run func(ctx context.Context, file string, words []string) ([]byte, error)

	mu   sync.Mutex
	kept Credentials
}

// early is how long before their expiry credentials are fetched again.
const early = 2 * time.Minute

// Get returns credentials, and gets new ones where the profile says how. An error is a *trouble.Error that says what
// to do. One caller at a time looks them up while others wait, so a program that asks the person something is started
// once.
func (s *Source) Get(ctx context.Context) (Credentials, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept.KeyID != "" && (s.kept.Expires.IsZero() || time.Until(s.kept.Expires) > early) {
		return s.kept, nil
	}
	c, err := s.find(ctx)
	if err != nil {
		return c, err
	}
	for _, secret := range []string{c.Secret, c.Token} {
		if secret != "" {
			s.Learn(secret)
		}
	}
	s.kept = c
	return c, nil
}

// Renew looks credentials up again after those used were refused. ok is false if there are no others. Several calls
// may be refused at once: later callers get what the first one found.
func (s *Source) Renew(ctx context.Context, used Credentials) (c Credentials, ok bool) {
	s.mu.Lock()
	if s.kept == used {
		s.kept = Credentials{}
	}
	s.mu.Unlock()
	c, err := s.Get(ctx)
	return c, err == nil && c != used
}

// Where says in a few words where the credentials are, without requesting any. An error says what is missing.
func (s *Source) Where() (string, error) {
	if s.inEnvironment() {
		if env("AWS_SECRET_ACCESS_KEY") == "" {
			return "", missing("AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not")
		}
		return "AWS_ACCESS_KEY_ID", nil
	}
	if s.byIdentity() {
		return "AWS_WEB_IDENTITY_TOKEN_FILE", nil
	}
	p, err := s.profile()
	if err != nil {
		return "", err
	}
	if _, err := p.way(); err != nil {
		return "", err
	}
	own := p.has["role_arn"] + p.has["aws_access_key_id"] + p.has["sso_account_id"] + p.has["credential_process"]
	if u, _ := inContainer(); u != nil && own == "" {
		return "AWS credentials of the container", nil
	}
	if u, _ := onInstance(); u != nil && own == "" {
		return "AWS role of this virtual machine", nil
	}
	return "AWS profile " + p.name, nil
}

// Region returns where requests go unless something else is set: AWS_REGION, AWS_DEFAULT_REGION or the profile's
// region; empty if none is set.
func (s *Source) Region() string {
	if r := cmp.Or(env("AWS_REGION"), env("AWS_DEFAULT_REGION")); r != "" && s.Profile == "" {
		return r
	}
	p, _ := s.profile() // a profile that cannot be read has no region either
	return cmp.Or(p.has["region"], env("AWS_REGION"), env("AWS_DEFAULT_REGION"))
}

// inEnvironment reports whether the environment has credentials to use: a named profile takes precedence.
func (s *Source) inEnvironment() bool { return s.Profile == "" && env("AWS_ACCESS_KEY_ID") != "" }

// find looks credentials up; s.mu is held.
func (s *Source) find(ctx context.Context) (Credentials, error) {
	if _, err := s.Where(); err != nil {
		return Credentials{}, err
	}
	if s.inEnvironment() {
		return fromEnvironment(), nil
	}
	if s.byIdentity() {
		return identity(ctx, s, env("AWS_ROLE_ARN"), env("AWS_WEB_IDENTITY_TOKEN_FILE"), env("AWS_ROLE_SESSION_NAME"))
	}
	p, err := s.profile()
	if err != nil {
		return Credentials{}, err
	}
	way, err := p.way()
	if err != nil {
		return Credentials{}, err
	}
	return way(ctx, s, p)
}

// byIdentity reports whether the environment names a web identity. A named profile takes precedence.
func (s *Source) byIdentity() bool {
	return s.Profile == "" && env("AWS_PROFILE") == "" && env("AWS_WEB_IDENTITY_TOKEN_FILE") != "" && env("AWS_ROLE_ARN") != ""
}

// fromEnvironment returns the credentials in the environment.
func fromEnvironment() Credentials {
	return Credentials{KeyID: env("AWS_ACCESS_KEY_ID"), Secret: env("AWS_SECRET_ACCESS_KEY"), Token: env("AWS_SESSION_TOKEN")}
}

// env returns a variable without surrounding blanks.
func env(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// missing returns an error about somebody's credentials.
func missing(text string) error { return &trouble.Error{Kind: trouble.Auth, Message: text} }
