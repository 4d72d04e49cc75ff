package program

import (
	"context"
	"net/http"
	"os"
	"strings"

	fleets "github.com/socrates-cli/socrates/cmd/fleet"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/serve"
	"github.com/socrates-cli/socrates/internal/team"
	"github.com/socrates-cli/socrates/internal/team/oidc"
)

// provider is who vouches for people; nil: none was named.
func provider(o fleets.OIDC) (*oidc.Provider, error) {
	if o.Issuer == "" {
		return nil, nil
	}
	secret := ""
	if o.SecretFile != "" {
		raw, err := os.ReadFile(o.SecretFile)
		if err != nil {
			return nil, failure.Usage("--oidc-secret "+o.SecretFile+": "+err.Error(), "")
		}
		secret = strings.TrimSpace(string(raw))
	}
	p, err := oidc.New(oidc.Options{Issuer: o.Issuer, Client: o.Client, Secret: secret})
	if err != nil {
		return nil, failure.Usage("--oidc-issuer: "+err.Error(),
			"for example: --oidc-issuer https://login.example.org --oidc-client socrates")
	}
	return p, nil
}

// login is how people sign in by a provider; nil: there is none.
func login(p *oidc.Provider, book *team.Book, note func(lease.AuditLine)) *serve.Login {
	if p == nil {
		return nil
	}
	known := func(ctx context.Context, logins ...string) (string, error) {
		who, _, err := book.ByLogin(ctx, logins...)
		return who.Name, err
	}
	refused := func(login, why string) { note(lease.AuditLine{Who: login, What: "refused sign-in", Why: why}) }
	return &serve.Login{Path: oidc.Path, Name: p.Name(), Handler: func(link func(string) string,
		fail func(http.ResponseWriter, *http.Request, int, string)) http.Handler {
		return p.Handler(oidc.Hub{Known: known, Link: link, Fail: fail, Refused: refused})
	}}
}
