package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/config/setting"
)

// write puts text into a new private file and returns its path.
func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sources makes a user's and a project's file; an empty text is no file.
func sources(t *testing.T, user, project string) config.Sources {
	t.Helper()
	dir := t.TempDir()
	s := config.Sources{UserFile: filepath.Join(dir, "user", "config.yaml"), ProjectDir: filepath.Join(dir, "project")}
	if user != "" {
		write(t, s.UserFile, user)
	}
	if project != "" {
		write(t, config.ProjectFile(s.ProjectDir), project)
	}
	return s
}

func load(t *testing.T, s config.Sources) (*config.Config, []config.Warning) {
	t.Helper()
	c, warnings, err := config.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	return c, warnings
}

func TestDefaults(t *testing.T) {
	c, warnings := load(t, config.Sources{})
	if c.Duration("debate.seat_timeout") != 5*time.Minute || c.Duration("debate.timeout") != 20*time.Minute ||
		c.Duration("debate.grace") != 90*time.Second || c.Int("debate.rounds") != 2 || c.Float("debate.budget_usd") != 0 ||
		c.Int("debate.max_claims") != 7 || c.Int("debate.tool_calls") != 12 || c.Duration("checks.timeout") != 2*time.Minute ||
		c.String("output.color") != "auto" || len(c.Strings("seats")) != 0 || len(c.Providers()) != 0 || len(warnings) != 0 {
		t.Errorf("%+v %v", c.All(), warnings)
	}
	for _, s := range setting.All() {
		if !strings.Contains(s.Key, "<name>") && len(c.Explain(s.Key)) != 1 {
			t.Errorf("%s has no valid default", s.Key)
		}
		if s.Doc == "" || s.Project == "" {
			t.Errorf("%s: incomplete row", s.Key)
		}
		if !strings.Contains(setting.Reference(), "`"+s.Key+"`") || !strings.Contains(setting.Reference(), s.Env()) {
			t.Errorf("%s is not in the reference", s.Key)
		}
	}
}

