package cli

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"runtime"

	"github.com/socrates-cli/socrates/internal/llm"
)

// lodgeClaude gives an agent that is built on claude a state folder of its own. Unlike claude -p, such an agent ends or
// waits for good if it cannot write .claude.json, locks and backups of it, which it does right in the home. What is
// written there names servers and hooks that claude starts outside the sandbox, so the person's own are copied and not
// written to. The login is linked: it is renewed where the person's claude finds it.
func lodgeClaude(env environ, o Options) (reach, func(*home) ([]string, error)) {
	theirs, global := cmp.Or(o.Home, claudeFolder(env)), atHome(".claude.json")
	if o.Home != "" || env["CLAUDE_CONFIG_DIR"] != "" {
		global = filepath.Join(theirs, ".claude.json")
	}
	if older := filepath.Join(theirs, ".config.json"); exists(older) {
		global = older
	}
	if is, _ := claudeSignedIn(env); is == Unknown && runtime.GOOS == "darwin" {
		return claudeReach(env, o), nil // the keychain knows a login by the folder it was made for
	}
	o.Home = theirs
	r := claudeReach(env, o)
	r.state = nil
	return r, func(h *home) ([]string, error) {
		const folder = ".claude"
		h.link(theirs, folder, ".credentials.json")
		if err := h.copyJSON(global, filepath.Join(folder, ".claude.json"), claudeAccount); err != nil {
			return nil, err
		}
		if err := h.copyJSON(filepath.Join(theirs, "settings.json"), filepath.Join(folder, "settings.json"), claudeSettings); err != nil {
			return nil, err
		}
		return []string{"CLAUDE_CONFIG_DIR=" + filepath.Join(h.dir, folder)}, nil
	}
}

// prepareClaude gives claude itself such a folder where it works: what it could put into the person's would steer it when they start it.
func prepareClaude(h *home, o Options, req llm.Request) ([]string, error) {
	if req.Leave == nil {
		return nil, nil
	}
	_, prepare := lodgeClaude(environment().with(o.Env), o)
	if prepare == nil {
		return nil, nil
	}
	return prepare(h)
}

// claudeAccount is what of .claude.json says who is signed in. The rest are servers, projects and counts.
func claudeAccount(key string) bool {
	switch key {
	case "oauthAccount", "userID", "primaryApiKey", "customApiKeyResponses", "hasCompletedOnboarding":
		return true
	}
	return false
}

// claudeSettings is all of the settings but what starts programs of its own.
func claudeSettings(key string) bool {
	switch key {
	case "hooks", "enabledPlugins", "extraKnownMarketplaces", "statusLine":
		return false
	}
	return true
}

// copyJSON adds a file that holds those members of an object in another file that keeps picks. A file that does not
// exist, or holds something else, counts as an empty object.
func (h *home) copyJSON(from, name string, keeps func(key string) bool) error {
	picked := map[string]json.RawMessage{}
	var all map[string]json.RawMessage
	readJSON(from, &all) // what cannot be read leaves it empty
	for key, value := range all {
		if keeps(key) {
			picked[key] = value
		}
	}
	return h.writeJSON(name, picked)
}
