package vertex

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// signIn tells people what to do without credentials.
const signIn = "sign in with: gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to the key file of a " +
	"service account"

// credentials is a credentials file of either kind.
type credentials struct {
	Type         string `json:"type"`
	Project      string `json:"project_id"`
	Quota        string `json:"quota_project_id"`
	Email        string `json:"client_email"` // of a service account
	PrivateKey   string `json:"private_key"`
	PrivateKeyID string `json:"private_key_id"`
	TokenAddress string `json:"token_uri"`
	ClientID     string `json:"client_id"` // of a person's login
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
	path         string
	machine      bool // there is no file, but the machine has an account
}

// read finds the credentials.
func read() (c credentials, err error) {
	c.path = env("GOOGLE_APPLICATION_CREDENTIALS")
	named := c.path != ""
	if !named {
		c.path = usualFile()
	}
	raw, err := os.ReadFile(c.path)
	if !named && errors.Is(err, fs.ErrNotExist) {
		if c.machine = onGoogle(); c.machine {
			return c, nil
		}
		return c, &trouble.Error{Kind: trouble.Auth, Message: "no Google Cloud credentials; " + signIn}
	}
	if err != nil {
		return c, &trouble.Error{Kind: trouble.Auth, Message: "cannot read Google Cloud credentials: " + err.Error()}
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, &trouble.Error{Kind: trouble.Auth, Message: c.path + " is not a file of Google Cloud credentials"}
	}
	c.TokenAddress = cmp.Or(c.TokenAddress, "https://oauth2.googleapis.com/token")
	switch {
	case c.Type == "service_account" && c.Email != "" && c.PrivateKey != "", c.Type == "authorized_user" && c.RefreshToken != "":
	default:
		return c, &trouble.Error{Kind: trouble.Auth, Message: c.path + " has credentials of the type " + cmp.Or(c.Type, "unknown") +
			", which is not supported; " + signIn}
	}
	if !safe(c.TokenAddress) {
		return c, &trouble.Error{Kind: trouble.Auth, Message: c.path + " names a token_uri that is not https"}
	}
	return c, nil
}

// safe reports whether a secret may be sent there: encrypted, or to this machine.
func safe(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "127.0.0.1" || u.Hostname() == "localhost"))
}

// usualFile returns where gcloud stores a person's login.
func usualFile() string {
	dir := env("CLOUDSDK_CONFIG")
	if dir == "" && runtime.GOOS == "windows" {
		dir = filepath.Join(env("APPDATA"), "gcloud")
	}
	if home, err := os.UserHomeDir(); dir == "" && err == nil {
		dir = filepath.Join(home, ".config", "gcloud")
	}
	return filepath.Join(dir, "application_default_credentials.json")
}

// env returns a variable without surrounding blanks.
func env(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// onGoogle reports whether this machine is one of Google Cloud's, as a variable or its firmware says.
func onGoogle() bool {
	if env("GCE_METADATA_HOST") != "" || env("K_SERVICE") != "" {
		return true
	}
	name, _ := os.ReadFile("/sys/class/dmi/id/product_name") // missing elsewhere
	return strings.HasPrefix(string(name), "Google")
}
