package redact_test

import (
	"encoding/base64"
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
		{`{"token": null, "id": "ghp_` + body + `abcd", "value": "` + body + `"}`, `{"token": null, "id": "*", "value": "*"}`},
		{"file: " + coded + "\n", "file: " + coded[:strings.Index(coded, "Z2hwX")] + "*\n"},
		{"mysql -uroot -p" + body + " shop", "mysql -uroot -p* shop"},
		{"db.internal:5432:shop:me:" + body + "\n", "db.internal:5432:shop:me:*\n"},
		{"curl -u me:" + body + " https://h/", "curl -u me:* https://h/"},
		{`"TOKEN=` + body + `&x=1"`, `"TOKEN=*"`},
		{"CREATE USER a IDENTIFIED BY '" + body + "';", "CREATE USER a IDENTIFIED BY '*';"},
		{"the token is " + body + ".", "the token is *"},
		{"export API_KEY=" + body + " Y=1", "export API_KEY=* Y=1"},
	} {
		got := r.String(c.in)
		if plain := hidden.ReplaceAllString(got, "*"); plain != c.want {
			t.Errorf("String(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}
