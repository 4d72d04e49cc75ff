package permission_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/tool"
)

// A grant for what executes a file of the project holds as long as that file says the same.
func TestGrantsOfScripts(t *testing.T) {
	for _, c := range []struct{ file, script string }{
		{"x.py", "python3 x.py"}, {"x.py", "python3 -u -W ignore x.py a b"}, {"hook.js", "node -r ./hook.js app.js"}, {"app.js", "node -r ./hook.js app.js"}, {"src/x.sh", "bash src/x.sh"}, {"x.sh", "./x.sh a"}, {"x.sh", "env A=1 ./x.sh"}, {"x.sh", "nice -n 5 ./x.sh"}, {"x", "bash x"}, {"x.sh", "timeout 5 bash x.sh"},
		{"Makefile", "make"}, {"Makefile", "make -j4 all"}, {"package.json", "npm run build"}, {"package.json", "yarn run build"}, {"main.go", "go run main.go"}, {"x.py", "unknown-runner x.py"}, {"x.rb", "ruby ./x.rb"}, {"x.py", "sub/../x.py"}, {"justfile", "just"}, {"x.py", "uv run x.py"},
	} {
		p, dir := policy(t, permission.Balanced)
		os.Mkdir(filepath.Join(dir, "sub"), 0o755)
		for _, name := range []string{c.file, "hook.js", "app.js", "data.json"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("one\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, scope := range []string{"session", "project"} {
			p.Grants = remembered(t, p, dir, c.script, scope)
			if d := p.Script(c.script, where(dir)); d.Verdict != permission.Allow {
				t.Errorf("%s is asked about again: %s", c.script, d.Reason)
			}
			os.WriteFile(filepath.Join(dir, "data.json"), []byte(scope), 0o644)
			if d := p.Script(c.script, where(dir)); d.Verdict != permission.Allow {
				t.Errorf("%s is asked about again after a change elsewhere: %s", c.script, d.Reason)
			}
			os.WriteFile(filepath.Join(dir, c.file), []byte("two "+scope+"\n"), 0o755)
			if d := p.Script(c.script, where(dir)); d.Verdict != permission.Ask {
				t.Errorf("%s is granted after %s changed", c.script, c.file)
			}
		}
		p.Grants = remembered(t, p, dir, c.script, "session")
		os.Remove(filepath.Join(dir, c.file))
		if d := p.Script(c.script, where(dir)); d.Verdict == permission.Allow {
			t.Errorf("%s is granted after %s is gone", c.script, c.file)
		}
	}
	p, dir := policy(t, permission.Balanced)
	p.Grants = remembered(t, p, dir, "make", "session")
	os.WriteFile(filepath.Join(dir, "GNUmakefile"), []byte("x"), 0o644)
	if d := p.Script("make", where(dir)); d.Verdict == permission.Allow {
		t.Error("make is granted although it has a file it had not")
	}
}

// A grant for a page is for that page: neither another one of the host, nor another port or scheme, nor other parameters.
func TestGrantsOfPages(t *testing.T) {
	p, _ := policy(t, permission.Balanced)
	page := tool.Act{Effect: tool.Sends, URL: "https://host.example/a?b=c"}
	part := p.Judge("fetch", page).Parts[0]
	g, ok := part.Remember("session", time.Now())
	if !ok || !strings.Contains(part.Covers(), page.URL) {
		t.Fatalf("no grant: %q", part.Covers())
	}
	p.Grants = []permission.Grant{g}
	if d := p.Judge("fetch", page); d.Verdict != permission.Allow {
		t.Errorf("the page itself: %s", d.Verdict)
	}
	for _, url := range []string{"https://host.example/", "https://host.example/EXFIL?d=secret", "https://host.example/a?b=d", "https://host.example:8443/a?b=c", "http://host.example/a?b=c", "https://host.example./a?b=c", "https://other.example/a?b=c"} {
		if d := p.Judge("fetch", tool.Act{Effect: tool.Sends, URL: url}); d.Verdict != permission.Ask {
			t.Errorf("%s: %s", url, d.Verdict)
		}
	}
	p.Tainted = true
	d := p.Judge("fetch", page)
	if d.Verdict != permission.Ask || d.Parts[0].Covers() != "" {
		t.Errorf("after untrusted text: %s, a grant would cover %q", d.Verdict, d.Parts[0].Covers())
	}
}

// Once untrusted text was read, no grant and no rule sends anything, in any mode: only an answer to this very call does. H2.
func TestNothingIsSentAfterStrangers(t *testing.T) {
	server := tool.Act{Effect: tool.Runs, Argv: []string{"mcp__srv__t1", `{"x":"EXFIL"}`}, Text: "t1"}
	local := server
	local.Local = true
	remote := tool.Act{Effect: tool.Sends, URL: "https://mcp.example/", Argv: []string{"mcp__far__t1", `{"x":"EXFIL"}`}, Text: "t1"}
	for _, mode := range permission.Modes() {
		p, dir := policy(t, mode)
		for _, line := range []string{"allow mcp__srv__*", "allow mcp__far__*", "allow bash git *", "allow bash curl *", "allow fetch *"} {
			rule, err := permission.ParseRule(line)
			if err != nil {
				t.Fatal(err)
			}
			p.Rules = append(p.Rules, rule)
		}
		for _, script := range []string{"git fetch", "git push", "curl h", "npm view x", "docker logs x", "ssh h", "dig x"} {
			p.Grants = append(p.Grants, permission.Grant{Tool: "bash", Argv: strings.Fields(script), Dir: dir, Scope: "session"})
		}
		for _, act := range []tool.Act{server, remote} {
			p.Grants = append(p.Grants, permission.Grant{Tool: act.Argv[0], Argv: act.Argv, Scope: "session"})
		}
		p.Tainted = true
		for _, act := range []tool.Act{server, remote} {
			d := p.Judge(act.Argv[0], act)
			if d.Verdict == permission.Allow || d.Verdict == permission.Ask && d.Parts[0].Covers() != "" {
				t.Errorf("%s: %s: %s, a grant would cover %q", mode, act.Argv[0], d.Verdict, d.Parts[0].Covers())
			}
		}
		for _, g := range p.Grants {
			if g.Tool != "bash" {
				continue
			}
			if d := p.Script(strings.Join(g.Argv, " "), where(dir)); d.Verdict == permission.Allow {
				t.Errorf("%s: %s: %s", mode, g.Argv, d.Verdict)
			}
		}
		if d := p.Judge("mcp__srv__t1", local); mode == permission.Yolo && d.Verdict != permission.Allow {
			t.Errorf("%s: a local server: %s", mode, d.Reason)
		}
		p.Tainted, p.Grants = false, nil
		if d := p.Judge("mcp__srv__t1", server); mode != permission.Plan && d.Verdict != permission.Allow {
			t.Errorf("%s: before, by rule: %s", mode, d.Reason)
		}
	}
}

// A grant for a call of a server covers its arguments.
func TestGrantsOfServers(t *testing.T) {
	p, _ := policy(t, permission.Balanced)
	for _, effect := range []tool.Effect{tool.Runs, tool.Sends} {
		act := tool.Act{Effect: effect, Argv: []string{"mcp__far__t1", `{"x":1}`}, Text: "t1"}
		if effect == tool.Sends {
			act.URL = "https://mcp.example/"
		}
		g, ok := p.Judge("mcp__far__t1", act).Parts[0].Remember("session", time.Now())
		p.Grants = []permission.Grant{g}
		if d := p.Judge("mcp__far__t1", act); !ok || d.Verdict != permission.Allow {
			t.Errorf("%s: %s", effect, d.Reason)
		}
		act.Argv = []string{"mcp__far__t1", `{"x":2}`}
		if d := p.Judge("mcp__far__t1", act); d.Verdict != permission.Ask {
			t.Errorf("%s: other arguments: %s", effect, d.Verdict)
		}
	}
}
