package permission

import (
	"path/filepath"
	"slices"
	"strings"
)

// gitReads are the git commands that only read, with their forms that do not.
var gitReads = map[string][]string{
	"status": nil, "log": gitDiffs, "diff": append([]string{"--no-index"}, gitDiffs...), "show": gitDiffs, "shortlog": gitDiffs,
	"blame": append([]string{"--contents*"}, gitDiffs...), "annotate": append([]string{"--contents*"}, gitDiffs...),
	"rev-parse": {"--parseopt"}, "rev-list": gitDiffs, "ls-files": nil, "ls-tree": nil,
	"cat-file": {"--textconv", "--filters", "--batch*"}, "describe": nil, "merge-base": nil, "name-rev": nil,
	"for-each-ref": {"--format=*%(signature*"}, "show-ref": nil, "count-objects": nil, "check-ignore": nil, "version": nil,
	"whatchanged": gitDiffs, "diff-tree": append([]string{"--no-index"}, gitDiffs...), "cherry": nil, "range-diff": gitDiffs,
	"var": nil, "help": nil,
	"grep":   {"-O*", "-O", "-f*", "-f", "--open-files-in-pager*", "--ext-grep", "--no-index"},
	"reflog": append([]string{"expire", "delete", "drop"}, gitDiffs...), "branch": {"--format=*%(signature*"},
	"tag": {"--format=*%(signature*"}, "remote": nil, "stash": gitDiffs, "clean": nil, "config": {"-f*", "--file*", "--blob*"},
	"worktree": nil, "submodule": nil, "notes": nil,
}

// gitDiffs are the options of commands that show changes which run programs or write files.
var gitDiffs = []string{"--output*", "--ext-diff", "--textconv", "--show-signature", "--format=*%G*", "--pretty=*%G*"}

// gitLoses are the forms that discard work or change what others see, by command; "" means every form.
var gitLoses = map[string][]string{
	"reset": {"--hard", "--merge", "--keep"}, "clean": {""},
	"checkout": {"--", ".", "--pathspec-from-file", "-f", "--force", "-B", "--theirs", "--ours"}, "restore": {""},
	"switch": {"-f", "--force", "--discard-changes", "-C", "--force-create"},
	"branch": {"-D", "-d", "--delete", "-M", "-m", "--move", "-f", "--force", "-C"},
	"tag":    {"-d", "--delete", "-f", "--force"}, "stash": {"drop", "clear", "pop"}, "rm": {""},
	"push":  {"-f", "--force*", "--delete", "-d", "--mirror", "--prune", "+*"},
	"fetch": append([]string{"-P", "--prune-tags", "--stdin"}, gitForced...), "pull": gitForced, "filter-branch": {""},
	"filter-repo": {""}, "gc": {""}, "prune": {""}, "reflog": {"expire", "delete", "drop"}, "update-ref": {""}, "rebase": {""},
	"replace": {""},
	"remote":  {"remove", "rm", "prune", "set-url", "rename", "add"}, "worktree": {"remove", "prune", "move"}, "submodule": {"deinit"},
	"config":       {"--global", "--system", "--unset*", "--remove-section", "--edit", "-e"},
	"update-index": {"--assume-unchanged", "--skip-worktree", "--index-info"}, "notes": {"remove", "prune"},
	"commit": {"--amend", "--no-verify", "-n"}, "merge": {"--no-verify"}, "am": {"--no-verify"}, "sparse-checkout": {""},
	"maintenance": {""}, "bisect": {"run"},
}

// gitForced are the forms of a fetch that overwrite branches, tags and notes.
var gitForced = []string{"-f", "--force", "-u", "--update-head-ok", "--refmap", "+*"}

// gitSends are commands that reach another machine.
var gitSends = wordSet(`
	push pull fetch clone ls-remote send-email request-pull svn p4 daemon http-push imap-send credential remote-http remote-ext
`)

// changesRepository ends the reason for commands that change the repository.
const changesRepository = " changes the repository"

