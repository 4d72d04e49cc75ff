package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/llmtest"
)

// visitors says how each program is pointed at the loopback model server: the spec of its seat, whose model's name says
// how it goes wrong (%s), variables, and files of its own settings in an empty home. {url} is the server's. A program
// that takes only models it was told of is told of one by told, where {model} is its name, and of all at {models}.
var visitors = map[string]struct {
	spec          string
	vars          []string
	files         map[string]string
	told, between string
}{
	"claude": {spec: "claude:claude-loop%s", vars: []string{"ANTHROPIC_BASE_URL={url}", "ANTHROPIC_API_KEY=key-of-loopback-a"}},
	"codex": {spec: "codex:gpt-6%s", vars: []string{"OPENAI_API_KEY=key-of-loopback-o"}, files: map[string]string{".codex/config.toml": "model_provider = \"loopback\"\n" +
		"[model_providers.loopback]\nname = \"loopback\"\nbase_url = \"{url}/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n"}},
	"copilot": {spec: "copilot:copilot-loop%s", vars: []string{"COPILOT_PROVIDER_BASE_URL={url}/v1", "COPILOT_PROVIDER_API_KEY=key-of-loopback-4f1c9be2",
		"COPILOT_PROVIDER_WIRE_API=completions", "COPILOT_OFFLINE=true"}},
	"crush": {spec: "crush:loopback/crush-loop%s", files: map[string]string{".config/crush/crush.json": `{"providers":{"loopback":{"type":"openai-compat","base_url":"{url}/v1","api_key":"key-of-loopback-c",` +
		`"models":[{models}]}}}`}, told: `{"id":"{model}","name":"{model}","context_window":200000,"default_max_tokens":8000}`, between: ","},
	"gemini": {spec: "gemini-cli:gemini-loop%s", vars: []string{"GOOGLE_GEMINI_BASE_URL={url}", "GEMINI_API_KEY=key-of-loopback-g"},
		files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`}},
	"grok": {spec: "grok:grok-loop%s", vars: []string{"XAI_BASE_URL={url}/v1", "XAI_API_KEY=key-of-loopback-x"}, files: map[string]string{".grok/config.toml": "[endpoints]\nmodels_base_url = \"{url}/v1\"\n{models}"},
		told: "[model.{model}]\nmodel = \"{model}\"\nname = \"{model}\"\nbase_url = \"{url}/v1\"\napi_key = \"key-of-loopback-x\"\napi_backend = \"chat_completions\"\ncontext_window = 200000\n"},
	"opencode": {spec: "opencode:loop/opencode-loop%s", vars: []string{"OPENCODE_DISABLE_MODELS_FETCH=true"}, files: map[string]string{".config/opencode/opencode.json": `{"enabled_providers":["loop"],` +
		`"small_model":"loop/opencode-loop","provider":{"loop":{"npm":"@ai-sdk/openai-compatible","name":"loop","options":{"baseURL":"{url}/v1","apiKey":"key-of-loopback-p"},` +
		`"models":{{models}}}}}`}, told: `"{model}":{"name":"{model}","limit":{"context":200000,"output":8000}}`, between: ","},
	"pi": {spec: "pi:loopback/pi-loop%s", files: map[string]string{
		".pi/agent/models.json":   `{"providers":{"loopback":{"baseUrl":"{url}/v1","api":"openai-completions","apiKey":"key-of-loopback-i","models":[{"id":"pi-loop","contextWindow":200000,"maxTokens":8000}]}}}`,
		".pi/agent/settings.json": `{"retry":{"baseDelayMs":100,"provider":{"maxRetries":0}}}`}},
	"qwen": {spec: "qwen:qwen-loop%s", vars: []string{"OPENAI_BASE_URL={url}/v1", "OPENAI_API_KEY=key-of-loopback-o"},
		files: map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"}}}`}},
}

// invited are the programs that SOCRATES_TEST_NAME says are here, in the order of their names.
func invited() (names []string) {
	for _, p := range cli.Programs {
		if _, known := visitors[p.Name]; known && program("SOCRATES_TEST_"+strings.ToUpper(p.Name)) != "" {
			names = append(names, p.Name)
		}
	}
	return names
}

