package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/keyring"
)

// TestSignInsAreKeys: what a sign-in to a server obtained is kept where keys are, listed with them and forgotten.
func TestSignInsAreKeys(t *testing.T) {
	folder := t.TempDir()
	for name, value := range map[string]string{"HOME": folder, "USERPROFILE": folder, "LocalAppData": folder, "AppData": folder, "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "", "SOCRATES_KEYRING": "file"} {
		t.Setenv(name, value)
	}
	t.Chdir(folder)
	const token = "access-token-of-a-server"
	secret := []byte(`{"url":"https://web","token":{"access_token":"` + token + `"}}`)
	a := call.New()
	if got, err := a.Home.Keys.Tokens().Load("Web"); got != nil || err != nil {
		t.Errorf("before: %q %v", got, err)
	}
	if err := a.Home.Keys.Tokens().Save("Web", secret); err != nil {
		t.Fatal(err)
	}
	if got, err := call.New().Home.Keys.Tokens().Load("Web"); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("%q %v", got, err)
	}
	rows, err := keyRows(a)
	if err != nil || len(rows) == 0 || rows[len(rows)-1].Vendor != "mcp.web" || rows[len(rows)-1].Kind != keyring.OAuth {
		t.Errorf("%v %v", rows, err)
	}
	if err := logoutServer(a, "Web"); err != nil {
		t.Error(err)
	}
	if err := logoutServer(a, "Web"); err == nil {
		t.Error("it was not forgotten")
	}
	filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if body, _ := os.ReadFile(path); bytes.Contains(body, []byte(token)) {
			t.Errorf("%s holds it", path)
		}
		return err
	})
}