// git judges a git command by its subcommand and form. The order of the checks matters: does it reach other machines,
// can it lose work, does it run other programs, does it only read, does it change the repository. Only a form that
// gitReads lists as reading is safe; the rest is at least a program like any other.
//
// Options before the subcommand that change what git runs or where (-c, --git-dir, --exec-path) are not analysed further.
func (v analyzer) git(c command) []risk {
	args := c.args()
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch a := args[0]; {
		case a == "--no-pager" || a == "-P" || a == "--no-optional-locks" || a == "--literal-pathspecs":
			args = args[1:]
		case a == "-C" && len(args) > 1:
			if _, ok := within(v.policy.Workspace, v.touch(reads, args[1]).path); !ok {
				return []risk{{unclear, "", "works on another repository"}}
			}
			v.dir = v.touch(reads, args[1]).path
			args = args[2:]
		case a == "--help":
			args = append([]string{"help"}, args[1:]...)
		case a == "--version":
			return []risk{{kind: safe}}
		default:
			return []risk{{unclear, "", "git " + a + " changes what git runs or where"}}
		}
	}
	if len(args) == 0 {
		return []risk{{kind: safe}}
	}
	sub, rest := args[0], args[1:]
	if gitSends()[sub] || sub == "remote" && len(rest) > 0 && (rest[0] == "update" || rest[0] == "show") || sub == "submodule" &&
		len(rest) > 0 && (rest[0] == "update" || rest[0] == "add") {
		return gitContacts(v, sub, rest)
	}
	if form := lossyForm(sub, rest); form != "" {
		return []risk{{loses, "", form}}
	}
	if why := otherStrategy(sub, rest); why != "" {
		return []risk{{unclear, "", why}}
	}
	if _, known := gitReads[sub]; known && v.readsOnly(sub, rest) || onlyPrints(sub, rest) {
		return gitOnlyReads(v, sub, rest)
	}
	if sub == "init" || sub == "worktree" {
		return []risk{{unclear, "", "git " + sub + " creates a repository or worktree, whose settings git obeys"}}
	}
	if sub == "add" || sub == "commit" || sub == "mv" || sub == "stash" || sub == "branch" || sub == "tag" || sub == "checkout" ||
		sub == "switch" || sub == "merge" || sub == "cherry-pick" || sub == "revert" || sub == "reset" || sub == "apply" || sub == "notes" {
		return []risk{{runs, "", "git " + sub + changesRepository}}
	}
	if _, known := gitReads[sub]; known {
		return []risk{{unclear, "", "git " + sub + " with these options may run programs or write files"}}
	}
	return []risk{{unclear, "", "git " + sub + " is unknown; it may be an alias in this repository"}}
}

// gitContacts judges a command that reaches another repository, by its form.
func gitContacts(v analyzer, sub string, rest []string) []risk {
	out := []risk{{sends, "", "contacts a remote repository"}}
	if sub == "clone" || sub == "submodule" {
		out = append(out, risk{unclear, "", "git " + sub + " creates a repository, whose settings git obeys"})
	}
	if form := lossyForm(sub, rest); form != "" {
		out = append(out, risk{loses, "", form})
	}
	if why := runsProgram(sub, rest); why != "" {
		out = append(out, risk{unclear, "", why})
	}
	if at := v.pushesTo(sub, rest); at != "" {
		out = append(out, risk{unclear, "", "a push to " + at + " runs that repository's hooks on this machine"})
	}
	return out
}

// gitOnlyReads judges a command that reads, with the files that its words name.
func gitOnlyReads(v analyzer, sub string, rest []string) []risk {
	out := []risk{{kind: safe, why: "git " + sub + " only reads"}}
	for _, a := range rest {
		if _, value, ok := strings.Cut(a, "="); ok && filepath.IsAbs(value) {
			out = append(out, v.touch(reads, value))
		}
		_, path, ok := strings.Cut(a, ":")
		switch {
		case ok && (secret(path) || secret(path[strings.LastIndexByte(path, ':')+1:])) || secret(a) && !strings.HasPrefix(a, "-"):
			out = append(out, risk{forbid, "", a + " may contain secrets"})
		case filepath.IsAbs(a) || strings.HasPrefix(a, "../") || strings.Contains(a, "/../"):
			out = append(out, v.touch(reads, a))
		}
	}
	return out
}

// gitDryRuns are the options with which some commands only print what they would do: first those that make it a dry run, then those that
// may accompany them. Any other option disqualifies the command.
var gitDryRuns = map[string][]map[string]bool{
	"apply":        {setOf("--check --stat --numstat --summary"), setOf("-p0 -p1 -p2 -R --reverse -v --verbose --index --cached")},
	"format-patch": {setOf("--stdout"), setOf("-1 -2 -3 -4 -5 -k -M --no-stat --no-signature --no-prefix --binary --root")},
}

// onlyPrints reports whether a command only prints what it would do.
func onlyPrints(sub string, rest []string) bool {
	sets := gitDryRuns[sub]
	return sets != nil && slices.ContainsFunc(rest, func(a string) bool { return sets[0][a] }) &&
		!slices.ContainsFunc(rest, func(a string) bool { return strings.HasPrefix(a, "-") && !sets[0][a] && !sets[1][a] })
}

