package permission

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/shell"
)

// innerScript judges a script inside a script.
func (v analyzer) innerScript(text string, depth int) []risk {
	return v.innerScriptAs(text, false, depth)
}

// innerScriptAny judges a script as bash and as sh would parse it: it is not known which shell sh is.
func innerScriptAny(v analyzer, text string, depth int) []risk {
	return append(v.innerScript(text, depth), v.innerScriptAs(text, true, depth)...)
}

// innerScriptAs judges a script that another shell runs. Nothing is decided while it runs, so everything that stays open until then counts
// as not understood.
func (v analyzer) innerScriptAs(text string, posix bool, depth int) (out []risk) {
	if depth > deepest {
		return []risk{{unclear, "", "nested too deeply to analyse"}}
	}
	script, err := shell.Parse(text, shell.Context{Dir: v.dir, POSIX: posix})
	if err != nil {
		return []risk{{unclear, "", "inner script: " + err.Error()}}
	}
	if script.Computes && !v.policy.Confined { // the shell that runs it evaluates the texts it computes with
		out = append(out, risk{unclear, "", "inner script evaluates values that may contain commands"})
	}
	defer func() {
		for i, r := range out {
			if r.kind == later { // nothing is decided while another shell runs
				out[i].kind = unclear
			}
		}
	}()
	in := withDefinitions(v, script)
	dirs := possibleDirs(script.Commands)
	for i, c := range script.Commands {
		out = append(out, judgeInner(forCommand(in, c, c.Dir), c, depth)...)
		if len(dirs[i]) > mostDirs {
			return append(out, risk{unclear, "", "working folder of the inner script is unknown"})
		}
		for _, dir := range dirs[i] {
			for _, r := range judgeInner(forCommand(in, c, dir), c, depth) {
				if r.kind != safe {
					out = append(out, r)
				}
			}
		}
	}
	return out
}

// mostDirs is in how many additional folders a command is judged.
const mostDirs = 3

// possibleDirs are the additional folders in which each command could run, because a cd before it fails or is not executed. Our own shell
// sees that at run time, another one does not. Only a cd at the beginning of a script, to an existing folder, is certain.
func possibleDirs(commands []shell.Command) [][]string {
	out := make([][]string, len(commands))
	var could []string
	for i, c := range commands {
		out[i] = slices.DeleteFunc(slices.Clone(could), func(dir string) bool { return dir == c.Dir })
		target := c.Argv
		for len(target) > 0 && (target[0] == "cd" || target[0] == "--" || target[0] == "-P" || target[0] == "-L") {
			target = target[1:]
		}
		if len(c.Argv) == 0 || c.Argv[0] != "cd" || len(target) == 0 || c.Dir == "" {
			continue
		}
		to := func(dir string) string {
			if filepath.IsAbs(target[0]) {
				return filepath.Clean(target[0])
			}
			return filepath.Join(dir, target[0])
		}
		for _, dir := range slices.Clone(could) {
			could = append(could, to(dir))
		}
		if real := resolve(c.Dir, target[0]); real != to(c.Dir) && real != shell.Real(to(c.Dir)) {
			could = append(could, real) // the target of cd -P
		}
		if info, err := os.Stat(to(c.Dir)); i > 0 || err != nil || !info.IsDir() {
			could = append(could, c.Dir)
		}
		slices.Sort(could)
		if could = slices.Compact(could); len(could) > 2*mostDirs {
			could = could[:2*mostDirs] // more than are judged
		}
	}
	return out
}

// withDefinitions returns the analyzer with what a script inside a script defines: its functions, the process ids of its background
// commands ($!) and its temporary files. A variable that gets any other value anywhere in it counts as neither.
func withDefinitions(v analyzer, script *shell.Script) analyzer {
	v.functions, v.children, v.temporary = clone(v.functions), clone(v.children), clone(v.temporary)
	others := map[string]bool{} // variables that get another value somewhere
	for _, c := range script.Commands {
		v.sourced = v.sourced || len(c.Argv) > 0 && (c.Argv[0] == "source" || c.Argv[0] == ".")
		if c.Function != "" {
			v.functions[c.Function] = true
		}
		for _, a := range c.Assigns {
			switch {
			case a.Value == "$!":
				v.children[a.Name] = true
			case mktempOutput().MatchString(a.Value):
				v.temporary[a.Name] = true
			default:
				others[a.Name] = true
				others[strings.Trim(a.Value, `"'`)] = true // it may be a name reference: declare -n
			}
		}
		if len(c.Argv) > 0 && (byName[c.Argv[0]] != nil || c.Name != "") {
			for _, word := range c.Argv[1:] { // read, printf -v and the like
				others[word] = true
			}
		}
	}
	if slices.ContainsFunc(script.Commands, func(c shell.Command) bool { return slices.Contains(c.Argv, "eval") }) {
		clear(v.temporary) // it may set anything
		clear(v.children)
	}
	for name := range others {
		delete(v.temporary, name)
		delete(v.children, name)
	}
	return v
}

