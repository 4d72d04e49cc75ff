package permission

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/shell"
)

// nested is a command and every command that it may run for another: what a rule that forbids is held against, and what may
// bring text from outside. Where the options of what carries it are understood that is one command; else every rest of its words is
// taken for one, and every word for a script. It may find too many, never too few: all is false where there were more than anybody
// looks through.
func nested(argv []string) (found [][]string, all bool) {
	s := &seeker{left: mostText}
	s.seek(argv, 0)
	return s.found, s.left > 0
}

// Limits to what of one command is looked through.
const (
	mostText   = 64 << 10
	mostJoined = 16
	mostWords  = 500 // of a command that carries another
)

// seeker collects what a command carries. It goes through words and texts within limits, so that no
// command line, however long, costs more than a moment.
type seeker struct {
	found [][]string
	left  int // of mostText; 0: it was too much
}

// seek adds a command, and goes on with what it carries, by what kind of carrier it is. depth bounds how far one
// lies in another.
func (s *seeker) seek(argv []string, depth int) {
	if len(argv) == 0 || argv[0] == "" {
		return
	}
	s.found = append(s.found, argv)
	if len(argv) < 2 {
		return
	}
	if depth > deepest {
		s.left = 0
		return
	}
	name, args := base(argv[0]), argv[1:]
	switch w := wrappers[name]; {
	case w != nil && !w.wild && !w.script:
		if rest, _, ok := w.inner(args); ok {
			s.seek(rest, depth+1)
			return
		}
	case w != nil || carriers[name] || name[:1] == "-": // the last follows the keyword time
	case name == "find":
		for i, a := range argv {
			if slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, a) {
				s.seek(argv[i+1:], depth+1)
			}
		}
		return
	case name == "git":
		s.rests(gitNested(args), depth)
		return
	case name == "go":
		for _, f := range goFlags(args) {
			if goRuns[f.name] {
				s.script(f.value, nil, depth)
			}
		}
		return
	case valued[name] != "":
		for i, a := range args {
			head, value, glued := strings.Cut(a, "=")
			if len(head) > 4 && strings.HasPrefix(valued[name], head) { // long options may be cut short
				if !glued && i+1 < len(args) {
					value = args[i+1]
				}
				s.script(value, nil, depth)
			}
		}
		return
	case texters[name]:
		s.texts(args, depth)
		fallthrough
	case runners[name] != nil:
		if i := slices.IndexFunc(args, func(a string) bool { return slices.Contains(runners[name], a) }); i >= 0 {
			s.rests(args[i+1:], depth)
		}
		return
	case !interpreters[name].script || !slices.ContainsFunc(args, givesScript):
		return
	}
	s.rests(args, depth)
}

// rests finds the commands that any end of a list of words may be, and in the scripts that its words may hold.
func (s *seeker) rests(args []string, depth int) {
	if len(args) > mostWords {
		s.left = 0
		return
	}
	for i, a := range args {
		s.found = append(s.found, args[i:])
		s.script(a, args[i+1:], depth)
		s.within(a, args[i+1:], depth)
	}
	for i := range min(len(args), mostJoined) { // eval, watch and ssh make one script of what follows their own words
		if text := strings.Join(args[i:], " "); strings.ContainsAny(text, "(){};&|<>`$\\'\"\n") {
			s.script(text, nil, depth)
		}
	}
}

// texts finds commands in the words that hold several words.
func (s *seeker) texts(args []string, depth int) {
	for _, a := range args {
		if strings.ContainsAny(a, " \t\n;&|!") {
			s.script(strings.TrimLeft(a, ":+!"), nil, depth)
			s.within(a, nil, depth)
			if _, rest, ok := strings.Cut(a, " "); ok { // shell rm x
				s.script(strings.TrimLeft(rest, "!"), nil, depth)
			}
		}
	}
}

// within finds commands in the value of an option: --exec=rm, -S'rm x', -qc'rm x'.
func (s *seeker) within(a string, more []string, depth int) {
	if name, value, ok := strings.Cut(a, "="); ok && name != "" {
		s.script(value, more, depth)
	}
	for i := 2; i < min(len(a), 5) && a[0] == '-' && a[1] != '-'; i++ {
		s.script(a[i:], more, depth)
	}
}

// script finds the commands of a word that is taken for a script; more are words that may follow it.
func (s *seeker) script(text string, more []string, depth int) {
	if strings.TrimSpace(text) == "" || s.left <= 0 {
		return
	}
	if s.left = max(0, s.left-max(64, len(text))); s.left == 0 {
		return
	}
	script, err := shell.Parse(text, shell.Context{Dir: "/"})
	if err != nil {
		return
	}
	for _, c := range script.Commands {
		if len(c.Argv) > 0 && c.Argv[0] != "" {
			s.seek(c.Argv, depth+1)
			if len(more) > 0 {
				s.found = append(s.found, append(slices.Clone(c.Argv), more...))
			}
		}
	}
}

// valued are programs that run what one of their words names, with how that word begins.
var valued = map[string]string{"sort": "--compress-program", "make": "SHELL", "gmake": "SHELL"}

// gitShort are the short options whose value is a command line, by the commands that have them.
var gitShort = map[string]string{"rebase": "-x", "difftool": "-x", "clone": "-u", "ls-remote": "-u", "grep": "-O"}

