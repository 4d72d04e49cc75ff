package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/trust"
)

// project lays files out and returns their folder.
func project(t testing.TB, archive string) string {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, f.Data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const foreign = `
-- .claude/commands/git/review.md --
---
description: Review a change
argument-hint: <branch>
allowed-tools: Bash(git diff:*), Read
---
Look at !` + "`git diff $1`" + `.
-- .claude/skills/pdf/SKILL.md --
---
name: pdf
description: Read a PDF
---
Run scripts/x.sh
-- .claude/skills/pdf/scripts/x.sh --
echo pdf
-- .claude/settings.json --
{"permissions": {"allow": ["Bash(npm test:*)"], "deny": ["Read(./secrets/**)", "Bash(curl:*)", "Read(//etc/passwd)", "Bash(a * b)"]},
 "hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "./x", "timeout": 5}]},
  {"matcher": "Nothing.*", "hooks": [{"type": "command", "command": "./x"}]}],
 "Notification": [{"hooks": [{"type": "command", "command": "y"}]}]}}
-- .cursor/rules/go.mdc --
---
globs: **/*.go
alwaysApply: false
---
Use tabs.
-- .cursorrules --
Be brief.
-- .cursor/mcp.json --
{"mcpServers": {"db": {"command": "db-mcp"}, "mine": {"command": "other"}}}
-- .gemini/settings.json --
{"mcpServers": {"docs": {"httpUrl": "https://docs.example.com/mcp", "trust": true}}}
-- .gemini/commands/plan.toml --
description = 'Plan "it"'
other = 3
prompt = """
Plan {{args}}, "now\" \
   or later.
"""
[more]
prompt = "no"
-- .mcp.json --
{"mcpServers": {"mine": {"command": "mine"}}, "kept": 1}
-- .socrates/config.yaml --
# mine
permission:
  rules: [deny bash curl *]
-- CLAUDE.md --
Run make.
-- GEMINI.md --
Also.
`

func TestAdopt(t *testing.T) {
	dir := project(t, foreign)
	states := func() map[string]State {
		found, err := Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]State{}
		for _, p := range found {
			all[p.ID()] = p.State
			if p.State == New {
				if err := p.Write(dir); err != nil {
					t.Fatal(err)
				}
			}
		}
		return all
	}
	first := map[string]State{}
	for state, ids := range map[State]string{
		New: "command:git-review,command:plan,skill:pdf,skill:rule-go,skill:rule-project,mcp:db,mcp:docs,hook:claude-pretooluse-1-1," +
			"permission:deny read secrets/**",
		Adopted: "permission:deny bash curl *",
		Taken:   "mcp:mine",
		Used:    "instructions:CLAUDE.md",
		Left: "hook:claude-pretooluse-2-1,hook:claude-notification-1-1,permission:allow bash npm test *," +
			"permission:deny Read(//etc/passwd),permission:deny Bash(a * b),instructions:GEMINI.md",
	} {
		for id := range strings.SplitSeq(ids, ",") {
			first[id] = state
		}
	}
	got := states()
	for id, want := range first {
		if got[id] != want {
			t.Errorf("%s is %q, want %q", id, got[id], want)
		}
	}
	if len(got) != len(first) {
		t.Error(got)
	}
	for id, state := range states() {
		if want := first[id]; want == New && state != Adopted || want != New && state != want {
			t.Errorf("after adopting, %s is %q", id, state)
		}
	}
	for file, want := range map[string]string{
		".socrates/commands/plan.md":      "doc: Plan \"it\"\n---\n\nPlan $ARGUMENTS, \"now\" or later.\n",
		".agents/skills/rule-go/SKILL.md": "Rules for **/*.go: read them before you change such a file.",
		".socrates/hooks.yaml":            "form: claude",
		".socrates/config.yaml":           "# mine\npermission:\n  rules: [deny bash curl *, deny read secrets/**]\n",
		".mcp.json":                       `"kept": 1`,
		".agents/skills/pdf/scripts/x.sh": "echo pdf",
	} {
		if raw, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%s: %v\n%s", file, err, raw)
		}
	}
}

