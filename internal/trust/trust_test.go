package trust_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/trust"
)

// project makes a folder of files; a name with a leading ! is one that can be run.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		bare, run := strings.CutPrefix(name, "!")
		put(t, dir, bare, text, run)
	}
	return dir
}

func put(t *testing.T, dir, name, text string, run bool) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o600)
	if run {
		mode = 0o700
	}
	if err := os.WriteFile(full, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(full, mode); err != nil {
		t.Fatal(err)
	}
}

func collect(t *testing.T, dir string) map[string]trust.Item {
	t.Helper()
	items, err := trust.Collect(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]trust.Item{}
	for _, i := range items {
		out[i.ID()] = i
	}
	return out
}

func paths(i trust.Item) string {
	var out []string
	for _, f := range i.Files {
		out = append(out, f.Path)
	}
	return strings.Join(out, " ")
}

const hooks = `hooks:
  guard:
    on: [before_tool]
    command: [./hooks/guard.sh, --strict]
    guard: true
`

var full = map[string]string{
	".socrates/hooks.yaml":            hooks,
	"!hooks/guard.sh":                 "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\npython3 tools/look.py\n",
	"hooks/lib.sh":                    "true\n",
	"hooks/unused.sh":                 "true\n",
	"tools/look.py":                   "import helper\nimport pkg.deep\n",
	"tools/helper.py":                 "",
	"pkg/deep.py":                     "",
	".mcp.json":                       `{"mcpServers": {"files": {"command": "python3", "args": ["-m", "pkg.deep"], "env": {"A": "${A}", "a": "A"}}, "web": {"type": "http", "url": "https://example.com/mcp"}}}`,
	".socrates/config.yaml":           "checks:\n  commands: [make test]\n",
	"Makefile":                        "test:\n\t./scripts/test.sh\n",
	"!scripts/test.sh":                "exit 0\n",
	".socrates/commands/ship.md":      "---\nname: ship\n---\nShip it.\n",
	".agents/skills/pdf/SKILL.md":     "---\nname: pdf\n---\nRun x.py.\n",
	".agents/skills/pdf/scripts/x.py": "print()\n",
	".agents/skills/text/SKILL.md":    "---\nname: text\n---\nOnly words.\n",
}

func TestCollect(t *testing.T) {
	items := collect(t, project(t, full))
	want := map[string]string{
		"hook:guard":      "hooks/guard.sh hooks/lib.sh pkg/deep.py tools/helper.py tools/look.py",
		"mcp:files":       "pkg/deep.py",
		"mcp:web":         "",
		"check:make test": "Makefile scripts/test.sh",
		"command:ship":    ".socrates/commands/ship.md",
		"skill:pdf":       ".agents/skills/pdf/SKILL.md .agents/skills/pdf/scripts/x.py",
	}
	for id, files := range want {
		if i, ok := items[id]; !ok || paths(i) != files || i.Problem != "" {
			t.Errorf("%s: %t, files %q, want %q; %s", id, ok, paths(i), files, i.Problem)
		}
	}
	if len(items) != len(want) {
		t.Errorf("there are %d", len(items))
	}
	if text := items["hook:guard"].Text; !strings.Contains(text, "import helper") || !strings.Contains(text, `"on": [`) {
		t.Errorf("the text of a hook hides something:\n%s", text)
	}
	if none := collect(t, t.TempDir()); len(none) != 0 {
		t.Errorf("an empty folder wants %v", none)
	}
}

// TestAnyChangeCounts changes one thing after the other and looks whose approval that ends.
func TestAnyChangeCounts(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		run              bool
		item, diff       string
	}{
		{"the definition", ".socrates/hooks.yaml", strings.Replace(hooks, "--strict", "--lax", 1), false, "hook:guard", `+    "--lax"`},
		{"what it runs", "hooks/guard.sh", "#!/bin/sh\ncurl evil.example\n", true, "hook:guard", "+curl evil.example"},
		{"what that runs in turn", "tools/helper.py", "import os\n", false, "hook:guard", "+import os"},
		{"a file that was not there", "hooks/python3.sh", "evil\n", false, "hook:guard", "+evil"},
		{"the mode", "hooks/lib.sh", "true\n", true, "hook:guard", "(mode 700)"},
		{"what cannot be seen", "hooks/lib.sh", "true\u202e\n", false, "hook:guard", "+true<U+202E>"},
		{"a server's command", ".mcp.json", `{"mcpServers": {"files": {"command": "sh", "args": ["-c", "evil"]}}}`, false, "mcp:files", `+  "command": "sh"`},
		{"a plan", "Makefile", "test:\n\tevil\n", false, "check:make test", "+\tevil"},
		{"a page", ".socrates/commands/ship.md", "Sink it.\n", false, "command:ship", "+Sink it."},
		{"a script of a skill", ".agents/skills/pdf/scripts/x.py", "evil\n", false, "skill:pdf", "+evil"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && c.name == "the mode" {
				t.Skip("there are no such modes")
			}
			dir := project(t, full)
			store, err := trust.Open(filepath.Join(t.TempDir(), "trust.json"))
			if err != nil {
				t.Fatal(err)
			}
			before := collect(t, dir)
			for _, i := range before {
				if state, _ := store.State(dir, i); state != trust.New {
					t.Errorf("%s is %s", i.ID(), state)
				}
				if err := store.Approve(dir, i); err != nil {
					t.Fatal(err)
				}
			}
			put(t, dir, c.file, c.text, c.run)
			after := collect(t, dir)
			state, diff := store.State(dir, after[c.item])
			if state != trust.Changed || !strings.Contains(diff, c.diff) {
				t.Errorf("%s is %s:\n%s", c.item, state, diff)
			}
			if err := trust.Still(dir, before[c.item]); err == nil || !strings.Contains(err.Error(), "has changed since") {
				t.Errorf("looking again: %v", err)
			}
			if state, _ := store.State(dir, before[c.item]); state != trust.Approved {
				t.Error("what was approved is not any more")
			}
		})
	}
}

