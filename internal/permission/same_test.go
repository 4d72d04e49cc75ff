package permission_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Two grants are the same if all that they cover is, however they are worded and whenever they were given.
func TestSame(t *testing.T) {
	grant := func(change func(*permission.Grant)) permission.Grant {
		g := permission.Grant{Tool: "bash", Argv: []string{"make"}, Dir: "/p", Hosts: []string{"h"}, Files: map[string]string{"Makefile": "1"},
			Expires: time.Unix(9, 0)}
		if change != nil {
			change(&g)
		}
		return g
	}
	if !grant(nil).Same(grant(func(g *permission.Grant) { g.Given = time.Unix(5, 0) })) {
		t.Error("a grant is not the same as one that was given later")
	}
	for what, change := range map[string]func(*permission.Grant){
		"tool": func(g *permission.Grant) { g.Tool = "fetch" }, "words": func(g *permission.Grant) { g.Argv = []string{"make", "x"} },
		"folder": func(g *permission.Grant) { g.Dir = "/q" }, "path": func(g *permission.Grant) { g.Path = "/p/a" },
		"page": func(g *permission.Grant) { g.URL = "https://h/" }, "hosts": func(g *permission.Grant) { g.Hosts = nil },
		"content": func(g *permission.Grant) { g.Files = map[string]string{"Makefile": "2"} },
		"end":     func(g *permission.Grant) { g.Expires = time.Unix(8, 0) },
	} {
		if grant(nil).Same(grant(change)) || grant(change).Same(grant(nil)) {
			t.Errorf("a grant is the same as one of another %s", what)
		}
	}
}

// Whether git only reads is decided by its command, behind the options that change nothing.
func TestGitReads(t *testing.T) {
	for line, reads := range map[string]bool{
		"git status": true, "git log -3": true, "/usr/bin/git diff": true, "git -C sub status": true, "git --no-pager -P log": true,
		"git": false, "git -C": false, "git commit": false, "git log push": true, "git push log": false, "git -c core.pager=x log": false, "ls": false, "": false,
	} {
		if got := permission.GitReads(strings.Fields(line)); got != reads {
			t.Errorf("%q only reads: %t", line, got)
		}
	}
}

// Of a command that nobody knows, a model is told whether it is there at all, and if so what a person could allow.
func TestAdviceOnUnknownCommands(t *testing.T) {
	decided := func(reason string, argv ...string) permission.Decision {
		return permission.Decision{Verdict: permission.Deny, Parts: []permission.Part{
			{Verdict: permission.Allow, Reason: "x is unknown", Act: tool.Act{Argv: []string{"harmless"}}},
			{Verdict: permission.Deny, Reason: reason, Act: tool.Act{Argv: argv}}}}
	}
	for want, d := range map[string]permission.Decision{
		"frobnicate-17 is not installed; use what is installed": decided("the command is unknown", "frobnicate-17", "-x"),
		"ask the person for a rule: allow bash git *":           decided("the command is unknown", "git"),
		"ask the person for a rule: allow bash ./tool *":        decided("the command is unknown", "./tool"),
		"save": {},
	} {
		got := d.Advice()
		if want == "save" {
			if got != "" {
				t.Errorf("advice on nothing: %s", got)
			}
			continue
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q, not %q", got, want)
		}
	}
	if got := decided("cannot be undone", "git").Advice(); strings.Contains(got, "allow bash") {
		t.Errorf("what cannot be undone: %s", got)
	}
}

// What is written to a temporary folder is allowed, and said to be there.
func TestTemporaryIsSaid(t *testing.T) {
	p, _ := policy(t, permission.Balanced)
	temp := t.TempDir()
	p.Temp = []string{temp}
	d := p.Judge("write", tool.Act{Effect: tool.Writes, Path: filepath.Join(temp, "x")})
	if len(d.Parts) != 1 || d.Verdict != permission.Allow || d.Parts[0].Reason != "in a temporary folder" {
		t.Errorf("%+v", d)
	}
}
