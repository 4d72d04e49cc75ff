package permission_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
)

// fetchWord is a policy of a machine whose sandbox holds programs to lists of hosts.
func fetchWord(t *testing.T, mode permission.Mode) (permission.Policy, string) {
	t.Helper()
	p, dir := policy(t, mode)
	p.Confined, p.Reaches, p.Home = true, true, t.TempDir()
	t.Setenv("GOPROXY", "https://proxy.corp:8443,direct")
	t.Setenv("GOSUMDB", "")
	t.Setenv("GOENV", "off")
	for name, text := range map[string]string{
		"js/.npmrc":         "registry=http://npm.corp:4873/\n@own:registry = https://own.corp/npm/\n",
		"py/pyproject.toml": "[[tool.uv.index]]\nname = \"x\"\nurl = \"https://index.corp/simple\"\n", "odd/.npmrc": "registry=${REGISTRY}\n",
		"rb/Gemfile": "source \"https://gems.corp\"\ngem \"x\"\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p, dir
}

// TestRegistries: which commands only fetch packages, and from where; empty: they are asked about by their words.
func TestRegistries(t *testing.T) {
	p, dir := fetchWord(t, permission.Balanced)
	for line, want := range map[string]string{
		"npm install": "registry.npmjs.org", "npm ci": "registry.npmjs.org", "npm i left-pad @types/node@20": "registry.npmjs.org",
		"pnpm add -D vite": "registry.npmjs.org", "yarn": "registry.yarnpkg.com registry.npmjs.org",
		"npm install --registry https://r.corp/x": "r.corp", "cd js && npm install": "npm.corp:4873 own.corp", "cd odd && npm install": "",
		"npm install https://evil.example/x.tgz": "", "npm install user/repo": "", "npm install x@github:user/repo": "",
		"npm install git+ssh://git@host/x": "", "npx create-app": "", "npm publish": "", "npm exec x": "",
		"pip install -r requirements/dev.txt": "pypi.org files.pythonhosted.org", "pip install -e .": "pypi.org files.pythonhosted.org",
		"python3 -m pip install x": "pypi.org files.pythonhosted.org", "uv pip install x": "pypi.org files.pythonhosted.org",
		"uv sync": "pypi.org files.pythonhosted.org", "cd py && uv add x": "pypi.org files.pythonhosted.org index.corp",
		"pip install --index-url https://i.corp/simple x":       "i.corp",
		"pip install -i https://i.corp x --find-links ./wheels": "i.corp",
		"pip install --extra-index-url=https://e.corp x":        "pypi.org files.pythonhosted.org e.corp",
		"pip install git+https://host/x":                        "", "pip install 'x @ https://host/x.whl'": "",
		"go mod download": "proxy.corp:8443 sum.golang.org", "go get example.com/x@latest": "proxy.corp:8443 sum.golang.org",
		"go install example.com/x@latest": "proxy.corp:8443 sum.golang.org", "go run example.com/x@latest": "",
		"cargo fetch": "crates.io index.crates.io static.crates.io", "cargo add serde": "crates.io index.crates.io static.crates.io",
		"cargo install --git https://host/x": "", "cd rb && bundle install": "gems.corp", "dotnet restore": "api.nuget.org",
		"mix deps.get": "hex.pm repo.hex.pm builds.hex.pm", "curl https://registry.npmjs.org": "", "npm install && curl https://x.example": "",
	} {
		d := p.Script(line, where(dir))
		var hosts []string
		for _, part := range d.Parts {
			if hosts = append(hosts, part.Hosts...); part.Verdict == permission.Ask && len(part.Hosts) == 0 {
				hosts = nil
				break
			}
		}
		if got := strings.Join(hosts, " "); d.Verdict != permission.Ask && !strings.HasPrefix(line, "npm publish") || got != want {
			t.Errorf("%s: %s, %q, want %q", line, d.Verdict, got, want)
		}
	}
}

// TestRegistryGrant: what was allowed of a registry holds for it alone, also once strangers' text was read, and its programs reach no more.
func TestRegistryGrant(t *testing.T) {
	p, dir := fetchWord(t, permission.Balanced)
	d := p.Script("npm install x", where(dir))
	g, ok := d.Parts[0].Remember("session", time.Now())
	if !ok || !slices.Equal(g.Hosts, []string{"registry.npmjs.org"}) || len(g.Argv) > 0 {
		t.Fatalf("grant %+v", g)
	}
	byRule := func(line string) permission.Policy {
		r, err := permission.ParseRule(line)
		if err != nil {
			t.Fatal(err)
		}
		q := p
		q.Rules = []permission.Rule{r}
		return q
	}
	granted := p
	granted.Grants = []permission.Grant{g}
	verdicts := func(q permission.Policy, sees bool, lines string) (out string) {
		q.Tainted = sees
		for line := range strings.Lines(lines) {
			out += string(q.Script(strings.TrimSpace(line), where(dir)).Verdict) + " "
		}
		return strings.TrimSpace(out)
	}
	const lines = "npm install y\npnpm add z\nyarn\npip install x\nnpm publish\ncd js && npm ci\ngit push"
	for _, sees := range []bool{false, true} {
		if got := verdicts(granted, sees, lines); got != "allow allow ask ask ask ask ask" {
			t.Errorf("granted, sees %v: %s", sees, got)
		}
		if got := verdicts(byRule("allow registry registry.npmjs.org"), sees, lines); got != "allow allow ask ask ask ask ask" {
			t.Errorf("by rule, sees %v: %s", sees, got)
		}
		if got := verdicts(byRule("deny registry registry.npmjs.org"), sees, lines); got != "deny deny deny ask ask ask ask" {
			t.Errorf("denied, sees %v: %s", sees, got)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".npmrc"), []byte("@x:registry=https://else.test/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d = p.Script("npm install @x/y", where(dir))
	if !strings.HasSuffix(d.Reason, "from registry.npmjs.org, else.test") {
		t.Errorf("the question does not name what a file of the project adds: %s", d.Reason)
	}
	if got := permission.RegistryRules(d.Reason); !slices.Equal(got, []string{"allow registry registry.npmjs.org", "allow registry else.test"}) {
		t.Errorf("the rules are %q", got)
	}
	if got := verdicts(byRule("allow registry registry.npmjs.org"), false, "npm install y"); got != "ask" {
		t.Errorf("by a rule that does not name all: %s", got)
	}
	if got := verdicts(granted, false, "npm install y"); got != "ask" {
		t.Errorf("by a grant that does not name all: %s", got)
	}
	if err := os.Remove(filepath.Join(dir, ".npmrc")); err != nil {
		t.Fatal(err)
	}
	words := byRule("allow bash npm install *")
	if got := verdicts(words, true, "npm install y"); got != "ask" {
		t.Errorf("a rule about words, after strangers' text: %s", got)
	}
	for name, c := range map[string]struct {
		policy permission.Policy
		want   string
	}{
		"granted": {granted, "registry.npmjs.org"}, "by words": {words, ""}, "two registries": {byRule("allow registry cdn.corp"), "registry.npmjs.org cdn.corp"},
	} {
		n := c.policy.Needs([]string{"npm", "install", "y"}, dir)
		if got := strings.Join(n.Hosts, " "); !n.Network || got != c.want {
			t.Errorf("%s: reaches %q, want %q", name, got, c.want)
		}
	}
	yolo, dir := fetchWord(t, permission.Yolo)
	if n := yolo.Needs([]string{"npm", "install", "y"}, dir); !n.Network || len(n.Hosts) > 0 {
		t.Errorf("yolo, which was never asked: %+v", n)
	}
	if yolo.Tainted = true; len(yolo.Needs([]string{"npm", "install", "y"}, dir).Hosts) != 1 {
		t.Error("yolo, after strangers' text: not held")
	}
}
