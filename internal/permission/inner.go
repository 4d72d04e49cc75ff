package permission

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/shell"
)

// innerCommands returns a command and every command that it may run: what forbidding rules are matched against, and what may bring in text
// from outside. If the options of the outer command are understood, that is one command; otherwise every tail of its words counts as one,
// and every word as a script. It may find too many, never too few: all is false if there were more than the limits allow.
func innerCommands(argv []string) (found [][]string, all bool) {
	s := &innerFinder{left: mostText}
	s.command(argv, 0)
	return s.found, s.left > 0
}

// Limits for the analysis of one command.
const (
	mostText   = 64 << 10
	mostJoined = 16
	mostWords  = 500 // of a command that contains another
)

// innerFinder collects the commands inside a command. It scans words and texts within limits, so that no command line,
// however long, takes more than a moment.
type innerFinder struct {
	found [][]string
	left  int // what is left of mostText; 0: it was too much
}

// command adds a command, and continues with what it contains, depending on its kind. depth bounds the nesting.
func (s *innerFinder) command(argv []string, depth int) {
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
	case w != nil && !w.opaque && !w.script:
		if rest, _, ok := w.inner(args); ok {
			s.command(rest, depth+1)
			return
		}
	case w != nil || commandRunners()[name] || name[:1] == "-": // a word that begins with a dash follows the keyword time
	case name == "find":
		for i, a := range argv {
			if slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, a) {
				s.command(argv[i+1:], depth+1)
			}
		}
		return
	case name == "git":
		s.suffixes(gitNested(args), depth)
		return
	case name == "go":
		for _, f := range goFlags(args) {
			if goProgramFlags()[f.name] {
				s.script(f.value, nil, depth)
			}
		}
		return
	case commandOptions[name] != "":
		for i, a := range args {
			head, value, glued := strings.Cut(a, "=")
			if len(head) > 4 && strings.HasPrefix(commandOptions[name], head) { // long options may be abbreviated
				if !glued && i+1 < len(args) {
					value = args[i+1]
				}
				s.script(value, nil, depth)
			}
		}
		return
	case textRunners()[name]:
		s.textWords(args, depth)
		fallthrough
	case runnerWords[name] != nil:
		if i := slices.IndexFunc(args, func(a string) bool { return slices.Contains(runnerWords[name], a) }); i >= 0 {
			s.suffixes(args[i+1:], depth)
		}
		return
	case !interpreters[name].script || !slices.ContainsFunc(args, givesScript):
		return
	}
	s.suffixes(args, depth)
}

// suffixes finds the commands that any tail of a list of words may be, and those in scripts that its words may contain.
func (s *innerFinder) suffixes(args []string, depth int) {
	if len(args) > mostWords {
		s.left = 0
		return
	}
	for i, a := range args {
		s.found = append(s.found, args[i:])
		s.script(a, args[i+1:], depth)
		s.optionValue(a, args[i+1:], depth)
	}
	for i := range min(len(args), mostJoined) { // eval, watch and ssh join the words after their own into one script
		if text := strings.Join(args[i:], " "); strings.ContainsAny(text, "(){};&|<>`$\\'\"\n") {
			s.script(text, nil, depth)
		}
	}
}

// textWords finds commands in words that contain several words.
func (s *innerFinder) textWords(args []string, depth int) {
	for _, a := range args {
		if strings.ContainsAny(a, " \t\n;&|!") {
			s.script(strings.TrimLeft(a, ":+!"), nil, depth)
			s.optionValue(a, nil, depth)
			if _, rest, ok := strings.Cut(a, " "); ok { // shell rm x
				s.script(strings.TrimLeft(rest, "!"), nil, depth)
			}
		}
	}
}

// optionValue finds commands in the value of an option: --exec=rm, -S'rm x', -qc'rm x'.
func (s *innerFinder) optionValue(a string, more []string, depth int) {
	if name, value, ok := strings.Cut(a, "="); ok && name != "" {
		s.script(value, more, depth)
	}
	for i := 2; i < min(len(a), 5) && a[0] == '-' && a[1] != '-'; i++ {
		s.script(a[i:], more, depth)
	}
}

