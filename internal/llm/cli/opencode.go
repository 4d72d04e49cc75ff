package cli

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/sandbox"
)

// opencode serves models of many vendors, over ACP. Its plan mode lets commands write, so it runs as an agent of ours
// that may only read.
var opencode = Program{
	Name: "opencode",
	asks: true, prepare: prepareOpencode,
	launch: launchOpencode, signedIn: opencodeSignedIn, chosen: opencodeChosen, reach: opencodeReach,
	sees: func(Options, environ) func(string) bool {
		return func(name string) bool { return matches(name, []string{"OPENCODE_*"}) || matches(name, vendorKeys) }
	},
	notices: opencodeRetry,
	speak:   speakACP("opencode", acpManner{retried: opencodeRetry}),
}

// opencodeRetry matches the line about a failed attempt in its log, which we direct to stderr.
var opencodeRetry = pattern.Of(`message="stream error".* small=false .*error\.error=(?P<why>.*)`)

// launchOpencode passes all settings in one variable, which overrides files. Agents called read-only and work are
// offered as modes, which is how ACP selects one for a session.
func launchOpencode(o Options, req llm.Request) (args, env []string) {
	may := object{"*": "deny"}
	if req.Dir != "" {
		may = object{"*": "deny", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow", "external_directory": "deny"}
	}
	if req.Leave != nil {
		may = object{"*": "ask", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow", "external_directory": "deny",
			"webfetch": "deny", "websearch": "deny", "codesearch": "deny", "task": "deny"}
	}
	config := object{}
	json.Unmarshal([]byte(environment()["OPENCODE_CONFIG_CONTENT"]), &config) // the user's settings there stay, below ours
	ours := object{
		"autoupdate": false, "share": "disabled", "snapshot": false, "permission": may,
		"agent": object{
			"read-only": object{"mode": "primary", "description": "Answers and reads, and writes nothing", "permission": may},
			"work":      object{"mode": "primary", "description": "Works, and asks", "permission": may},
			"title":     object{"disable": true}, // a model call that nobody asked for
		},
	}
	maps.Copy(config, ours)
	if o.Model != "" {
		config["model"] = o.Model
	}
	text, _ := json.Marshal(config) // the values came from JSON or are plain
	env = []string{"OPENCODE_CONFIG_CONTENT=" + string(text), "OPENCODE_DISABLE_AUTOUPDATE=true",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=true", "OPENCODE_DISABLE_SHARE=true", "OPENCODE_PURE=true", "OPENCODE_DISABLE_TERMINAL_TITLE=true",
		"OPENCODE_DB=:memory:"} // leaves no transcript
	if o.Home != "" {
		for _, kind := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
			env = append(env, "XDG_"+kind+"_HOME="+o.Home)
		}
	}
	return []string{"acp", "--print-logs", "--log-level", "ERROR"}, env
}

// prepareOpencode gives a program that works folders of its own, with the person's login and configuration: it runs
// what is in its folders, and writes to all of them.
func prepareOpencode(h *home, o Options, req llm.Request) ([]string, error) {
	if req.Leave == nil {
		return nil, nil
	}
	env := environment().with(o.Env)
	theirs := func(variable, usual string) string {
		return filepath.Join(cmp.Or(o.Home, env[variable], atHome(usual)), "opencode")
	}
	h.link(theirs("XDG_DATA_HOME", ".local/share"), filepath.Join("data", "opencode"), "auth.json")
	h.copy(theirs("XDG_CONFIG_HOME", ".config"), filepath.Join("config", "opencode"), "opencode.jsonc", "opencode.json",
		"config.json", "AGENTS.md")
	var vars []string
	for name, folder := range map[string]string{"CONFIG": "config", "DATA": "data", "STATE": "state", "CACHE": "cache"} {
		h.files = append(h.files, sandbox.File{Name: folder, Dir: true})
		vars = append(vars, "XDG_"+name+"_HOME="+filepath.Join(h.dir, folder))
	}
	return vars, nil
}

// opencodeReach lists the vendors' hosts, those of its own service, and that of a list of models.
func opencodeReach(env environ, o Options) reach {
	r := reach{hosts: append([]string{"opencode.ai", "*.opencode.ai", "models.dev"}, vendorHosts...)}
	if r.state = env.folders("opencode"); o.Home != "" {
		r.state = []string{o.Home}
	}
	for _, folder := range r.state {
		for _, name := range []string{"opencode.jsonc", "opencode.json", "config.json", "opencode/opencode.json"} {
			r.settings = append(r.settings, filepath.Join(folder, name))
		}
	}
	if file := env["OPENCODE_CONFIG"]; file != "" {
		r.settings = append(r.settings, file)
	}
	return r
}

// opencodeChosen reads the model from its configuration; one with comments tells nothing.
func opencodeChosen(env environ) string {
	files := []string{env["OPENCODE_CONFIG"]}
	folder := env["XDG_CONFIG_HOME"]
	if folder == "" {
		home, _ := os.UserHomeDir()
		folder = filepath.Join(home, ".config")
	}
	for _, name := range []string{"opencode.jsonc", "opencode.json", "config.json"} {
		files = append(files, filepath.Join(folder, "opencode", name))
	}
	var is struct{ Model string }
	json.Unmarshal([]byte(env["OPENCODE_CONFIG_CONTENT"]), &is)
	for _, file := range files {
		if is.Model == "" {
			readJSON(file, &is)
		}
	}
	return is.Model
}

// opencodeSignedIn never says no: its configuration may hold a login in many ways.
func opencodeSignedIn(env environ) (SignedIn, string) {
	data := env["XDG_DATA_HOME"]
	home, _ := os.UserHomeDir()
	if data == "" {
		data = filepath.Join(home, ".local", "share")
	}
	if file := filepath.Join(data, "opencode", "auth.json"); exists(file) {
		return Yes, "signed in through " + file
	}
	for _, name := range vendorKeys {
		if env[name] != "" {
			return Yes, name + " is set"
		}
	}
	return Unknown, "no login found; it may have one in its configuration"
}
