package redact_test

// What the rules were written with. {N} {n} {P} {s} {k} are a secret's name in capitals, camel case, Pascal case, snake case
// and with dashes; {v} is a value that stands in quotes, {w} one that needs none, {b} one in base64.

var tunedNames = []string{
	"token", "x token", "api token", "password", "db password", "secret", "client secret", "api key", "access token", "private key",
	"secret key", "aws secret access key", "auth token", "admin password", "github token", "passphrase", "jwt secret", "access key",
}

var tunedForms = []form{
	{"operators", []string{
		`{N}={w}`, `{N}="{v}"`, `{N}='{v}'`, `{N} = "{v}"`, `{n} = "{v}"`, `{s} = '{v}'`, `{n}: "{v}"`, `{s}: {w}`, `{n} := "{v}"`, `{n} => "{v}"`,
		`{N} ?= "{v}"`, `{N} := {w}`, `{N} ::= {w}`, `{N} += {w}`, `{n} .= "{v}"`, `${n} = '{v}';`, `{n} ||= "{v}"`, `"{n}" => "{v}",`, `:{s} => "{v}"`,
		`{k} = {w}`, `{k}: {w}`, "{n} = `{v}`",
	}},
	{"declarations", []string{
		`var {n} string = "{v}"`, `String {n} = "{v}";`, `const {N}: string = '{v}'`, `let mut {s}: &str = "{v}"`, `val {n}: String = "{v}"`,
		`private static final String {N} = "{v}";`, `#define {N} "{v}"`, `Dim {n} As String = "{v}"`, `const char *{s} = "{v}";`, `const {n} = "{v}"`,
		`{s}: str = "{v}"`, `public string {P} { get; set; } = "{v}";`, `my ${s} = '{v}';`, `static const char {s}[] = "{v}";`,
	}},
	{"shells", []string{
		`export {N}={w}`, `export {N}="{v}"`, `$env:{N} = "{v}"`, `$env:{N}='{v}'`, `setx {N} {w}`, `setx {N} "{v}"`, `set {N}={w}`, `ENV {N} {w}`, `ENV {N}={w}`,
		`ARG {N}={w}`, `docker run -e {N}={w} image:1`, `run --{k} {w} --verbose`, `run --{k}={w}`, `run --{k} "{v}"`, `{N}={w} ./start.sh --port 80`,
	}},
	{"calls", []string{
		`setProperty("{N}", "{v}")`, `os.Setenv("{N}", "{v}")`, `putenv("{N}={v}")`, `config.set('{n}', '{v}')`, `client = connect(host="db", {s}="{v}")`,
		`.header("X-Api-Key", "{v}")`, `os.environ["{N}"] = "{v}"`, `process.env.{N} = '{v}'`, `options["{s}"] = "{v}"`, `("{n}", "{v}"),`, `{"{n}": "{v}"}`,
		`new Client({ {n}: '{v}', region: 'eu' })`, `{n}("{v}")`, `set{P}("{v}")`, `{P}::new("{v}")`,
	}},
	{"markup", []string{
		`<{n}>{w}</{n}>`, `<{k}>{w}</{k}>`, `<add key="{P}" value="{w}"/>`, `<property name="{s}" value="{w}"/>`, `<server {n}="{w}" port="80"/>`,
		`<property name="{s}">{w}</property>`, `<input type="hidden" name="{s}" value="{w}">`,
	}},
	{"data", []string{
		"name: {N}\n  value: {w}", "- name: {N}\n  value: \"{v}\"", "{n}: |\n  {w}\n", "{n}: >-\n    {w}\nnext: 1", "{n}: {b}", `{"{s}":"{v}"}`,
		`{\"{n}\":\"{v}\"}`, `"{\"{s}\": \"{v}\", \"n\": 1}"`, "[default]\n{s} = {w}\n", `{n}={w}`, "{n}:\n  {w}\n", `{"name": "{N}", "value": "{v}"}`,
		"spring.datasource.{k}={w}", `"Api:{P}": "{v}"`, "dotnet user-secrets set \"Api:{P}\" \"{v}\"",
	}},
	{"network", []string{
		`Authorization: Bearer {w}`, `curl -H "Authorization: Bearer {w}" https://api.example.com/`, `Authorization: Basic {b}`, `Authorization: token {w}`, `proxy_set_header Authorization "Basic {b}"`,
		`postgres://app:{w}@db.internal:5432/app`, `https://user:{w}@git.example.com/x.git`, `https://api.example.com/v1?{s}={w}&page=2`, `X-Api-Key: {w}`,
		"machine git.example.com login me password {w}", `//registry.example.com/:_authToken={w}`, `Server=db;User Id=sa;Password={w};`,
		`mongodb+srv://u:{w}@cluster0.mongodb.net`, `Cookie: sessionid={w}`, `Set-Cookie: session_id={w}; Path=/; HttpOnly`,
	}},
	{"queries", []string{
		`CREATE USER app IDENTIFIED BY '{v}';`, `ALTER ROLE app WITH PASSWORD '{v}';`, `ALTER USER app PASSWORD '{v}';`,
		"variable \"{s}\" {\n  default = \"{v}\"\n}",
	}},
	{"apart", []string{
		`@Value("{v}") private String {n};`, "@Value(\"{v}\")\n@NotNull\nprivate final String {n};", `@DefaultValue("{v}") {n}: String`, `fmt.Sprintf("{s}=%s", "{v}")`,
		`fmt.Errorf("no %d: {n}: %q", 3, "{v}")`, `"a={} {s}={}".format(a, "{v}")`, `"{N}=%s" % "{v}"`, "[{s}]\nvalue = {w}\n", "[app.{k}]\n; ours\nvalue = \"{v}\"\n",
	}},
	{"logs", []string{
		`2026-01-02T03:04:05Z INFO login ok {s}={w} user=bob`, `time=10:00 level=info msg="start" {n}="{v}"`, `[debug] using {n} {w}`, `the {s} is {w}`,
	}},
}