// mktempOutput matches a command substitution with mktemp alone: no other command in it, and no text after it.
var mktempOutput = pattern.Of("^\"?\\$\\(mktemp( [^;|&()<>$`\\n]*)?\\)\"?$")

// clone returns a copy that can be extended, also for nil.
func clone(set map[string]bool) map[string]bool {
	if set == nil {
		return map[string]bool{}
	}
	return maps.Clone(set)
}

// forCommand returns the analyzer for one command, in a folder where it may run.
func forCommand(v analyzer, c shell.Command, dir string) analyzer {
	v.dir, v.feed, v.input, v.draft = dir, c.Feed, c.Input, c.Draft
	return v
}

// judgeInner judges a command of a script inside a script, in the folder of the analyzer: another shell runs it, and nothing is decided
// again at run time.
func judgeInner(v analyzer, c shell.Command, depth int) []risk {
	out := v.assignments(c)
	for _, r := range c.Redirects {
		for _, k := range v.redirect(r) {
			if k.kind == later && v.policy.Deep {
				k = risk{builds, "", "writes wherever the sandbox allows"}
			}
			out = append(out, k)
		}
	}
	switch {
	case c.Function != "" && (isKnownCommand(c.Function) || !v.policy.Confined):
		out = append(out, risk{unclear, "", "inner script defines a function"})
	case c.Function != "":
	case c.Name != "" && !nameHeld(v, c.Name):
		out = append(out, risk{unclear, "", c.Name})
	case len(c.Argv) > 0 && v.functions[c.Argv[0]]:
		return out
	case len(c.Argv) == 1 && c.Argv[0] == "exec": // it redirects the script's files
	case len(c.Argv) > 0:
		does := v.argv(c.Argv, c.Piped, c.Unknown != "", "", depth+1)
		if c.Unknown != "" && deletesOwnTemporaries(v, c.Argv) {
			return append(out, risk{builds, "", "deletes temporary files that the script itself makes"})
		}
		if !sandboxHolds(v, c.Argv, does) {
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

// nameHeld reports whether the reason why a name cannot be known is something that the sandbox contains.
func nameHeld(v analyzer, why string) bool {
	if sets, ok := strings.CutSuffix(why, " sets the variable it reads"); ok {
		name, _, _ := strings.Cut(strings.TrimPrefix(sets, "${"), "=")
		return v.policy.Deep && assignment(strings.TrimSuffix(name, ":")).kind == safe
	}
	if strings.HasSuffix(why, " evaluates the text of a variable") { // ${x@P} runs the content, the others only quote and change letters
		return v.policy.Deep && !strings.Contains(why, "@P}")
	}
	return v.policy.Deep && (strings.HasSuffix(why, " looks a name up in a variable") || strings.HasSuffix(why, " may end the script"))
}

// sandboxHolds reports whether the sandbox contains a command's effects whatever its words turn out to be: it may read what the sandbox
// shows, and write to the project, as a test may. Commands that delete, or start other programs, do not qualify.
func sandboxHolds(v analyzer, argv []string, does []risk) bool {
	if !v.policy.Deep || slices.Contains([]string{"rm", "rmdir", "git", "find", "mv"}, argv[0]) || wrappers[argv[0]] != nil {
		return false
	}
	return !slices.ContainsFunc(does, func(r risk) bool {
		known := r.kind == safe || r.kind == builds || r.kind == reads || r.kind == writes
		return !known && !(r.kind == later && strings.HasPrefix(r.why, "folder of"))
	})
}

// deletesOwnTemporaries reports whether a command deletes only temporary files that the script itself creates.
func deletesOwnTemporaries(v analyzer, argv []string) bool {
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
