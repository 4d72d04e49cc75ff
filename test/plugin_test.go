package test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/catalogue"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
)

// pluginFile reads a JSON file of the plugin.
func pluginFile(t *testing.T, name string, v any) {
	raw, err := os.ReadFile(filepath.Join("plugin", name))
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		t.Fatal(name, err)
	}
}

type manifest struct {
	Name, Version, Description string
	MCPServers                 map[string]struct {
		Command string
		Args    []string
		EnvVars []string `json:"env_vars"`
	} `json:"mcpServers"`
}

// TestPlugin holds the parts of the plugin together: each client has its own manifest, and all of them must say the same.
func TestPlugin(t *testing.T) {
	var all []manifest
	for _, name := range []string{".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "gemini-extension.json", ".mcp.json"} {
		var m manifest
		pluginFile(t, name, &m)
		all = append(all, m)
		if s, ok := m.MCPServers["socrates"]; len(m.MCPServers) > 0 && (!ok || s.Command != "socrates" || !slices.Equal(s.Args, []string{"mcp", "serve"})) {
			t.Errorf("%s starts %+v", name, m.MCPServers)
		}
	}
	for _, m := range all[1:3] {
		if m.Name != all[0].Name || m.Version != all[0].Version || m.Description != all[0].Description {
			t.Errorf("manifests differ: %+v, %+v", m, all[0])
		}
	}
	// One client hands its servers nothing that its manifest does not name: the keys of seats, and the mark of a seat.
	c, err := catalogue.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"SOCRATES_DEPTH"}
	for _, v := range c.Vendors() {
		want = append(append(want, v.KeyEnv...), v.BaseURLEnv...)
	}
	for _, name := range want {
		if slices.Contains(all[1].MCPServers["socrates"].EnvVars, name) {
			continue
		}
		if !*update {
			t.Errorf("the Codex manifest does not hand on %s; go test ./test -run TestPlugin -update adds it", name)
		} else {
			const file, last = "plugin/.codex-plugin/plugin.json", `"SOCRATES_DEPTH"`
			raw, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, bytes.Replace(raw, []byte(last), []byte(`"`+name+`", `+last), 1), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	skill, err := os.ReadFile("plugin/skills/debate/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	command, err := os.ReadFile("plugin/commands/debate.toml")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(strings.TrimPrefix(string(skill), "---\n"), "---\n\n")
	if !strings.Contains(string(command), "prompt = '''\n"+strings.ReplaceAll(body, "$ARGUMENTS", "{{args}}")+"'''") {
		t.Error("commands/debate.toml does not say what skills/debate/SKILL.md says")
	}
}

// plugged is how a client installs the plugin from this checkout, and how its person calls the skill.
var plugged = map[string]struct {
	install [][]string
	call    string
}{
	"claude": {[][]string{{"plugin", "validate", "DIR"}, {"plugin", "marketplace", "add", "DIR"}, {"plugin", "install", "socrates@socrates-cli"}}, "/socrates:debate "},
	"codex":  {[][]string{{"plugin", "marketplace", "add", "DIR"}, {"plugin", "add", "socrates@socrates-cli"}}, "$socrates:debate "},
	"gemini": {[][]string{{"extensions", "install", "DIR", "--consent", "--skip-settings"}}, "/socrates:debate "},
}

// TestRealPlugins installs the plugin from this checkout in a new home of each client, offline, and calls socrates:debate: its model is
// told to stay neutral, reaches the tool in its first answer, and reads the decision.
func TestRealPlugins(t *testing.T) {
	for name, p := range plugged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := callers[name]
			bin := guest.Path(c.variable)
			if bin == "" {
				t.Skip(c.variable + " names no program")
			}
			home, project := t.TempDir(), t.TempDir()
			write(t, filepath.Join(project, "README.md"), "# Sessions\n\nSessions live in Redis. Carts live in Postgres.\n")
			seat(t, home)
			model := &callingModel{}
			vendor := llmtest.NewServer(model.answer)
			defer vendor.Close()
			socrates := ourselves(t)
			args, env := c.prepare(t, home, "", vendor.URL)
			env = append(env, "HOME="+home, "PATH="+filepath.Dir(socrates)+string(os.PathListSeparator)+os.Getenv("PATH"))
			dir, err := filepath.Abs("plugin")
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range p.install {
				step = slices.Clone(step)
				for i := range step {
					step[i] = strings.ReplaceAll(step[i], "DIR", dir)
				}
				cmd := exec.CommandContext(t.Context(), bin, step...)
				cmd.Dir, cmd.Env, cmd.Stdin = project, env, strings.NewReader("y\n")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", step, err, out)
				}
			}
			out := runAgent(t, bin, args, env, project, p.call+"Should sessions live in Redis or Postgres?")
			if !strings.Contains(model.told, "You have no vote") || !strings.Contains(model.told, "Should sessions live in Redis or Postgres?") {
				t.Error("its model was not told what the skill says")
			}
			if model.first != 1 || !strings.Contains(model.read, "Verify it: socrates verify ") {
				t.Errorf("debate was called in request %d; its model read %s\n%s", model.first, model.read, out)
			}
		})
	}
}