// tunedOrdinary are texts that are to stay. {h} is 40 digits of hexadecimal, {H} 64, {u} a UUID, {6} base64 of a checksum, {x} filler.
var tunedOrdinary = []form{
	{"placeholders", []string{
		`{N}={x}`, `{N}="{x}"`, `{n}: "{x}"`, `{s} = '{x}'`, `--{k} {x}`, `Authorization: Bearer {x}`, `{N}=${N}`, `{N}=${{N}}`, `{n}: {{ .Values.{n} }}`,
		`{n}: ${{ secrets.{N} }}`, `{n}="<your-{k}>"`, `{N}=changeme`, `{N}=your_{s}_here`, `{n}: "YOUR_{N}"`, `{N}=PUT_YOUR_{N}_HERE`, `"{n}": "********"`,
		`{n}: "%{N}%"`, `{N}=`, `{N}=""`, `{n}: null`, `"{n}": "string"`, `{n} = "..."`,
	}},
	{"code", []string{
		`{n} = get{P}()`, `{n} := os.Getenv("{N}")`, `{n}: process.env.{N}`, `const {n} = config.{n};`, `{n}: string`, `{n}: String;`, `func check({n} string) error {`,
		`if {n} == "" {`, `self.{s} = {s}`, `{n} = await fetch{P}(user)`, `private final String {n};`, `{s} = os.environ["{N}"]`, `{s}: Optional[str] = None`,
		`this.{n} = options.{n} || default{P};`, `{n}Length = 32`, `max{P}s: 4096`, `{n}Url = "https://auth.example.com/oauth2/token"`, `{N}_FILE=/run/secrets/{k}`,
		`func Test{P}IsRefused(t *testing.T) {`, `errInvalid{P} = errors.New("invalid {s}")`, `{n}: z.string().min(12)`, `type {P} struct {`, `case "{n}":`,
		`{n}Name: "{k}-1"`, `@Value("${app.{k}}")`, `{s}_hash = hash_{s}({s})`, `{n} = request.headers["X-Token-V2"]`, `let {n}: String = try keychain.read(service2)`,
	}},
	{"apart", []string{
		`@Value("{x}") private String {n};`, `@Value("{h}") String commit;`, `@Param("{u}") String {n}Id;`, `fmt.Sprintf("{s}=%s", {n})`, `fmt.Sprintf("{s}=%s", "{x}")`,
		`fmt.Sprintf("{s}=%s, sum %s", {n}, "{h}")`, `t.Errorf("{n} = %q, want %q", got, want)`, "[{s}]\nvalue = {x}\n", "[{s}]\nvalue = ${N}\n", "[{s}]\nname = a\n[sums]\nvalue = {h}\n",
	}},
	{"prose", []string{
		`The {s} must be at least 12 characters long.`, `Forgot your password? Click here to reset it within 24 hours.`, `A {s} is read from the environment.`,
		`See https://docs.example.com/{k}/rotation for how to rotate the {s}.`, `Never commit a {s}: use a vault.`, `password: at least 8 characters, 1 digit`,
		`The {s} expires after 3600 seconds`, `Error: invalid {s} (status 401)`,
	}},
	{"hashes", []string{
		`commit {h}`, `{h} refs/heads/main`, `sha256:{H}`, `image: repo/app@sha256:{H}`, `"integrity": "sha512-{6}=="`, `id: {u}`, `request {u} took 12ms`,
		`golang.org/x/net v0.1.0 h1:{6}=`, `{H}  app.tar.gz`, `ETag: "{h}"`, `checksum = "{H}"`, `uses: actions/checkout@{h}`, `traceId={u}`, `index {h}..{h} 100644`,
	}},
	{"code after a prefix", []string{
		`hf_loadModelTypesFromConfigFile`, `sk-loading-indicator-container-primary`, `ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX`, `npm_config_registry_settings_default_path`,
		`AKIAXXXXXXXXXXXXXXXX`, `AKIAIOSFODNN7EXAMPLE`, `xoxb-your-token-here-please`, `pypi-packages-download-mirror-settings-file`, `sk_test_xxxxxxxxxxxxxxxxxxxxxxxx`,
		`glpat-xxxxxxxxxxxxxxxxxxxx`, `gsk_initializeRendererForWidgetTree`, `ntn_handleNotificationMessageDispatch`, `dapi-version-header-value-for-requests`,
	}},
}
