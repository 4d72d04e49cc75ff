package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
)

// grok is xAI's program, over ACP. Its plan mode and its sandbox allow writing files, so it runs as an agent of ours
// that has only reading tools.
var grok = Program{
	Name: "grok", Lineage: "xai",
	launch: launchGrok, prepare: prepareGrok, signedIn: grokSignedIn, reach: grokReach,
	sees: func(_ Options, env environ) func(string) bool {
		seen := append([]string{"GROK_HOME", "XAI_*"}, grokKeys(env)...)
		return func(name string) bool { return matches(name, seen) }
	},
	speak: speakACP("grok", acpManner{failed: prefixed("The model provider refused to generate a response")}),
}

// launchGrok turns off what calls a model by itself, leaves traces, or starts servers and hooks of other programs.
func launchGrok(o Options, req llm.Request) (args, env []string) {
	args = []string{"agent", "--no-leader"}
	if o.Model != "" {
		args = append(args, "-m", o.Model)
	}
	if req.Effort != "" {
		args = append(args, "--reasoning-effort", req.Effort)
	}
	env = []string{
		// Model calls that nobody asked for.
		"GROK_TURN_SUMMARY=0", "GROK_SESSION_RECAP=0", "GROK_TITLE_REFRESH=0",
		"GROK_DISABLE_AUTOUPDATER=1", "GROK_TELEMETRY_ENABLED=false", "GROK_TELEMETRY_TRACE_UPLOAD=false",
		"GROK_TELEMETRY_MIXPANEL_ENABLED=false", "GROK_FEEDBACK_ENABLED=false", "GROK_MEMORY=0", "GROK_WEB_FETCH=0",
		"GROK_CLAUDE_MCPS_ENABLED=false", "GROK_CURSOR_MCPS_ENABLED=false",
		"GROK_CLAUDE_HOOKS_ENABLED=false", "GROK_CURSOR_HOOKS_ENABLED=false",
		`GROK_CONFIG={"models":{"max_retries":1}}`,
	}
	if o.Home != "" {
		env = append(env, "GROK_HOME="+o.Home)
	}
	return append(args, "stdio"), env
}

// prepareGrok describes the agent of a seat. Signed in by a key, the program also gets a home of its own, which
// leaves no transcripts and has none of the user's servers; a login, which the program renews, must be found where it
// is stored.
func prepareGrok(h *home, o Options, req llm.Request) ([]string, error) {
	tools := "read_file, grep, list_dir"
	if req.Dir == "" {
		tools = "todo_write" // without any tool in the list it has all of them
	}
	vars := []string{"GROK_AGENT=" + filepath.Join(h.dir, "seat.md")}
	h.write("seat.md", "---\nname: seat\ndescription: answers and reads, and writes nothing\ntools: "+tools+
		"\npermissionMode: dontAsk\nmcpInheritance: none\n---\nYou answer questions. You can read files, and cannot change any.\n")
	if environment().with(o.Env)["XAI_API_KEY"] == "" {
		return vars, nil
	}
	theirs := o.Home
	if theirs == "" {
		theirs = grokFolder(environment())
	}
	config, _ := os.ReadFile(filepath.Join(theirs, "config.toml")) // there may be none
	h.write("config.toml", onlyModels(string(config)))
	return append(vars, "GROK_HOME="+h.dir), nil
}

// onlyModels keeps the tables of a configuration that say which models there are and how they are reached.
func onlyModels(config string) string {
	var kept strings.Builder
	keep := false
	for line := range strings.Lines(config) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "["); ok {
			table := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("[]. \"'", r) })
			keep = len(table) > 0 && slices.Contains([]string{"models", "model", "endpoints"}, table[0])
		}
		if keep {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// grokReach lists hosts as of November 2026: a key asks the first host; a login of grok.com asks the next and is
// renewed by the others.
func grokReach(env environ, o Options) reach {
	folder := cmp.Or(o.Home, grokFolder(env))
	return reach{state: []string{folder}, settings: []string{filepath.Join(folder, "config.toml")},
		hosts: []string{"api.x.ai", "cli-chat-proxy.grok.com", "auth.x.ai", "accounts.x.ai"}}
}

// grokFolder returns the folder with its login and configuration.
func grokFolder(env environ) string {
	if folder := env["GROK_HOME"]; folder != "" {
		return folder
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".grok")
}

// grokKeys returns the variables that the user's configuration names as holding a key.
func grokKeys(env environ) (names []string) {
	config, _ := os.ReadFile(filepath.Join(grokFolder(env), "config.toml"))
	for _, found := range envKey().FindAllSubmatch(config, -1) {
		names = append(names, string(found[1]))
	}
	return names
}

// grokSignedIn looks for the key, then for the file of a login; a key that its configuration names may be of any
// vendor.
func grokSignedIn(env environ) (SignedIn, string) {
	if env["XAI_API_KEY"] != "" {
		return Yes, "XAI_API_KEY is set"
	}
	folder := grokFolder(env)
	if file := filepath.Join(folder, "auth.json"); exists(file) {
		return Yes, "signed in through " + file
	}
	if config, _ := os.ReadFile(filepath.Join(folder, "config.toml")); strings.Contains(string(config), "api_key") ||
		strings.Contains(string(config), "env_key") {
		return Unknown, "its config.toml names a key"
	}
	return No, "not signed in: run grok login, or set XAI_API_KEY"
}