// TestScriptsOfAnyName: what an interpreter is told to run counts whatever its mode and ending, and what it runs in turn.
func TestScriptsOfAnyName(t *testing.T) {
	files := map[string]string{".claude/hooks/guard": "sh ./sub\necho >> seen.log sh\n", ".claude/hooks/sub": ". \"$(dirname \"$0\")/lib\"\n",
		".claude/hooks/lib": "true\n", "my, guard": "true\n", "seen.log": "", "other": ""}
	all := ".claude/hooks/guard .claude/hooks/lib .claude/hooks/sub"
	for command, want := range map[string]string{
		`[sh, -c, "sh .claude/hooks/guard"]`:                             all,
		`[sh, -ec, "sh .claude/hooks/guard"]`:                            all,
		`[env, A=b, bash, --norc, -c, "exec sh<.claude/hooks/guard"]`:    all,
		`[sh, -c, "sh \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard; ls"]`: all,
		`[sh, -c, "sh $CLAUDE_PROJECT_DIR/.claude/hooks/guard"]`:         all,
		`[sh, -c, "cd .claude/hooks && sh guard"]`:                       all,
		`[sh, -c, "sh .claude/hooks/gu''ard"]`:                           all,
		`[sh, -c, "sh .claude/hooks/g*"]`:                                all,
		`[sh, -c, "sh 'my, guard'"]`:                                     "my, guard",
		`[sh, -c, "cat >> seen.log; sh 'my, guard' 2>seen.log"]`:         "my, guard",
		`[sh, .claude/hooks/guard]`:                                      all,
		`[.claude/hooks/guard]`:                                          all,
		`[python3, -c, "import os; os.system('sh .claude/hooks/sub')"]`:  ".claude/hooks/lib .claude/hooks/sub",
		`[sh, -c, "cd ../..; jq -r .tool"]`:                              "",
	} {
		files[".socrates/hooks.yaml"] = "hooks: {a: {on: [prompt], command: " + command + "}}\n"
		if i := collect(t, project(t, files))["hook:a"]; paths(i) != want || i.Problem != "" {
			t.Errorf("%s: files %q, want %q; %s", command, paths(i), want, i.Problem)
		}
	}
}

func TestEndlessScript(t *testing.T) {
	i := collect(t, project(t, map[string]string{".socrates/hooks.yaml": "hooks: {a: {on: [prompt], command: [sh, -c, \"" + strings.Repeat("w ", 50_000) + "sh guard\"]}}\n"}))["hook:a"]
	if !strings.Contains(i.Problem, "too many words") {
		t.Errorf("%q", i.Problem)
	}
}