// gitNested are the words of a git command that another command may begin in.
func gitNested(args []string) (out []string) {
	var short []string
	words := args
	for _, a := range args { // any of them may be the command
		if form := gitShort[a]; form != "" {
			short = append(short, form)
		}
		if a == "send-email" || a == "svn" {
			words = perlish(a, args)
		}
	}
	for i, a := range words {
		_, value, glued := strings.Cut(a, "=")
		_, address, ext := strings.Cut(a, "ext::")
		switch {
		case slices.Contains([]string{"foreach", "run", "merge-index", "remote-ext", "-x"}, a) || strings.HasSuffix(a, "-filter"):
			return append(out, args[i+1:]...)
		case len(gitOptions("", words[i:i+1], gitCommands...)) > 0:
			if !glued {
				return append(out, args[i+1:]...)
			}
			out = append(out, value)
		case strings.HasPrefix(a, "-x"):
			out = append(out, a[2:])
		case len(gitOptions("", words[i:i+1], short...)) > 0:
			out = append(out, a, gitOptions("", words[i:], short...)[0].value)
		case i > 0 && args[i-1] == "-c" && !strings.Contains(a, "=!"): // core.pager=command
			out = append(out, value)
		case strings.Contains(a, "=!"): // alias.x=!command
			_, value, _ = strings.Cut(a, "=!")
			out = append(out, value)
		case ext:
			out = append(out, address)
		case glued && strings.HasPrefix(a, "-c"): // clone -ccore.pager=command
			out = append(out, a)
		}
	}
	return out
}

// givesScript says whether an option of a shell says that a script follows.
func givesScript(a string) bool {
	return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "c") || strings.HasPrefix(a, "--c")
}

// carriers run a command that their words name, besides the wrappers.
var carriers = map[string]bool{
	"sudo": true, "doas": true, "su": true, "pkexec": true, "runuser": true, "chroot": true, "unshare": true, "nsenter": true,
	"systemd-run": true, "sg": true, "gosu": true, "su-exec": true, "setpriv": true, "capsh": true,
	"eval": true, "trap": true, "builtin": true, "coproc": true, "ssh": true, "mosh": true, "npx": true, "bunx": true, "pnpx": true,
	"uvx": true, "at": true, "batch": true, "crontab": true,
}

// texters run a command that a word of several words holds.
var texters = map[string]bool{"rsync": true, "scp": true, "sftp": true, "man": true, "less": true, "more": true, "vim": true, "vi": true,
	"nvim": true, "view": true, "ex": true, "ed": true, "emacs": true, "tmux": true, "gdb": true, "lldb": true, "make": true, "gmake": true,
	"tar": true, "npm": true, "openssl": true}

// runners run a command that follows one of these words.
var runners = map[string][]string{
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx", "run"}, "bun": {"x", "run"}, "uv": {"run"}, "pipx": {"run"},
	"poetry": {"run"}, "pipenv": {"run"}, "conda": {"run"}, "bundle": {"exec"}, "direnv": {"exec"}, "mise": {"exec", "x"},
	"asdf":   {"exec"},
	"docker": {"exec", "run"}, "podman": {"exec", "run"}, "kubectl": {"exec", "run", "--"}, "nix": {"-c", "--command", "run"},
	"nix-shell": {"--run", "--command", "-p"}, "gdb": {"--args", "-ex"}, "lldb": {"--"}, "cargo": {"--"},
	"tmux": {"new", "new-session", "new-window", "neww", "split-window", "respawn-pane", "run-shell", "run"},
}

// goFlag is a flag of a command of go, however it was written: -exec x, --exec x, -exec=x.
type goFlag struct{ name, value string }

// goFlags are the flags among the words of a go command. A word that follows one may be its value or not.
func goFlags(args []string) (out []goFlag) {
	for i, a := range args {
		name := strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-")
		if name == a || name == "" {
			continue
		}
		name, value, glued := strings.Cut(name, "=")
		if !glued && i+1 < len(args) {
			value = args[i+1]
		}
		out = append(out, goFlag{name, value})
	}
	return out
}

// goRuns are the flags of go whose value is a program that is run.
var goRuns = map[string]bool{"exec": true, "toolexec": true, "vettool": true}

// goSteers are those that make something else run, or be built, than the project's own code.
var goSteers = map[string]bool{"exec": true, "toolexec": true, "vettool": true, "overlay": true, "modfile": true}

// goPlaces are those that make go work, or write, elsewhere.
var goPlaces = map[string]bool{"o": true, "C": true, "outputdir": true, "pkgdir": true, "cpuprofile": true, "memprofile": true,
	"blockprofile": true, "mutexprofile": true, "trace": true, "coverprofile": true}

// nestedCommands is what nested found.
type nestedCommands struct {
	all   [][]string
	guess [][]string // what a program that nobody knows may run
	whole bool
}

func nestedIn(argv []string) *nestedCommands {
	all, whole := nested(argv)
	c := &nestedCommands{all: all, whole: whole}
	if len(argv) > 1 && strings.Trim(argv[0], "/.") != "" && (!known(base(argv[0])) || readers[base(argv[0])] != nil) &&
		wrappers[base(argv[0])] == nil && !interpreters[base(argv[0])].script {
		guess := &seeker{left: mostText}
		guess.rests(argv[1:], 1)
		guess.texts(argv[1:], 1)
		c.guess = guess.found
	}
	return c
}
