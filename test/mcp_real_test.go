package test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
	"github.com/socrates-cli/socrates/internal/llm/llmtest/guest"
)

// aCaller is another vendor's agent as a client of our MCP server: what starts it on a prompt, with nothing but a loopback vendor.
type aCaller struct {
	variable string
	// prepare writes its settings and returns its arguments and environment.
	// Without socrates no server is named: the plugin brings it.
	prepare func(t *testing.T, home, socrates, vendor string) (args, env []string)
}

var callers = map[string]aCaller{
	"claude": {"SOCRATES_TEST_CLAUDE", func(t *testing.T, home, socrates, vendor string) (args, env []string) {
		args = []string{"-p", "--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5", "--setting-sources", "user",
			"--dangerously-skip-permissions"}
		if socrates != "" {
			file := put(t, home, "mcp.json", object{"mcpServers": object{"socrates": object{"command": socrates, "args": []string{"mcp", "serve"}}}})
			args = append(args, "--strict-mcp-config", "--mcp-config", file)
		}
		return args, []string{"ANTHROPIC_BASE_URL=" + vendor, "ANTHROPIC_API_KEY=k", "CLAUDE_CONFIG_DIR=" + filepath.Join(home, ".claude"),
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1",
			"MCP_CONNECTION_NONBLOCKING=0", "MCP_CONNECT_TIMEOUT_MS=60000", "MCP_TIMEOUT=60000"} // a busy machine is no reason to go without the server
	}},
	"codex": {"SOCRATES_TEST_CODEX", func(t *testing.T, home, socrates, vendor string) (args, env []string) {
		folder := filepath.Join(home, ".codex")
		config := fmt.Sprintf("model = \"gpt-loop\"\nmodel_provider = \"loop\"\n[model_providers.loop]\nname = \"loop\"\n"+
			"base_url = %q\nwire_api = \"responses\"\nenv_key = \"LOOP_KEY\"\n", vendor+"/v1")
		args = []string{"exec", "--json", "--skip-git-repo-check", "--disable", "remote_plugin", "--disable", "apps",
			"-c", `approval_policy="never"`, "--dangerously-bypass-approvals-and-sandbox", "-"}
		if socrates != "" {
			config += fmt.Sprintf("[mcp_servers.socrates]\ncommand = %q\nargs = [\"mcp\", \"serve\"]\n", socrates)
		}
		write(t, filepath.Join(folder, "config.toml"), config)
		return args, []string{"CODEX_HOME=" + folder, "LOOP_KEY=k"}
	}},
	"gemini": {"SOCRATES_TEST_GEMINI", func(t *testing.T, home, socrates, vendor string) (args, env []string) {
		settings := object{"security": object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}}}
		if socrates != "" {
			settings["mcpServers"] = object{"socrates": object{"command": socrates, "args": []string{"mcp", "serve"}}}
		}
		put(t, home, ".gemini/settings.json", settings)
		return []string{"--output-format", "stream-json", "-m", "gemini-2.5-pro", "--skip-trust", "--approval-mode", "yolo"},
			[]string{"GOOGLE_GEMINI_BASE_URL=" + vendor, "GEMINI_API_KEY=k"}
	}},
	"opencode": {"SOCRATES_TEST_OPENCODE", func(t *testing.T, home, socrates, vendor string) (args, env []string) {
		raw, err := json.Marshal(object{"provider": object{"loop": object{"npm": "@ai-sdk/openai-compatible", "name": "loop",
			"options": object{"baseURL": vendor + "/v1", "apiKey": "k"}, "models": object{"model-1": object{"name": "model-1"}}}},
			"mcp": object{"socrates": object{"type": "local", "command": []string{socrates, "mcp", "serve"}, "enabled": true}}})
		if err != nil {
			t.Fatal(err)
		}
		return []string{"run", "--format", "json", "-m", "loop/model-1", calling},
			[]string{"OPENCODE_CONFIG_CONTENT=" + string(raw), "OPENCODE_DISABLE_AUTOUPDATE=true", "OPENCODE_DISABLE_MODELS_FETCH=true"}
	}},
}

type object = map[string]any

// calling is what the person says to the agent.
const calling = "Have socrates debate where sessions should live."

// TestRealAgents lets each real agent have a question debated by way of MCP: its model calls debate, then debate_wait as long as it is told
// to, and what it reads at last holds the option and the dissent. The tools need no search, and one debate is held.
func TestRealAgents(t *testing.T) {
	for name, c := range callers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
			args, env := c.prepare(t, home, ourselves(t), vendor.URL)
			out := runAgent(t, bin, args, append(env, "HOME="+home, "PATH="+os.Getenv("PATH")), project, calling)
			for _, want := range []string{"Live in Postgres", "Redis", "## Dissent"} {
				if !strings.Contains(model.read, want) {
					t.Errorf("its model did not read %q, but: %s", want, model.read)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
			if model.first != 1 {
				t.Errorf("debate was called in request %d, not in the first", model.first)
			}
			if model.waits == 0 && longDebate() > 0 { // a short one may end within the call that began it
				t.Error("it did not wait")
			}
			t.Logf("it waited %d times", model.waits)
			if n := len(rooms(t, home, project)); n != 1 {
				t.Errorf("%d debates were held", n)
			}
		})
	}
}