// What a link would lead to is not written, wherever it leads, nor what is git's: not even a part of a piece is.
func TestLinks(t *testing.T) {
	for _, c := range []struct{ id, link, to string }{
		{"command:plan", ".socrates/commands", "OUTSIDE"},
		{"command:plan", ".socrates/commands", "../.git"},
		{"command:plan", ".socrates/commands/plan.md", "../../.git/config"},
		{"command:plan", ".socrates/commands/plan.md", "nowhere"},
		{"skill:pdf", ".agents", ".git"},
		{"skill:pdf", ".agents/skills/pdf", "../../.git"},
		{"skill:pdf", ".agents/skills/pdf/scripts", "../../../.git/hooks"},
		{"skill:rule-go", ".agents/skills/rule-go", "../../.git"},
		{"mcp:db", ".mcp.json", ".git/config"},
		{"hook:claude-pretooluse-1-1", ".socrates/hooks.yaml", "../.git/config"},
		{"permission:deny read secrets/**", ".socrates/config.yaml", "../.git/config"},
		{"skill:.git", "", ""},
		{"skill:nested", "", ""},
	} {
		dir, outside := project(t, foreign+linked), t.TempDir()
		if link := filepath.Join(dir, filepath.FromSlash(c.link)); c.link != "" {
			os.Remove(link)
			if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(strings.Replace(c.to, "OUTSIDE", outside, 1), link)); err != nil {
				t.Skip(err)
			}
		}
		before := tree(t, dir)
		found, err := Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found, func(p Piece) bool { return p.ID() == c.id })
		if at < 0 {
			t.Errorf("%s was not found", c.id)
			continue
		}
		if p := found[at]; p.State != Taken || p.Note == "" {
			t.Errorf("%s with %s -> %s is %s %q", c.id, c.link, c.to, p.State, p.Note)
		}
		if found[at].Write(dir) == nil {
			t.Errorf("%s was written through %s -> %s", c.id, c.link, c.to)
		}
		if after := tree(t, dir); after != before {
			t.Errorf("%s with %s -> %s left\n%s", c.id, c.link, c.to, after)
		}
		if left, _ := os.ReadDir(outside); len(left) > 0 {
			t.Error(left)
		}
	}
}

// A server is read as trust reads it: a file that could be understood in two ways takes none.
func TestServersAreReadInOneWay(t *testing.T) {
	for _, mine := range []string{
		`{"mcpServers": {}, "mcpservers": {"db": {"command": "sh", "args": ["-c", "evil"]}}}`,
		`{"mcpServers": {}, "mcpServers": {"db": {"command": "evil"}}}`,
		`{"mcpServers": {"other": {"command": "x", "command": "y"}}}`,
		`{"mcpServers": []}`,
	} {
		dir := project(t, foreign)
		if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(mine), 0o644); err != nil {
			t.Fatal(err)
		}
		found, err := Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			if p.ID() == "mcp:db" && (p.State != Taken || p.Note == "" || p.Write(dir) == nil) {
				t.Errorf("%s: %s is %s %q", mine, p.ID(), p.State, p.Note)
			}
		}
		if raw, _ := os.ReadFile(filepath.Join(dir, ".mcp.json")); string(raw) != mine {
			t.Errorf("%s became %s", mine, raw)
		}
	}
}

