// Package guest finds the real programs on this machine for tests, points them at a loopback model server from an
// empty home, and finds which of their processes are left.
package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm/cli"
)

// visitors says how each program is pointed at the loopback model server: the spec of its seat, whose model's name
// selects the fault (%s), variables, and its settings files in an empty home. {url} is the server's. For a program that
// accepts only listed models, told is the entry of one, with its name as {model}, and {models} is replaced by all.
var visitors = map[string]struct {
	spec          string
	vars          []string
	files         map[string]string
	told, between string
}{
	"claude": {spec: "claude:claude-loop%s", vars: []string{"ANTHROPIC_BASE_URL={url}", "ANTHROPIC_API_KEY=key-of-loopback-a"}},
	"codex": {spec: "codex:gpt-6%s", vars: []string{"OPENAI_API_KEY=key-of-loopback-o"}, files: map[string]string{
		".codex/config.toml": `model_provider = "loopback"
[model_providers.loopback]
name = "loopback"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`}},
	"copilot": {spec: "copilot:copilot-loop%s", vars: []string{"COPILOT_PROVIDER_BASE_URL={url}/v1",
		"COPILOT_PROVIDER_API_KEY=key-of-loopback-4f1c9be2", "COPILOT_PROVIDER_WIRE_API=completions", "COPILOT_OFFLINE=true"}},
	"crush": {spec: "crush:loopback/crush-loop%s", files: map[string]string{
		".config/crush/crush.json": `{"providers": {"loopback": {"type": "openai-compat", "base_url": "{url}/v1",
"api_key": "key-of-loopback-c", "models": [{models}]}}}`},
		told: `{"id": "{model}", "name": "{model}", "context_window": 200000, "default_max_tokens": 8000}`, between: ","},
	"gemini": {spec: "gemini-cli:gemini-loop%s", vars: []string{"GOOGLE_GEMINI_BASE_URL={url}", "GEMINI_API_KEY=key-of-loopback-g"},
		files: map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`}},
	"grok": {spec: "grok:grok-loop%s", vars: []string{"XAI_BASE_URL={url}/v1", "XAI_API_KEY=key-of-loopback-x"}, files: map[string]string{
		".grok/config.toml": "[endpoints]\nmodels_base_url = \"{url}/v1\"\n{models}"},
		told: `[model.{model}]
model = "{model}"
name = "{model}"
base_url = "{url}/v1"
api_key = "key-of-loopback-x"
api_backend = "chat_completions"
context_window = 200000
`},
	"opencode": {spec: "opencode:loop/opencode-loop%s", vars: []string{"OPENCODE_DISABLE_MODELS_FETCH=true"}, files: map[string]string{
		".config/opencode/opencode.json": `{"enabled_providers": ["loop"], "small_model": "loop/opencode-loop", "provider": {"loop": {
"npm": "@ai-sdk/openai-compatible", "name": "loop", "options": {"baseURL": "{url}/v1", "apiKey": "key-of-loopback-p"},
"models": {{models}}}}}`},
		told: `"{model}": {"name": "{model}", "limit": {"context": 200000, "output": 8000}}`, between: ","},
	"pi": {spec: "pi:loopback/pi-loop%s", files: map[string]string{
		".pi/agent/models.json": `{"providers": {"loopback": {"baseUrl": "{url}/v1", "api": "openai-completions",
"apiKey": "key-of-loopback-i", "models": [{"id": "pi-loop", "contextWindow": 200000, "maxTokens": 8000}]}}}`,
		".pi/agent/settings.json": `{"retry": {"baseDelayMs": 100, "provider": {"maxRetries": 0}}}`}},
	"qwen": {spec: "qwen:qwen-loop%s", vars: []string{"OPENAI_BASE_URL={url}/v1", "OPENAI_API_KEY=key-of-loopback-o"},
		files: map[string]string{".qwen/settings.json": `{"security": {"auth": {"selectedType": "openai"}}}`}},
}

// Path returns the path of a program from a variable such as SOCRATES_TEST_CLAUDE; "" if there is no file.
func Path(variable string) string {
	path := os.Getenv(variable)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

func variable(program string) string { return "SOCRATES_TEST_" + strings.ToUpper(program) }

// Names returns the programs that are here and have a spec, in the order of their names.
func Names() (names []string) {
	for _, p := range cli.Programs {
		if _, known := visitors[p.Name]; known && Path(variable(p.Name)) != "" {
			names = append(names, p.Name)
		}
	}
	return names
}

// Spec returns the spec of a program's seat. The server reads the fault from the end of the model's name; "": none.
func Spec(name, fault string) string { return fmt.Sprintf(visitors[name].spec, fault) }

// Model returns the name of the model that a program asks for.
func Model(name string) string {
	spec := Spec(name, "")
	return spec[strings.LastIndexAny(spec, ":/")+1:]
}

// Settle writes the settings of all programs into home, so that they ask the server at url and know the model of Spec
// with each of the faults, and returns their variables. Programs are found on the PATH.
func Settle(home, url string, faults ...string) (vars []string, err error) {
	for program, v := range visitors {
		models := []string{strings.ReplaceAll(v.told, "{model}", Model(program))}
		for _, fault := range faults {
			models = append(models, strings.ReplaceAll(v.told, "{model}", Model(program)+fault))
		}
		place := strings.NewReplacer("{url}", url, "{models}", strings.ReplaceAll(strings.Join(models, v.between), "{url}", url))
		for _, one := range v.vars {
			vars = append(vars, place.Replace(one))
		}
		for name, text := range v.files {
			file := filepath.Join(home, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return nil, err
			}
			if err := os.WriteFile(file, []byte(place.Replace(text)), 0o600); err != nil {
				return nil, err
			}
		}
	}
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		return nil, err
	}
	for _, name := range Names() { // under its usual name, whatever the variable calls it
		if err := os.Symlink(Path(variable(name)), filepath.Join(bin, name)); err != nil {
			return nil, err
		}
	}
	return append(vars, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")), nil
}

// Living returns the running processes whose environment has home as HOME. Without /proc there are none.
func Living(home string) (pids []int) {
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
