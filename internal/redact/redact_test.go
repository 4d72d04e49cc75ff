package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/redact"
)

// The keys are put together here so that no scanner takes this file for a leak.
const body = "Q7xK2mV9pL4nR8sT3wY6zB1cD5fG0hJq"

var canaries = []struct{ kind, key string }{
	{"anthropic-key", "sk-ant-" + "api03-" + body + "_-" + body + "AA"},
	{"openai-key", "sk-proj-" + body + "_" + body},
	{"api-key", "sk-" + body + "abcdefgh01234567"},
	{"openrouter-key", "sk-or-v1-" + "0123456789abcdef0123456789abcdef0123456789abcdef"},
	{"google-key", "AIza" + "Sy" + body + "1"},
	{"xai-key", "xai-" + body + body},
	{"groq-key", "gsk_" + body + body},
	{"huggingface-token", "hf_" + body + "ab"},
	{"github-token", "ghp_" + body + "abcd"},
	{"github-token", "gho_" + body + "abcd"},
	{"github-token", "github_pat_" + body + "_" + body + body},
	{"gitlab-token", "glpat-" + "Q7xK2mV9pL4nR8sT3wY6"},
	{"aws-key", "AKIA" + "IOSFODNN7EXAMPLQ"},
	{"slack-token", "xoxb-" + "123456789012-123456789012-" + body},
	{"slack-webhook", "hooks.slack.com/services/" + "T00000000/B00000000/" + body},
	{"npm-token", "npm_" + body + "abcd"},
	{"stripe-key", "sk_live_" + body},
	{"jwt", "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + body},
	{"private-key", "-----BEGIN " + "RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n" + body + body + "\n" + body + "ab==\n"},
	{"private-key", "-----BEGIN " + `PRIVATE KEY-----\n` + body + body + `\n` + body + `ab==\n`},
}

func TestCanaries(t *testing.T) {
	var r redact.Redactor
	for _, c := range canaries {
		for _, around := range []string{"%s", "the key is %s, keep it", `{"x":"%s"}`, "(%s)", `line\n%s\nline`, "a=%%3D%s&b", "MY_PRIVATE_KEY=%s", `MY_PRIVATE_KEY="%s"`, `"private_key": "%s"`} {
			in := fmt.Sprintf(around, c.key)
			got := r.String(in)
			if strings.Contains(got, body[:12]) || strings.Contains(got, body[20:]) || strings.Contains(got, c.key) ||
				!strings.Contains(got, "[redacted:"+c.kind+"]") && !strings.Contains(got, "[redacted:assigned-secret]") {
				t.Errorf("%s: String(%q) = %q", c.kind, in, got)
			}
		}
	}
}

func TestContexts(t *testing.T) {
	var r redact.Redactor
	for _, c := range []struct{ in, want string }{
		{"Authorization: Bearer " + body, "Authorization: Bearer [redacted:authorization]"},
		{"authorization: Basic dXNlcjpwYXNzd29yZA==\n", "authorization: Basic [redacted:authorization]\n"},
		{`"Authorization": "token ` + body + `"`, `"Authorization": "token [redacted:authorization]"`},
		{"curl -H 'x: bearer " + body + "'", "curl -H 'x: bearer [redacted:bearer-token]'"},
		{"postgres://me:hunter2@db:5432/x", "postgres://[redacted:url-password]@db:5432/x"},
		{"redis://:hunter2@cache", "redis://[redacted:url-password]@cache"},
		{"https://me:p@ss@host/", "https://[redacted:url-password]@host/"},
		{"DB_PASSWORD=correct-horse\nX=1", "DB_PASSWORD=[redacted:assigned-secret]\nX=1"},
		{"export GITHUB_TOKEN_2='plain words here' y", "export GITHUB_TOKEN_2='[redacted:assigned-secret]' y"},
		{"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "AWS_SECRET_ACCESS_KEY=[redacted:assigned-secret]"},
		{`{"api_key": "abcdef123456", "n": 1}`, `{"api_key": "[redacted:assigned-secret]", "n": 1}`},
		{`{\"apiKey\":\"abcdef123456\"}`, `{\"apiKey\":\"[redacted:assigned-secret]\"}`},
		{"password: a1b2c3d4e5f6g7", "password: [redacted:assigned-secret]"},
		{"/cb?access_token=a1b2c3d4e5f6&x=1", "/cb?access_token=[redacted:assigned-secret]&x=1"},
		{"x-api-key: 0a1b2c3d4e5f", "x-api-key: [redacted:assigned-secret]"},
	} {
		if got := r.String(c.in); got != c.want {
			t.Errorf("String(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestInnocentTextStays(t *testing.T) {
	source, err := os.ReadFile("pass.go")
	if err != nil {
		t.Fatal(err)
	}
	r := redact.New("the-only-secret-there-is")
	for _, s := range []string{
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD)",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"request 550e8400-e29b-41d4-a716-446655440000 done",
		base64.StdEncoding.EncodeToString(source),
		base64.URLEncoding.EncodeToString([]byte(`{"alg":"a JSON file in base64","no":"dots"}`)),
		string(source),
		"a task-oriented, risk-averse desk-bound ask-me-anything-you-want-about-2024-and-2025",
		"sk-fading-circle-container-wrapper { color: red }", "disk-0123456789012345678901234",
		"MAX_TOKENS=200000000", "max_tokens: 123456789012", "token := lexer.Next()", "password = os.Getenv(\"DB_PASSWORD\")",
		"API_KEY=$OPENAI_API_KEY", "API_KEY=<your-key-here>", "TOKEN_FILE=/run/secrets/token", "SECRET_NAME=my-service",
		"the secret: be kind to everybody", "if token == expected123456 {", "tokenizer=cl100k_base_v2",
		"-----BEGIN PRIVATE KEY----- is the line a scanner looks for", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
		"-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----",
		"see http://localhost:8080/@scope/pkg and https://example.com", "git@github.com:me/repo.git", "http://[::1]:80/",
		"the bearer authentication-and-authorization scheme", "authorization: required for everybody",
		"AKIALIKE words", "npm_config_registry", "gho_", "eyJhbGciOi and no more",
	} {
		if got := r.String(s); got != s {
			t.Errorf("String(%.80q) = %.200q", s, got)
		}
	}
}

func TestKnownSecrets(t *testing.T) {
	const secret = `p/ss "w+rd" & ünï`
	r := redact.New("short", secret, "password", "abcdefghij", "ghijklmnop", "abcdefghijk-longer")
	quoted, _ := json.Marshal(secret)
	for name, in := range map[string]string{
		"plain":   "x" + secret + "x",
		"query":   "?p=" + url.QueryEscape(secret),
		"path":    "/" + url.PathEscape(secret),
		"json":    `{"p":` + string(quoted) + `}`,
		"overlap": "xabcdefghijklmnopx",
		"longer":  "xabcdefghijk-longerx",
	} {
		got := r.String(in)
		if !strings.Contains(got, "[redacted:known-secret]") || len(strings.Replace(got, "[redacted:known-secret]", "", 1)) > 8 {
			t.Errorf("%s: String(%q) = %q", name, in, got)
		}
	}
	for i := range 4 {
		in := base64.StdEncoding.EncodeToString([]byte("user1234"[:4+i] + secret + ":tail"))
		if got := r.String(in); !strings.Contains(got, "known-secret") || len(got) > 50 {
			t.Errorf("base64 after %d bytes: %q -> %q", 4+i, in, got)
		}
	}
	for _, s := range []string{"short", "password", "abcdefghi"} {
		if got := r.String(s); got != s {
			t.Errorf("String(%q) = %q", s, got)
		}
	}
}

func TestFromEnviron(t *testing.T) {
	environ := []string{
		"OPENAI_API_KEY=value-one", "GITHUB_TOKEN=value-two", "DB_PASSWORD=value-three", "X_AUTH=value-four", "npm_config__authToken=value-five",
		"PATH=/usr/bin:/bin", "HOME=/home/me", "SSH_AUTH_SOCK=/tmp/agent.1", "PWD=value-that-is-a-folder", "TOKEN=short", "API_KEY=disabled",
		"SECRET_FILE=value-of-a-file", "TOKEN_PATH=/run/token", "MY_SECRET=/run/secret", "API_KEY=C:\\keys\\one", "MAX_TOKENS=123456789",
		"KEYBOARD=value-of-keyboard", "AWS_ACCESS_KEY_ID=value-of-id", "EMPTY_TOKEN=", "TOKEN",
	}
	want := []string{"value-one", "value-two", "value-three", "value-four", "value-five"}
	if got := redact.FromEnviron(environ); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWriterReportsFailure(t *testing.T) {
	failed := errors.New("disk full")
	r, w := io.Pipe()
	r.CloseWithError(failed)
	var red redact.Redactor
	out := red.Writer(w)
	if n, err := out.Write([]byte("some text")); n != 0 || !errors.Is(err, failed) {
		t.Errorf("Write = %d, %v", n, err)
	}
	if err := out.Close(); !errors.Is(err, failed) {
		t.Errorf("Close = %v", err)
	}
	if err := out.Close(); err != nil {
		t.Errorf("second Close = %v", err)
	}
	if _, err := out.Write([]byte("x")); err == nil {
		t.Error("a write after Close succeeded")
	}
}

func TestWriterHoldsLittle(t *testing.T) {
	var r redact.Redactor
	for name, in := range map[string]string{
		"prose":         strings.Repeat("The quick brown fox. ", 5000),
		"endless key":   "sk-ant-" + strings.Repeat("a1", 50000),
		"endless jwt":   "eyJ" + strings.Repeat("a1", 50000),
		"endless value": `API_KEY="` + strings.Repeat("a1 ", 50000),
		"endless block": "-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat(body+body+"\n", 2000),
		"endless user":  "://" + strings.Repeat("u", 50000),
	} {
		var out bytes.Buffer
		w := r.Writer(&out)
		io.WriteString(w, in)
		before := out.Len()
		w.Close()
		if held := out.Len() - before; held > 2200 {
			t.Errorf("%s: %d bytes held back", name, held)
		}
	}
}

var tricky = []string{
	"sk-ant-", "sk-", "sk-proj-", body, "AKIA", "IOSFODNN7EXAMPLE", "eyJ", ".", "-----BEGIN ", "RSA PRIVATE KEY-----", "-----END ", "-", "\n", "\\n", " ",
	"https://", "user:", "pass@", "host/", "API_KEY", "=", ":", "\"", "\\", "token", "_id", "bearer ", "Authorization: ", "Basic ", "ghp_", "[redacted:", "]",
	"token", "?=", " := ", "=>", ", ", "<", ">", "</", "value=", "name: ", "\n  ", "value: ", "|\n  ", " + ", "\"\n  \"", "`", "(", ")", "[", "var x", " string = ", "Bq3R9xK2mV7pL4nR8sT3", "key",
	"\\\"", "session", "Cookie: ", "c3Q9Z2hwX1E3eEsybVY5cEw0blI4c1QzdzZ6QjFjRDVmRzBoSnFhYmNk", "Z2hwX", "ZXlK", "8Q~", ":AA", "1234567", " -u ", "mysql", " -p", "sig=", "is ", "%3D", "&quot;", "\\u0022", "<<EOT\n", "\n  - ", "==", "arn:", "oracle:thin:", "x/", "@", "MTA", "whsec_", "pat", "\t", "|",
	"curl ", "-sSu", "echo ", "bob:", " | chpasswd", "<<<", "-us12", "5f3a", "0b9c7d1e", "4f6a1b2c9d0e5f3a7b8c1d2e3f4a5b6c", "jwt.sign(", "hmacsha256(", "{", "openssl ", "-passin ", "pass:", "7z ", "-p", "~/", "$HOME/",
	"!: ", "→", "пароль", "string().default(", "fetch(", "\n> ", "\n * ", "-- ", "{token, <<\"", "Falcon_2381x", "Gpq#!gfw4U8zVQ", "X-Amz-Signature=", "vault login ",
	"canary-secret-one", "canary-secret", "ret-one-two", "%3D", "password", "x", "0", "é", "\xff", "\x00", "C4n4ry+S3cr3t/", "hooks.slack.com/services/",
}

var canaryRedactor = redact.New("canary-secret-one", "ret-one-two", "C4n4ry+S3cr3t/")

func checkProperties(t interface{ Fatalf(string, ...any) }, in string, cut func(int) int) {
	whole := canaryRedactor.String(in)
	for _, s := range []string{"canary-secret-one", "ret-one-two", "C4n4ry+S3cr3t/"} {
		if strings.Contains(whole, s) {
			t.Fatalf("String(%q) = %q holds %q", in, whole, s)
		}
	}
	var out bytes.Buffer
	w := canaryRedactor.Writer(&out)
	for rest := in; rest != ""; {
		n := cut(len(rest))
		io.WriteString(w, rest[:n])
		rest = rest[n:]
	}
	w.Close()
	if out.String() != whole {
		t.Fatalf("text %q\nwhole  %q\npieces %q", in, whole, out.String())
	}
}

func TestPiecesAreLikeTheWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tricky), 0, 30).Draw(rt, "parts"), "")
		most := rapid.IntRange(1, 40).Draw(rt, "most")
		checkProperties(rt, in, func(n int) int { return min(n, rapid.IntRange(1, most).Draw(rt, "cut")) })
	})
}