// What a piece became is told apart from what happens to be approved with it: by bytes, mode and place, not by a name's beginning.
func TestHolds(t *testing.T) {
	hook := func(command string) string {
		return "-- .claude/settings.json --\n" + `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}}` + "\n"
	}
	for _, c := range []struct{ id, more, beyond string }{
		{"skill:pdf", "", ""},
		{"command:git-review", "", ""},
		{"skill:pdf", "-- .agents/skills/pdf/run.sh --\nevil\n", ".agents/skills/pdf/run.sh"},
		{"skill:pdf", "-- .agents/skills/pdf/SKILL.md.sh --\nevil\n", ".agents/skills/pdf/SKILL.md.sh"},
		{"skill:pdf", "-- .agents/skills/pdf/scripts/x.sh --\necho pdf\n", ""}, // the same bytes
		{"hook:claude-stop-1-1", hook("sh .socrates/hooks.yaml.sh") + "-- .socrates/hooks.yaml.sh --\nevil\n", ".socrates/hooks.yaml.sh"},
		{"hook:claude-stop-1-1", hook("sh .socrates/hooks.yaml"), ".socrates/hooks.yaml"},
		{"hook:claude-stop-1-1", hook("true"), ""},
		{"mcp:more", "-- .cursor/mcp.json --\n" + `{"mcpServers": {"more": {"command": "sh", "args": [".mcp.json.sh"]}}}` +
			"\n-- .mcp.json.sh --\nevil\n", ".mcp.json.sh"},
	} {
		dir := project(t, foreign+c.more)
		found, err := Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			if p.ID() != c.id {
				continue
			}
			if err := p.Write(dir); err != nil {
				t.Fatal(err)
			}
			items, err := trust.Collect(dir)
			at := slices.IndexFunc(items, func(i trust.Item) bool { return i.ID() == c.id })
			if err != nil || at < 0 || !p.Defines(items[at]) {
				t.Fatalf("%s: %v %v", c.id, err, items)
			}
			var beyond []string
			for _, f := range items[at].Files {
				if !p.Holds(f) {
					beyond = append(beyond, f.Path)
				}
				if f.Mode = "755"; c.id == "command:git-review" && p.Holds(f) {
					t.Error("a page that can be run is held")
				}
			}
			if got := strings.Join(beyond, " "); got != c.beyond {
				t.Errorf("%s with %q: beyond it are %q", c.id, c.more, got)
			}
			items[at].Definition = []byte(`{"command":"evil"}`)
			if p.Defines(items[at]) {
				t.Errorf("%s defines anything", c.id)
			}
		}
	}
}

// A rule that was adopted holds for all that theirs does.
func TestRules(t *testing.T) {
	for theirs, want := range map[string]string{
		"Read(priv)":                   "deny read **/priv; deny read **/priv/**",
		"Read(notes.txt)":              "deny read **/notes.txt; deny read **/notes.txt/**",
		"Read(*.env)":                  "deny read **/*.env; deny read **/*.env/**",
		"Read(./.env)":                 "deny read .env; deny read .env/**",
		"Read(src/secret)":             "deny read src/secret; deny read src/secret/**",
		"Edit(docs/)":                  "deny write **/docs/**",
		"Edit(a/docs/)":                "deny write a/docs/**",
		"Write(./secrets/**)":          "deny write secrets/**",
		"Read(./)":                     "deny read",
		"Read(**)":                     "deny read",
		"Read":                         "deny read",
		"mcp__a":                       "deny mcp__a; deny mcp__a__*",
		"mcp__a__drop":                 "deny mcp__a__drop",
		"mcp__a__*":                    "deny mcp__a__*",
		"Bash":                         "deny bash *",
		"Bash(*)":                      "deny bash *",
		"Bash(:*)":                     "deny bash *",
		"Bash(git push:*)":             "deny bash git push *",
		"Bash(git push *)":             "deny bash git push *",
		"Bash(ls)":                     "deny bash ls *",
		"Bash(git push*)":              "deny bash git push*",
		"WebFetch":                     "deny fetch",
		"WebFetch(domain:example.com)": "deny fetch example.com",
		// These we cannot say, or they would make the settings unreadable.
		"Read(../x)": "", "Read(a/../x)": "", "Read(~/x)": "", "Read(//etc)": "", "Read(/x)": "", "Read(!x)": "", "Read([)": "", "Read(x": "",
		"Bash(a * b)": "", "Bash(a; b)": "", "WebFetch(https://x)": "", "WebFetch(domain:a/b)": "", "Read(a\nb)": "", "Other": "",
	} {
		if got := strings.Join(rulesOf("deny", theirs), "; "); got != want {
			t.Errorf("%q is %q, want %q", theirs, got, want)
		}
	}
	dir := t.TempDir()
	for theirs, paths := range map[string]string{"Read(priv)": "priv/a x/priv", "Read(notes.txt)": "sub/notes.txt notes.txt", "Edit(docs/)": "docs/x a/docs/b/c"} {
		p := permission.Policy{Workspace: []string{dir}}
		for _, line := range rulesOf("deny", theirs) {
			rule, err := permission.ParseRule(line)
			if err != nil {
				t.Fatal(err)
			}
			p.Rules = append(p.Rules, rule)
		}
		for name := range strings.FieldsSeq(paths) {
			if part := p.Open(filepath.Join(dir, filepath.FromSlash(name)), strings.HasPrefix(theirs, "Edit")); part.Verdict != permission.Deny {
				t.Errorf("%s: %s is %s", theirs, name, part.Verdict)
			}
		}
	}
}

