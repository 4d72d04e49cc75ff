package aws_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/aws"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// person is somebody with these files in ~/.aws, and nothing of Amazon's in the environment.
func person(t *testing.T, files map[string]string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	for name, text := range files {
		path := filepath.Join(home, ".aws", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

const config = `
[default]
region = eu-west-1
[profile work]
region=us-west-2
credential_process = tool --for "the work" # a comment
s3 =
  region = nested
[profile role]
role_arn = arn:aws:iam::1:role/r
source_profile = default
[profile new]
login_session = arn
[profile bare]
region = us-east-2
[profile signed]
sso_session = corp
sso_account_id = 123456789012
sso_role_name = Developer
[sso-session corp]
sso_region = us-east-1
sso_start_url = https://corp.awsapps.com/start
`

const secrets = `[default]
aws_access_key_id = AKIDDEFAULT
aws_secret_access_key = secret-of-default
`

func TestWhereCredentialsAre(t *testing.T) {
	for name, tc := range map[string]struct {
		profile       string
		env           map[string]string
		where, region string
		problem       string
	}{
		"the default profile":       {where: "AWS profile default", region: "eu-west-1"},
		"a profile of the variable": {env: map[string]string{"AWS_PROFILE": "work"}, where: "AWS profile work", region: "us-west-2"},
		"the environment":           {env: map[string]string{"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_PROFILE": "work", "AWS_DEFAULT_REGION": "r"}, where: "AWS_ACCESS_KEY_ID", region: "r"},
		"half of the environment":   {env: map[string]string{"AWS_ACCESS_KEY_ID": "k"}, problem: "AWS_SECRET_ACCESS_KEY is not", region: "eu-west-1"},
		"a profile of the settings": {profile: "work", env: map[string]string{"AWS_ACCESS_KEY_ID": "k", "AWS_REGION": "r"}, where: "AWS profile work", region: "us-west-2"},
		"no such profile":           {profile: "none", problem: "no AWS profile none in "},
		"a role":                    {profile: "role", where: "AWS profile role", region: ""},
		"aws login":                 {profile: "new", problem: "uses aws login (login_session), which is not supported"},
		"nothing in it":             {profile: "bare", problem: "no AWS credentials; set AWS_BEARER_TOKEN_BEDROCK", region: "us-east-2"},
		"in a container":            {profile: "bare", env: map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "x"}, problem: "AWS_CONTAINER_CREDENTIALS_FULL_URI is not an address", region: "us-east-2"},
		"a container elsewhere":     {profile: "bare", env: map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://evil.example/"}, problem: "must be https, or on this machine", region: "us-east-2"},
		"beside a container":        {profile: "bare", env: map[string]string{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/c"}, where: "AWS credentials of the container", region: "us-east-2"},
		"a web identity":            {env: map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": "x", "AWS_ROLE_ARN": "arn"}, where: "AWS_WEB_IDENTITY_TOKEN_FILE", region: "eu-west-1"},
	} {
		t.Run(name, func(t *testing.T) {
			person(t, map[string]string{"config": config, "credentials": secrets})
			for k, v := range tc.env {
				t.Setenv(k, v)
			}
			s := &aws.Source{Profile: tc.profile}
			where, err := s.Where()
			if where != tc.where || (err == nil) != (tc.problem == "") || err != nil && !strings.Contains(err.Error(), tc.problem) || s.Region() != tc.region {
				t.Errorf("%q, %v, region %q", where, err, s.Region())
			}
			if err != nil && trouble.As(err).Kind != trouble.Auth {
				t.Errorf("failed as %v", err)
			}
		})
	}
}

// A line of any length hides none that follows.
func TestALongLine(t *testing.T) {
	person(t, map[string]string{"credentials": "# " + strings.Repeat("x", 100_000) + "\n" + secrets})
	if where, err := new(aws.Source).Where(); where != "AWS profile default" {
		t.Errorf("%q, %v", where, err)
	}
}

func TestNoFilesAtAll(t *testing.T) {
	person(t, nil)
	if _, err := new(aws.Source).Where(); err == nil || !strings.Contains(err.Error(), "no AWS credentials; set") {
		t.Errorf("%v", err)
	}
}

// TestSecretsAreTold: what is found is told, so that it is redacted, and the next call needs no file.
func TestSecretsAreTold(t *testing.T) {
	person(t, map[string]string{"credentials": secrets + "aws_session_token = token-of-default\n"})
	var told []string
	s := &aws.Source{Learn: func(secret string) { told = append(told, secret) }}
	for range 2 {
		c, err := s.Get(t.Context())
		if err != nil || c.KeyID != "AKIDDEFAULT" || c.Secret != "secret-of-default" || c.Token != "token-of-default" {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if !slices.Equal(told, []string{"secret-of-default", "token-of-default"}) {
		t.Errorf("told %q", told)
	}
}

func TestCredentialProcess(t *testing.T) {
	person(t, map[string]string{"config": config})
	out, runs := "", 0
	s := &aws.Source{Profile: "work", Learn: func(string) {}, Run: func(_ context.Context, file string, words []string) ([]byte, error) {
		if runs++; !slices.Equal(words, []string{"tool", "--for", "the work"}) || filepath.Base(file) != "config" {
			t.Errorf("%s has %q run", file, words)
		}
		if out == "" {
			return nil, errors.New("exit status 3: locked")
		}
		return []byte(out), nil
	}}
	if _, err := s.Get(t.Context()); trouble.As(err).Kind != trouble.Auth || !strings.Contains(err.Error(), "failed: exit status 3: locked") {
		t.Errorf("%v", err)
	}
	soon := time.Now().Add(time.Minute).Format(time.RFC3339) // within which they are fetched again
	for text, want := range map[string]bool{`{}`: false, `{"Version": 2, "AccessKeyId": "k", "SecretAccessKey": "s"}`: false,
		`{"Version": 1, "AccessKeyId": "k", "SecretAccessKey": "s", "SessionToken": "t", "Expiration": "` + soon + `"}`: true} {
		out = text
		if c, err := s.Get(t.Context()); (err == nil) != want || want && (c.KeyID != "k" || c.Token != "t" || c.Expires.IsZero()) {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
	}
	out = `{"Version": 1, "AccessKeyId": "k", "SecretAccessKey": "s", "Expiration": "` + soon + `"}`
	runs = 0
	for range 2 {
		if _, err := s.Get(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if runs != 2 {
		t.Errorf("credentials that end in a minute were fetched %d times in two calls", runs)
	}
}

func TestSingleSignOn(t *testing.T) {
	const kept = "sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json" // sha1 of the session's name
	token := `{"accessToken": "token-of-corp", "expiresAt": "` + time.Now().Add(time.Hour).UTC().Format(time.RFC3339) + `"}`
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/federation/credentials" || r.URL.RawQuery != "account_id=123456789012&role_name=Developer" || r.Header.Get("x-amz-sso_bearer_token") != "token-of-corp" {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		w.WriteHeader(status)
		io.WriteString(w, map[int]string{200: `{"roleCredentials": {"accessKeyId": "k", "secretAccessKey": "s", "sessionToken": "t", "expiration": 32503680000000}}`,
			401: `{"message": "Session token not found or invalid"}`, 403: `{"message": "No access"}`}[status])
	}))
	defer s.Close()
	person(t, map[string]string{"config": config, kept: token})
	t.Setenv("AWS_ENDPOINT_URL_SSO", s.URL)
	get := func() (aws.Credentials, error) {
		return (&aws.Source{Profile: "signed", Learn: func(string) {}}).Get(t.Context())
	}
	if c, err := get(); err != nil || c.KeyID != "k" || c.Token != "t" || c.Expires.Year() != 3000 {
		t.Errorf("%+v, %v", c, err)
	}
	for status = range map[int]bool{401: true, 403: true} {
		want := map[int]string{401: "aws sso login --profile signed", 403: "No access"}[status]
		if _, err := get(); trouble.As(err).Kind != trouble.Auth || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", status, err)
		}
	}
	person(t, map[string]string{"config": config, kept: `{"accessToken": "x", "expiresAt": "2020-06-17T10:02:08UTC"}`})
	if _, err := get(); err == nil || !strings.Contains(err.Error(), "is not signed in (the token expired); sign in with: aws sso login --profile signed") {
		t.Errorf("%v", err)
	}
}
