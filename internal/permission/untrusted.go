package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/permission/foreign"
	"github.com/socrates-cli/socrates/internal/shell"
)

// bringsUntrusted reports whether a command's output or files may be what strangers wrote: that of any command that may
// reach other machines and, without a sandbox, of every program that is not analysed. all is what the command would do.
// It errs on the side of yes: a needless flag costs questions, a missing one lets a web page steer what is sent.
func (v analyzer) bringsUntrusted(argv []string, all []risk) bool {
	reaches := func(r risk) bool {
		return r.kind == sends || !v.policy.Confined && (r.kind == runs || r.kind == builds)
	}
	if len(argv) == 0 || bringsNothing(argv) {
		return false
	}
	if len(v.policy.Fetched)+len(v.policy.Abroad) > 0 && (v.readsFetched(argv, all) || runsUnseenCode(argv, all) &&
		v.policy.containsFetchedText()) {
		return true
	}
	if slices.ContainsFunc(all, reaches) {
		return true
	}
	inside, whole := innerCommands(argv)
	for _, inner := range inside[min(1, len(inside)):] {
		if inner[0] != "" && len(v.policy.Fetched)+len(v.policy.Abroad) > 0 && v.readsFetched(inner, nil) {
			return true
		}
		if inner[0] != "" && !bringsNothing(inner) && slices.ContainsFunc(v.argv(inner, false, false, "", deepest),
			func(r risk) bool { return r.kind == sends }) {
			return true
		}
	}
	return !whole
}

// bringsNothing reports whether a command sends but shows nothing that strangers wrote.
func bringsNothing(argv []string) bool {
	switch base(argv[0]) {
	case "git":
		return hasSubcommand(argv[1:], "push") && runsProgram("push", argv[1:]) == ""
	case "mail", "sendmail", "xdg-open", "open", "ping", "ping6", "traceroute":
		return true
	}
	return false
}

// metadataCommands are commands that show only metadata of files, count in them or remove them, with the letters of the options for which
// that is true; nil: any.
var metadataCommands = map[string]*string{"rm": nil, "rmdir": nil, "unlink": nil, "stat": nil, "ls": nil, "test": nil, "[": nil,
	"chmod":    nil,
	"mkdir":    nil,
	"basename": nil, "dirname": nil, "realpath": nil, "readlink": nil, "wc": new("lwmcL"), "du": new("achksm"),
	"md5sum": new("bt"), "sha1sum": new("bt"), "sha256sum": new("bt"), "sha512sum": new("bt"), "cksum": new("")}

// showsMetadataOnly reports whether a command shows nothing of the content of the files it names.
func showsMetadataOnly(name string, args []string) bool {
	letters, ok := metadataCommands[name]
	return ok && (letters == nil || !slices.ContainsFunc(args,
		func(a string) bool { return len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], *letters) != "" }))
}

// fromOutside is the reason why a search through what came from outside is not harmless.
const fromOutside = "searches files that came from outside"

// hasSubcommand reports whether a program's subcommand is one of words, whatever options come before it.
func hasSubcommand(args []string, words ...string) bool {
	return slices.ContainsFunc(subcommandPlaces(args), func(at int) bool { return slices.Contains(words, args[at]) })
}

// takesWholeFolders reports whether a command also takes what is in the folders that it names.
func takesWholeFolders(argv []string) bool {
	name := base(argv[0])
	return name == "git" && hasSubcommand(argv[1:], "mv") || slices.Contains([]string{"mv", "cp", "ln", "install", "rsync", "tar", "zip",
		"ditto",
		"diff", "gofmt"}, name)
}

// showsContent are git's subcommands that show what files contain, including files that are not named.
var showsContent = []string{"show", "diff", "grep", "stash", "cat-file", "blame", "annotate", "format-patch", "archive", "range-diff",
	"difftool", "add", "diff-tree"}

