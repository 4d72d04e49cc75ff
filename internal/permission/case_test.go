package permission_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// S09: a script with more commands than are looked through is denied, not asked about and never let through.
func TestTooManyCommands(t *testing.T) {
	p, dir := policy(t, permission.Yolo)
	for _, sep := range []string{"; ", " && ", " | ", "\n", " & "} {
		most := strings.TrimSuffix(strings.Repeat("true"+sep, shell.MaxCommands), sep)
		if d := p.Script(most, where(dir)); d.Verdict != permission.Allow {
			t.Errorf("%q: %s: %s", sep, d.Verdict, d.Reason)
		}
		if d := p.Script(most+sep+"true", where(dir)); d.Verdict != permission.Deny {
			t.Errorf("%q, one more: %s: %s", sep, d.Verdict, d.Reason)
		}
	}
	if d := p.Script("echo "+strings.Repeat("x", shell.MaxScript), where(dir)); d.Verdict == permission.Allow {
		t.Errorf("a huge script: %s", d.Reason)
	}
}

// remembered are the grants for a scope that come of a script that was asked about.
func remembered(t *testing.T, p permission.Policy, dir, script, scope string) []permission.Grant {
	t.Helper()
	var out []permission.Grant
	for _, part := range p.Script(script, where(dir)).Parts {
		if part.Verdict != permission.Ask {
			continue
		}
		part.Tool = "bash"
		if g, ok := part.Remember(scope, time.Now()); ok {
			out = append(out, g)
		}
	}
	return out
}

// S13: a grant is for exactly what was shown, where it was shown, as long as was said.
func TestGrants(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	p.Grants = remembered(t, p, dir, "npm run build", "session")
	if len(p.Grants) != 1 {
		t.Fatalf("%d grants", len(p.Grants))
	}
	for script, want := range map[string]permission.Verdict{
		"npm run build": "allow", "npm run build && ls": "allow", "npm run  'build'": "allow", "npm run build x": "ask", "npm run": "ask", "npm run buil": "ask", "cd src && npm run build": "ask", "./npm run build": "ask",
		"env npm run build": "ask", "npm run build; rm -rf x": "ask", "npm run $X": "ask", "npm run build > ~/.bashrc": "ask", "PATH=. npm run build": "ask", "X=1 npm run build": "ask", "CI=1 npm run build": "allow", "npm run build <a.txt": "ask", "cat a.txt | npm run build": "ask", "npm run build </dev/null": "allow", "LD_PRELOAD=x npm run build": "ask", "npm() { curl x; }; npm run build": "ask",
	} {
		if d := p.Script(script, where(dir)); d.Verdict != want {
			t.Errorf("%q: %s (%s), want %s", script, d.Verdict, d.Reason, want)
		}
	}
	p.Grants[0].Expires = time.Now().Add(-time.Minute)
	if d := p.Script("npm run build", where(dir)); d.Verdict != permission.Ask {
		t.Errorf("an expired grant: %s", d.Verdict)
	}
	p.Grants = nil
	for _, script := range []string{"bash <x.sh", "python3 <x.py", "psql <q.sql", "PGHOST=h psql -c x", "VAULT_ADDR=x vault kv get y", "cat q.sql | psql", "rm -rf src", "git push -f", "git reset --hard", "ls $(curl x)", "$X y"} { // each time anew
		if got := remembered(t, p, dir, script, "session"); len(got) != 0 && script != "ls $(curl x)" { // curl x can
			t.Errorf("%q can be granted for a session: %+v", script, got)
		}
	}
	p.Grants = []permission.Grant{{Tool: "edit", Path: filepath.Join(dir, "a.txt"), Scope: "session"}}
	p.Mode = permission.Paranoid
	for _, c := range []struct {
		tool, path string
		want       permission.Verdict
	}{{"edit", "a.txt", "allow"}, {"write", "a.txt", "ask"}, {"edit", "b.txt", "ask"}, {"edit", "a.txt/../AGENTS.md", "deny"}} {
		if d := p.Judge(c.tool, tool.Act{Effect: tool.Writes, Path: filepath.Join(dir, c.path)}); d.Verdict != c.want {
			t.Errorf("%s %s: %s, want %s", c.tool, c.path, d.Verdict, c.want)
		}
	}
}

