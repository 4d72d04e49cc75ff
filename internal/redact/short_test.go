package redact_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/redact"
)

// shortForms are places where a password of eight letters stands as often as a long one.
var shortForms = []string{
	"  password: V", "spring.datasource.password=V", "db_password = V", "jdbc:mysql://h/d?user=root&password=V", "h:5432:d:u:V",
	"curl -u admin:V http://h", "htpasswd -bc f bob V", "htpasswd -nb bob V", "WIFI:T:WPA;S:home;P:V;;",
	"sshpass -p V ssh h", "mysql -uroot -pV", "  client_secret: V", "  api_key: V", `{"password":"V"}`, "passwd='V'",
	`src/config.py:12:PASSWORD = "V"`, "deploy/app.yaml:44:5:  password: V", "smtp_pass=V", "Server=h;Pwd=V;",
}

// TestShortPasswords counts random passwords that stay readable, by form, alphabet and length. Letters and digits without
// capitals may look like words in part, and more of them are allowed to be missed.
func TestShortPasswords(t *testing.T) {
	var r redact.Redactor
	m := maker{rand.New(rand.NewPCG(2000, 7))}
	for _, form := range shortForms {
		line := form + ":"
		for _, alphabet := range []byte("Al") {
			for _, n := range []int{8, 10, 12, 16} {
				missed, most := 0, 16
				if alphabet == 'l' {
					most = 40
				}
				for range 200 {
					value := m.text(alphabets[alphabet], n)
					if strings.Contains(r.String(strings.Replace(form, "V", value, 1)), value) {
						missed++
					}
				}
				line += fmt.Sprintf(" %c%d %d", alphabet, n, missed)
				if missed > most {
					t.Errorf("%s: %d of 200 of %d letters stay readable", form, missed, n)
				}
			}
		}
		t.Log(line)
	}
}

// TestToldPasswords counts those behind a sentence, where what has no digit may be a word about the password.
func TestToldPasswords(t *testing.T) {
	var r redact.Redactor
	m := maker{rand.New(rand.NewPCG(2000, 8))}
	for _, form := range []string{"password is: V", "The password is V", "Your passphrase was V."} {
		for alphabet, most := range map[byte]int{'A': 12, 'l': 40} {
			for _, n := range []int{8, 10, 12, 16} {
				missed := 0
				for range 200 {
					value := m.text(alphabets[alphabet], n-1) + "7"
					if strings.Contains(r.String(strings.Replace(form, "V", value, 1)), value) {
						missed++
					}
				}
				if missed > most {
					t.Errorf("%s: %d of 200 of %d letters stay readable", form, missed, n)
				}
			}
		}
	}
	for _, text := range []string{"the password is base64-encoded", "password is sha256 hashed", "the password is in config2.yaml", "password is argon2id", "password is camelCase", "password was utf8 encoded", "the password is k8s-managed", "password is: requiredField"} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