// logCommands are git's subcommands that list commits, and the options with which they only list.
var (
	logCommands = []string{"log", "reflog", "whatchanged", "shortlog"}
	listOptions = []string{"--oneline", "--graph", "--all", "--branches", "--stat", "--shortstat", "--name-only", "--name-status",
		"--reverse",
		"--first-parent", "--no-merges", "--merges",
		"--abbrev-commit", "--decorate", "--no-decorate", "--follow", "--no-color", "--no-pager", "--date-order", "--topo-order", "-i",
		"-s", "-n", "-e", "--"}
	listOptionPrefixes = []string{"--format=", "--pretty=", "--date=", "--author=", "--since=", "--until=", "--after=", "--before=",
		"--grep=",
		"--max-count=", "--skip=", "--decorate=", "--color="}
)

// onlyLists reports whether the arguments of a subcommand that lists commits only say how to list them.
func onlyLists(rest []string) bool {
	return !slices.ContainsFunc(rest, func(a string) bool {
		return strings.HasPrefix(a, "-") && strings.Trim(a, "-0123456789") != "" && !slices.Contains(listOptions, a) &&
			!slices.ContainsFunc(listOptionPrefixes, func(with string) bool { return strings.HasPrefix(a, with) })
	})
}

// showsFiles reports whether git, with these arguments, shows what files contain: some subcommands do, others with -p or -v.
func showsFiles(args []string) bool {
	return hasSubcommand(args, showsContent...) || slices.ContainsFunc(subcommandPlaces(args), func(at int) bool {
		sub, rest := args[at], withoutMessage(args[at+1:])
		return slices.Contains(logCommands, sub) && !onlyLists(args[at+1:]) ||
			len(gitOptions(sub, rest, "-p", "--patch*", "--interactive")) > 0 || (sub == "status" || sub == "commit") &&
			len(gitOptions(sub, rest, "-v", "--verbose")) > 0
	})
}

// namesOwnFiles reports whether git is told to read only files that did not come from outside: it names some, and none of its options
// takes a value. Only HEAD or a commit before it may precede --.
func namesOwnFiles(s site, args []string) bool {
	if len(args) == 0 || !slices.Contains([]string{"diff", "add", "blame", "annotate"}, args[0]) {
		return false
	}
	end, found := slices.Index(args, "--"), false
	for i, a := range args[1:] {
		path, ok := s.path(a)
		switch {
		case a == "--" && i+1 == end, slices.Contains(gitPlainOptions, a) && (end < 0 || i+1 < end):
		case strings.HasPrefix(a, "-"), strings.ContainsAny(a, ":*?[\\"), !ok, s.policy.fetched(path, true):
			return false
		case i+1 < end && (args[0] == "add" || !isHead(a)): // any other name may be of a file's content
			return false
		case i+1 > end && foreign.Gone(path):
			return false
		case i+1 > end:
			found = true
		}
	}
	return found
}

// isHead reports whether a revision is HEAD, or a commit before it.
func isHead(revision string) bool {
	steps, ok := strings.CutPrefix(revision, "HEAD")
	return ok && strings.Trim(steps, "~^0123456789") == ""
}

// gitPlainOptions are git options that take no value and name no file.
var gitPlainOptions = []string{"-w", "-b", "-p", "--patch", "-U0", "-U1", "-U5", "-U10", "--stat", "--cached", "--staged", "--name-only",
	"--name-status", "--numstat", "--word-diff", "--color", "--no-color"}

// containsFetched reports whether anything in the project came from outside and is still there unchanged.
func (p Policy) containsFetched() bool {
	return slices.ContainsFunc(p.Workspace, func(dir string) bool { return p.fetched(dir, true) })
}

// packageFolders are the folders of installed packages: programs of a project run them anyway, and nobody reads them as text.
var packageFolders = []string{"node_modules", ".venv", "venv", "vendor"}