// S12: what cannot be undone is asked about each time, whatever rules say; deny wins (S42); a project's file cannot allow (S35).
func TestRules(t *testing.T) {
	for _, c := range []struct {
		rules, script string
		want          permission.Verdict
	}{
		{"allow bash go test *", "go test ./...", "allow"}, {"allow bash go test *", "go test -exec id ./...", "ask"}, {"allow bash go test *", "/tmp/go test ./...", "ask"}, {"allow bash go test *", "go vet", "ask"},
		{"allow bash go test *", "go test ./... && curl x", "ask"}, {"allow bash go test *", "go test $X", "ask"}, {"allow bash go test *", "go test > ~/.bashrc", "ask"}, {"allow bash go test *", "GOFLAGS=-exec=id go test", "ask"},
		{"allow bash git push *", "git push origin HEAD", "allow"}, {"allow bash git push *", "git push --recurse-submodules=check", "allow"}, {"allow bash git push *", "git push --receive-pack=./x", "ask"}, {"allow bash git push *", "git push --rece=./x", "ask"}, {"allow bash git push *", "git push --e ./x .", "ask"},
		{"allow bash git push *", "git push --ex=./x .", "ask"}, {"allow bash git push *", "git push x::y", "ask"}, {"allow bash git fetch *", "git fetch --upl=./x", "ask"}, {"allow bash git fetch *", "git fetch . a:refs/replace/b", "ask"}, {"allow bash git merge *", "git merge --strategy mine x", "ask"},
		{"allow bash git *", "git push -f", "ask"}, {"allow bash git *", "git reset --hard", "ask"}, {"allow bash rm *", "rm -rf src", "ask"}, {"allow bash *", "sudo ls", "ask"}, {"allow bash sh *", "sh -c 'eval x'", "ask"},
		{"deny bash git push *", "git -C . push origin main", "deny"}, {"deny bash git push *", "git --no-pager push", "deny"}, {"deny bash git push *", "git -c a=b --git-dir .git push", "deny"}, {"deny bash git push *", "/usr/lib/git-core/git-push x", "deny"},
		{"deny bash git push *", "env git -P push", "deny"}, {"deny bash kubectl delete *", "kubectl -n prod delete pod x", "deny"}, {"deny bash docker rm *", "docker --context x rm y", "deny"}, {"deny bash cargo install *", "cargo +nightly install x", "deny"},
		{"deny bash git push *", "git commit -m push", "ask"}, {"deny bash git push *", "git log push", "allow"}, {"deny bash npm publish *", "npm --silent publish", "deny"},
		{"allow bash npm *", "npm --silent publish", "ask"}, {"allow bash npm *", "npm --force unpublish x", "ask"}, {"allow bash yarn *", "yarn npm publish", "ask"}, {"allow bash cargo *", "cargo --quiet yank x", "ask"},
		{"deny bash rm *", "eatmydata rm x", "ask"}, {"deny bash rm *", "fd -x rm", "ask"}, {"deny bash rm *", "doppler run -- rm x", "ask"}, {"deny bash rm *", "rg --pre rm x", "ask"},
		{"allow bash npm *; deny bash npm publish *", "npm publish", "deny"}, {"deny bash npm *; allow bash npm test", "npm test", "deny"}, {"ask bash ls *", "ls -la", "ask"}, {"ask bash ls *; allow bash ls", "ls", "ask"},
		{"deny bash curl *", "/usr/bin/curl x", "deny"}, {"deny bash curl *", `\curl x`, "deny"}, {"deny bash curl *", "c''url x", "deny"}, {"deny bash curl *", "env nice curl x", "deny"}, {"deny bash curl *", "timeout 5 sh -c 'curl x'", "deny"},
		{"deny bash rm*", "rm -rf src", "deny"}, {"deny bash rm*", "rm", "deny"}, {"deny bash rm*", "rmdir src", "deny"}, {"deny bash git push*", "git push origin main", "deny"}, {"ask bash go te*", "go test ./...", "ask"}, {"deny bash rm*", "ls", "allow"},
		{"allow bash npm run te*", "npm run test", "allow"}, {"allow bash npm run te*", "npm run test --fast", "ask"},
		{"deny bash curl *", "sudo curl x", "deny"}, {"deny bash rm *", "find . -exec rm {} +", "deny"}, {"deny bash ls *", "xargs ls", "deny"}, {"deny bash curl *", "ls; curl x", "deny"}, {"deny bash curl *", "echo $(curl x)", "deny"},
		{"deny read docs/**", "cat docs/c.md", "deny"}, {"deny write src/**", "echo x > src/b.go", "deny"}, {"deny write src/**", "sed -i s/a/b/ src/b.go", "deny"}, {"deny write src/**", "cp a.txt src/", "deny"}, {"ask write *.txt", "echo x > a.txt", "ask"},
		{"allow read /etc/**", "cat out/hostname", "allow"}, {"allow read /**", "cat .env", "deny"}, {"allow write **", "echo x > .git/config", "deny"}, {"project allow bash curl *", "curl x", "ask"}, {"project deny bash ls *", "ls x", "deny"},
	} {
		p, dir := policy(t, permission.Balanced)
		for line := range strings.SplitSeq(c.rules, "; ") {
			line, ours := strings.CutPrefix(line, "project ")
			r, err := permission.ParseRule(line)
			if err != nil {
				t.Fatal(err)
			}
			r.Project = ours
			p.Rules = append(p.Rules, r)
		}
		if d := p.Script(c.script, where(dir)); d.Verdict != c.want {
			t.Errorf("%s: %q: %s (%s, %s), want %s", c.rules, c.script, d.Verdict, d.Reason, d.Rule, c.want)
		}
	}
	for _, line := range []string{"", "allow", "permit bash ls", "allow bash", "allow bash ls; rm x", "allow bash 'ls", "deny read [", "allow bash ls && x"} {
		if _, err := permission.ParseRule(line); err == nil {
			t.Errorf("%q is taken for a rule", line)
		}
	}
	// A pattern that can match no host would deny nothing.
	for pattern, right := range map[string]string{
		"http://evil.com/*": "deny fetch evil.com or deny fetch *.evil.com", "https://evil.com": "deny fetch evil.com or", "evil.com/*": "deny fetch evil.com or", "evil.com/path?x": "deny fetch evil.com or", "*evil.com": "deny fetch evil.com or",
		"http://evil.com:8443/": "deny fetch evil.com:8443 or", "evil.*": "deny fetch example.com or", "*.*.evil.com": "deny fetch", ".evil.com": "deny fetch evil.com or", "evil.com.": "deny fetch evil.com or", "a@evil.com": "deny fetch evil.com or",
		"evil.com:": "deny fetch", "evil.com:https": "deny fetch", "[::1]": "deny fetch", "evil.com other.com": "deny fetch",
	} {
		if _, err := permission.ParseRule("deny fetch " + pattern); err == nil || !strings.Contains(err.Error(), right) {
			t.Errorf("deny fetch %s: %v, want %q", pattern, err, right)
		}
	}
	for _, pattern := range []string{"", " *", " evil.com", " *.evil.com", " evil.com:8443", " 127.0.0.1", " localhost", " xn--gd-jmc.com", " my_host"} {
		if _, err := permission.ParseRule("deny fetch" + pattern); err != nil {
			t.Error(err)
		}
	}
}

