package evidence

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// Limits of a command. A longer one is refused, not cut.
const (
	mostWords = 64      // of a command
	mostArgs  = 8 << 10 // bytes of a command
)

// carriers run the commands in their arguments, so no wildcard is allowed after them.
var carriers = []string{
	"env", "nohup", "nice", "ionice", "stdbuf", "timeout", "time", "xargs", "parallel", "sudo", "doas", "su", "runuser", "watch",
	"setsid", "command", "exec", "eval", "chroot", "unshare", "nsenter", "script", "strace", "ltrace", "entr", "ssh", "start",
	"awk", "gawk", "mawk", "nawk", "sed", "gsed", "busybox", "toybox", "npx", "pnpx", "bunx", "uvx", "pipx", "cmd",
}

// interpreters run the argument of some of their options as code; codeOption fits these.
var (
	interpreters = []string{
		"sh", "ash", "bash", "dash", "ksh", "mksh", "zsh", "fish", "pwsh", "powershell", "python", "pypy", "node", "nodejs", "deno",
		"bun", "ruby", "perl", "php", "lua", "luajit", "r", "rscript", "julia", "osascript", "tclsh", "guile", "groovy", "scala",
	}
	codeOption = pattern.Of(`(?i)^(-[a-z]*[cepr]|-[ce][a-z]*|--(eval|print|exec|command|execute|require|import|run)|/c|eval)$`)
)

// allowed reports whether a pattern allows argv. Patterns are written by a person, argv by a model: a wildcard may match a name or a
// number, but nothing that changes which program runs or where it works.
func allowed(patterns [][]string, argv []string) bool {
	size := 0
	for _, word := range argv {
		if size += len(word); strings.ContainsRune(word, 0) {
			return false
		}
	}
	if len(argv) == 0 || len(argv) > mostWords || size > mostArgs || !bare(argv[0]) {
		return false
	}
	return slices.ContainsFunc(patterns, func(p []string) bool { return fits(p, argv) })
}

// bare reports whether name can only be found through the search path: a file of that name elsewhere is another program.
func bare(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, `/\:*`) && name[0] != '-' &&
		!strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) })
}

// fits compares argv with one pattern.
func fits(pattern, argv []string) bool {
	if len(pattern) == 0 || pattern[0] != argv[0] {
		return false
	}
	for i, word := range pattern[1:] {
		rest := argv[1+i:]
		if word == "**" && i+2 == len(pattern) {
			return !opens(pattern[:1+i]) && !slices.ContainsFunc(rest, func(arg string) bool { return !tame(arg) })
		}
		switch {
		case word == "**" || len(rest) == 0:
			return false
		case word == "*":
			if opens(pattern[:1+i]) || !tame(rest[0]) {
				return false
			}
		case word != rest[0]:
			return false
		}
	}
	return len(pattern) == len(argv)
}

// opens reports whether the word after these would be run as code or as a command.
func opens(words []string) bool {
	program := strings.TrimRight(strings.TrimSuffix(strings.ToLower(words[0]), ".exe"), "0123456789.-")
	return slices.Contains(carriers, program) ||
		slices.Contains(interpreters, program) && codeOption().MatchString(words[len(words)-1])
}

// tame reports whether a wildcard may match an argument: it is no option, setting or remote address, and has no absolute path and no
// "..", not even as a part.
func tame(arg string) bool {
	if arg == "" || strings.ContainsAny(arg, "=@`") || strings.HasPrefix(arg, "~") || strings.Contains(arg, "$(") ||
		strings.Contains(arg, "${") ||
		arg != clean.Line(arg) || len(arg) > 1 && arg[1] == ':' && unicode.IsLetter(rune(arg[0])) { // a drive
		return false
	}
	for part := range strings.FieldsFuncSeq(arg, func(r rune) bool { return strings.ContainsRune(`/\,:;`, r) || unicode.IsSpace(r) }) {
		if part == ".." {
			return false
		}
	}
	for part := range strings.FieldsFuncSeq(arg, func(r rune) bool { return strings.ContainsRune(",:;", r) || unicode.IsSpace(r) }) {
		if strings.ContainsRune(`-/\`, rune(part[0])) {
			return false
		}
	}
	return true
}

// Danger returns what is dangerous about a command; empty: nothing known. never: no pattern allows it.
type Danger func(command []string) (why string, never bool)

// Allowed returns why patterns such as a Looker's do not allow a command; nil: they do.
func (d Danger) Allowed(patterns [][]string, command []string) error {
	why, never := "", false
	if d != nil {
		why, never = d(command)
	}
	if !never && allowed(patterns, command) {
		return nil
	}
	return refusal(command, why)
}

// refusal says that argv is not allowed. It says how to allow it unless argv is dangerous, or cannot be written as a pattern that is
// safe to copy and allows only argv.
func refusal(argv []string, why string) error {
	if why != "" {
		return errors.New("not an allowed check command: " + why)
	}
	said := strings.Join(argv, " ")
	plain := len(argv) > 0 && bare(argv[0]) && len(said) <= 160 && said == clean.Line(said) && !strings.Contains(said, "'")
	for _, word := range argv {
		plain = plain && word != "" && word != "*" && word != "**" && !strings.ContainsFunc(word, unicode.IsSpace)
	}
	if !plain {
		return errors.New("not an allowed check command")
	}
	return fmt.Errorf("not an allowed check command; allow it with --allow-check '%s'", said)
}