func TestHigherLayersWin(t *testing.T) {
	s := sources(t, "debate:\n  rounds: 4\n  timeout: 10m\n  grace: 20s\n  max_claims: 6\nseats: [a, b]\n", "debate.rounds: 3\ndebate: {grace: 10s}\n")
	s.Env = []string{"SOCRATES_DEBATE_ROUNDS=2", "SOCRATES_SEATS=x, y", "SOCRATES_DEBATE_TIMEOUT=", "OTHER=1", "SOCRATES_DEBATE_MAX_CLAIMS=9"}
	s.Flags = map[string]string{"debate.rounds": "1", "seats": `["with, comma"]`}
	c, warnings := load(t, s)
	if len(warnings) != 0 {
		t.Errorf("warnings: %v", warnings)
	}
	if c.Int("debate.rounds") != 1 || c.Duration("debate.timeout") != 10*time.Minute || c.Duration("debate.grace") != 10*time.Second ||
		c.Int("debate.max_claims") != 9 || !slices.Equal(c.Strings("seats"), []string{"with, comma"}) {
		t.Errorf("%+v", c.All())
	}
	var got []string
	for _, o := range c.Explain("debate.rounds") {
		got = append(got, fmt.Sprintf("%s %s %d %t", o.Layer, o.Value, o.Line, o.Wins))
	}
	want := []string{"built in 2 0 false", "user 4 2 false", "project 3 1 false", "environment 2 0 false", "flag 1 0 true"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestProjectOnlyTightens(t *testing.T) {
	for _, c := range []struct{ user, project, key, want, note string }{
		{"", "debate.rounds: 4", "debate.rounds", "2", "only lower"},
		{"debate.rounds: 4", "debate.rounds: 2", "debate.rounds", "2", ""},
		{"", "debate.timeout: 1m", "debate.timeout", "1m", ""},
		{"", "debate.timeout: 1h", "debate.timeout", "20m", "only lower"},
		{"", "debate.budget_usd: 5", "debate.budget_usd", "5", ""},
		{"debate.budget_usd: 2", "debate.budget_usd: 0", "debate.budget_usd", "2", "only lower"},
		{"debate.budget_usd: 2", "debate.budget_usd: 3", "debate.budget_usd", "2", "only lower"},
		{"debate.budget_usd: 2", "debate.budget_usd: 0.5", "debate.budget_usd", "0.5", ""},
		{"", "debate.budget_usd: 0", "debate.budget_usd", "0", ""},
		{"", "debate.tool_calls: 0", "debate.tool_calls", "0", ""},
		{"seats: [a, b, c]", "seats: [c, a]", "seats", "[c, a]", ""},
		{"seats: [a, b]", "seats: [a, evil]", "seats", "[a]", `"evil"`},
		{"seats: [a, b]", "seats: [a, a]", "seats", "[a]", `"a"`},
		{"seats: [a, b]", "seats: []", "seats", "[a, b]", "none of yours"},
		{"seats: [a, b]", "seats: [evil]", "seats", "[a, b]", "none of yours"},
		{"", "seats: [evil]", "seats", "[]", "none of yours"},
		{"checks.commands: [go test ./...]", "checks.commands: []", "checks.commands", "[]", ""},
		{"checks.commands: [go test ./...]", "checks.commands: [go test ./..., rm -rf /]", "checks.commands", "[go test ./...]", "rm -rf"},
		{"", "checks.commands: [rm -rf /]", "checks.commands", "[]", "rm -rf"},
		{"checks.sources: [go.dev]", "checks.sources: [go.dev.evil.com]", "checks.sources", "[]", "evil"},
		{"", "output.color: always", "output.color", "auto", "may not"},
		{"", "store.path: ~/evil.db", "store.path", "", "may not"},
		{"providers.x.base_url: https://good", "providers.x.base_url: https://evil", "providers.x.base_url", "https://good", "may not"},
		{"", "providers.x.key: sk-canary", "providers.x.key", "", "may not"},
	} {
		cfg, warnings := load(t, sources(t, c.user, c.project))
		got, note := "", ""
		for _, o := range cfg.Explain(c.key) {
			if o.Wins {
				got = o.Value
			}
			note += o.Note
		}
		if got != c.want || (c.note == "") != (note == "") || !strings.Contains(note, c.note) || (note != "") != (len(warnings) == 1) {
			t.Errorf("user %q, project %q: %s = %q, note %q, %v", c.user, c.project, c.key, got, note, warnings)
		}
		for _, w := range warnings {
			if w.Line != 1 || !strings.HasSuffix(w.File, "config.yaml") || strings.Contains(w.String(), "canary") {
				t.Errorf("warning %s", w)
			}
		}
	}
	cfg, _ := load(t, sources(t, "", "providers.x.base_url: https://evil"))
	if p := cfg.Providers(); len(p) != 0 {
		t.Errorf("the project named a provider: %v", p)
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		text    string
		line    int
		message string
	}{
		{"debate:\n  ronds: 2", 2, "unknown key debate.ronds (did you mean debate.rounds?)"},
		{"colour: always", 1, "did you mean output.color?"},
		{"rounds: 2", 1, "did you mean debate.rounds?"},
		{"debat:\n  rounds: 2", 2, "did you mean debate.rounds?"},
		{"providers:\n  mine:\n    url: x", 3, "did you mean providers.mine.base_url?"},
		{"providers:\n  Mine:\n    key: env:X", 3, "unknown key providers.Mine.key"},
		{"zzzzzzzzzzzz: 1", 1, "lists all keys"},
		{"\"a\\e[31m\": 1", 1, `"a\x1b[31m"`},
		{"debate: 5", 1, "is a section"},
		{"debate.rounds: many", 1, "must be a whole number"},
		{"debate.rounds: 5", 1, "must be 1 to 4, not 5"},
		{"debate.rounds: [1]", 1, "must be a number, not a list"},
		{"debate.rounds:", 1, "has no value"},
		{"debate.timeout: 300", 1, "must be a duration such as 90s"},
		{"debate.timeout: 0s", 1, "must be 1s to 168h"},
		{"debate.budget_usd: .nan", 1, "must be a number"},
		{"debate.budget_usd: NaN", 1, "must be a number"},
		{"debate.budget_usd: Inf", 1, "must be 0 to"},
		{"debate.budget_usd: -1", 1, "must be 0 to"},
		{"output.color: blue", 1, "must be auto, always or never"},
		{"seats: claude", 1, "must be a list"},
		{"seats:\n- a\n- [b]", 3, "every entry"},
		{"seats: ['']", 1, "empty entry"},
		{"store.path: x.db", 1, "must be absolute"},
		{"providers.x.base_url: ftp://h", 1, "http or https"},
		{"providers.x.base_url: https://me:canary@h", 1, "user or a password"},
		{"providers.x.base_url: https://h?key=canary", 1, "query"},
		{"providers.x.key: 'env:canary value'", 1, "a variable name"},
		{"providers.x.key: file:canary", 1, "absolute path"},
		{"providers.x.key: can ary", 1, "without spaces"},
		{"debate.rounds: 2\ndebate:\n  rounds: 2", 3, "already set on line 1"},
		{"a: &x 1\nb: *x", 1, "anchors and aliases"},
		{"seats: *x", 0, "not YAML"},
		{"<<: {debate.rounds: 1}", 1, "only plain keys"},
		{"? [a]\n: 1", 1, "only plain keys"},
		{"- a", 1, "must be a mapping"},
		{"debate.rounds: 1\n---\ndebate.rounds: 2", 2, "second document"},
		{"debate: {rounds: 1", 0, "not YAML"},
		{"debate:\n\trounds: 1", 2, "not YAML"},
		{strings.Repeat("# comment\n", 30000), 0, "larger than 256 KiB"},
	} {
		s := sources(t, c.text, "")
		_, _, err := config.Load(s)
		e, ok := errors.AsType[*config.Error](err)
		if !ok {
			t.Errorf("%.60q: %v", c.text, err)
			continue
		}
		if e.File != s.UserFile || c.line > 0 && e.Line != c.line || !strings.Contains(e.Error(), c.message) || strings.Contains(e.Error(), "canary") {
			t.Errorf("%.60q: line %d, %v; want line %d, %s", c.text, e.Line, e, c.line, c.message)
		}
	}
}

func TestAllMistakesAreTold(t *testing.T) {
	s := sources(t, "debate.rounds: x\nbad: 1\n", "")
	s.Flags = map[string]string{"debate.round": "1", "providers.x.key": "sk-canary"}
	s.Env = []string{"SOCRATES_DEBATE_GRACE=soon", "SOCRATES_DEBATE_ROUND=1"}
	_, warnings, err := config.Load(s)
	text := err.Error()
	for _, part := range []string{":1: debate.rounds", ":2: unknown key bad", "flag debate.round: ", "SOCRATES_DEBATE_GRACE: debate.grace", "visible to other users"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
	if strings.Contains(text, "canary") {
		t.Errorf("key in %s", text)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].String(), "did you mean SOCRATES_DEBATE_ROUNDS?") {
		t.Errorf("warnings: %v", warnings)
	}
}

func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{dir, os.DevNull} {
		if _, _, err := config.Load(config.Sources{UserFile: file}); runtime.GOOS != "windows" && err == nil {
			t.Errorf("%s: no error", file)
		} else if e, ok := errors.AsType[*config.Error](err); err != nil && (!ok || e.File != file) {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, text := range []string{"", "# only a comment\n", "---\n", "debate:\n", "null"} {
		load(t, config.Sources{UserFile: write(t, filepath.Join(dir, "c.yaml"), text)})
	}
}

func TestProviders(t *testing.T) {
	s := sources(t, "providers:\n  b-2: {base_url: 'http://localhost:1/v1', wire: chat, key: sk-canary-plain, model: m}\n  a: {key: env:A_KEY, lineage: l}\n", "")
	s.Env = []string{"SOCRATES_PROVIDERS_B_2_MODEL=n", "SOCRATES_PROVIDERS_C_KEY=env:C"}
	file := write(t, filepath.Join(t.TempDir(), "key"), " sk-canary-file\n")
	s.Flags = map[string]string{"providers.d.key": "file:" + file}
	c, _ := load(t, s)
	providers := c.Providers()
	lookup := func(name string) (string, bool) { return "sk-canary-env-" + name, true }
	var got []string
	for _, p := range providers {
		key, err := p.Key.Reveal(lookup)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		got = append(got, strings.Join([]string{p.Name, p.BaseURL, p.Wire, p.Model, p.Lineage, key}, "|"))
	}
	want := []string{"a||||l|sk-canary-env-A_KEY", "b-2|http://localhost:1/v1|chat|n||sk-canary-plain", "c|||||sk-canary-env-C", "d|||||sk-canary-file"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	encoded, err := json.Marshal(providers)
	if err != nil {
		t.Fatal(err)
	}
	dump := string(encoded)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		dump += fmt.Sprintf(verb, providers) + fmt.Sprintf(verb, *c) + fmt.Sprintf(verb, c.All()) + fmt.Sprintf(verb, struct{ hidden []config.Provider }{providers})
	}
	if strings.Contains(dump, "canary") || strings.Contains(dump, fmt.Sprintf("%x", "canary")) {
		t.Errorf("a key is shown: %s", dump)
	}
	if !strings.Contains(dump, "********") || !strings.Contains(dump, "env:A_KEY") {
		t.Errorf("neither mask nor reference is shown: %s", dump)
	}
}

func TestSecretThatIsNotThere(t *testing.T) {
	s := sources(t, "providers.a.key: env:MISSING\nproviders.b.key: file:"+filepath.ToSlash(t.TempDir())+"\n", "")
	c, _ := load(t, s)
	for _, p := range c.Providers() {
		if key, err := p.Key.Reveal(func(string) (string, bool) { return "", false }); err == nil || key != "" {
			t.Errorf("%s: %q, %v", p.Name, key, err)
		}
	}
	if key, err := (setting.Secret{}).Reveal(nil); key != "" || err != nil {
		t.Errorf("zero: %q, %v", key, err)
	}
}

func TestPlainKeyNeedsPrivateFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	s := sources(t, "providers.x.key: sk-canary", "")
	if err := os.Chmod(s.UserFile, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := config.Load(s)
	if e, ok := errors.AsType[*config.Error](err); !ok || e.Line != 1 || !strings.Contains(e.Hint, "chmod 600") || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
	write(t, s.UserFile, "providers.x.key: env:FINE")
	load(t, s)
}

func TestWrongGetterPanics(t *testing.T) {
	c, _ := load(t, config.Sources{})
	for name, get := range map[string]func(){
		"unknown": func() { c.String("nope") },
		"type":    func() { c.Int("output.color") },
		"secret":  func() { c.String("providers.x.key") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			get()
		}()
	}
}

func FuzzLoad(f *testing.F) {
	for _, s := range []string{"seats: [a]", "debate: {rounds: 1}", "a: &x [*x]", "? - a\n: b", "--- |\n x", "%YAML 1.2\n---\na: b", "providers: {x: {key: y}}", "<<: 1", "{"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := sources(t, "seats: [a, b]\nchecks.commands: [go test]\n", text)
		c, _, err := config.Load(s)
		if err != nil {
			if _, ok := errors.AsType[*config.Error](err); !ok || strings.ContainsAny(err.Error(), "\x1b\x00\r") {
				t.Fatalf("%q: %q", text, err)
			}
			return
		}
		for _, seat := range c.Strings("seats") {
			if seat != "a" && seat != "b" {
				t.Fatalf("%q: seat %q", text, seat)
			}
		}
		if c.Int("debate.rounds") > 2 || len(c.Providers()) > 0 || len(c.Strings("checks.commands")) > 1 || len(c.Strings("seats")) == 0 {
			t.Fatalf("%q widened: %v", text, c.All())
		}
	})
}
