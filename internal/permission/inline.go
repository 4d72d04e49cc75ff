package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// codeOption are the options with which interpreters take a program as a word.
var codeOption = map[string]string{
	"python": "c", "python2": "c", "python3": "c", "node": "ep", "nodejs": "ep", "bun": "ep", "perl": "eE",
	"ruby": "e", "php": "r", "lua": "e", "luajit": "e", "Rscript": "e", "julia": "eE", "ts-node": "ep", "tsx": "ep",
}

// valueOption are their short options that take the next word, or the rest of theirs.
var valueOption = map[string]string{
	"python": "WXm", "python2": "WQm", "python3": "WXm", "node": "rC", "nodejs": "rC", "perl": "IMm",
	"ruby": "IrCE", "php": "dcz", "java": "", "ts-node": "rPO", "tsx": "",
}

// loading are long options with which interpreters load more than the program.
var loading = words("--require --import --loader --experimental-loader --env-file")

// program is what an interpreter is told to run: code in its words, a module, or a file. ok is false where its options are not known.
type program struct {
	code, module, file string
	coded              bool
	rest               []string
}

// programOf reads the words of an interpreter.
func programOf(name string, args []string) (p program, ok bool) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-" || a == "--":
			p.rest = args[i+1:]
			return p, true
		case !strings.HasPrefix(a, "-"):
			p.file, p.rest = a, args[i+1:]
			return p, true
		case strings.HasPrefix(a, "--"):
			if long, value, glued := strings.Cut(a, "="); long == "--eval" || long == "--print" {
				if !glued && i+1 < len(args) {
					i++
					value = args[i]
				}
				p.code, p.coded = value, true
			} else if loading()[long] || name == "php" || name == "perl" {
				return p, false
			}
			continue
		}
		for at, letter := range a[1:] {
			rest := a[2+at:]
			takes := strings.ContainsRune(codeOption[name], letter) || strings.ContainsRune(valueOption[name], letter)
			if !takes {
				continue
			}
			if rest == "" && i+1 < len(args) {
				i++
				rest = args[i]
			}
			switch {
			case strings.ContainsRune(codeOption[name], letter):
				p.code, p.coded = p.code+rest+"\n", true
			case letter == 'm' && strings.HasPrefix(name, "python"):
				p.module, p.rest = rest, args[i+1:]
				return p, true
			case letter == 'r' && name == "ruby", letter == 'M' && name == "perl", letter == 'm' && name == "perl":
				p.code += rest + "\n"
			}
			break
		}
		if p.coded && strings.HasPrefix(name, "python") {
			p.rest = args[i+1:]
			return p, true
		}
	}
	return p, true
}

// grave are the words of a program, in whatever language, that take files away, start other programs or reach other
// machines: such a program is asked about, because one line of code does what nobody would allow under its own
// name. The list is a trip wire for honest mistakes: the sandbox, not this pattern, holds code that hides what it
// does.
var grave = pattern.Of(`(?i)\b(?:` +
	`rmtree|unlink|unlinkSync|rmdir|rmdirs|removedirs|rmSync|rmdirSync|rm_rf|rm_r|rm_f|remove_entry\w*|remove_dir_all|` +
	`remove_tree|rimraf|remove|delete_folder|truncate|drop table|` +
	`delete from|File\.delete|FileUtils|Deno\.(?:remove|run|Command)|chmod|chown|` +
	`subprocess|popen\w*|spawn\w*|child_process|execSync|execFile\w*|execv\w*|execl\w*|exec|system|passthru|shell_exec|` +
	`proc_open|pcntl_exec|fork|posix_spawn|ctypes|pty|Bun\.spawn|kill|killpg|eval|__import__|compile|importlib|` +
	`sockets?|urllib\w*|requests|httpx|aiohttp|https?|fetch|axios|XMLHttpRequest|ftplib|smtplib|paramiko|telnetlib|fsockopen|curl\w*|` +
	`LWP|Net::\w+|open-uri|websocket\w*|net|dns)\b` +
	"|`[^`$]*\\b(?:rm|curl|wget|git)\\b" + `|%x[\[({]|\bos\.(?:remove|replace|rename)`)

// harmless are words that look grave and are not.
var harmless = pattern.Of(`\b(?:re|ast|regex|pattern)\.compile\b|\bpy_compile\b|` +
	`\b\w+\.(?:remove|exec)\(["'\w]|["'][^"'\n]*https?://[^"'\n]*["']`)

// graveWord is the word that makes a program grave; empty: there is none.
func graveWord(code string) string {
	return grave().FindString(harmless().ReplaceAllStringFunc(code, func(m string) string {
		if strings.Contains(m, "os.remove(") || strings.Contains(m, "shutil.") {
			return m
		}
		return ""
	}))
}

// runsInline judges code that a model hands to an interpreter, in a word or in a here-document.
func runsInline(v viewer, name, code string) []risk {
	if word := graveWord(code); word != "" {
		why := "the code given to " + name + " says " + strings.TrimSpace(word) + ": it may delete files, " +
			"start programs or open connections"
		return []risk{{unclear, "", why}}
	}
	return []risk{{builds, "", "runs code in the sandbox"}}
}

// interprets judges what an interpreter of another language than the shell's runs; ok is false where that cannot be said.
func interprets(v viewer, c command) (out []risk, ok bool) {
	name := base(c.argv[0])
	p, known := programOf(name, c.args())
	if !v.policy.Confined || !known || codeOption[name] == "" && name != "java" {
		return nil, false
	}
	switch {
	case p.module == "pip" || p.module == "ensurepip" || p.module == "pipx":
		return v.argv(append([]string{"pip"}, p.rest...), c.piped, c.open, "", c.depth+1), true
	case p.module != "" && developers()[p.module]:
		return works(v, c, name+" -m "+p.module), true
	case p.module != "":
		return ofProject(v, c, p, p.module), true
	case p.file == "" && !p.coded && v.draft != "" && v.policy.Deep: // like a program of the project, it is not known in full
		return append(runsInline(v, name, v.draft), strayed(v, c, p.rest)...), true
	case p.coded && c.open, c.open && p.file == "" && v.input == nil:
		return nil, false
	case p.coded:
		return append(runsInline(v, name, p.code), strayed(v, c, p.rest)...), true
	case name == "node" && slices.Contains(c.args(), "--test"), name == "php" && slices.Contains(c.args(), "-l"):
		return works(v, c, name), true
	case p.file == "" && v.input != nil:
		return append(runsInline(v, name, *v.input), strayed(v, c, p.rest)...), true
	case p.file == "":
		return nil, false
	case name == "java": // a class of the project, or an archive
		return works(v, c, name), true
	}
	return ofProject(v, c, p, p.file), true
}

// ofProject is a file or a module of the project that an interpreter runs, with words for it.
func ofProject(v viewer, c command, p program, what string) []risk {
	file := base(filepath.ToSlash(what))
	if word := takesAway(p.rest); word != "" {
		return []risk{{loses, "", file + " " + word + " may delete data that no snapshot contains"}}
	}
	named := []string{file}
	if tasked()[file] {
		named = tasks(p.rest)
	}
	if task := reachesOut(named); task != "" {
		return []risk{{sends, "", task + " is meant to reach other machines"}}
	}
	return works(v, c, what)
}

// strayed is the risk of words for code that name files outside the project.
func strayed(v viewer, c command, rest []string) []risk {
	if word := strays(v, command{argv: append(c.argv[:1:1], rest...)}); word != "" {
		return []risk{{runs, "", c.argv[0] + " is given " + word + ", which is outside the project"}}
	}
	return nil
}