// script finds the commands in a word that is treated as a script; more are words that may follow it.
func (s *innerFinder) script(text string, more []string, depth int) {
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
			s.command(c.Argv, depth+1)
			if len(more) > 0 {
				s.found = append(s.found, append(slices.Clone(c.Argv), more...))
			}
		}
	}
}

// commandOptions are programs that run the command in one of their words, with the prefix of that word.
var commandOptions = map[string]string{"sort": "--compress-program", "make": "SHELL", "gmake": "SHELL"}

// gitShort are the short options whose value is a command line, by the commands that have them.
var gitShort = map[string]string{"rebase": "-x", "difftool": "-x", "clone": "-u", "ls-remote": "-u", "grep": "-O"}

// gitNested are the words of a git command at which another command may begin.
func gitNested(args []string) (out []string) {
	var short []string
	words := args
	for _, a := range args { // any of them may be the command
		if form := gitShort[a]; form != "" {
			short = append(short, form)
		}
		if a == "send-email" || a == "svn" {
			words = perlOptions(a, args)
		}
	}
	for i, a := range words {
		_, value, glued := strings.Cut(a, "=")
		_, address, ext := strings.Cut(a, "ext::")
		switch {
		case slices.Contains([]string{"foreach", "run", "merge-index", "remote-ext", "-x"}, a) || strings.HasSuffix(a, "-filter"):
			return append(out, args[i+1:]...)
		case len(gitOptions("", words[i:i+1], gitCommandOptions...)) > 0:
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

// givesScript reports whether an option of a shell means that a script follows.
func givesScript(a string) bool {
	return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "c") || strings.HasPrefix(a, "--c")
}

// commandRunners run a command that their words name, besides the wrappers.
var commandRunners = wordSet(`
	sudo doas su pkexec runuser chroot unshare nsenter systemd-run sg gosu su-exec setpriv capsh eval trap builtin coproc ssh mosh npx
	bunx pnpx uvx at batch crontab
`)

// textRunners run a command that is inside a single word.
var textRunners = wordSet("rsync scp sftp man less more vim vi nvim view ex ed emacs tmux gdb lldb make gmake tar npm openssl")

// runnerWords run the command after one of these words.
var runnerWords = map[string][]string{
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx", "run"}, "bun": {"x", "run"}, "uv": {"run"}, "pipx": {"run"},
	"poetry": {"run"}, "pipenv": {"run"}, "conda": {"run"}, "bundle": {"exec"}, "direnv": {"exec"}, "mise": {"exec", "x"},
	"asdf":   {"exec"},
	"docker": {"exec", "run"}, "podman": {"exec", "run"}, "kubectl": {"exec", "run", "--"}, "nix": {"-c", "--command", "run"},
	"nix-shell": {"--run", "--command", "-p"}, "gdb": {"--args", "-ex"}, "lldb": {"--"}, "cargo": {"--"},
	"tmux": {"new", "new-session", "new-window", "neww", "split-window", "respawn-pane", "run-shell", "run"},
}

// innerFound are the commands inside a command, as innerCommands finds them.
type innerFound struct {
	all     [][]string
	guessed [][]string // commands that an unknown program may run
	whole   bool
}

func innerOf(argv []string) *innerFound {
	all, whole := innerCommands(argv)
	c := &innerFound{all: all, whole: whole}
	if len(argv) > 1 && strings.Trim(argv[0], "/.") != "" && (!isKnownCommand(base(argv[0])) || readers[base(argv[0])] != nil) &&
		wrappers[base(argv[0])] == nil && !interpreters[base(argv[0])].script {
		guess := &innerFinder{left: mostText}
		guess.suffixes(argv[1:], 1)
		guess.textWords(argv[1:], 1)
		c.guessed = guess.found
	}
	return c
}
