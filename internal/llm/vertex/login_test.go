package vertex

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// person is somebody without anything of Google's but this file, which may be empty.
func person(t *testing.T, file map[string]string) {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "USERPROFILE": home, "APPDATA": home, "CLOUDSDK_CONFIG": home, "GCE_METADATA_HOST": "",
		"K_SERVICE": "", "GOOGLE_APPLICATION_CREDENTIALS": ""} {
		t.Setenv(name, value)
	}
	if raw, _ := json.Marshal(file); file != nil {
		if err := os.WriteFile(filepath.Join(home, "application_default_credentials.json"), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestServiceAccount: the assertion is a JWT that the account's key signed, as documented in "Using OAuth 2.0 for Server to Server
// Applications" of Google, read on 2026-11-26.
func TestServiceAccount(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, _ := x509.MarshalPKCS8PrivateKey(key)
	var address string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(r.FormValue("assertion"), ".")
		var claims map[string]any
		if len(parts) == 3 {
			raw, _ := base64.RawURLEncoding.DecodeString(parts[1])
			json.Unmarshal(raw, &claims)
			signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
			sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
			err = rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, sum[:], signature)
		}
		if err != nil || claims["iss"] != "a@p.iam.gserviceaccount.com" || claims["aud"] != address || claims["scope"] != scope ||
			r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
			t.Errorf("asserted %v as %s, %v", claims, r.FormValue("grant_type"), err)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token": "ya29.t", "expires_in": 3599}`)
	}))
	defer s.Close()
	address = s.URL + "/token"
	pemmed := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	person(t, map[string]string{"type": "service_account", "project_id": "p", "client_email": "a@p.iam.gserviceaccount.com", "private_key_id": "1",
		"private_key": pemmed, "token_uri": address})
	var told []string
	l := &Login{Learn: func(secret string) { told = append(told, secret) }}
	for range 2 {
		if got, err := l.token(t.Context(), ""); got != "ya29.t" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if where, err := l.Where(); where != "service account a@p.iam.gserviceaccount.com" || err != nil || l.Project() != "p" || l.Quota() != "" {
		t.Errorf("%q, %v, project %q", where, err, l.Project())
	}
	if !slices.Equal(told, []string{pemmed, "ya29.t"}) {
		t.Errorf("told %q", told)
	}
}

// TestTokensThatExpire: one is used until shortly before its end, then fetched again; so is one that was refused.
func TestTokensThatExpire(t *testing.T) {
	given, lives := 0, 3599
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("refresh_token") != "1//r" || r.FormValue("client_secret") != "s3cr3t" || r.FormValue("grant_type") != "refresh_token" {
			t.Errorf("asked with %v", r.Form)
		}
		given++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token": "t%d", "expires_in": %d}`, given, lives)
	}))
	defer s.Close()
	person(t, map[string]string{"type": "authorized_user", "client_id": "id", "client_secret": "s3cr3t", "refresh_token": "1//r", "token_uri": s.URL, "quota_project_id": "q"})
	l := &Login{Learn: func(string) {}}
	for _, step := range []struct{ refused, want string }{{"", "t1"}, {"", "t1"}, {"t1", "t2"}, {"", "t2"}} {
		if got, err := l.token(t.Context(), step.refused); got != step.want || err != nil {
			t.Errorf("%q, %v, want %s", got, err, step.want)
		}
	}
	lives = 30
	for _, want := range []string{"t3", "t4"} {
		if got, err := l.token(t.Context(), "t2"); got != want || err != nil {
			t.Errorf("%q, %v, want %s, since the last one ends in half a minute", got, err, want)
		}
	}
	if l.Quota() != "q" || l.Project() != "q" {
		t.Errorf("counted for %q, project %q", l.Quota(), l.Project())
	}
}

func TestMetadataServer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Metadata-Flavor") != "Google" || r.URL.Path != "/computeMetadata/v1/instance/service-accounts/default/token" {
			t.Errorf("asked %s", r.URL)
		}
		fmt.Fprint(w, `{"access_token": "m", "expires_in": 3000, "token_type": "Bearer"}`)
	}))
	defer s.Close()
	person(t, nil)
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(s.URL, "http://"))
	l := &Login{Learn: func(string) {}}
	if got, err := l.token(t.Context(), ""); got != "m" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatIsWrongWithALogin(t *testing.T) {
	revoked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error": "invalid_grant", "error_description": "Token has been expired or revoked."}`)
	}))
	defer revoked.Close()
	user := map[string]string{"type": "authorized_user", "client_id": "id", "refresh_token": "r", "token_uri": revoked.URL}
	for want, file := range map[string]map[string]string{
		"no Google Cloud credentials; sign in with: gcloud auth application-default login": nil,
		"(Token has been expired or revoked.); sign in with":                               user,
		"credentials of the type external_account, which is not supported":                 {"type": "external_account"},
		"credentials of the type unknown, which is not supported":                          {},
		"names a token_uri that is not https":                                              {"type": "authorized_user", "refresh_token": "r", "token_uri": "http://elsewhere.example"},
		"has a private_key that cannot be read":                                            {"type": "service_account", "client_email": "a", "private_key": "x", "token_uri": revoked.URL},
	} {
		person(t, file)
		_, err := (&Login{Learn: func(string) {}}).token(t.Context(), "")
		if e := trouble.As(err); e == nil || e.Kind != trouble.Auth || !strings.Contains(e.Message, want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