// TestTwiceIsLikeOnce has its parts apart: of tokens without anything between, what is left after one pass may be another's.
func TestTwiceIsLikeOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tricky), 0, 30).Draw(rt, "parts"), rapid.SampledFrom([]string{" ", "\n", "; ", "\"", ", "}).Draw(rt, "between"))
		once := canaryRedactor.String(in)
		if again := canaryRedactor.String(once); again != once {
			rt.Fatalf("String(%q)\n once %q\ntwice %q", in, once, again)
		}
	})
}

func FuzzRedactor(f *testing.F) {
	for _, c := range canaries {
		f.Add(c.key, uint64(1))
	}
	f.Add(strings.Join(tricky, ""), uint64(2))
	f.Fuzz(func(t *testing.T, in string, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 1))
		checkProperties(t, in, func(n int) int { return 1 + random.IntN(min(n, 20)) })
	})
}

func BenchmarkString(b *testing.B) {
	prose := strings.Repeat("Whether the cache is worth its cost depends on how often a page is asked for again.\n", 1200)
	for name, s := range map[string]string{
		"clean":      prose,
		"digits":     strings.Repeat("0123456789 0123456789\n", 5000),
		"candidates": strings.Repeat("The token of a secret password: an api_key in a task.\n", 2000),
		"hostile":    strings.Repeat("eyJa-", 20000),
		"one key":    prose + canaries[0].key + prose[:1000],
	} {
		b.Run(name, func(b *testing.B) {
			r := redact.New("canary-secret-one", "another-secret-of-mine")
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				r.String(s)
			}
		})
	}
}