// containsFetchedText reports whether anything in the project came from outside that a program may read and show; whole folders of
// packages do not count.
func (p Policy) containsFetchedText() bool {
	texts := p
	texts.Fetched = slices.DeleteFunc(slices.Clone(p.Fetched), func(from string) bool {
		for _, dir := range p.Workspace {
			from = strings.TrimPrefix(from, dir)
		}
		return strings.HasSuffix(from, string(filepath.Separator)) &&
			slices.ContainsFunc(strings.Split(from, string(filepath.Separator)),
				func(part string) bool { return slices.Contains(packageFolders, part) })
	})
	return texts.containsFetched()
}

// runsUnseenCode reports whether a command is, or starts, a program whose reads cannot be seen: a script, a build, anything unknown. all
// is what the command would do. Git starts no program of the project by itself, and a command that only deletes shows nothing.
func runsUnseenCode(argv []string, all []risk) bool {
	argv = unwrapped(argv)
	name := argv[0]
	return slices.ContainsFunc(all, func(r risk) bool {
		switch r.kind {
		case runs:
			return !strings.HasSuffix(r.why, changesRepository) || len(gitNested(argv[1:])) > 0
		case builds:
			return true
		case unclear: // commands that only name files or variables are judged by those
			return readers[name] == nil && writers[name] == nil &&
				!slices.Contains([]string{"export", "declare", "typeset", "local", "readonly", "unset", "set", "shopt", "ulimit"}, name)
		case loses:
			return name != "rm" && name != "find" && (irreversible[name] == "" ||
				slices.Contains([]string{"dd", "at", "crontab", "init", "service", "systemctl", "launchctl"}, name)) &&
				(name != "git" || len(gitNested(argv[1:])) > 0)
		}
		return false
	})
}

// unwrapped is the command that env, timeout and the like run. argv must not be empty.
func unwrapped(argv []string) []string {
	for w := wrappers[argv[0]]; w != nil && !w.opaque && !w.script; w = wrappers[argv[0]] {
		rest, _, ok := w.inner(argv[1:])
		if !ok || len(rest) == 0 {
			break
		}
		argv = rest
	}
	return argv
}

// readsFetched reports whether a command reads what came from outside, or one of its words names that.
func (s site) readsFetched(argv []string, all []risk) bool {
	switch name := base(argv[0]); {
	case showsMetadataOnly(name, argv[1:]):
		return false
	case name == "git" && showsFiles(argv[1:]) && s.policy.containsFetched() && !namesOwnFiles(s, argv[1:]):
		return true
	}
	if slices.ContainsFunc(all, func(r risk) bool { return r.why == fromOutside || r.kind == reads && s.policy.fetched(r.path, false) }) {
		return true
	}
	return slices.ContainsFunc(argv, func(a string) bool {
		path, ok := s.path(a)
		return ok && len(a) < 4096 && s.policy.fetched(path, takesWholeFolders(argv))
	})
}

// Moment is the current moment, with what came from outside before it: later changes in the project can be told from it.
func (p Policy) Moment() foreign.Moment { return foreign.Now(p.Fetched) }

// fetched reports whether a file came from outside, or is in a folder that did; with below, also whether anything below it did. path is
// absolute, links followed.
func (p Policy) fetched(path string, below bool) bool {
	if _, in := within(p.Workspace, path); !in && foreign.Among(path, p.Abroad) {
		return true
	}
	return slices.ContainsFunc(p.Fetched, func(from string) bool {
		switch {
		case foreign.Among(path, []string{from}):
		case !below || !strings.HasPrefix(from, strings.TrimSuffix(path, string(filepath.Separator))+string(filepath.Separator)):
			return false
		}
		return p.Reviewed == nil || !p.Reviewed(from)
	})
}

// FromOutside reports whether reading a file brings in what strangers wrote. path is absolute.
func (p Policy) FromOutside(path string) bool {
	return len(p.Fetched)+len(p.Abroad) > 0 && p.fetched(shell.Real(path), false)
}
