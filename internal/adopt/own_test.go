package adopt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a person has for other agents goes where it is used, and no secret of it is in what would be written.
func TestOwn(t *testing.T) {
	home := project(t, `
-- .cursor/mcp.json --
{"mcpServers": {"a": {"command": "a", "env": {"API_KEY": "canary-1a2b3c4d5e", "REGION": "eu", "FROM": "${env:FROM}"}},
 "b": {"url": "https://user:canary99aa88@b.example.com/mcp"},
 "c": {"url": "https://c.example.com/mcp", "headers": {"Authorization": "Bearer canary-77665544", "X-Team": "core"}},
 "d": {"command": "d", "args": ["--token", "canaryghp_16C7e42F292c6912E7710c838347Ae178B4a"]},
 "e": {"type": "sse", "url": "https://e.example.com/sse"}}}
-- .claude/commands/1st.md --
Go.
-- .claude/commands/long.md --
---
description: A description that is much longer than what one line about a page may be here
---
Go.
-- .claude/commands/keyed.md --
Call it with ANTHROPIC_API_KEY=sk-ant-api03-canaryR2D2c3poAbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ-abcdefAA
-- .claude/settings.json --
{"permissions": {"allow": ["Bash", "Bash(go build:*)", "WebFetch(domain:go.dev)"], "deny": ["Bash(sudo:*)"]}}
`)
	file := filepath.Join(home, "conf", "config.yaml")
	found, err := FindOwn(nowhere, home, file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range found {
		got[p.ID()] = fmt.Sprint(p.State, " ", p.Note)
		if strings.Contains(p.Text+p.Note, "canary") && p.State == New {
			t.Errorf("%s tells a secret: %s %s", p.ID(), p.Text, p.Note)
		}
		if p.Widens != strings.HasPrefix(p.Name, "allow ") && p.State == New {
			t.Errorf("%s widens: %v", p.ID(), p.Widens)
		}
		if p.State == New {
			if err := p.Write("nowhere"); err != nil {
				t.Error(err)
			}
		}
	}
	for id, want := range map[string]string{
		"mcp:a": "new secrets are not copied: set API_KEY in", "mcp:b": "left out its url may contain", "mcp:c": "new secrets are not copied: set AUTHORIZATION in",
		"mcp:d": "left out its args may contain", "mcp:e": "left out its transport", "command:long": "new ", "command:keyed": "left out it may contain a secret",
		"command:1st": "left out a command's name", "permission:allow bash *": "left out it allows everything", "permission:allow bash go build *": "new ",
		"permission:allow fetch go.dev": "new ", "permission:deny bash sudo *": "new ",
	} {
		if !strings.HasPrefix(got[id], want) {
			t.Errorf("%s is %q, want %q", id, got[id], want)
		}
	}
	raw, err := os.ReadFile(file)
	for _, want := range []string{"- API_KEY\n", "- FROM\n", "- REGION=eu\n", "'Authorization: ${AUTHORIZATION}'", "- deny bash sudo *\n"} {
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%v: %q is not in\n%s", err, want, raw)
		}
	}
	if strings.Contains(string(raw), "canary") {
		t.Errorf("%s", raw)
	}
	if again, err := FindOwn(nowhere, home, file); err != nil || len(again) != len(found) {
		t.Error(err, len(again), len(found))
	} else {
		for i, p := range again {
			if found[i].State == New && p.State != Adopted {
				t.Errorf("%s is %s %s after it was written", p.ID(), p.State, p.Note)
			}
		}
	}
}

// A file of settings is read as far as it is TOML, and not otherwise.
func TestParse(t *testing.T) {
	got, err := parse("a = 'x' # c\n\"b c\".d = [1, \"]\", [\"n\"],\n# c\n]\n[t.\"u.v\"]\nw = { x = true, y = \"\"\"\nz\"\"\" }\n[[list]]\na = 1\n[t.z]\nk = 2026-01-01\n")
	if want := `map[a:x b c:map[d:[1 ] [n]]] t:map[u.v:map[w:map[x:true y:z]] z:map[k:2026-01-01]]]`; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v %v", err, got)
	}
	for _, raw := range []string{"a", "a =", "a = 'x' b", "a = [", "a = {b}", "[a", "a = 1\na = 2", "a = 1\n[a]", "= 1", "a = \"\\q\"", "a = " + strings.Repeat("[", 99)} {
		if got, err := parse(raw); err == nil {
			t.Errorf("%q is %v", raw, got)
		}
	}
}

func nowhere(string) string { return "" }

// Where a person has moved the folder of another agent to, its things are found, and what is left in the old place is not. A page of
// instructions brings along what it imports.
func TestMoved(t *testing.T) {
	home := project(t, `
-- .claude/commands/old.md --
Old.
-- .codex/prompts/kept.md --
Kept.
-- notes/style.md --
Short sentences.
-- moved/commands/go.md --
Go.
-- moved/skills/fly/SKILL.md --
---
name: fly
description: Flies.
---
Fly.
-- moved/.claude.json --
{"mcpServers": {"a": {"command": "a"}}}
-- moved/CLAUDE.md --
Be kind. See @deep/more.md and @~/notes/style.md, not @/etc/other.md, nor @someone.
-- moved/deep/more.md --
And brave: @third.md, @more.md
-- moved/deep/third.md --
And calm.
`)
	env := func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": filepath.Join(home, "moved")}[name]
	}
	found, err := FindOwn(env, home, filepath.Join(home, "conf", "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range found {
		got[p.ID()] = strings.TrimPrefix(p.From, filepath.ToSlash(home)+"/") + " " + p.Note
		if p.Kind == Instructions {
			for _, want := range []string{"Be kind.", "And brave", "And calm.", "Short sentences."} {
				if strings.Count(p.Text, want) != 1 {
					t.Errorf("%q is not once in\n%s", want, p.Text)
				}
			}
		}
	}
	want := map[string]string{"command:go": "moved/commands/go.md ", "command:kept": ".codex/prompts/kept.md ", "skill:fly": "moved/skills/fly ",
		"mcp:a": "moved/.claude.json ", "instructions:CLAUDE.md": "moved/CLAUDE.md /etc/other.md, which it imports, is outside your home folder and is not copied"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("found %v\nwant  %v", got, want)
	}
}
