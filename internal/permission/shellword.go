package permission

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// shellScript judges a shell that runs a script: one of the project, or one from a here-document. ok is false for any other.
func shellScript(v analyzer, c command) (out []risk, ok bool) {
	name := c.argv[0]
	if !interpreters[name].script || !v.policy.Confined {
		return nil, false
	}
	for i, a := range c.args() {
		switch {
		case a == "-s" || a == "-" || a == "--":
		case strings.HasPrefix(a, "-") && strings.Trim(a[1:], "eluxn") == "":
		case strings.HasPrefix(a, "-"):
			return nil, false
		case c.unknownArg:
			return nil, false
		default:
			return projectFile(v, command{argv: c.argv}, program{rest: c.args()[i+1:]}, a), true
		}
	}
	text := v.draft // like a script of the project, it is not fully known
	if v.input != nil {
		text = *v.input
	}
	if text == "" || v.input == nil && !v.policy.Deep || !interpreters[name].shell {
		return nil, false
	}
	if name == "bash" {
		return v.innerScript(text, c.depth+1), true
	}
	return innerScriptAny(v, text, c.depth+1), true
}

// sourceFile judges a file that this shell runs: one of the project is its own code, which the sandbox restricts like any other.
func sourceFile(v analyzer, c command) []risk {
	if len(c.argv) < 2 || c.unknownArg || !v.policy.Confined {
		return v.builtin(c)
	}
	path, ok := v.path(c.argv[1])
	if where, _ := v.policy.region(path, false); !ok || where != inside && where != temporary {
		return v.builtin(c)
	}
	return append(runsProject(v, c, c.argv[0]+" "+c.argv[1]), v.touch(reads, c.argv[1]))
}

// trap judges what runs at the end, or at a signal: as a script inside the script, in an unknown folder, since the
// script may be anywhere by then.
func trap(v analyzer, c command) []risk {
	args := c.args()
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	switch {
	case len(args) == 0 || len(args) == 1 && strings.HasPrefix(args[0], "-") ||
		len(args) > 1 && (args[0] == "-" || args[0] == "" || args[0] == "-p" || args[0] == "-l"):
		return []risk{{kind: safe, why: "sets no trap"}}
	case len(args) < 2 || !v.policy.Confined:
		return v.builtin(c)
	}
	text := args[0]
	if c.unknownArg {
		var ok bool
		if text, ok = knownText(v, text); !ok {
			return v.builtin(c)
		}
	}
	inner := v
	inner.dir = "" // the script may be anywhere by then
	return append([]risk{{kind: safe, why: "sets a trap"}}, inner.innerScript(text, c.depth+1)...)
}

// knownText is the text of a word in double quotes whose only variables are those for what the script itself created or started.
func knownText(v analyzer, word string) (text string, ok bool) {
	text, ok = strings.CutPrefix(word, `"`)
	text, end := strings.CutSuffix(text, `"`)
	if !ok || !end || strings.ContainsAny(text, "\"\\`(") {
		return "", false
	}
	for _, m := range variable().FindAllStringSubmatch(text, -1) {
		if !v.temporary[m[1]] && !v.children[m[1]] {
			return "", false
		}
	}
	return text, true
}

var variable = pattern.Of(`\$\{?([A-Za-z_0-9!$]*)`)

// eval judges its words as a script.
func eval(v analyzer, c command) []risk {
	if c.unknownArg || len(c.argv) < 2 || !v.policy.Confined {
		return v.builtin(c)
	}
	return v.innerScript(strings.Join(c.args(), " "), c.depth+1)
}

// signalWords are arguments of kill that name a signal, the script itself, or what it started last.
var signalWords = wordSet("-0 -TERM -INT -KILL -HUP -QUIT -USR1 -USR2 -STOP -CONT -9 -15 -2 -s -n TERM INT KILL HUP QUIT USR1 " +
	"USR2 STOP CONT -- $! $$ \"$!\" \"$$\"")

// kill ends what the script itself started, if its arguments say so; the sandbox keeps it from other processes.
func kill(v analyzer, c command) []risk {
	whole := []risk{{loses, "", irreversible["kill"]}}
	if len(c.argv) < 2 || !v.policy.Confined {
		return whole
	}
	if c.argv[1] == "-l" || c.argv[1] == "-L" {
		return []risk{{kind: safe, why: "lists signals"}}
	}
	for _, a := range c.args() {
		own := signalWords()[strings.Replace(a, "SIG", "", 1)] || strings.HasPrefix(a, "%") || strings.HasPrefix(a, "$(jobs -p")
		named := strings.HasPrefix(strings.Trim(a, `"{}`), "$") && v.children[strings.Trim(a, `"${}`)]
		if !own && !named {
			return whole
		}
	}
	return []risk{{kind: safe, why: "signals programs that the script itself started"}}
}
