package redact_test

import (
	"encoding/base64"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/redact"
)

// TestForms shows what is left of a text: everything but the value, so that it is still what it was, a program or JSON.
var hidden = regexp.MustCompile(`\[redacted:[a-z0-9-]+\]`)

func TestForms(t *testing.T) {
	var r redact.Redactor
	coded := base64.StdEncoding.EncodeToString([]byte("kind: abcdd\nat ghp_" + body + "abcd\n"))
	for _, c := range []struct{ in, want string }{
		{`X_TOKEN ?= "` + body + `"`, `X_TOKEN ?= "*"`},
		{`X_TOKEN ?= ` + body, `X_TOKEN ?= *`},
		{`X_TOKEN :::= "` + body + `" # old`, `X_TOKEN :::= "*" # old`},
		{`$xToken .= "` + body + `";`, `$xToken .= "*";`},
		{`var xToken string = "` + body + `"`, `var xToken string = "*"`},
		{`public string ApiToken { get; set; } = "` + body + `";`, `public string ApiToken { get; set; } = "*";`},
		{`setProperty("X_TOKEN", "` + body + `")`, `setProperty("X_TOKEN", "*")`},
		{`<xToken>` + body + `</xToken>`, `<xToken>*</xToken>`},
		{`<add key="ApiToken" value="` + body + `"/>`, `<add key="ApiToken" value="*"/>`},
		{"env:\n- name: X_TOKEN\n  value: " + body + "\n- name: Y\n", "env:\n- name: X_TOKEN\n  value: *\n- name: Y\n"},
		{"token: |\n  " + body + "\n  more of it\n\n  and more\nnext: 1\n", "token: |\n  *\nnext: 1\n"},
		{"a:\n    apiKey: >-\n        " + body + "\n        more\n    b: 1\n", "a:\n    apiKey: >-\n        *\n    b: 1\n"},
		{`{\"token\": \"` + body + `\", \"n\": 1}`, `{\"token\": \"*\", \"n\": 1}`},
		{`"{\\\"token\\\": \\\"` + body + `\\\"}"`, `"{\\\"token\\\": \\\"*\\\"}"`},
		{`token = "` + body[:16] + `" +` + "\n\t\"" + body[16:] + `"; x = "y"`, `token = "*"; x = "y"`},
		{`token = "` + body + `"` + "\n    \"" + body + "\"\n", "token = \"*\"\n"},
		{"token = \"" + body + "\"\n\"next\": 1", "token = \"*\"\n\"next\": 1"},
		{`apiToken = "83052719460183527496104827365910"`, `apiToken = "*"`},
		{"data:\n  token: " + base64.StdEncoding.EncodeToString([]byte("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0."+body)) + "\n", "data:\n  token: *\n"},
		{`{"name": "X_TOKEN", "id": "ghp_` + body + `abcd", "value": "` + body + `"}`, `{"name": "X_TOKEN", "id": "*", "value": "*"}`},
		{"file: " + coded + "\n", "file: " + coded[:strings.Index(coded, "Z2hwX")] + "*\n"},
		{"mysql -uroot -p" + body + " shop", "mysql -uroot -p* shop"},
		{"db.internal:5432:shop:me:" + body + "\n", "db.internal:5432:shop:me:*\n"},
		{"curl -u me:" + body + " https://h/", "curl -u me:* https://h/"},
		{`"TOKEN=` + body + `&x=1"`, `"TOKEN=*"`},
		{"CREATE USER a IDENTIFIED BY '" + body + "';", "CREATE USER a IDENTIFIED BY '*';"},
		{`DB_PASSWORD ?= "hunter2pass"`, `DB_PASSWORD ?= "*"`},
		{`$dbPassword .= 'hunter2pass';`, `$dbPassword .= '*';`},
		{`setProperty("DB_PASSWORD", "hunter2pass")`, `setProperty("DB_PASSWORD", "*")`},
		{`var dbPassword string = "hunter2pass"`, `var dbPassword string = "*"`},
		{`X_TOKEN="xxxxxxxxxxxx" Y_TOKEN='your-api-token-1'`, `X_TOKEN="xxxxxxxxxxxx" Y_TOKEN='your-api-token-1'`},
		{`X_KEY='aaaaaaaabaaaaaaa1' X_TOKEN=EXAMPLE1234567890`, `X_KEY='aaaaaaaabaaaaaaa1' X_TOKEN=EXAMPLE1234567890`},
		{`token = "refresh-token-v1"; apiToken: "access_token_2"`, `token = "refresh-token-v1"; apiToken: "access_token_2"`},
		{"keys:\n  api_keys:\n  - " + body + "\n  - " + body + "\n  other: 1\n", "keys:\n  api_keys:\n  - *\n  other: 1\n"},
		{`tokens = ["` + body + `", "` + body + `"] x`, `tokens = ["*"] x`},
		{"token = \"\"\"\n" + body + "\n" + body + "\n\"\"\"\nx = 1", "token = \"\"\"\n*\"\"\"\nx = 1"},
		{"token = <<EOT\n" + body + "\nEOT\n", "token = <<EOT\n*\nEOT\n"},
		{"db.password=\\\n  " + body + "\n", "db.password=\\\n  *\n"},
		{"<a d='{&quot;token&quot;:&quot;" + body + "&quot;}'>", "<a d='{&quot;token&quot;:&quot;*&quot;}'>"},
		{`auth = ("me", "` + body + `")`, `auth = ("me", "*")`},
		{"the API key: " + body, "the API key: *"},
		{"sqlplus scott/" + body + "@db", "sqlplus scott/*@db"},
		{"password: Summer2024!", "password: *"},
		{"the token is " + body + ".", "the token is *"},
		{"export API_KEY=" + body + " Y=1", "export API_KEY=* Y=1"},
	} {
		got := r.String(c.in)
		if plain := hidden.ReplaceAllString(got, "*"); plain != c.want {
			t.Errorf("String(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
	// A file of settings in base64 has no form of a vendor in it, wherever it begins.
	for _, before := range []string{"a: 1\n", "a: 12\n", "a: 123\n"} {
		file := base64.StdEncoding.EncodeToString([]byte(before + "API_KEY=" + body + "\n"))
		if got := r.String("file: " + file); strings.Contains(got, file[len(file)-16:]) {
			t.Errorf("%q, which says API_KEY=, stays readable: %q", file, got)
		}
	}
}

// TestOrdinary has lines of code, settings, logs and prose that speak of secrets and have none.
func TestOrdinary(t *testing.T) {
	text, err := os.ReadFile("testdata/ordinary.txt")
	if err != nil {
		t.Fatal(err)
	}
	var r redact.Redactor
	for _, line := range strings.Split(string(text), "\n") {
		if got := r.String(line); got != line {
			t.Errorf("%q -> %q", line, got)
		}
	}
	if got := r.String(string(text)); got != string(text) {
		t.Error("the lines change where they stand together")
	}
	if n := strings.Count(r.String(source(t)), "[redacted:"); n > 2 {
		t.Errorf("%d changes in a megabyte of Go's library", n)
	}
}
