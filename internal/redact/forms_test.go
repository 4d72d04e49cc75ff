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

		// Options of programs.
		{"curl --user me:" + body + " https://h/", "curl --user me:* https://h/"},
		{"curl --user='me:" + body + "' https://h/", "curl --user='me:*' https://h/"},
		{"curl https://h/ --proxy-user me:" + body + " -v", "curl https://h/ --proxy-user me:* -v"},
		{"curl -u me@example.org:" + body + " https://h/", "curl -u me@example.org:* https://h/"},
		{"curl -ume:" + body + " https://h/", "curl -ume:* https://h/"},
		{"curl -sSLu me:" + body + " https://h/", "curl -sSLu me:* https://h/"},
		{"curl -sSume:" + body + " https://h/", "curl -sSume:* https://h/"},
		{"curl -s \\\n  -U \"me:" + body + "\" \\\n  https://h/", "curl -s \\\n  -U \"me:*\" \\\n  https://h/"},
		{"http -a me:" + body + " GET h", "http -a me:* GET h"},
		{"echo " + body + " | docker login -u me --password-stdin", "echo * | docker login -u me --password-stdin"},
		{"printf '%s' \"" + body + "\" | gh auth login --with-token", "printf '%s' \"*\" | gh auth login --with-token"},
		{"echo \"me:hunter2pass\" | sudo chpasswd", "echo \"*\" | sudo chpasswd"},
		{"docker login --password-stdin <<< " + body, "docker login --password-stdin <<< *"},
		{"openssl enc -aes-256-cbc -k " + body + " -in a", "openssl enc -aes-256-cbc -k * -in a"},
		{"openssl rsa -in a.pem -passin pass:hunter2pass", "openssl rsa -in a.pem -passin pass:*"},
		{"7z x a.7z -p" + body, "7z x a.7z -p*"},
		{"unzip -P hunter2pass a.zip", "unzip -P * a.zip"},
		{"mongodump -h db -u me -p hunter2pass", "mongodump -h db -u me -p *"},
		{"az login --service-principal -u me -p " + body + " --tenant t", "az login --service-principal -u me -p * --tenant t"},
		{"sqlcmd -S h -U sa -P hunter2pass -Q x", "sqlcmd -S h -U sa -P * -Q x"},
		{"ldapsearch -x -D cn=me -w hunter2pass -b dc=a", "ldapsearch -x -D cn=me -w * -b dc=a"},
		{"smbclient //h/s -U me%" + body, "smbclient //h/s -U me%*"},
		{"keytool -list -storepass hunter2pass -keystore k", "keytool -list -storepass * -keystore k"},
		{"vault login " + body, "vault login *"},
		{"snmp-server community " + body + " RO", "snmp-server community * RO"},
		{"enable secret 5 " + body, "enable secret 5 *"},

		// Arguments of calls.
		{`jwt.sign(payload, "` + body + `", {})`, `jwt.sign(payload, "*", {})`},
		{`jwt.sign({ id: user.id, "a": ["x,y"] }, '` + body + `')`, `jwt.sign({ id: user.id, "a": ["x,y"] }, '*')`},
		{`jwt.decode(text, "` + body + `", algorithms=["HS256"])`, `jwt.decode(text, "*", algorithms=["HS256"])`},
		{`crypto.createHmac("sha256", Buffer.from("` + body + `"))`, `crypto.createHmac("sha256", Buffer.from("*"))`},
		{`hmac.new(b"` + body + `", text, "sha256")`, `hmac.new(b"*", text, "sha256")`},
		{`hash_hmac('sha256', $text, '` + body + `')`, `hash_hmac('sha256', $text, '*')`},
		{`new BasicAWSCredentials(id, "` + body + `")`, `new BasicAWSCredentials(id, "*")`},
		{`requests.get(u, auth=HTTPBasicAuth("me", "` + body + `"))`, `requests.get(u, auth=HTTPBasicAuth("me", "*"))`},
		{`server.login("me@example.org", "` + body + `")`, `server.login("me@example.org", "*")`},

		// Declarations with types, defaults.
		{`readonly clientSecret!: string = "` + body + `"`, `readonly clientSecret!: string = "*"`},
		{`let accessToken: string | undefined = "` + body + `";`, `let accessToken: string | undefined = "*";`},
		{`z.object({ apiKey: z.string().default("` + body + `") })`, `z.object({ apiKey: z.string().default("*") })`},
		{`:secret => ENV.fetch("X", "` + body + `"),`, `:secret => ENV.fetch("X", "*"),`},
		{`{token, <<"` + body + `">>}`, `{token, <<"*">>}`},

		// A token that tells by its end.
		{"using 0b9c7d1e4f6a1b2c9d0e5f3a7b8c1d2e-us12 now", "using * now"},
		{"https://h/p?X-Amz-Credential=a&X-Amz-Signature=" + strings.Repeat("0b9c7d1e4f6a1b2c", 4) + "&x=1", "https://h/p?X-Amz-Credential=a&X-Amz-Signature=*&x=1"},

		// Passwords that are neither words nor long: made ones with symbols, and those people think of.
		{"Authorization: Bearer Gpq#!gfw4U8zVQ", "Authorization: Bearer *"},
		{"http POST h Authorization:\"Bearer p5%+voP*WC*m5D\"", "http POST h Authorization:\"Bearer *\""},
		{"api-key: JNo7rJON+ReMzG", "api-key: *"},
		{"<apiKey>Ipd_6TMxnHnpgl</apiKey>", "<apiKey>*</apiKey>"},
		{`std::string accessToken{"2Kto+RuHrlkrma"};`, `std::string accessToken{"*"};`},
		{"| API key | `y5ghM*EepKXa*b` |", "| API key | `*` |"},
		{"Your API key is JlBKIg6NTmHc7b", "Your API key is *"},
		{"password: Kestrel_8953Qz", "password: *"},
		{"spring.datasource.password=zeppelin@6369kk", "spring.datasource.password=*"},

		// Annotations of what is declared behind them.
		{`@Value("` + body + `") String apiKey;`, `@Value("*") String apiKey;`},
		{"@Value(\"" + body + "\")\n    @NotNull(\"x\") private final String clientSecret;", "@Value(\"*\")\n    @NotNull(\"x\") private final String clientSecret;"},
		{"@Value(value = \"hunter2pass\")\nprivate lateinit var dbPassword: String", "@Value(value = \"*\")\nprivate lateinit var dbPassword: String"},
		{`@ConfigProperty(name = "app.x", defaultValue = "` + body + `") Optional<String> accessToken;`, `@ConfigProperty(name = "app.x", defaultValue = "*") Optional<String> accessToken;`},
		{`Client(@Value("` + body + `") String apiKey, @Value("eu-west-1") String region)`, `Client(@Value("*") String apiKey, @Value("eu-west-1") String region)`},
		{`[DefaultValue("` + body + `")] public string ApiKey { get; set; }`, `[DefaultValue("*")] public string ApiKey { get; set; }`},
		{`@Value("${app.api-key:` + body + `}") String apiKey;`, `@Value("${app.api-key:*}") String apiKey;`},
		{`@Value("` + body + `") String checksum;`, `@Value("` + body + `") String checksum;`},
		{`@Value("access_token_2") String apiKey; @Value("https://h.example.com/v1/k3y") String token;`, `@Value("access_token_2") String apiKey; @Value("https://h.example.com/v1/k3y") String token;`},
		{`@Value("` + body + `") String name; String apiKey;`, `@Value("` + body + `") String name; String apiKey;`},

		// Texts with gaps, and what fills them.
		{`fmt.Sprintf("api_key=%s", "` + body + `")`, `fmt.Sprintf("api_key=%s", "*")`},
		{`fmt.Sprintf("a=%d api_key=%q&x=%v", 3, "` + body + `", y)`, `fmt.Sprintf("a=%d api_key=%q&x=%v", 3, "*", y)`},
		{`fmt.Sprintf("api_key=%[2]s 100%%", x, "` + body + `")`, `fmt.Sprintf("api_key=%[2]s 100%%", x, "*")`},
		{`String.format(Locale.US, "token: %1$s", "` + body + `")`, `String.format(Locale.US, "token: %1$s", "*")`},
		{`string.Format("{1} token={0}", "` + body + `", "` + body[1:] + `x")`, `string.Format("{1} token={0}", "*", "` + body[1:] + `x")`},
		{`"{} password={}".format(user, "hunter2pass")`, `"{} password={}".format(user, "*")`},
		{`"a %s password='%s'" % (user, "hunter2pass")`, `"a %s password='%s'" % (user, "*")`},
		{`"token=%s" % "` + body + `"`, `"token=%s" % "*"`},
		{`"token=%s".formatted("` + body + `")`, `"token=%s".formatted("*")`},
		{`println!("token: {:?}", "` + body + `");`, `println!("token: {:?}", "*");`},
		{`printf "api_key=%s\n" "` + body + `"`, `printf "api_key=%s\n" "*"`},
		{`printf(L"\"token\": \"%s\"", "` + body + `")`, `printf(L"\"token\": \"%s\"", "*")`},
		{`db.Exec("UPDATE u SET a = ?, password = ? WHERE id = ?", a, "hunter2pass", 3)`, `db.Exec("UPDATE u SET a = ?, password = ? WHERE id = ?", a, "*", 3)`},
		{`fmt.Sprintf("api_key=%s&sum=%s", key, "` + body + `")`, `fmt.Sprintf("api_key=%s&sum=%s", key, "` + body + `")`},
		{`fmt.Sprintf("sum=%s&api_key=%s", "` + body + `", key)`, `fmt.Sprintf("sum=%s&api_key=%s", "` + body + `", key)`},
		{`fmt.Sprintf("token=%s", os.Getenv("API_TOKEN_2"))`, `fmt.Sprintf("token=%s", os.Getenv("API_TOKEN_2"))`},
		{`t.Errorf("token=%s, want %s", got, "https://example.com/a1b2c3d4e5")`, `t.Errorf("token=%s, want %s", got, "https://example.com/a1b2c3d4e5")`},
		{`fmt.Sprintf("api_key=%s", "v1.22.333-rc.4")`, `fmt.Sprintf("api_key=%s", "v1.22.333-rc.4")`},
		{`fmt.Sprintf("api_key=%s", "<your-key-1>")`, `fmt.Sprintf("api_key=%s", "<your-key-1>")`},

		// Sections that are named for what is in them.
		{"[api_key]\nvalue = " + body + "\nother = 1\n", "[api_key]\nvalue = *\nother = 1\n"},
		{"[app.api_key]\n# ours\nname = a\nvalue = \"" + body + "\"\n", "[app.api_key]\n# ours\nname = a\nvalue = \"*\"\n"},
		{"[password]\r\nvalue: Kestrel_8953Qz\r\n", "[password]\r\nvalue: *\r\n"},
		{"[api_key]\nname = a\n[sum]\nvalue = " + body + "\n", "[api_key]\nname = a\n[sum]\nvalue = " + body + "\n"},
		{"[api_key]\nvalue = ${API_KEY_2}\n", "[api_key]\nvalue = ${API_KEY_2}\n"},
		{"[token]\nvalue = https://h.example.com/v1/a1b2c3\n", "[token]\nvalue = https://h.example.com/v1/a1b2c3\n"},

		// Other languages, other signs.
		{"Kennwort: " + body, "Kennwort: *"},
		{`"clave": "` + body + `"`, `"clave": "*"`},
		{"mot_de_passe=" + body, "mot_de_passe=*"},
		{"Contraseña: " + body, "Contraseña: *"},
		{"пароль=" + body, "пароль=*"},
		{"密码：" + body, "密码：*"},
		{"token → " + body, "token → *"},
		{"x-functions-key: " + body, "x-functions-key: *"},
		{"sonar.login=" + body, "sonar.login=*"},
		{"code_verifier=" + body, "code_verifier=*"},
	} {
		got := r.String(c.in)
		if plain := hidden.ReplaceAllString(got, "*"); plain != c.want {
			t.Errorf("String(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
	// A key's lines stay hidden whatever is ahead of each.
	lines := []string{"-----BEGIN RSA PRIVATE KEY-----", strings.Repeat(body+body+"\n", 3), "-----END RSA PRIVATE KEY-----"}
	block := strings.Split(strings.Join(lines, "\n"), "\n")
	for _, before := range []string{"> ", "> > ", " * ", "# ", "// ", "; ", "-- ", "| ", "+", "%", "  12  ", "[app] "} {
		text := before + strings.Join(block, "\n"+before) + "\nafter it\n"
		if got := r.String(text); strings.Contains(got, body[:10]) || !strings.HasSuffix(got, "-----END RSA PRIVATE KEY-----\nafter it\n") {
			t.Errorf("behind %q a key stays readable, or more than it goes: %q", before, got)
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
