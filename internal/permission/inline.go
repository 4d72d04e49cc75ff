package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// codeOptions are the options with which interpreters take a program as an argument.
var codeOptions = map[string]string{
	"python": "c", "python2": "c", "python3": "c", "node": "ep", "nodejs": "ep", "bun": "ep", "perl": "eE",
	"ruby": "e", "php": "r", "lua": "e", "luajit": "e", "Rscript": "e", "julia": "eE", "ts-node": "ep", "tsx": "ep",
}

// inlineValueOptions are their short options that take a value, in the same or the next word.
var inlineValueOptions = map[string]string{
	"python": "WXm", "python2": "WQm", "python3": "WXm", "node": "rC", "nodejs": "rC", "perl": "IMm",
	"ruby": "IrCE", "php": "dcz", "java": "", "ts-node": "rPO", "tsx": "",
}

// loadOptions are long options with which interpreters load more than the program.
var loadOptions = wordSet("--require --import --loader --experimental-loader --env-file")

// program is what an interpreter runs: code in its arguments, a module, or a file. programOf returns false if an option is not known.
type program struct {
	code, module, file string
	coded              bool
	rest               []string
}

// programOf parses the arguments of an interpreter.
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
			} else if loadOptions()[long] || name == "php" || name == "perl" {
				return p, false
			}
			continue
		}
		for at, letter := range a[1:] {
			rest := a[2+at:]
			takes := strings.ContainsRune(codeOptions[name], letter) || strings.ContainsRune(inlineValueOptions[name], letter)
			if !takes {
				continue
			}
			if rest == "" && i+1 < len(args) {
				i++
				rest = args[i]
			}
			switch {
			case strings.ContainsRune(codeOptions[name], letter):
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

// dangerousWords match words of a program, in any language, that delete files, start other programs or reach other
// machines: such a program needs approval, because one line of code can do what nobody would allow by name. The list is
// a trip wire for honest mistakes: the sandbox, not this pattern, restricts code that hides what it does.
var dangerousWords = pattern.Of(`(?i)\b(?:` +
	`rmtree|unlink|unlinkSync|rmdir|rmdirs|removedirs|rmSync|rmdirSync|rm_rf|rm_r|rm_f|remove_entry\w*|remove_dir_all|` +
	`remove_tree|rimraf|remove|delete_folder|truncate|drop table|` +
	`delete from|File\.delete|FileUtils|Deno\.(?:remove|run|Command)|chmod|chown|` +
	`subprocess|popen\w*|spawn\w*|child_process|execSync|execFile\w*|execv\w*|execl\w*|exec|system|passthru|shell_exec|` +
	`proc_open|pcntl_exec|fork|posix_spawn|ctypes|pty|Bun\.spawn|kill|killpg|eval|__import__|compile|importlib|` +
	`sockets?|urllib\w*|requests|httpx|aiohttp|https?|fetch|axios|XMLHttpRequest|ftplib|smtplib|paramiko|telnetlib|fsockopen|curl\w*|` +
	`LWP|Net::\w+|open-uri|websocket\w*|net|dns)\b` +
	"|`[^`$]*\\b(?:rm|curl|wget|git)\\b" + `|%x[\[({]|\bos\.(?:remove|replace|rename)`)

// harmlessWords match what looks like dangerousWords but is harmless.
var harmlessWords = pattern.Of(`\b(?:re|ast|regex|pattern)\.compile\b|\bpy_compile\b|` +
	`\b\w+\.(?:remove|exec)\(["'\w]|["'][^"'\n]*https?://[^"'\n]*["']`)

// dangerousWord is the first of them in a program; empty: there is none.
func dangerousWord(code string) string {
	return dangerousWords().FindString(harmlessWords().ReplaceAllStringFunc(code, func(m string) string {
		if strings.Contains(m, "os.remove(") || strings.Contains(m, "shutil.") {
			return m
		}
		return ""
	}))
}

// inlineCode judges code that a model passes to an interpreter, in an argument or in a here-document.
func inlineCode(v analyzer, name, code string) []risk {
	if word := dangerousWord(code); word != "" {
		why := "the code given to " + name + " says " + strings.TrimSpace(word) + ": it may delete files, " +
			"start programs or open connections"
		return []risk{{unclear, "", why}}
	}
	return []risk{{builds, "", "runs code in the sandbox"}}
}

// interpretedProgram judges what an interpreter other than a shell runs; ok is false if that cannot be determined.
func interpretedProgram(v analyzer, c command) (out []risk, ok bool) {
	name := base(c.argv[0])
	p, known := programOf(name, c.args())
	if !v.policy.Confined || !known || codeOptions[name] == "" && name != "java" {
		return nil, false
	}
	switch {
	case p.module == "pip" || p.module == "ensurepip" || p.module == "pipx":
		return v.argv(append([]string{"pip"}, p.rest...), c.piped, c.unknownArg, "", c.depth+1), true
	case p.module != "" && toolchainPrograms()[p.module]:
		return runsProject(v, c, name+" -m "+p.module), true
	case p.module != "":
		return projectFile(v, c, p, p.module), true
	case p.file == "" && !p.coded && v.draft != "" && v.policy.Deep: // like a program of the project, it is not fully known
		return append(inlineCode(v, name, v.draft), outsideWords(v, c, p.rest)...), true
	case p.coded && c.unknownArg, c.unknownArg && p.file == "" && v.input == nil:
		return nil, false
	case p.coded:
		return append(inlineCode(v, name, p.code), outsideWords(v, c, p.rest)...), true
	case name == "node" && slices.Contains(c.args(), "--test"), name == "php" && slices.Contains(c.args(), "-l"):
		return runsProject(v, c, name), true
	case p.file == "" && v.input != nil:
		return append(inlineCode(v, name, *v.input), outsideWords(v, c, p.rest)...), true
	case p.file == "":
		return nil, false
	case name == "java": // a class or an archive of the project
		return runsProject(v, c, name), true
	}
	return projectFile(v, c, p, p.file), true
}

// projectFile judges a file or a module of the project that an interpreter runs, with its arguments.
func projectFile(v analyzer, c command, p program, what string) []risk {
	file := base(filepath.ToSlash(what))
	if word := destructiveWord(p.rest); word != "" {
		return []risk{{loses, "", file + " " + word + " may delete data that no snapshot contains"}}
	}
	named := []string{file}
	if taskRunners()[file] {
		named = taskWords(p.rest)
	}
	if task := outwardTask(named); task != "" {
		return []risk{{sends, "", task + " probably contacts other machines"}}
	}
	return runsProject(v, c, what)
}

// outsideWords is the risk of arguments for code that name files outside the project.
func outsideWords(v analyzer, c command, rest []string) []risk {
	if word := outsideWord(v, command{argv: append(c.argv[:1:1], rest...)}); word != "" {
		return []risk{{runs, "", c.argv[0] + " is given " + word + ", which is outside the project"}}
	}
	return nil
}