// welcome writes the settings of all programs into home and returns their variables. Programs are found on the PATH.
func welcome(t testing.TB, home, url string) (vars []string) {
	t.Helper()
	for _, v := range visitors {
		name := v.spec[strings.LastIndexAny(v.spec, ":/")+1:]
		models := []string{strings.ReplaceAll(v.told, "{model}", fmt.Sprintf(name, ""))}
		for fault := range faults {
			models = append(models, strings.ReplaceAll(v.told, "{model}", fmt.Sprintf(name, "--"+fault)))
		}
		place := strings.NewReplacer("{url}", url, "{models}", strings.ReplaceAll(strings.Join(models, v.between), "{url}", url))
		for _, one := range v.vars {
			vars = append(vars, place.Replace(one))
		}
		for name, text := range v.files {
			file := filepath.Join(home, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(place.Replace(text)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := os.Getenv("PATH")
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range invited() { // under its usual name, whatever the variable calls it
		if err := os.Symlink(program("SOCRATES_TEST_"+strings.ToUpper(name)), filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return append(vars, "PATH="+bin+string(os.PathListSeparator)+path)
}

// TestRealTable seats every real program that is here in one room, beside a seat of each wire, all served by one
// loopback model server: all vote, there is a decision, and nothing is left running.
func TestRealTable(t *testing.T) {
	names := invited()
	if len(names) == 0 {
		t.Skip("no SOCRATES_TEST_NAME names a real program")
	}
	specs := []string{"anthropic:small", "openai:small", "gemini:small"}
	for _, name := range names {
		specs = append(specs, healthy(name))
	}
	res := sitting{patience: "60s"}.run(t, specs...) // a dozen programs start at once
	if res.ExitCode != 0 || res.Winner == "" {
		t.Errorf("exit %d, outcome %s: %s", res.ExitCode, res.Outcome, res.text)
	}
	if len(res.Seats) != len(specs) {
		t.Errorf("%d seats for %d", len(res.Seats), len(specs))
	}
	for _, s := range res.Seats {
		if s.Status != "voted" && s.Status != "abstained" {
			t.Errorf("%s is %s: %s", s.ID, s.Status, s.Reason)
		}
	}
	t.Logf("%d real programs: %s", len(names), strings.Join(names, ", "))
}

// BenchmarkRealTable reports the most memory our process and all of the programs' held in that room, in MiB. It looks at
// each request that reaches the server; what a process held most is told by the system.
func BenchmarkRealTable(b *testing.B) {
	specs := []string{"anthropic:small", "openai:small", "gemini:small"}
	for _, name := range invited() {
		specs = append(specs, healthy(name))
	}
	for b.Loop() {
		var mu sync.Mutex
		most, home, ours := map[int]int{}, "", 0
		look := func(_ llmtest.Ask, pid int) {
			mu.Lock()
			defer mu.Unlock()
			if ours = pid; home == "" {
				environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
				_, after, _ := strings.Cut(string(environ), "HOME=")
				home, _, _ = strings.Cut(after, "\x00")
			}
			for _, p := range living(home) {
				most[p] = max(most[p], held(p))
			}
		}
		res := sitting{patience: "60s", seen: look}.run(b, specs...)
		theirs := 0
		for pid, kB := range most {
			if pid != ours {
				theirs += kB
			}
		}
		b.ReportMetric(float64(most[ours])/1024, "ours-MiB")
		b.ReportMetric(float64(theirs)/1024, "theirs-MiB")
		b.ReportMetric(float64(len(res.Seats)), "seats")
	}
}

// held is the most memory a process has held, in kB; 0: it is gone.
func held(pid int) (kB int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Sscan(after, &kB)
	return kB
}

func healthy(name string) string { return strings.TrimSuffix(visitors[name].spec, "%s") }

// living are the running processes whose environment holds home. Where there is no /proc there are none.
func living(home string) (pids []int) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environs {
		raw, err := os.ReadFile(file)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
		if err == nil && strings.Contains(string(raw), "HOME="+home) && !strings.Contains(string(stat), ") Z ") {
			pids = append(pids, pid)
		}
	}
	return pids
}
