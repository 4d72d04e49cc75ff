package aws_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/aws"
)

// TestInstance: a virtual machine's role is asked for as documented (IMDSv2, 2026-11), after everything else, and not where that is off.
func TestInstance(t *testing.T) {
	var asked []string
	role := true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		switch {
		case r.Method == http.MethodPut && r.URL.Path == "/latest/api/token" && r.Header.Get("X-aws-ec2-metadata-token-ttl-seconds") != "":
			io.WriteString(w, "metadata-token")
		case r.Header.Get("X-aws-ec2-metadata-token") != "metadata-token":
			w.WriteHeader(http.StatusUnauthorized)
		case !role:
			w.WriteHeader(http.StatusNotFound)
		case strings.HasSuffix(r.URL.Path, "/security-credentials/"):
			io.WriteString(w, "worker\n")
		case strings.HasSuffix(r.URL.Path, "/security-credentials/worker"):
			io.WriteString(w, `{"Code": "Success", "AccessKeyId": "AKIDROLE", "SecretAccessKey": "secret-of-role", "Token": "session-of-role",
				"Expiration": "2099-01-01T00:00:00Z"}`)
		}
	}))
	defer s.Close()
	person(t, nil)
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", s.URL)
	var learned []string
	source := func() *aws.Source {
		return &aws.Source{Learn: func(secret string) { learned = append(learned, secret) }}
	}
	if where, err := source().Where(); err != nil || where != "AWS role of this virtual machine" || asked != nil {
		t.Errorf("%q, %v, asked %q", where, err, asked)
	}
	c, err := source().Get(t.Context())
	if err != nil || c.KeyID != "AKIDROLE" || c.Secret != "secret-of-role" || c.Token != "session-of-role" || c.Expires.Year() != 2099 {
		t.Errorf("%+v, %v", c, err)
	}
	if len(asked) != 3 || !slices.Contains(learned, "metadata-token") || !slices.Contains(learned, "secret-of-role") {
		t.Errorf("asked %q, learned %q", asked, learned)
	}
	role = false
	if _, err := source().Get(t.Context()); err == nil || !strings.Contains(err.Error(), "has no role: attach one") {
		t.Error(err)
	}
	asked = nil
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	if _, err := source().Get(t.Context()); err == nil || !strings.Contains(err.Error(), "no AWS credentials") || asked != nil {
		t.Errorf("%v, asked %q", err, asked)
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://example.org")
	if _, err := source().Get(t.Context()); err == nil || !strings.Contains(err.Error(), "must be https, or on this machine") {
		t.Error(err)
	}
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", s.URL)
	person(t, map[string]string{"credentials": secrets})
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", s.URL)
	if c, err := source().Get(t.Context()); err != nil || c.KeyID != "AKIDDEFAULT" || asked != nil {
		t.Errorf("%+v, %v, asked %q", c, err, asked)
	}
}
