package permission

import (
	"maps"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/shell"
)

// entering is the viewer with what a script inside a script defines: its functions, the numbers of what it starts
// ($!) and the temporary files it makes. A variable that gets any other value anywhere in it counts as neither.
func entering(v viewer, script *shell.Script) viewer {
	v.functions, v.children, v.temporary = clone(v.functions), clone(v.children), clone(v.temporary)
	others := map[string]bool{} // that get another value somewhere
	for _, c := range script.Commands {
		v.sourced = v.sourced || len(c.Argv) > 0 && (c.Argv[0] == "source" || c.Argv[0] == ".")
		if c.Function != "" {
			v.functions[c.Function] = true
		}
		for _, a := range c.Assigns {
			switch {
			case a.Value == "$!":
				v.children[a.Name] = true
			case fresh().MatchString(a.Value):
				v.temporary[a.Name] = true
			default:
				others[a.Name] = true
				others[strings.Trim(a.Value, `"'`)] = true // maybe a name for a name: declare -n
			}
		}
		if len(c.Argv) > 0 && (byName[c.Argv[0]] != nil || c.Name != "") {
			for _, word := range c.Argv[1:] { // read, printf -v and their like
				others[word] = true
			}
		}
	}
	if slices.ContainsFunc(script.Commands, func(c shell.Command) bool { return slices.Contains(c.Argv, "eval") }) {
		clear(v.temporary) // whatever it sets
		clear(v.children)
	}
	for name := range others {
		delete(v.temporary, name)
		delete(v.children, name)
	}
	return v
}

// fresh is what mktemp prints and nothing besides: no other command in the brackets, and no text behind them.
var fresh = pattern.Of("^\"?\\$\\(mktemp( [^;|&()<>$`\\n]*)?\\)\"?$")

// clone is a copy that can be added to, also of nil.
func clone(set map[string]bool) map[string]bool {
	if set == nil {
		return map[string]bool{}
	}
	return maps.Clone(set)
}

// lookingAt is the viewer of one command, in a folder where it may run.
func lookingAt(v viewer, c shell.Command, dir string) viewer {
	v.dir, v.feed, v.input, v.draft = dir, c.Feed, c.Input, c.Draft
	return v
}

// inScript judges a command of a script inside a script, in the folder of the viewer: another shell runs it, and nobody decides again
// when all of it is known.
func inScript(v viewer, c shell.Command, depth int) []risk {
	out := v.assigns(c)
	for _, r := range c.Redirects {
		for _, k := range v.redirect(r) {
			if k.kind == later && v.policy.Deep {
				k = risk{builds, "", "writes wherever the sandbox allows"}
			}
			out = append(out, k)
		}
	}
	switch {
	case c.Function != "" && (known(c.Function) || !v.policy.Confined):
		out = append(out, risk{unclear, "", "inner script defines a function"})
	case c.Function != "":
	case c.Name != "" && !namesHeld(v, c.Name):
		out = append(out, risk{unclear, "", c.Name})
	case len(c.Argv) > 0 && v.functions[c.Argv[0]]:
		return out
	case len(c.Argv) == 1 && c.Argv[0] == "exec": // it connects the script to files
	case len(c.Argv) > 0:
		does := v.argv(c.Argv, c.Piped, c.Unknown != "", "", depth+1)
		if c.Unknown != "" && temporaries(v, c.Argv) {
			return append(out, risk{builds, "", "deletes temporary files that the script itself makes"})
		}
		if !held(v, c.Argv, does) {
			if c.Unknown != "" {
				does = append(does, risk{unclear, "", "only known at run time: " + c.Unknown})
			}
			return append(out, does...)
		}
		for i, r := range does {
			if r.kind == later {
				does[i] = risk{builds, "", "works wherever the sandbox allows"}
			}
		}
		return append(out, does...)
	}
	if c.Unknown != "" && !v.policy.Deep {
		out = append(out, risk{unclear, "", "only known at run time: " + c.Unknown})
	}
	return out
}

// namesHeld says whether why a name cannot be known is something that the sandbox holds.
func namesHeld(v viewer, why string) bool {
	if sets, ok := strings.CutSuffix(why, " sets the variable it reads"); ok {
		name, _, _ := strings.Cut(strings.TrimPrefix(sets, "${"), "=")
		return v.policy.Deep && assignment(strings.TrimSuffix(name, ":")).kind == safe
	}
	if strings.HasSuffix(why, " evaluates the text of a variable") { // ${x@P} runs what is in it, the others quote and change letters
		return v.policy.Deep && !strings.Contains(why, "@P}")
	}
	return v.policy.Deep && (strings.HasSuffix(why, " looks a name up in a variable") || strings.HasSuffix(why, " may end the script"))
}

// held says whether what a command does is held by the sandbox whatever its words turn out to be: it may read what the sandbox
// shows, and write the project, as a test may. What deletes, and what starts other programs, is not among it.
func held(v viewer, argv []string, does []risk) bool {
	if !v.policy.Deep || slices.Contains([]string{"rm", "rmdir", "git", "find", "mv"}, argv[0]) || wrappers[argv[0]] != nil {
		return false
	}
	return !slices.ContainsFunc(does, func(r risk) bool {
		known := r.kind == safe || r.kind == builds || r.kind == reads || r.kind == writes
		return !known && !(r.kind == later && strings.HasPrefix(r.why, "folder of"))
	})
}

// temporaries says whether a command deletes nothing but temporary files that the script itself makes.
func temporaries(v viewer, argv []string) bool {
	if !v.policy.Confined || argv[0] != "rm" {
		return false
	}
	named := false
	for _, a := range argv[1:] {
		if strings.HasPrefix(a, "-") {
			continue
		}
		if named = true; !v.temporary[strings.Trim(a, `"${}`)] {
			return false
		}
	}
	return named
}