// S44, S45: hosts are compared label by label, after they were read once.
func TestHosts(t *testing.T) {
	for _, c := range []struct {
		rule, url string
		want      permission.Verdict
	}{
		{"good.com", "https://good.com/x", "allow"}, {"good.com", "http://GOOD.com", "allow"}, {"good.com", "https://good.com.", "allow"}, {"good.com", "https://good.com.evil.com/", "ask"}, {"good.com", "https://evilgood.com/", "ask"},
		{"good.com", "https://sub.good.com/", "ask"}, {"*.good.com", "https://sub.good.com/", "allow"}, {"*.good.com", "https://a.b.good.com/", "allow"}, {"*.good.com", "https://good.com/", "ask"}, {"*.good.com", "https://evilgood.com/", "ask"},
		{"good.com", "https://good.com@evil.com/", "ask"}, {"good.com", "https://evil.com/good.com", "ask"}, {"good.com", "https://evil.com#good.com", "ask"}, {"good.com", "https://evil.com?good.com", "ask"}, {"good.com", `https://evil.com\@good.com/`, "ask"},
		{"good.com", "https://u:p@good.com/", "ask"}, {"good.com", "ftp://good.com/", "ask"}, {"good.com", "file:///good.com", "ask"}, {"good.com", "//good.com/x", "ask"}, {"good.com", "good.com", "ask"}, {"good.com", "javascript:good.com", "ask"},
		{"good.com", "https://good.com\x00.evil.com/", "ask"}, {"good.com", "https://good.com\r\nHost: evil.com/", "ask"}, {"good.com", "https://good.com%00.evil.com/", "ask"}, {"good.com", "https://g\u043e\u043ed.com/", "ask"}, {"good.com", "https://xn--gd-jmc.com/", "ask"},
		{"good.com:8443", "https://good.com:8443/", "allow"}, {"good.com:8443", "https://good.com/", "ask"}, {"*.good.com:8443", "https://a.good.com:8443/", "allow"}, {"127.0.0.1", "http://127.0.0.1.evil.com/", "ask"}, {"127.0.0.1", "http://0x7f000001/", "ask"}, {"localhost", "http://localhost.evil.com", "ask"},
	} {
		p, _ := policy(t, permission.Balanced)
		rule, err := permission.ParseRule("allow fetch " + c.rule)
		if err != nil {
			t.Fatal(err)
		}
		p.Rules = []permission.Rule{rule}
		if d := p.Judge("fetch", tool.Act{Effect: tool.Sends, URL: c.url}); d.Verdict != c.want {
			t.Errorf("%s: %q: %s, want %s", c.rule, c.url, d.Verdict, c.want)
		}
	}
}