// lossyForm says, in a sentence, why a form of a command may lose work or hide what it does; empty: it does neither.
func lossyForm(sub string, rest []string) string {
	if sub == "clean" && len(rest) > 0 && !slices.ContainsFunc(rest, func(a string) bool {
		return !slices.Contains([]string{"-n", "-d", "-x", "-X", "--dry-run", "-nd", "-dn", "-ndx", "-ndX", "-xdn"}, a)
	}) && slices.ContainsFunc(rest, func(a string) bool { return strings.Contains(a, "n") }) {
		return ""
	}
	if sub == "commit" {
		rest = withoutMessage(rest)
	}
	for _, form := range gitLoses[sub] {
		if form == "" {
			return "git " + sub + " discards work that is not saved elsewhere"
		}
		for _, o := range gitOptions(sub, rest, form) {
			if sub == "push" && (form == "-f" || form == "--force*") {
				return "git push " + o.word + " overwrites the remote branch and loses commits that exist only there"
			}
			return "git " + sub + " " + o.word + " cannot be undone, or hides what it does"
		}
	}
	if sub == "checkout" {
		return overwritesFiles(rest)
	}
	if sub == "fetch" || sub == "pull" || sub == "push" {
		if why := refspecs(sub, rest); why != "" {
			return why
		}
	}
	if sub == "push" && slices.ContainsFunc(rest, func(a string) bool { return strings.HasPrefix(a, ":") && len(a) > 1 }) {
		return "git push deletes a remote branch or tag"
	}
	return ""
}

// overwritesFiles returns a reason if a checkout has more than one name: then files are taken from elsewhere and replace existing ones.
func overwritesFiles(rest []string) string {
	names := 0
	for _, a := range rest {
		if a == "-b" || a == "-t" || a == "--track" || a == "--orphan" {
			return ""
		}
		if !strings.HasPrefix(a, "-") {
			names++
		}
	}
	if names > 1 {
		return "git checkout overwrites files in the worktree"
	}
	return ""
}

// withoutMessage returns the arguments of commit without its message, which may look like anything. A word that may be the value of the
// previous option does not begin a message.
func withoutMessage(rest []string) (out []string) {
	for i := 0; i < len(rest); i++ {
		a := rest[i]
		taken := i > 0 && strings.HasPrefix(rest[i-1], "-") && !strings.Contains(rest[i-1], "=") &&
			(strings.HasPrefix(rest[i-1], "--") || strings.ContainsAny(rest[i-1][1:], gitValueLetters["commit"]))
		if strings.HasPrefix(a, "--message=") {
			continue
		}
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && !taken {
			if m := strings.IndexAny(a, gitValueLetters["commit"]); m > 0 && a[m] == 'm' {
				if out = append(out, a[:m]); m == len(a)-1 {
					i++
				}
				continue
			}
		}
		out = append(out, a)
		if a == "--message" && !taken {
			i++
		}
	}
	return out
}

// readsOnly reports whether this form of a command reads. Options that run programs (pagers, diff drivers, signature
// checks) disqualify it, since a repository's settings name those programs.
func (v analyzer) readsOnly(sub string, rest []string) bool {
	if len(gitOptions(sub, rest, gitReads[sub]...)) > 0 || slices.ContainsFunc(rest, checksSignature) || slices.ContainsFunc(rest,
		runsHelper) {
		return false
	}
	first := ""
	if len(rest) > 0 {
		first = rest[0]
	}
	only := func(allowed ...string) bool {
		return !slices.ContainsFunc(rest, func(a string) bool {
			return !slices.ContainsFunc(allowed, func(ok string) bool {
				pre, any := strings.CutSuffix(ok, "*")
				return a == ok || any && strings.HasPrefix(a, pre)
			})
		})
	}
	switch sub {
	case "help": // for a command, it starts the manual reader that the settings name
		return only("-a", "--all", "-g", "--guides", "-c", "--config", "--verbose", "--no-verbose", "--user-interfaces",
			"--developer-interfaces")
	case "branch":
		return only("-a", "-r", "-v", "-vv", "--all", "--list", "--show-current", "--remotes", "--sort*", "--format*", "--color*",
			"--merged", "--no-merged", "-l") || first == "--list" || first == "--contains"
	case "tag":
		return len(rest) == 0 || first == "-l" || first == "--list" || only("-n*", "--sort*")
	case "remote":
		return only("-v", "--verbose") || first == "get-url"
	case "stash":
		return first == "list" || first == "show"
	case "config":
		return first == "--get" || first == "--list" || first == "-l" || first == "--get-all" || first == "--get-regexp" ||
			first == "get" || first == "list" || len(rest) == 1 && !strings.HasPrefix(first, "-") && strings.Contains(first, ".")
	case "worktree", "notes":
		return first == "list" || sub == "notes" && first == "show"
	case "submodule":
		return first == "status" || len(rest) == 0
	}
	return true
}

// runsHelper reports whether a word makes git run a program that the repository's settings name: for its manual, or to list what another
// repository has.
func runsHelper(a string) bool {
	return len(a) > 4 && (strings.HasPrefix("--help", a) || strings.HasPrefix("--alternate-refs", a))
}

// checksSignature reports whether a word is a format that makes git run a program to check signatures.
func checksSignature(a string) bool {
	for _, f := range strings.Split(a, "%")[1:] {
		if f = strings.TrimLeft(f, "+- (*"); strings.HasPrefix(f, "G") || strings.HasPrefix(f, "signature") {
			return true
		}
	}
	return false
}
