package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// gemini is Google's program, over ACP. Each process runs in a home of its own, to which the user's login is linked:
// its state could lock out a second one, and the user's settings could start servers, hooks and extensions. The
// project is not trusted, so its settings are not read; such a session is not in plan mode, but it has no tool that
// writes.
var gemini = Program{
	Name: "gemini", Lineage: "google",
	launch: launchGemini, prepare: prepareGemini, signedIn: geminiSignedIn, reach: geminiReach, asks: true,
	sees: func(Options, environ) func(string) bool {
		seen := []string{"GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_*", "CLOUDSDK_*"}
		return func(name string) bool { return matches(name, seen) }
	},
	notices: geminiRetry,
	speak:   speakACP("gemini", acpManner{retried: geminiRetry}),
}

// geminiRetry matches the line about a failed attempt in its log, which we direct to stderr; its setting for the
// number of attempts is not always obeyed.
var geminiRetry = pattern.Of(`\bAttempt (?P<attempt>\d+) failed(?: with status (?P<status>\d+))?(?P<why>.*)`)

// geminiReads are the tools of a seat; the program gets no others.
var geminiReads = []string{"read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"}

// geminiWorks are the additional tools of a program that works. As of 0.61.0 it runs whatever tools.core names
// without asking, unless tools.confirmationRequired names it, too.
var geminiWorks = []string{"write_file", "replace", "run_shell_command"}

// launchGemini starts it without extensions and servers.
func launchGemini(o Options, _ llm.Request) (args, env []string) {
	args = []string{"--acp", "-e", "none", "--allowed-mcp-server-names", "none"}
	if o.Model != "" {
		args = append(args, "-m", o.Model)
	}
	env = []string{"GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_NO_RELAUNCH=true"}
	if runtime.GOOS != "windows" { // stderr itself is held back until the program ends
		env = append(env, "GEMINI_DEBUG_LOG_FILE=/dev/stderr")
	}
	return args, env
}

// geminiSettings is what we read of the user's own settings: how they sign in, and the model they chose.
type geminiSettings struct {
	SelectedAuthType string // where older versions stored it
	Security         struct{ Auth struct{ SelectedType string } }
	Model            struct{ Name string }
}

// prepareGemini makes the home and the settings in it.
func prepareGemini(h *home, o Options, req llm.Request) ([]string, error) {
	theirs := geminiFolder(o.Home)
	for _, name := range []string{"oauth_creds.json", "google_accounts.json", "installation_id", "gemini-credentials.json", ".env"} {
		h.link(theirs, ".gemini", name)
	}
	is := geminiOwn(theirs)
	tools := geminiReads
	switch {
	case req.Leave != nil:
		tools = slices.Concat(geminiReads, geminiWorks)
	case req.Dir == "":
		tools = []string{"none"}
	}
	settings := object{
		"tools": object{"core": tools, "confirmationRequired": geminiWorks, "discoveryCommand": "", "callCommand": "",
			"shell": object{"enableInteractiveShell": false}}, // a cell has no terminals
		"mcp":          object{"allowed": []string{"none"}},
		"hooksConfig":  object{"enabled": false},
		"skills":       object{"enabled": false},
		"privacy":      object{"usageStatisticsEnabled": false},
		"telemetry":    object{"enabled": false},
		"general":      object{"enableAutoUpdate": false, "maxAttempts": tries, "checkpointing": object{"enabled": false}},
		"experimental": object{"enableAgents": false, "autoMemory": false},
	}
	security := object{"folderTrust": object{"enabled": true}}
	settings["security"] = security
	if login := is.login(environment().with(o.Env), theirs); login != "" {
		security["auth"] = object{"selectedType": login}
	}
	if is.Model.Name != "" && o.Model == "" {
		settings["model"] = object{"name": is.Model.Name}
	}
	return []string{"GEMINI_CLI_HOME=" + h.dir}, h.writeJSON(filepath.Join(".gemini", "settings.json"), settings)
}

// geminiReach lists hosts as of November 2026: a key asks the first host, a Google login the next three, a cloud
// project those of google.
func geminiReach(env environ, o Options) reach {
	r := reach{settings: []string{filepath.Join(geminiFolder(o.Home), ".env")},
		hosts: []string{"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com", "www.googleapis.com"}}
	r.google(env)
	return r
}

// login returns the way to sign in; over ACP the program does not detect it from variables.
func (is geminiSettings) login(env environ, folder string) string {
	switch {
	case is.Security.Auth.SelectedType != "":
		return is.Security.Auth.SelectedType
	case is.SelectedAuthType != "":
		return is.SelectedAuthType
	case env["GOOGLE_GENAI_USE_GCA"] == "true":
		return "oauth-personal"
	case env["GOOGLE_GENAI_USE_VERTEXAI"] == "true":
		return "vertex-ai"
	case env["GEMINI_API_KEY"] != "":
		return "gemini-api-key"
	case exists(filepath.Join(folder, "oauth_creds.json")):
		return "oauth-personal"
	}
	return ""
}

// geminiFolder returns the folder with the login, below home unless that is empty.
func geminiFolder(home string) string {
	if home == "" {
		home = environment()["GEMINI_CLI_HOME"]
	}
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	return filepath.Join(home, ".gemini")
}

// geminiOwn reads the person's own settings in folder.
func geminiOwn(folder string) (is geminiSettings) {
	raw, _ := os.ReadFile(filepath.Join(folder, "settings.json"))
	json.Unmarshal(raw, &is) // settings that are missing, or contain comments, tell nothing
	return is
}

// geminiSignedIn looks at variables and the file of a Google login. Other ways that settings name use a keychain or a
// cloud's tool.
func geminiSignedIn(env environ) (SignedIn, string) {
	for _, name := range []string{"GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"} {
		if env[name] != "" {
			return Yes, name + " is set"
		}
	}
	folder := geminiFolder("")
	if file := filepath.Join(folder, "oauth_creds.json"); exists(file) {
		return Yes, "signed in through " + file
	}
	if login := geminiOwn(folder).login(env, folder); login != "" || exists(filepath.Join(folder, ".env")) {
		return Unknown, "its login may be stored elsewhere, as its settings say"
	}
	return No, "not signed in: start gemini once and sign in, or set GEMINI_API_KEY"
}
