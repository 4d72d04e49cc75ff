package adopt

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/permission"
)

// permissions are rules of four agents.
// A file that cannot be read is one piece that is left out: nobody should believe that its rules hold.
func (f *finder) permissions() {
	type lists struct{ Allow, Ask, Deny []string }
	files := map[string]func(raw string) (lists, error){
		".cursor/cli.json": func(raw string) (l lists, err error) {
			var said struct{ Permissions lists }
			err = json.Unmarshal([]byte(raw), &said)
			return lists{each(said.Permissions.Allow, ofCursor), nil, each(said.Permissions.Deny, ofCursor)}, err
		},
		".gemini/settings.json": func(raw string) (l lists, err error) {
			var said struct {
				Tools        struct{ Allowed, Exclude []string }
				AllowedTools []string
				ExcludeTools []string
			}
			err = json.Unmarshal([]byte(raw), &said)
			return lists{each(append(said.Tools.Allowed, said.AllowedTools...), ofGemini), nil,
				each(append(said.Tools.Exclude, said.ExcludeTools...), ofGemini)}, err
		},
		".codex/rules/default.rules": func(raw string) (l lists, err error) {
			said := map[string][]string{}
			for _, m := range prefixRule().FindAllStringSubmatch(raw, -1) {
				begin := strings.Join(strings.Fields(strings.NewReplacer(`"`, " ", ",", " ").Replace(m[1])), " ")
				said[m[2]] = append(said[m[2]], "Bash("+begin+":*)")
			}
			return lists{said["allow"], said["prompt"], said["forbidden"]}, nil
		},
	}
	files[".cursor/cli-config.json"] = files[".cursor/cli.json"]
	for _, from := range claudeSettings {
		files[from] = func(raw string) (lists, error) {
			var said struct{ Permissions lists }
			err := json.Unmarshal([]byte(raw), &said)
			return said.Permissions, err
		}
	}
	for _, from := range slices.Sorted(maps.Keys(files)) {
		raw, ok := f.read(from)
		if !ok {
			continue
		}
		said, err := files[from](raw)
		if err != nil {
			f.leave(Permission, path.Base(from), from, "it cannot be read: "+err.Error())
			continue
		}
		for verdict, lines := range map[string][]string{"deny": said.Deny, "ask": said.Ask, "allow": said.Allow} {
			for _, line := range lines {
				f.permission(from, verdict, line)
			}
		}
	}
}

// each is a list with every element changed.
func each(list []string, change func(string) string) (out []string) {
	for _, one := range list {
		out = append(out, change(one))
	}
	return out
}

// prefixRule is a rule of Codex for commands that begin with certain words. Only such with plain words are understood.
var prefixRule = pattern.Of(`(?m)^prefix_rule\(\s*pattern\s*=\s*\[((?:\s*"[^",\n\[\]|*?()]*"\s*,?)+)\]\s*,` +
	`\s*decision\s*=\s*"(allow|prompt|forbidden)"`)

// ofCursor is a rule of Cursor's as Claude Code writes it.
// Shell(git) is git with all that may follow; Mcp(server, tool) a tool of a server.
func ofCursor(rule string) string {
	tool, about, _ := strings.Cut(rule, "(")
	about = strings.TrimSuffix(about, ")")
	switch tool {
	case "Shell":
		if about == "" || about == "*" || about == "**" {
			return "Bash"
		}
		return "Bash(" + strings.TrimSuffix(strings.TrimSuffix(about, "*"), ":") + ":*)"
	case "WebFetch":
		return "WebFetch(domain:" + about + ")"
	case "Mcp":
		server, name, _ := strings.Cut(about, ",")
		if server, name = strings.TrimSpace(server), strings.TrimSpace(name); name == "" || name == "*" || name == "**" {
			return "mcp__" + server
		}
		return "mcp__" + server + "__" + name
	}
	return rule
}

// ofGemini is a tool of Gemini CLI's, maybe with how its commands begin, as Claude Code writes it.
func ofGemini(rule string) string {
	tool, about, has := strings.Cut(rule, "(")
	name := map[string]string{"run_shell_command": "Bash", "ShellTool": "Bash", "read_file": "Read", "ReadFileTool": "Read",
		"write_file": "Write", "WriteFileTool": "Write", "replace": "Edit", "EditTool": "Edit", "web_fetch": "WebFetch"}[tool]
	switch {
	case name == "":
		return rule
	case has:
		return name + "(" + strings.TrimSuffix(about, ")") + ":*)"
	}
	return name
}