// What a sandbox hides need not be asked about; what it does not hide is.
func TestConfined(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	p.Confined = true
	regex := "go test -run=/" + strings.Repeat("a/", 2100) // no file can have such a name
	for script, want := range map[string]permission.Verdict{regex: "allow", "go test /etc/x": "ask", "make out": "allow", "grep -r x .": "allow", "find src -exec cat {} +": "allow", "cat .env": "deny", "go test ./...": "allow", "go test -exec id": "ask", "npm run x": "allow", "npm run deploy": "ask", "npm install": "ask", "git push": "ask", "rm -rf src": "ask"} {
		if d := p.Script(script, where(dir)); d.Verdict != want {
			t.Errorf("%q: %s (%s)", script, d.Verdict, d.Reason)
		}
	}
	os.WriteFile(filepath.Join(dir, "src", "id_rsa"), []byte("x"), 0o600)
	if d := p.Script("grep -r x .", where(dir)); d.Verdict != permission.Ask {
		t.Errorf("a secret deeper down: %s", d.Verdict)
	}
}

// S39: once the conversation has read what strangers wrote, no rule and no mode sends anything out unasked.
func TestEgressAfterStrangers(t *testing.T) {
	for _, mode := range permission.Modes() {
		p, dir := policy(t, mode)
		rule, _ := permission.ParseRule("allow bash curl *")
		fetch, _ := permission.ParseRule("allow fetch good.com")
		p.Rules, p.Tainted = []permission.Rule{rule, fetch}, true
		if d := p.Script("curl x", where(dir)); d.Verdict == permission.Allow {
			t.Errorf("%s: curl is let through", mode)
		}
		if d := p.Judge("fetch", tool.Act{Effect: tool.Sends, URL: "https://good.com"}); d.Verdict == permission.Allow {
			t.Errorf("%s: fetch is let through", mode)
		}
	}
}

// S15: everything that would run is a part of the decision, whole, and what cannot be seen can be made visible.
func TestNothingIsHidden(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	for _, script := range []string{"ls" + strings.Repeat(" ", 4096) + "; rm -rf x", strings.Repeat("\n", 500) + "ls\n\n\nrm -rf x", "echo \u202e; rm -rf x", "echo '\x1b[2K\x1b[1A'; rm -rf x", "ls # \u200b\nrm -rf x", "echo " + strings.Repeat("x", 4000) + " && rm -rf x"} {
		d := p.Script(script, where(dir))
		last := d.Parts[len(d.Parts)-1]
		if d.Verdict != permission.Ask || last.Text != "rm -rf x" || last.Verdict != permission.Ask {
			t.Errorf("%.40q: %s, %+v", script, d.Verdict, last)
		}
		for _, part := range d.Parts {
			if shown := clean.Reveal(part.Text); clean.Text(shown) != shown || strings.ContainsAny(part.Text, "\u202e\x1b") && !strings.Contains(shown, "<U+") {
				t.Errorf("%q is shown as %q", part.Text, shown)
			}
		}
	}
}