// A huge timeout is the longest one, and a pipe in the place of a file is not waited for.
func TestOddFiles(t *testing.T) {
	dir := project(t, "-- .claude/settings.json --\n"+`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 1e300}]}]}}`+"\n")
	text := func() Piece {
		found, err := Find(dir)
		if err != nil || len(found) != 1 {
			t.Fatal(err, found)
		}
		return found[0]
	}
	if p := text(); p.State != New || !strings.Contains(p.Text, "timeout: 600s\n") {
		t.Errorf("%s:\n%s", p.State, p.Text)
	}
	if err := os.Mkdir(filepath.Join(dir, ".socrates"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("mkfifo", filepath.Join(dir, ".socrates", "hooks.yaml")).Run(); err != nil {
		t.Skip(err)
	}
	if p := text(); p.State != Taken || !strings.Contains(p.Note, "not an ordinary file") || p.Write(dir) == nil {
		t.Errorf("a pipe: %s %q", p.State, p.Note)
	}
}

// What is merged into a file keeps the comments there, also of a file that holds nothing else.
func TestCommentsStay(t *testing.T) {
	for name, config := range map[string]string{"comments alone": "# Mine.\n# Two lines.\n", "a key": "# Mine.\nchecks: # these\n  commands: []\n"} {
		t.Run(name, func(t *testing.T) {
			dir := project(t, "-- .claude/settings.json --\n"+`{"permissions": {"deny": ["Bash(rm:*)"]}}`+"\n-- .socrates/config.yaml --\n"+config)
			found, err := Find(dir)
			if err != nil || len(found) != 1 {
				t.Fatal(err, found)
			}
			if err := found[0].Write(dir); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(filepath.Join(dir, ".socrates", "config.yaml"))
			if err != nil || !strings.HasPrefix(string(raw), strings.SplitAfter(config, "\n")[0]) || !strings.Contains(string(raw), "deny bash rm *") {
				t.Errorf("%v:\n%s", err, raw)
			}
			if found, err = Find(dir); err != nil || found[0].State != Adopted {
				t.Errorf("%v: %+v", err, found)
			}
		})
	}
}

const linked = `
-- .git/config --
[core]
-- .git/hooks/none --
-- .claude/skills/.git/SKILL.md --
Not here.
-- .claude/skills/nested/SKILL.md --
Nor this.
-- .claude/skills/nested/sub/.GIT/hooks/pre-commit --
evil
`

// tree is all that a folder holds.
func tree(t *testing.T, dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			raw, _ := os.ReadFile(at)
			fmt.Fprintf(&b, "%s: %s\n", at, raw)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func FuzzTable(f *testing.F) {
	f.Add("prompt = \"\"\"\na\\\n  b\"\"\"\nx = 'y'\n[z]\n")
	f.Fuzz(func(t *testing.T, raw string) { parse(raw) })
}