// sweeping are rules that allow all of a kind. Whoever wants that has a mode for it, which also says so on the screen.
var sweeping = []string{"allow bash *", "allow write", "allow read", "allow fetch"}

// permission enters a rule. Those of a project can only tighten: what another agent was allowed is for the person to allow. A
// person's own may allow, but for all of a kind.
// A rule that becomes several of ours is several pieces: each stands or falls by itself.
func (f *finder) permission(from, verdict, theirs string) {
	rules := rulesOf(verdict, theirs)
	if len(rules) == 0 {
		f.leave(Permission, verdict+" "+theirs, from, "no equivalent rule here")
	}
	for _, rule := range rules {
		switch {
		case verdict == "allow" && f.own == nil:
			f.leave(Permission, rule, from, "a project cannot allow anything: add it to permission.rules of your own settings")
			continue
		case slices.Contains(sweeping, rule):
			f.leave(Permission, rule, from, "it allows everything of its kind: choose a mode instead, such as --mode yolo")
			continue
		}
		p := Piece{Kind: Permission, Name: rule, From: from, To: ".socrates/config.yaml", Text: "- " + rule + "\n",
			Widens: verdict == "allow", merge: intoYAML(rule, "permission", "rules")}
		f.mine(&p)
		f.add(p)
	}
}

// rulesOf is one of their rules in our words, none of which means less; none: we cannot say it.
// Every rule that is returned was parsed by the package that will read it.
func rulesOf(verdict, theirs string) (rules []string) {
	tool, about, has := strings.Cut(strings.TrimSpace(theirs), "(")
	if about = strings.TrimSpace(about); has && !strings.HasSuffix(about, ")") || strings.ContainsAny(theirs, "\n\r") {
		return nil
	}
	about = strings.TrimSpace(strings.TrimSuffix(about, ")"))
	switch ours := map[string]string{"Bash": "bash", "Read": "read", "Edit": "write", "Write": "write", "WebFetch": "fetch"}[tool]; {
	case strings.HasPrefix(tool, "mcp__"):
		rules = []string{tool}
		if server := strings.TrimPrefix(tool, "mcp__"); !strings.Contains(server, "__") { // all of a server's tools
			rules = append(rules, tool+"__*")
		}
	case ours == "bash":
		rules = commandRule(about)
	case ours == "fetch":
		if host, isHost := strings.CutPrefix(about, "domain:"); about == "" || isHost {
			rules = []string{"fetch " + host}
		}
	case ours != "":
		for _, glob := range globsOf(about) {
			rules = append(rules, ours+" "+glob)
		}
	}
	for i, rule := range rules {
		rules[i] = strings.TrimSpace(verdict + " " + rule)
		if _, err := permission.ParseRule(rules[i]); err != nil {
			return nil
		}
	}
	return rules
}

// commandRule is a rule about commands that begin as theirs does; all commands, if theirs says no more.
// A star in the middle of theirs has no like here: none.
func commandRule(about string) []string {
	begin := strings.TrimSuffix(strings.TrimSuffix(about, ":*"), " *")
	switch bare := strings.TrimSuffix(begin, "*"); {
	case bare == "":
		return []string{"bash *"}
	case strings.Contains(bare, "*"):
		return nil
	case bare != begin:
		return []string{"bash " + begin} // "rm*" means rm with its arguments here, too
	}
	return []string{"bash " + begin + " *"}
}

// globsOf are globs for a path as .gitignore has it: a bare name is meant at any depth, and a folder with all that is below it.
func globsOf(about string) []string {
	below, here := strings.CutPrefix(about, "./")
	glob, folder := strings.CutSuffix(below, "/")
	switch parts := strings.Split(glob, "/"); {
	case glob == "" || glob == "." || glob == "**":
		return []string{""} // everything
	case strings.HasPrefix(glob, "~") || strings.HasPrefix(glob, "!") || slices.ContainsFunc(parts, func(part string) bool {
		return part == "" || part == "." || part == ".."
	}):
		return nil
	case len(parts) == 1 && !here:
		glob = "**/" + glob
	}
	switch {
	case strings.HasSuffix(glob, "/**"):
		return []string{glob}
	case folder:
		return []string{glob + "/**"}
	}
	return []string{glob, glob + "/**"}
}
