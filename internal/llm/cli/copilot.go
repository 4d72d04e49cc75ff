package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// copilot is GitHub's program, over ACP, because its own JSON stream needs a process for each turn. It serves models
// of several vendors. It runs in a home of its own, to which the user's login is linked, since their settings could
// start servers and hooks.
var copilot = Program{
	Name:   "copilot",
	asks:   true,
	launch: launchCopilot, prepare: prepareCopilot, signedIn: copilotSignedIn, chosen: copilotChosen,
	reach: copilotReach, lodge: lodgeCopilot,
	sees: func(Options, environ) func(string) bool {
		return func(name string) bool {
			return matches(name, []string{"COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"}) && name != "COPILOT_ALLOW_ALL"
		}
	},
	speak: speakACP("copilot", acpManner{free: true, aside: copilotAside, sums: true, tells: true}),
}

// launchCopilot names even a model that is the person's own choice, since the program's home is ours and lacks their
// settings.
func launchCopilot(o Options, req llm.Request) (args, env []string) {
	args = []string{"--acp", "--no-auto-update", "--disable-builtin-mcps", "--disable-client-telemetry", "--no-custom-instructions",
		"--no-remote", "--no-remote-export", "--no-experimental", "--log-level", "none"}
	switch {
	case req.Leave != nil:
		args = append(args, "--available-tools=view,grep,glob,create,edit,apply_patch,bash")
	case req.Dir == "":
		args = append(args, "--available-tools=none")
	default:
		args = append(args, "--available-tools=view,grep,glob")
	}
	if o.Model == "" {
		o.Model = copilotSettings(environment(), o.Home)
	}
	if o.Model != "" {
		args = append(args, "--model", o.Model)
	}
	if req.Effort != "" {
		args = append(args, "--reasoning-effort", req.Effort)
	}
	return args, []string{"COPILOT_AUTO_UPDATE=false", "USE_TGREP=false"}
}

// prepareCopilot links the login, which the program stores in its configuration or in the keychain.
func prepareCopilot(h *home, o Options, _ llm.Request) ([]string, error) {
	h.link(copilotFolder(environment(), o.Home), "", "config.json")
	vars := []string{"COPILOT_HOME=" + h.dir}
	if o.Hold != nil { // it unpacks itself into the folder that the person's own would start from
		vars = append(vars, "COPILOT_PKG_CACHE_HOME="+heldCache("copilot"))
	}
	return vars, nil
}

// lodgeCopilot makes an agent unpack itself where nobody else starts it.
func lodgeCopilot(env environ, o Options) (reach, func(*home) ([]string, error)) {
	r := copilotReach(env, o)
	r.state = append(r.state, copilotFolder(env, o.Home))
	return r, func(*home) ([]string, error) { return []string{"COPILOT_PKG_CACHE_HOME=" + heldCache("copilot")}, nil }
}

// copilotReach lists hosts as of GitHub's allowlist reference, November 2026, without telemetry.
func copilotReach(env environ, _ Options) reach {
	own := []string{heldCache("copilot")}
	r := reach{state: own, caches: own,
		hosts: []string{"api.github.com", "github.com", "*.githubcopilot.com", "copilot-proxy.githubusercontent.com"}}
	if host := env["GH_HOST"]; host != "" {
		r.hosts = append(r.hosts, host, "*."+host)
	}
	return r
}

// copilotFolder returns the folder with its login and settings: folder unless that is empty.
func copilotFolder(env environ, folder string) string {
	if folder == "" {
		folder = env["COPILOT_HOME"]
	}
	if folder == "" {
		home, _ := os.UserHomeDir()
		folder = filepath.Join(home, ".copilot")
	}
	return folder
}

// copilotChosen prefers the variable to the settings.
func copilotChosen(env environ) string {
	if model := env["COPILOT_MODEL"]; model != "" {
		return model
	}
	return copilotSettings(env, "")
}

// copilotSettings returns the model that the user's settings in folder name.
func copilotSettings(env environ, folder string) string {
	var is struct{ Model string }
	readJSON(filepath.Join(copilotFolder(env, folder), "settings.json"), &is)
	return is.Model
}

// copilotSignedIn cannot tell a configuration with a login from one without: the login may be in the keychain.
func copilotSignedIn(env environ) (SignedIn, string) {
	for _, name := range []string{"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"} {
		if env[name] != "" {
			return Yes, name + " is set"
		}
	}
	if file := filepath.Join(copilotFolder(env, ""), "config.json"); exists(file) {
		return Unknown, "the login may be in the keychain or in " + file
	}
	return No, "not signed in: run copilot login, or set COPILOT_GITHUB_TOKEN"
}

// copilotAside recognizes what the program itself says in place of the model. It reports errors only in this way.
func copilotAside(text string) (acpAside, bool) {
	word, why, _ := strings.Cut(text, ": ")
	switch {
	case text == "Info: Operation cancelled by user": // something was denied, and the turn ends with that
		return acpAside{error: &trouble.Error{Kind: trouble.Refused,
			Message: "it asked for something a seat may not use"}, certain: true}, true
	case word == "Error" && strings.HasPrefix(why, "No response was returned"):
		return acpAside{error: &trouble.Error{Kind: trouble.Empty, Message: oneLine(why)}, certain: true}, true
	case word == "Error" && why != "":
		return acpAside{error: classify(statusIn(why), why, trouble.BadRequest)}, true
	case word == "Info" && strings.HasSuffix(strings.ToLower(why), "retrying..."):
		return acpAside{retry: why}, true
	}
	return acpAside{}, word == "Info" && strings.HasPrefix(why, "Disabled tools")
}