// S42, S58, S60: nothing but a person's answer, through the gate, allows what is asked; an error refuses.
func TestGateFailsClosed(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		ask    func(context.Context, permission.Request) (permission.Answer, error)
		before func(context.Context) error
		record error
		script string
		want   bool
	}{
		{"nobody", nil, nil, nil, "npm test", false},
		{"nobody, harmless", nil, nil, nil, "ls", true},
		{"no", func(context.Context, permission.Request) (permission.Answer, error) {
			return permission.Answer{Choice: "deny"}, nil
		}, nil, nil, "npm test", false},
		{"nothing", func(context.Context, permission.Request) (permission.Answer, error) { return permission.Answer{}, nil }, nil, nil, "npm test", false},
		{"broken", func(context.Context, permission.Request) (permission.Answer, error) {
			return permission.Answer{Choice: "once"}, broken
		}, nil, nil, "npm test", false},
		{"yes", func(context.Context, permission.Request) (permission.Answer, error) {
			return permission.Answer{Choice: "once"}, nil
		}, nil, nil, "npm test", true},
		{"yes to what is never allowed", func(context.Context, permission.Request) (permission.Answer, error) {
			return permission.Answer{Choice: "project"}, nil
		}, nil, nil, "cat .env", false},
		{"no snapshot", nil, func(context.Context) error { return broken }, nil, "touch x", false},
		{"no record", func(context.Context, permission.Request) (permission.Answer, error) {
			return permission.Answer{Choice: "once"}, nil
		}, nil, broken, "npm test", false},
	} {
		g := permission.Gate{Policy: func() permission.Policy { return p }, Ask: c.ask, Before: c.before,
			Record: func(context.Context, permission.Request, permission.Answer, []permission.Grant) error {
				return c.record
			}}
		script, err := shell.Parse(c.script, where(dir))
		if err != nil {
			t.Fatal(err)
		}
		err = g.Call("bash").Allow(context.Background(), tool.Act{Effect: tool.Runs, Script: script, Dir: dir, Text: c.script})
		if (err == nil) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// What a person allows once is allowed once: for this call, and no other.
func TestOnce(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	asked, kept := 0, []permission.Grant{}
	g := permission.Gate{Policy: func() permission.Policy { return p },
		Ask: func(context.Context, permission.Request) (permission.Answer, error) {
			asked++
			return permission.Answer{Choice: "once"}, nil
		},
		Record: func(_ context.Context, _ permission.Request, _ permission.Answer, given []permission.Grant) error {
			kept = append(kept, given...)
			return nil
		}}
	act := tool.Act{Effect: tool.Runs, Argv: []string{"npm", "test"}, Dir: dir}
	call := g.Call("bash").Allow
	for range 2 {
		if err := call(context.Background(), act); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times in one call", asked)
	}
	if err := g.Call("bash").Allow(context.Background(), act); err != nil || asked != 2 || len(kept) != 0 {
		t.Errorf("the next call: asked %d times in all, kept %v, %v", asked, kept, err)
	}
}

// A function of a script is let run, and its commands are decided on; one that takes the place of a command is not.
func TestOwnFunctions(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	for name, want := range map[string]permission.Verdict{"f": "allow", "ls": "ask", "curl": "ask", "git": "ask"} {
		c := shell.Command{Argv: []string{name, "x"}, Dir: dir, Own: true}
		if d := p.Judge("bash", tool.Act{Effect: tool.Runs, Command: &c, Argv: c.Argv, Dir: dir}); d.Verdict != want {
			t.Errorf("%s: %s (%s)", name, d.Verdict, d.Reason)
		}
		c.Own = false
		if d := p.Judge("bash", tool.Act{Effect: tool.Runs, Command: &c, Argv: c.Argv, Dir: dir}); name == "f" && d.Verdict != permission.Ask {
			t.Errorf("%s, of nobody: %s", name, d.Verdict)
		}
	}
}