// TestIdentifiersStay holds identifiers as the tree and providers make them, with every word of a secret's name at every
// place in them, against the forms they are printed in.
func TestIdentifiersStay(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 12))
	id := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(b)
	}
	r := redact.New()
	forms := []string{
		`{"seq":7,"id":"%s","parent":"%s","kind":"reply","by":"seat2","at":"2026-11-23T10:27:49.394Z"}`,
		"%s %s  question", "%s: %s", "the tree goes on at %s, not at %s", "socrates tree show %s %s", "%s\t%s\n",
		`{"tool_use_id":"toolu_01%s","content":"%s"}`, "%s/%s",
	}
	const crockford = "0123456789abcdefghjkmnpqrstvwxyz"
	tried, wrong := 0, 0
	for _, word := range []string{"jwt", "pwd", "psk", "pat", "key", "secret", "pass", "aeskey", "apikey", "passkey", "creds"} {
		for at := 4; at+len(word) <= 26; at++ {
			for range 20 {
				name := "06h0" + id(crockford, at-4) + word + id(crockford, 26-at-len(word))
				for _, form := range forms {
					s := fmt.Sprintf(form, name, "06h0"+id(crockford, 22))
					if tried++; r.String(s) != s {
						wrong++
					}
				}
			}
		}
	}
	if wrong*500 > tried { // each has a word of a secret's name in it: about one identifier in 10,000 does
		t.Errorf("%d of %d became something else", wrong, tried)
	}
	t.Logf("%d of %d", wrong, tried)
}