func TestStore(t *testing.T) {
	dir, file := project(t, full), filepath.Join(t.TempDir(), "data", "trust.json")
	one, _ := trust.Open(file)
	two, _ := trust.Open(file)
	items := collect(t, dir)
	if err := one.Approve(dir, items["hook:guard"]); err != nil {
		t.Fatal(err)
	}
	if err := two.Approve(dir, items["mcp:web"]); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	again, err := trust.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"hook:guard", "mcp:web"} {
		if state, _ := again.State(dir, items[id]); state != trust.Approved {
			t.Errorf("%s is %s: two writers lost something", id, state)
		}
		if state, _ := again.State(dir+"-other", items[id]); state != trust.New {
			t.Errorf("%s is %s in another project", id, state)
		}
	}
	if err := again.Revoke(dir, items["hook:guard"]); err != nil {
		t.Fatal(err)
	}
	if state, _ := again.State(dir, items["hook:guard"]); state != trust.New {
		t.Errorf("after it was revoked it is %s", state)
	}

	offer, err := trust.Offer("web", "look", "https://example.com/mcp", map[string]string{"doc": "looks"})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Note(dir, offer); err != nil {
		t.Fatal(err)
	}
	noted := again.Noted(dir)
	if state, _ := again.State(dir, offer); state != trust.New || len(noted) != 1 || noted[0].ID() != "tool:web/look" {
		t.Errorf("%s %+v", state, noted)
	}
	if err := again.Approve(dir, noted...); err != nil {
		t.Fatal(err)
	}
	if state, _ := again.State(dir, offer); state != trust.Approved {
		t.Errorf("approved from what was noted it is %s", state)
	}

	if runtime.GOOS != "windows" {
		if err := os.Chmod(file, 0o660); err != nil {
			t.Fatal(err)
		}
		if _, err := trust.Open(file); err == nil || !strings.Contains(err.Error(), "other users could have changed") {
			t.Errorf("a file others can write: %v", err)
		}
	}
}

func TestWhatCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		files       map[string]string
		id, problem string
	}{
		{map[string]string{".socrates/hooks.yaml": "hooks: [x"}, "hook:hooks.yaml", "cannot be parsed"},
		{map[string]string{".socrates/hooks.yaml": "hook:\n  a: {}\n"}, "hook:hooks.yaml", `begin with "hooks:"`},
		{map[string]string{".mcp.json": "{"}, "mcp:.mcp.json", "cannot be parsed"},
		{map[string]string{".mcp.json": `{"mcpServers": {"a\u202eb": {"command": "x"}}}`}, "mcp:a\u202eb", "its name may have only"},
		{map[string]string{".mcp.json": `{"mcpServers": {}, "mcpservers": {"db": {"command": "evil"}}}`}, "mcp:.mcp.json", `"mcpservers"; write it as "mcpServers"`},
		{map[string]string{".mcp.json": `{"mcp\u017fervers": {"db": {"command": "evil"}}}`}, "mcp:.mcp.json", `write it as "mcpServers"`},
		{map[string]string{".mcp.json": `{"mcpServers": {"db": {"command": "x"}}, "mcpServers": {"db": {"command": "evil"}}}`}, "mcp:.mcp.json", `"mcpServers" twice`},
		{map[string]string{".mcp.json": `{"mcpServers": {"db": {"command": "x", "args": [{}], "c\u006fmmand": "evil"}}}`}, "mcp:.mcp.json", `"command" twice`},
		{map[string]string{".mcp.json": `{"mcpServers": {"db": {"command": "x", "Args": ["evil.sh"]}}}`}, "mcp:db", `"Args"; write it as "args"`},
		{map[string]string{".mcp.json": `{"mcpServers": {"db": {"command": "x", "DISABLED": true}}}`}, "mcp:db", `write it as "disabled"`},
		{map[string]string{".socrates/hooks.yaml": "hooks: {a: {on: [prompt], command: [x], Command: [./evil.sh]}}\n"}, "hook:a", `write it as "command"`},
		{map[string]string{".socrates/hooks.yaml": "hooks: {a: {on: [prompt], command: [x]}, a: {command: [evil]}}\n"}, "hook:hooks.yaml", "already defined"},
	} {
		i := collect(t, project(t, c.files))[c.id]
		store, _ := trust.Open(filepath.Join(t.TempDir(), "trust.json"))
		if state, _ := store.State("/p", i); state != trust.Unusable || !strings.Contains(i.Problem, c.problem) {
			t.Errorf("%v: %s %q", c.files, state, i.Problem)
		}
		if err := store.Approve("/p", i); err == nil {
			t.Errorf("%v was approved", c.files)
		}
	}
}

func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege here")
	}
	dir, outside := project(t, full), project(t, map[string]string{"!evil.sh": "evil\n"})
	link := filepath.Join(dir, "hooks", "guard.sh")
	before := collect(t, dir)["hook:guard"]
	os.Remove(link)
	if err := os.Symlink(filepath.Join(outside, "evil.sh"), link); err != nil {
		t.Fatal(err)
	}
	after := collect(t, dir)["hook:guard"]
	at := slices.IndexFunc(after.Files, func(f trust.File) bool { return f.Path == "hooks/guard.sh" })
	if after.SHA256 == before.SHA256 || at < 0 || after.Files[at].Link != filepath.Join(outside, "evil.sh") || !strings.Contains(after.Text, "evil\n") {
		t.Errorf("a link that leads outside:\n%s", after.Text)
	}
	os.Remove(link)
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	if i := collect(t, dir)["hook:guard"]; i.Problem == "" {
		t.Error("a link that leads nowhere is no problem")
	}
}
