package cli

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// kimi is Moonshot's program, over ACP. It has no mode that only reads: it asks leave to write and to run commands,
// and is refused; if the user's settings make it never ask, it is not seated. Written from its documentation and
// source; no real one was available.
var kimi = Program{
	Name: "kimi", Lineage: "moonshot",
	launch: launchKimi, prepare: prepareKimi, signedIn: kimiSignedIn, reach: kimiReach,
	sees: func(Options, environ) func(string) bool {
		return func(name string) bool { return matches(name, []string{"KIMI_*", "MOONSHOT_*"}) }
	},
	speak: speakACP("kimi", acpManner{}),
}

// launchKimi restricts nothing: the program asks for its permissions.
func launchKimi(o Options, _ llm.Request) (args, env []string) {
	env = []string{"KIMI_CLI_NO_AUTO_UPDATE=1", "KIMI_DISABLE_TELEMETRY=1"}
	if o.Model != "" {
		env = append(env, "KIMI_MODEL_NAME="+o.Model)
	}
	if o.Home != "" {
		env = append(env, "KIMI_SHARE_DIR="+o.Home)
	}
	return []string{"acp"}, env
}

// kimiAsksNothing matches the settings with which the program never asks, in TOML or JSON.
var kimiAsksNothing = pattern.Of(`(?m)^\s*"?default_(yolo|afk)"?\s*[=:]\s*true`)

// prepareKimi writes nothing; it only checks the settings.
func prepareKimi(_ *home, o Options, _ llm.Request) ([]string, error) {
	folder := o.Home
	if folder == "" {
		folder = kimiFolder(environment())
	}
	for _, name := range []string{"config.toml", "config.json"} {
		file := filepath.Join(folder, name)
		if config, _ := os.ReadFile(file); kimiAsksNothing().Match(config) {
			return nil, &trouble.Error{Kind: trouble.BadRequest,
				Message: "kimi would write without asking: set default_yolo and default_afk to false in " + file}
		}
	}
	return nil, nil
}

// kimiReach lists hosts of the login and of both platforms, as of November 2026.
func kimiReach(env environ, o Options) reach {
	folder := cmp.Or(o.Home, kimiFolder(env))
	return reach{state: []string{folder}, settings: []string{filepath.Join(folder, "config.toml"), filepath.Join(folder, "config.json")},
		hosts: []string{"api.kimi.com", "auth.kimi.com", "api.moonshot.ai", "api.moonshot.cn"}}
}

// kimiFolder returns the folder with its login and configuration.
func kimiFolder(env environ) string {
	if folder := env["KIMI_SHARE_DIR"]; folder != "" {
		return folder
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".kimi")
}

// kimiSignedIn looks for the login, since over ACP it asks for one even where a key is set.
func kimiSignedIn(env environ) (SignedIn, string) {
	folder := filepath.Join(kimiFolder(env), "credentials")
	if found, _ := filepath.Glob(filepath.Join(folder, "*.json")); len(found) > 0 {
		return Yes, "signed in through " + found[0]
	}
	return No, "not signed in: run kimi login"
}
