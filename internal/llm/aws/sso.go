package aws

import (
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// signedOn returns the credentials of a role that the person may assume by single sign-on; "aws sso login" stores the
// token for it. An expired token is not renewed here.
func signedOn(ctx context.Context, s *Source, p profile) (c Credentials, err error) {
	again := "sign in with: aws sso login --profile " + p.name
	token, err := ssoToken(cmp.Or(p.has["sso_session"], p.has["sso_start_url"]))
	if err != nil {
		return c, missing(fmt.Sprintf("AWS profile %s is not signed in (%v); %s", p.name, err, again))
	}
	s.Learn(token)
	region := cmp.Or(p.session["sso_region"], p.has["sso_region"])
	base := cmp.Or(env("AWS_ENDPOINT_URL_SSO"), "https://portal.sso."+region+".amazonaws.com")
	ask := url.Values{"account_id": {p.has["sso_account_id"]}, "role_name": {p.has["sso_role_name"]}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+"/federation/credentials?"+ask.Encode(), nil)
	if err != nil {
		return c, missing(fmt.Sprintf("AWS profile %s has an invalid sso_region", p.name))
	}
	r.Header.Set("X-Amz-Sso_bearer_token", token)
	res, err := wire.HTTPClient().Do(r)
	if err != nil {
		return c, wire.CallError(ctx, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return c, wire.CallError(ctx, err)
	}
	var out struct {
		RoleCredentials struct {
			AccessKeyID, SecretAccessKey, SessionToken string
			Expiration                                 int64 // in milliseconds
		}
		Message string
	}
	json.Unmarshal(raw, &out)
	switch got := out.RoleCredentials; {
	case res.StatusCode == http.StatusUnauthorized:
		return c, missing(fmt.Sprintf("the sign-in of AWS profile %s is no longer valid; %s", p.name, again))
	case res.StatusCode != http.StatusOK:
		return c, wire.HTTPError(res.StatusCode, res.Header, "", "AWS profile "+p.name+": "+cmp.Or(out.Message, res.Status), token)
	case got.AccessKeyID == "" || got.SecretAccessKey == "":
		return c, &trouble.Error{Kind: trouble.Malformed, Message: "AWS single sign-on returned no credentials"}
	default:
		return Credentials{got.AccessKeyID, got.SecretAccessKey, got.SessionToken, time.UnixMilli(got.Expiration)}, nil
	}
}

// ssoToken returns the token stored under the name of a session, or under the sign-in address of an older profile.
// The file is named by the SHA-1 of that name.
func ssoToken(name string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	sum := sha1.Sum([]byte(name))
	raw, err := os.ReadFile(filepath.Join(home, ".aws", "sso", "cache", hex.EncodeToString(sum[:])+".json"))
	if err != nil {
		return "", fmt.Errorf("no token is cached")
	}
	var kept struct{ AccessToken, ExpiresAt string }
	if json.Unmarshal(raw, &kept) != nil || kept.AccessToken == "" {
		return "", fmt.Errorf("the cached token cannot be read")
	}
	ends, err := time.Parse(time.RFC3339, strings.Replace(kept.ExpiresAt, "UTC", "Z", 1))
	if err != nil || time.Now().After(ends) {
		return "", fmt.Errorf("the token expired")
	}
	return kept.AccessToken, nil
}