// longDebate is how long the debates of real agents take; 0: as long as the rehearsal panel does.
func longDebate() time.Duration {
	d, _ := time.ParseDuration(os.Getenv("SOCRATES_TEST_AGENTS"))
	return d
}

// seat gives a home its panel: the rehearsal's, or three seats of which the last takes its time.
func seat(t *testing.T, home string) {
	if long := longDebate(); long > 0 {
		panel(t, home, long)
		return
	}
	write(t, filepath.Join(home, ".config/socrates/config.yaml"), "seats: [rehearsal]\n")
}

// panel gives a home three seats, of which the last takes its time.
func panel(t *testing.T, home string, long time.Duration) {
	config := "debate: {seat_timeout: 1h, timeout: 3h, grace: 1h}\nseats:\n"
	for _, s := range []struct {
		id, option string
		delay      time.Duration
	}{{"one", "live in Postgres", 0}, {"two", "live in Redis", 0}, {"three", "live in Postgres", long}} {
		claim := strings.Repeat(s.id+" says "+s.option+" for a reason that takes words. ", 8)
		ballot := fmt.Sprintf(`{"option": "{{option %q}}", "claims": [{"text": %q, "impact": 3, "option": "{{option %q}}", "supports": true}], "stances": []}`,
			s.option, claim, s.option)
		write(t, filepath.Join(home, s.id+".yaml"), fmt.Sprintf("info: {lineage: %s}\nrules:\n  - act: blind\n    delay_ms: %d\n    reply: '%s'\n  - reply: '%s'\n",
			s.id, s.delay.Milliseconds(), ballot, ballot))
		config += "  - script:" + filepath.Join(home, s.id+".yaml") + "\n"
	}
	write(t, filepath.Join(home, ".config/socrates/config.yaml"), config)
}

// callingModel is the model of an agent that has a question debated.
type callingModel struct {
	asked, first, waits int
	told, read          string // the first request, and the last tool result
}

var nextWait = regexp.MustCompile(`debate_wait with debate \\*"([a-z0-9-]+)\\*" and after \\*"([0-9-]+)\\*"`)

func (m *callingModel) answer(a llmtest.Ask) llmtest.Reply {
	tool := func(name string) string {
		for _, s := range a.Tools {
			if s.Name == name || strings.HasSuffix(s.Name, "_"+name) {
				return s.Name
			}
		}
		return ""
	}
	if tool("debate") == "" { // a title, or a look at something else
		return llmtest.Reply{Text: "Sessions"}
	}
	if m.asked++; m.asked == 1 {
		for _, msg := range a.Messages {
			m.told += msg.Text()
		}
	}
	last := ""
	for _, msg := range a.Messages {
		for _, p := range msg.Parts {
			if r, ok := p.(llm.Result); ok {
				last = r.Text
			}
		}
	}
	if last == "" {
		m.first = m.asked
		return llmtest.Reply{Calls: []llm.Call{{Name: tool("debate"), Args: json.RawMessage(`{"question": "Should sessions live in Redis or Postgres?", "wait": 0}`)}}}
	}
	m.read = last
	if next := nextWait.FindStringSubmatch(last); next != nil {
		m.waits++
		return llmtest.Reply{Calls: []llm.Call{{Name: tool("debate_wait"), Args: json.RawMessage(fmt.Sprintf(`{"debate": %q, "after": %q}`, next[1], next[2]))}}}
	}
	return llmtest.Reply{Text: "They decided."}
}

// runAgent runs a real agent on the prompt and returns what it printed.
func runAgent(t *testing.T, bin string, args, env []string, dir, prompt string) string {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute+longDebate())
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(prompt)
	cmd.Env = append(env, "TMPDIR="+os.TempDir())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	return out.String()
}

// ourselves is this program as a file of its own name, as other programs start it. It is linked: of a copy that was just written, a
// process that another test is starting may still have the file open for writing, and then it cannot be executed.
func ourselves(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "socrates")
	if err := os.Link(os.Args[0], file); err == nil {
		return file
	}
	if out, err := exec.Command("cp", os.Args[0], file).CombinedOutput(); err != nil { // on another file system
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// rooms are the debates of a home.
func rooms(t *testing.T, home, dir string) (list []object) {
	cmd := exec.Command(ourselves(t), "debate", "list", "--output", "json")
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + home}
	raw, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func write(t *testing.T, file, text string) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// put writes a file of JSON below a folder and returns its path.
func put(t *testing.T, dir, name string, v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, name), string(raw))
	return filepath.Join(dir, name)
}
