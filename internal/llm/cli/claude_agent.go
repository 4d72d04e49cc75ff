package cli

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"runtime"

	"github.com/socrates-cli/socrates/internal/llm"
)

// lodgeClaude gives an agent that is built on claude its own state folder. Unlike claude -p, such an agent exits or
// hangs if it cannot write .claude.json, its locks and backups directly in the home. Those files name servers and
// hooks that claude starts outside the sandbox, so the person's own are copied and not written to. The login is
// linked, so that it is renewed where the person's claude finds it.
func lodgeClaude(env environ, o Options) (reach, func(*home) ([]string, error)) {
	theirs, global := cmp.Or(o.Home, claudeFolder(env)), atHome(".claude.json")
	if o.Home != "" || env["CLAUDE_CONFIG_DIR"] != "" {
		global = filepath.Join(theirs, ".claude.json")
	}
	if older := filepath.Join(theirs, ".config.json"); exists(older) {
		global = older
	}
	if is, _ := claudeSignedIn(env); is == Unknown && runtime.GOOS == "darwin" {
		return claudeReach(env, o), nil // the keychain stores a login under its folder
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

// prepareClaude gives claude itself such a folder when it works: what it wrote to the person's folder would affect it
// when they start it.
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

// claudeAccount reports whether a key of .claude.json says who is signed in. The rest are servers, projects and
// counts.
func claudeAccount(key string) bool {
	switch key {
	case "oauthAccount", "userID", "primaryApiKey", "customApiKeyResponses", "hasCompletedOnboarding":
		return true
	}
	return false
}

// claudeSettings reports whether to keep a setting: all except those that start programs.
func claudeSettings(key string) bool {
	switch key {
	case "hooks", "enabledPlugins", "extraKnownMarketplaces", "statusLine":
		return false
	}
	return true
}

// copyJSON adds a file with those members of an object in another file that keeps accepts. A missing file, or one
// that holds no object, counts as an empty object.
func (h *home) copyJSON(from, name string, keeps func(key string) bool) error {
	picked := map[string]json.RawMessage{}
	var all map[string]json.RawMessage
	readJSON(from, &all) // an unreadable file leaves it empty
	for key, value := range all {
		if keeps(key) {
			picked[key] = value
		}
	}
	return h.writeJSON(name, picked)
}
