package sensitive

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// steering are the names of files and folders that agents, editors, git and shells obey, in lower case, at any depth of a project: with a
// slash, those in a folder of that name; with a star, all with that ending. Tools never write them, programs are kept from changing
// existing ones, and a new one is reported.
var steering = map[string]bool{
	// git
	".git": true, ".gitmodules": true, ".gitconfig": true,
	// every agent
	".agents": true, "agents.md": true, "agents.override.md": true, ".mcp.json": true, ".rules": true, ".socrates": true,
	// one agent each
	".claude": true, "claude.md": true, "claude.local.md": true, ".codex": true, ".gemini": true, "gemini.md": true, ".cursor": true,
	".cursorrules": true, ".cursorignore": true,
	".opencode": true, "opencode.json": true, "opencode.jsonc": true, ".qwen": true, "qwen.md": true, ".grok": true, "grok.md": true,
	".copilot": true, "copilot-instructions.md": true,
	".crush": true, "crush.md": true, ".crush.json": true, "crush.json": true, ".kimi": true, "kimi.md": true, ".pi": true,
	".goosehints": true, ".goose": true,
	".windsurf": true, ".windsurfrules": true, ".clinerules": true, ".roo": true, ".roomodes": true, ".roorules": true, ".continue": true,
	".continuerules":  true,
	".aider.conf.yml": true, ".aider.model.settings.yml": true, ".aider.model.metadata.json": true, ".agent": true, ".factory": true,
	".kilocode": true, ".kilocodemodes": true,
	".iflow": true, "iflow.md": true, ".openhands": true, ".rovodev": true, ".augment-guidelines": true, ".codebuddy": true,
	".lingma": true, ".devin": true, ".antigravity": true, ".claude-plugin": true, ".cline": true, ".jules": true, ".idx": true,
	".llxprt": true, ".firebender": true, "firebender.json": true,
	".github/instructions": true, ".github/prompts": true, ".github/agents": true, ".github/chatmodes": true, ".github/skills": true,
	".github/hooks": true,
	".kiro":         true, ".junie": true, ".augment": true, ".amazonq": true, ".trae": true, ".amp": true, "warp.md": true,
	"agent.md":  true,
	"replit.md": true, ".replit": true, ".vibe": true, "gptme.toml": true, ".tabnine": true, ".void": true,
	".pearai": true, ".qodo": true, ".zencoder": true, ".forge": true, ".plandex": true, ".serena": true, ".sourcegraph": true,
	".cody": true, ".bolt": true,
	// editors
	".vscode": true, ".idea": true, ".zed": true, ".fleet": true, ".vimrc": true, ".exrc": true, ".nvimrc": true, ".nvim.lua": true,
	".dir-locals.el": true, ".dir-locals-2.el": true,
	".helix": true, ".vim": true, ".gvimrc": true, ".ideavimrc": true, ".neoconf.json": true, ".nvim": true, ".lvimrc": true,
	".local.vimrc": true, ".lazy.lua": true, ".nfnl.fnl": true, ".theia": true, ".kateproject": true, "*.code-workspace": true,
	"*.sublime-project": true,
	// shells and what they start
	".envrc": true, ".husky": true, ".ripgreprc": true, ".mise.toml": true, "mise.toml": true, ".mise.local.toml": true,
	"mise.local.toml": true, ".mise": true, ".config/mise": true,
	".autoenv": true, ".autoenv.zsh": true, ".tmuxinator.yml": true, ".tmuxinator.yaml": true, ".hg/hgrc": true, ".lfsconfig": true,
}

// startup are files that shells, terminals, debuggers and consoles run when they start, and definitions of development containers. Some
// people keep them in a repository: they steer, but a person may allow tools to write them.
var startup = map[string]bool{
	".bashrc": true, ".bash_profile": true, ".bash_login": true, ".bash_logout": true, ".profile": true, ".zshrc": true, ".zshenv": true,
	".zprofile": true, ".zlogin": true,
	".zlogout": true, ".inputrc": true, ".tmux.conf": true, ".screenrc": true, ".curlrc": true, ".wgetrc": true, ".xinitrc": true,
	".xprofile": true, ".xsessionrc": true,
	".kshrc": true, ".cshrc": true, ".tcshrc": true, ".login": true, ".logout": true, ".bash_aliases": true, ".direnvrc": true,
	".gdbinit": true, ".lldbinit": true, ".pdbrc": true, ".pdbrc.py": true,
	".irbrc": true, ".pryrc": true, ".rprofile": true, ".psqlrc": true, ".sqliterc": true, ".ghci": true, ".renviron": true, ".rdata": true,
	".latexmkrc": true, "latexmkrc": true, ".byebugrc": true, ".gitpod.yml": true, ".ocamlinit": true, ".iex.exs": true,
	".devcontainer": true, ".devcontainer.json": true,
}

// SteeringNames are the names that steer tools, those with a slash in a folder of that name; a star stands for any name.
func SteeringNames() []string {
	return slices.Sorted(maps.Keys(steering))
}

// Steers reports whether a path names something that steers tools, or is inside it. It may use either slash. Names are
// compared without case, with accents composed, and without what some systems ignore at their end. One part of the path
// is enough: what is in .vscode steers like the folder itself.
func Steers(name string) bool { return named(name, steers) }

