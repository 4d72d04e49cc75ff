package aws_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/aws"
)

const roles = `[default]
region = eu-west-1
aws_access_key_id = AKIDBASE
aws_secret_access_key = secret-of-base
[profile role]
region = eu-west-1
role_arn = arn:aws:iam::1:role/r
source_profile = default
external_id = ours
[profile far]
region = eu-west-1
role_arn = arn:aws:iam::2:role/far
source_profile = role
[profile self]
region = eu-west-1
role_arn = arn:aws:iam::1:role/self
source_profile = self
aws_access_key_id = AKIDSELF
aws_secret_access_key = secret-of-self
[profile round]
region = eu-west-1
role_arn = arn:aws:iam::1:role/a
source_profile = trip
[profile trip]
region = eu-west-1
role_arn = arn:aws:iam::1:role/b
source_profile = round
[profile env]
region = eu-west-1
role_arn = arn:aws:iam::1:role/env
credential_source = Environment
[profile code]
region = eu-west-1
role_arn = arn:aws:iam::1:role/code
source_profile = default
mfa_serial = arn:aws:iam::1:mfa/x
[profile refused]
region = eu-west-1
role_arn = arn:aws:iam::1:role/no
source_profile = default
[profile box]
region = eu-west-1
role_arn = arn:aws:iam::1:role/box
credential_source = EcsContainer
[profile web]
region = eu-west-1
role_arn = arn:aws:iam::1:role/web
web_identity_token_file = TOKEN
`

// The service answers as the API reference of AWS STS documents it (version 2011-06-15, read on 2026-11-26).
func sts(t *testing.T, asked *[]string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			*asked = append(*asked, "container "+r.Header.Get("Authorization"))
			io.WriteString(w, `{"AccessKeyId":"AKIDBOX","SecretAccessKey":"secret-of-box","Token":"t","Expiration":"2099-01-01T00:00:00Z"}`)
			return
		}
		r.ParseForm()
		by, _, _ := strings.Cut(r.Header.Get("Authorization"), ",")
		by = strings.TrimPrefix(by, "AWS4-HMAC-SHA256 Credential=")
		key, scope, _ := strings.Cut(by, "/")
		if key != "" && !strings.HasSuffix(scope, "/eu-west-1/sts/aws4_request") || r.Form.Get("Version") != "2011-06-15" {
			t.Errorf("%s: %v", by, r.Form)
		}
		action, role := r.Form.Get("Action"), r.Form.Get("RoleArn")
		*asked = append(*asked, strings.Join([]string{action, role, key, r.Form.Get("ExternalId"), r.Form.Get("WebIdentityToken")}, " "))
		if strings.HasSuffix(role, "/no") {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, "<ErrorResponse><Error><Code>AccessDenied</Code><Message>User is not authorized</Message></Error></ErrorResponse>")
			return
		}
		fmt.Fprintf(w, `<%[1]sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%[1]sResult><Credentials><AccessKeyId>ASIA-%[2]s</AccessKeyId>`+
			`<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></%[1]sResult></%[1]sResponse>`,
			action, role[strings.LastIndex(role, "/")+1:])
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestRoles(t *testing.T) {
	for name, tc := range map[string]struct {
		env     map[string]string
		key     string
		asked   []string
		problem string
	}{
		"role":    {key: "ASIA-r", asked: []string{"AssumeRole arn:aws:iam::1:role/r AKIDBASE ours "}},
		"far":     {key: "ASIA-far", asked: []string{"AssumeRole arn:aws:iam::1:role/r AKIDBASE ours ", "AssumeRole arn:aws:iam::2:role/far ASIA-r  "}},
		"self":    {key: "ASIA-self", asked: []string{"AssumeRole arn:aws:iam::1:role/self AKIDSELF  "}},
		"round":   {problem: "assumes its role with itself"},
		"env":     {env: map[string]string{"AWS_ACCESS_KEY_ID": "AKIDENV", "AWS_SECRET_ACCESS_KEY": "s"}, key: "ASIA-env", asked: []string{"AssumeRole arn:aws:iam::1:role/env AKIDENV  "}},
		"code":    {problem: "asks for a code (mfa_serial)"},
		"refused": {problem: "AWS refused the role arn:aws:iam::1:role/no: User is not authorized", asked: []string{"AssumeRole arn:aws:iam::1:role/no AKIDBASE  "}},
		"box":     {key: "ASIA-box", asked: []string{"container Bearer x", "AssumeRole arn:aws:iam::1:role/box AKIDBOX  "}},
		"web":     {key: "ASIA-web", asked: []string{"AssumeRoleWithWebIdentity arn:aws:iam::1:role/web   jwt"}},
		"":        {env: map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "TOKEN", "AWS_ROLE_ARN": "arn:aws:iam::3:role/pod"}, key: "ASIA-pod", asked: []string{"AssumeRoleWithWebIdentity arn:aws:iam::3:role/pod   jwt"}},
	} {
		t.Run(name, func(t *testing.T) {
			token := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(token, []byte("jwt\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			person(t, map[string]string{"config": strings.ReplaceAll(roles, "TOKEN", token)})
			var asked []string
			at := sts(t, &asked)
			t.Setenv("AWS_ENDPOINT_URL_STS", at)
			t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", at+"/creds")
			t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "Bearer x")
			for k, v := range tc.env {
				t.Setenv(k, strings.ReplaceAll(v, "TOKEN", token))
			}
			var learned []string
			s := &aws.Source{Profile: name, Learn: func(secret string) { learned = append(learned, secret) }}
			c, err := s.Get(t.Context())
			if c.KeyID != tc.key || (err == nil) != (tc.problem == "") || err != nil && !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("%q, %v", c.KeyID, err)
			}
			if !slices.Equal(asked, tc.asked) {
				t.Errorf("asked %q", asked)
			}
			if err == nil && (c.Expires.Year() != 2099 || !slices.Contains(learned, c.Secret)) {
				t.Errorf("%v, learned %q", c.Expires, learned)
			}
		})
	}
}
