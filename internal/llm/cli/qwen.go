package cli

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/llm"
)

// qwen is Alibaba's program, over ACP. Its login is in settings, variables and files that it renews, so it runs in
// the user's own home, under settings of ours that override all others.
var qwen = Program{
	Name: "qwen", Lineage: "alibaba",
	launch: launchQwen, prepare: prepareQwen, signedIn: qwenSignedIn, reach: qwenReach,
	sees: func(Options, environ) func(string) bool {
		seen := []string{"QWEN_HOME", "OPENAI_*", "DASHSCOPE_*", "BAILIAN_*"}
		return func(name string) bool { return matches(name, seen) }
	},
	speak: speakACP("qwen", acpManner{failed: prefixed("[API Error:")}),
}

// qwenNot are tools it has besides those it is limited to.
var qwenNot = []string{"agent", "task", "task_stop", "send_message", "skill", "tool_search", "ask_user_question", "exit_plan_mode",
	"cron_create", "cron_list", "cron_delete", "save_memory", "web_fetch", "monitor"}

// qwenReads are the tools of a seat.
var qwenReads = []string{"read_file", "read_many_files", "list_directory", "glob", "grep_search"}

// launchQwen starts it in plan mode, without extensions and servers.
func launchQwen(o Options, _ llm.Request) (args, env []string) {
	args = []string{"--acp", "--approval-mode", "plan", "-e", "none", "--allowed-mcp-server-names", "none"}
	if o.Model != "" {
		args = append(args, "-m", o.Model)
	}
	env = []string{"QWEN_TELEMETRY_ENABLED=false", "QWEN_CODE_NO_RELAUNCH=true", "QWEN_DISABLE_AUTO_TITLE=1", "QWEN_DEBUG_LOG_FILE=0"}
	if o.Home != "" {
		env = append(env, "QWEN_HOME="+o.Home)
	}
	return args, env
}

// prepareQwen writes the settings that override all others, as an administrator's would.
func prepareQwen(h *home, _ Options, req llm.Request) ([]string, error) {
	tools := qwenReads
	if req.Dir == "" {
		tools = []string{"none"}
	}
	return []string{"QWEN_CODE_SYSTEM_SETTINGS_PATH=" + filepath.Join(h.dir, "settings.json")}, h.writeJSON("settings.json", object{
		"tools":           object{"core": tools, "exclude": qwenNot, "discoveryCommand": "", "callCommand": ""},
		"mcp":             object{"allowed": []string{"none"}},
		"disableAllHooks": true,
		"privacy":         object{"usageStatisticsEnabled": false},
		"telemetry":       object{"enabled": false},
		"general": object{"enableAutoUpdate": false, "disableAutoUpdate": true, "chatRecording": false,
			"checkpointing": object{"enabled": false}},
		"memory": object{"enableManagedAutoMemory": false, "enableManagedAutoDream": false},
		"model":  object{"generationConfig": object{"maxRetries": tries - 1}},
	})
}

// qwenReach lists the hosts of Model Studio, of its coding plan and of a Qwen login, as of November 2026.
func qwenReach(env environ, o Options) reach {
	folder := cmp.Or(o.Home, qwenFolder(env))
	return reach{state: []string{folder}, settings: []string{filepath.Join(folder, "settings.json"), filepath.Join(folder, ".env")},
		hosts: []string{"dashscope.aliyuncs.com", "*.dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com",
			"portal.qwen.ai", "chat.qwen.ai", "api.openai.com"}}
}

// qwenFolder returns the folder with its login and settings.
func qwenFolder(env environ) string {
	if folder := env["QWEN_HOME"]; folder != "" {
		return folder
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".qwen")
}

// qwenSignedIn looks for a key or the file of a login; settings and a .env may name others.
func qwenSignedIn(env environ) (SignedIn, string) {
	for _, name := range []string{"OPENAI_API_KEY", "DASHSCOPE_API_KEY", "BAILIAN_CODING_PLAN_API_KEY"} {
		if env[name] != "" {
			return Yes, name + " is set"
		}
	}
	folder := qwenFolder(env)
	if file := filepath.Join(folder, "oauth_creds.json"); exists(file) {
		return Yes, "signed in through " + file
	}
	var is struct {
		Security struct {
			Auth struct{ SelectedType, APIKey string }
		}
		Env map[string]string
	}
	raw, _ := os.ReadFile(filepath.Join(folder, "settings.json"))
	json.Unmarshal(raw, &is) // settings that are missing, or contain comments, tell nothing
	if is.Security.Auth.SelectedType != "" || exists(filepath.Join(folder, ".env")) {
		return Unknown, "its settings or .env may contain a login"
	}
	return No, "not signed in: start qwen once and sign in, or set OPENAI_API_KEY"
}