// SteersIn reports whether a name steers tools in a folder of a given name. It is Steers for callers that walk folders
// and have no path at hand.
func SteersIn(dir, name string) bool {
	return named(name, func(_, part string) bool { return steers(Fold(dir), part) })
}

// steers looks up one folded name, with the name of its folder. git~ is the prefix of the short names of .git on Windows.
func steers(in, part string) bool {
	return steering[part] || startup[part] || strings.HasPrefix(part, "git~") || steering["*"+path.Ext(part)] || inside[in] &&
		steering[in+"/"+part]
}

// inside are the folders in which names steer that do not elsewhere.
var inside = map[string]bool{".github": true, ".config": true, ".hg": true}

// StartsShells reports whether a path names something that shells or terminals run when they start, or the like; Steers is true for it,
// too.
func StartsShells(name string) bool {
	return named(name, func(_, part string) bool { return startup[part] })
}

// named reports whether is returns true for one of the names of a path, with its folder.
func named(name string, is func(in, part string) bool) bool {
	in := ""
	for part := range strings.FieldsFuncSeq(Fold(name), func(r rune) bool { return r == '/' || r == '\\' }) {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(part, ". ")
		if is(in, part) {
			return true
		}
		in = part
	}
	return false
}

// GitObeyed are the parts of a .git folder that make git run programs or look elsewhere: no git command may write them without a person's
// approval, whether or not they exist.
var GitObeyed = []string{
	"config", "config.worktree", "hooks", "commondir", "gitdir", "modules", "worktrees", "info/attributes", "info/exclude", "info/grafts",
	"info/sparse-checkout",
	"objects/info/alternates", "objects/info/http-alternates", "refs/replace",
}

// BareRepository reports whether the names in a folder make it a repository without a work tree: git obeys its config like that of a .git.
// Objects and refs may be in another folder, which the file commondir names.
func BareRepository(names map[string]bool) bool {
	return names["HEAD"] && (names["objects"] && names["refs"] || names["commondir"])
}

// homeSecrets are places in a home that contain logins, keys and records of what a person does, in lower case; what Secret finds anywhere
// is not repeated. The same names in a project may be ordinary files.
var homeSecrets = map[string]bool{
	".claude": true, ".claude.json": true, ".codex": true, ".gemini": true, ".qwen": true, ".grok": true, ".copilot": true, ".kimi": true,
	".pi": true, ".opencode": true,
	".config/opencode": true, ".local/share/opencode": true, ".config/crush": true, ".local/share/crush": true,
	".config/github-copilot": true, ".config/goose": true, ".cursor": true,
	".mozilla": true, ".thunderbird": true, ".config/google-chrome": true, ".config/chromium": true, ".config/bravesoftware": true,
	".config/microsoft-edge": true, ".config/vivaldi": true,
	".local/share/keyrings": true, ".local/share/kwalletd": true, ".password-store": true, ".config/keepassxc": true,
	".config/bitwarden": true, ".config/1password": true,
	".config/op": true, ".op": true, ".config/sops": true, ".config/age": true, ".config/rclone": true, ".rclone.conf": true,
	".config/gh": true, ".config/hub": true, ".config/glab-cli": true,
	".config/gcloud": true, ".config/doctl": true, ".config/hcloud": true, ".config/linode-cli": true, ".oci": true, ".config/heroku": true,
	".fly": true, ".vercel": true, ".config/netlify": true, ".railway": true, ".config/configstore": true,
	".terraform.d": true, ".terraformrc": true, ".m2/settings.xml": true, ".m2/settings-security.xml": true,
	".gradle/gradle.properties": true, ".cargo/credentials": true, ".cargo/credentials.toml": true,
	".gem/credentials": true, ".bundle/config": true, ".composer/auth.json": true, ".config/composer/auth.json": true,
	".nuget/nuget.config": true, ".config/nuget": true, ".yarnrc.yml": true, ".yarnrc": true,
	".s3cfg": true, ".boto": true, ".config/containers": true, ".subversion": true, ".hgrc": true, ".huggingface": true,
	".cache/huggingface/token": true, ".kaggle": true, ".wgetrc": true, ".curlrc": true,
	".mysql_history": true, ".psql_history": true, ".sqlite_history": true, ".python_history": true, ".node_repl_history": true,
	".rediscli_history": true, ".bash_history": true,
	".zsh_history": true, ".local/share/fish": true, ".lesshst": true, ".viminfo": true, ".local/state": true, ".dbus": true,
	".xauthority": true, ".iceauthority": true, ".config/pulse/cookie": true,
	"library/keychains": true, "library/cookies": true, "library/application support/google": true,
	"library/application support/firefox": true, "library/messages": true, "library/mail": true,
	".local/share/socrates": true, ".config/socrates": true,
}

// HomeSecret reports whether a path in a home, relative to it, contains logins, keys or records of what a person does.
// What is inside such a place counts like the place.
func HomeSecret(rel string) bool {
	rel = Fold(path.Clean(strings.ReplaceAll(rel, `\`, "/")))
	for at := rel; at != "." && at != "/"; at = path.Dir(at) {
		if homeSecrets[at] {
			return true
		}
	}
	return Secret(rel)
}

// HomeSecrets are the places that HomeSecret knows by name, relative to a home, with slashes.
func HomeSecrets() []string {
	return slices.Sorted(maps.Keys(homeSecrets))
}
