package aws

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/llm/wire"
)

// sessionName is the name of a role's sessions in the account's records, unless somebody chose one.
const sessionName = "socrates"

// identity returns the credentials of a role that is assumed with the token of a web identity, read from a file: what
// Kubernetes and build servers give to programs.
func identity(ctx context.Context, s *Source, role, file, session string) (Credentials, error) {
	token, err := os.ReadFile(file)
	if err != nil {
		return Credentials{}, missing("cannot read the web identity token: " + err.Error())
	}
	s.Learn(strings.TrimSpace(string(token)))
	return s.take(ctx, nil, url.Values{"Action": {"AssumeRoleWithWebIdentity"}, "RoleArn": {role},
		"RoleSessionName": {cmp.Or(session, sessionName)}, "WebIdentityToken": {strings.TrimSpace(string(token))}})
}

// assumed returns the credentials of the role that a profile names, assumed with the credentials of another profile,
// the environment, the container or a web identity.
func assumed(ctx context.Context, s *Source, p profile) (c Credentials, err error) {
	role, session := p.has["role_arn"], p.has["role_session_name"]
	if file := p.has["web_identity_token_file"]; file != "" {
		return identity(ctx, s, role, file, session)
	}
	from, err := s.base(ctx, p)
	if err != nil {
		return c, err
	}
	ask := url.Values{"Action": {"AssumeRole"}, "RoleArn": {role}, "RoleSessionName": {cmp.Or(session, sessionName)}}
	for key, name := range map[string]string{"external_id": "ExternalId", "duration_seconds": "DurationSeconds"} {
		if value := p.has[key]; value != "" {
			ask.Set(name, value)
		}
	}
	return s.take(ctx, &from, ask)
}

// base returns the credentials with which a profile assumes its role. A source that names itself has keys of its own;
// a longer cycle is an error.
func (s *Source) base(ctx context.Context, p profile) (Credentials, error) {
	switch source, of := p.has["source_profile"], p.has["credential_source"]; {
	case p.has["mfa_serial"] != "":
		return Credentials{}, missing(fmt.Sprintf("AWS profile %s asks for a code (mfa_serial), which is not supported; "+
			"put its credentials into the environment with: "+
			`eval "$(aws configure export-credentials --profile %s --format env)"`, p.name, p.name))
	case source == p.name && p.has["aws_access_key_id"] != "":
		return fixed(ctx, s, p)
	case source != "" && slices.Contains(p.above, source):
		return Credentials{}, missing(fmt.Sprintf("AWS profile %s assumes its role with itself (source_profile %s)", p.name, source))
	case source != "":
		return s.of(ctx, source, append(slices.Clip(p.above), p.name))
	case strings.EqualFold(of, "Environment") && env("AWS_ACCESS_KEY_ID") != "":
		return fromEnvironment(), nil
	case strings.EqualFold(of, "EcsContainer"):
		return contained(ctx, s, p)
	case strings.EqualFold(of, "Ec2InstanceMetadata"):
		return instance(ctx, s, p)
	case of != "":
		return Credentials{}, missing(fmt.Sprintf("AWS profile %s takes its credentials from %s (credential_source), "+
			"which has none or is not supported; supported: Environment, EcsContainer, Ec2InstanceMetadata", p.name, of))
	}
	return Credentials{}, missing(fmt.Sprintf("AWS profile %s names a role but no source_profile to assume it with", p.name))
}

// of returns the credentials of a profile by name; above are the profiles that need them.
func (s *Source) of(ctx context.Context, name string, above []string) (Credentials, error) {
	other := &Source{Profile: name, Learn: s.Learn, Run: s.Run}
	p, err := other.profile()
	if err != nil {
		return Credentials{}, err
	}
	p.above = append(above, name)
	way, err := p.way()
	if err != nil {
		return Credentials{}, err
	}
	return way(ctx, other, p)
}

// take asks the Security Token Service for a role's credentials; from signs the request, where it must be signed.
func (s *Source) take(ctx context.Context, from *Credentials, ask url.Values) (c Credentials, err error) {
	region := s.Region()
	if region == "" {
		return c, missing("no AWS region to assume a role in; set AWS_REGION")
	}
	ask.Set("Version", "2011-06-15")
	body := []byte(ask.Encode())
	at := cmp.Or(env("AWS_ENDPOINT_URL_STS"), "https://sts."+region+".amazonaws.com")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(at, "/")+"/", bytes.NewReader(body))
	if err != nil {
		return c, missing("the AWS region " + region + " is not valid")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	if from != nil {
		for _, secret := range []string{from.Secret, from.Token} {
			if secret != "" {
				s.Learn(secret)
			}
		}
		Sign(r, body, *from, region, "sts", time.Now())
	}
	raw, status, header, err := fetched(r)
	if err != nil {
		return c, wire.CallError(ctx, err)
	}
	var out struct {
		With   session `xml:"AssumeRoleResult>Credentials"`
		Web    session `xml:"AssumeRoleWithWebIdentityResult>Credentials"`
		Failed struct {
			Code, Message string
		} `xml:"Error"`
	}
	unread := xml.Unmarshal(raw, &out)
	got := cmp.Or(out.With, out.Web)
	switch {
	case status != http.StatusOK:
		why := cmp.Or(out.Failed.Message, http.StatusText(status))
		if status < 500 && status != http.StatusTooManyRequests {
			return c, missing(fmt.Sprintf("AWS refused the role %s: %s", ask.Get("RoleArn"), why))
		}
		return c, wire.HTTPError(status, header, "", "AWS STS: "+why, ask.Get("WebIdentityToken"))
	case unread != nil || got.AccessKeyID == "" || got.SecretAccessKey == "":
		return c, &trouble.Error{Kind: trouble.Malformed, Message: "AWS STS returned no credentials"}
	}
	return Credentials{got.AccessKeyID, got.SecretAccessKey, got.SessionToken, got.Expiration}, nil
}

// session are credentials as STS writes them.
type session struct {
	AccessKeyID     string `xml:"AccessKeyId"`
	SecretAccessKey string
	SessionToken    string
	Expiration      time.Time
}

// fetched sends a request and returns its answer.
func fetched(r *http.Request) (raw []byte, status int, header http.Header, err error) {
	res, err := wire.HTTPClient().Do(r)
	if err != nil {
		return nil, 0, nil, err
	}
	defer res.Body.Close()
	raw, err = io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return raw, res.StatusCode, res.Header, err
}
