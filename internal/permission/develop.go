package permission

import (
	"slices"
	"strings"
)

// gitReads are the commands of git that only read, with the forms of them that do not.
var gitReads = map[string][]string{
	"status": nil, "log": {"--output*", "--ext-diff", "--textconv"}, "diff": {"--output*", "--ext-diff", "--textconv", "--no-index"}, "show": {"--output*", "--ext-diff", "--textconv"}, "shortlog": {"--output*"}, "blame": {"--contents*"}, "annotate": nil, "rev-parse": {"--parseopt"}, "rev-list": nil, "ls-files": nil, "ls-tree": nil,
	"cat-file": {"--textconv", "--filters", "--batch*"}, "describe": nil, "merge-base": nil, "name-rev": nil, "for-each-ref": nil, "show-ref": nil, "count-objects": nil, "check-ignore": nil, "version": nil, "whatchanged": {"--output*", "--ext-diff"}, "diff-tree": {"--output*", "--ext-diff"}, "cherry": nil, "range-diff": {"--output*", "--ext-diff"}, "var": nil, "help": nil,
	"grep": {"-O*", "--open-files-in-pager*", "--ext-grep", "--no-index"}, "reflog": {"expire", "delete", "drop"}, "branch": nil, "tag": nil, "remote": nil, "stash": nil, "config": nil, "worktree": nil, "submodule": nil, "notes": nil,
}

// gitLoses are forms that throw work away or change what others see, by command; "" is the command whatever follows.
var gitLoses = map[string][]string{
	"reset": {"--hard", "--merge", "--keep"}, "clean": {""}, "checkout": {"--", ".", "-f", "--force", "-B", "--theirs", "--ours"}, "restore": {""}, "switch": {"-f", "--force", "--discard-changes", "-C", "--force-create"}, "branch": {"-D", "-d", "--delete", "-M", "-m", "--move", "-f", "--force", "-C"},
	"tag": {"-d", "--delete", "-f", "--force"}, "stash": {"drop", "clear", "pop"}, "rm": {""}, "push": {"-f", "--force*", "--delete", "-d", "--mirror", "--prune", "+*"}, "filter-branch": {""}, "filter-repo": {""}, "gc": {""}, "prune": {""}, "reflog": {"expire", "delete", "drop"}, "update-ref": {""}, "rebase": {""}, "replace": {""},
	"remote": {"remove", "rm", "prune", "set-url", "rename", "add"}, "worktree": {"remove", "prune", "move"}, "submodule": {"deinit"}, "config": {"--global", "--system", "--unset*", "--remove-section", "--edit", "-e"}, "update-index": {"--assume-unchanged", "--skip-worktree", "--index-info"}, "notes": {"remove", "prune"}, "commit": {"--amend", "--no-verify", "-n"}, "merge": {"--no-verify"}, "am": {"--no-verify"}, "sparse-checkout": {""}, "maintenance": {""}, "bisect": {"run"},
}

var gitSends = map[string]bool{"push": true, "pull": true, "fetch": true, "clone": true, "ls-remote": true, "send-email": true, "request-pull": true, "archive": false, "svn": true, "p4": true, "daemon": true, "http-push": true, "imap-send": true, "credential": true, "remote-http": true, "remote-ext": true}

// git is judged by its command and the form of it.
func (v viewer) git(c command) []risk {
	args := c.args()
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch a := args[0]; {
		case a == "--no-pager" || a == "-P" || a == "--no-optional-locks" || a == "--literal-pathspecs":
			args = args[1:]
		case a == "-C" && len(args) > 1:
			if _, ok := within(v.policy.Workspace, v.touch(reads, args[1]).path); !ok {
				return []risk{{unclear, "", "it works on another repository"}}
			}
			v.dir = v.touch(reads, args[1]).path
			args = args[2:]
		case a == "--version" || a == "--help":
			return []risk{{kind: safe}}
		default:
			return []risk{{unclear, "", "git " + a + " changes what git runs or where"}}
		}
	}
	if len(args) == 0 {
		return []risk{{kind: safe}}
	}
	sub, rest := args[0], args[1:]
	if gitSends[sub] || sub == "remote" && len(rest) > 0 && (rest[0] == "update" || rest[0] == "show") || sub == "submodule" && len(rest) > 0 && (rest[0] == "update" || rest[0] == "add") {
		out := []risk{{sends, "", "it talks to another repository"}}
		if form := lossyForm(sub, rest); form != "" {
			out = append(out, risk{loses, "", form})
		}
		if slices.ContainsFunc(rest, func(a string) bool {
			return strings.Contains(a, "ext::") || strings.HasPrefix(a, "--upload-pack") || strings.HasPrefix(a, "-u") && sub == "ls-remote" || strings.HasPrefix(a, "--exec") || strings.HasPrefix(a, "--receive-pack")
		}) {
			out = append(out, risk{unclear, "", "it makes git run a program"})
		}
		return out
	}
	if form := lossyForm(sub, rest); form != "" {
		return []risk{{loses, "", form}}
	}
	if _, reads := gitReads[sub]; reads && v.readsOnly(sub, rest) {
		out := []risk{{kind: safe, why: "git " + sub + " only reads"}}
		for _, a := range rest {
			if _, path, ok := strings.Cut(a, ":"); ok && secret(path) || secret(a) && !strings.HasPrefix(a, "-") {
				out = append(out, risk{forbid, "", a + " may hold secrets"})
			}
		}
		return out
	}
	if sub == "add" || sub == "commit" || sub == "mv" || sub == "init" || sub == "stash" || sub == "branch" || sub == "tag" || sub == "checkout" || sub == "switch" || sub == "merge" || sub == "cherry-pick" || sub == "revert" || sub == "reset" || sub == "apply" || sub == "worktree" || sub == "notes" {
		return []risk{{runs, "", "git " + sub + " changes the repository"}}
	}
	return []risk{{unclear, "", "it is not known what git " + sub + " does: it may be an alias of the repository"}}
}

func lossyForm(sub string, rest []string) string {
	for _, form := range gitLoses[sub] {
		if form == "" {
			return "git " + sub + " throws away what is not kept elsewhere"
		}
		for _, a := range rest {
			pre, any := strings.CutSuffix(form, "*")
			short := len(form) == 2 && form[0] == '-' && len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.Contains(a, form[1:]) && sub != "commit"
			if a == form || any && strings.HasPrefix(a, pre) || short || sub == "commit" && form == "-n" && len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.HasPrefix(strings.TrimLeft(a[1:], "asqv"), "n") {
				return "git " + sub + " " + a + " cannot be taken back, or hides what it does"
			}
		}
	}
	return ""
}

// readsOnly says whether this form of a command reads.
func (v viewer) readsOnly(sub string, rest []string) bool {
	for _, bad := range gitReads[sub] {
		pre, any := strings.CutSuffix(bad, "*")
		if slices.ContainsFunc(rest, func(a string) bool { return a == bad || any && strings.HasPrefix(a, pre) }) {
			return false
		}
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
	case "branch":
		return only("-a", "-r", "-v", "-vv", "--all", "--list", "--show-current", "--remotes", "--sort*", "--format*", "--color*", "--merged", "--no-merged", "-l") || first == "--list" || first == "--contains"
	case "tag":
		return len(rest) == 0 || first == "-l" || first == "--list" || only("-n*", "--sort*")
	case "remote":
		return only("-v", "--verbose") || first == "get-url"
	case "stash":
		return first == "list" || first == "show"
	case "config":
		return first == "--get" || first == "--list" || first == "-l" || first == "--get-all" || first == "get" || first == "list"
	case "worktree", "notes":
		return first == "list" || sub == "notes" && first == "show"
	case "submodule":
		return first == "status" || len(rest) == 0
	}
	return true
}

// golang: its own reports read; building and testing runs what the project says.
func (v viewer) golang(c command) []risk {
	if len(c.argv) < 2 {
		return []risk{{kind: safe}}
	}
	for _, a := range c.args() {
		if strings.HasPrefix(strings.TrimPrefix(a, "-"), "-toolexec") || strings.HasPrefix(a, "-toolexec") || strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-vettool") || strings.HasPrefix(a, "-overlay") || strings.HasPrefix(a, "-modfile") {
			return []risk{{unclear, "", "go " + a + " runs another program"}}
		}
	}
	switch sub := c.argv[1]; sub {
	case "version", "help", "doc":
		return []risk{{kind: safe}}
	case "env":
		if !slices.ContainsFunc(c.args(), func(a string) bool { return strings.HasPrefix(a, "-w") || strings.HasPrefix(a, "-u") }) {
			return []risk{{kind: safe}}
		}
		return []risk{{unclear, "", "it changes go's settings"}}
	case "build", "test", "vet", "list", "fmt":
		return v.build("go "+sub, c)
	case "get", "install", "mod", "work", "generate", "run", "tool", "clean":
		if sub == "get" || sub == "install" || sub == "mod" && len(c.argv) > 2 && c.argv[2] != "graph" && c.argv[2] != "why" && c.argv[2] != "edit" {
			return []risk{{sends, "", "it may fetch packages"}}
		}
	}
	return []risk{{runs, "", "go " + c.argv[1] + " runs what the project says"}}
}

// build is a command that compiles or tests the project, whose own code then runs. It is let run where a sandbox holds.
func (v viewer) build(what string, c command) []risk {
	if c.open || !v.policy.Confined || slices.ContainsFunc(c.args(), func(a string) bool {
		return strings.HasPrefix(a, "-o") || strings.HasPrefix(a, "--out") || strings.HasPrefix(a, "-C")
	}) {
		return []risk{{runs, "", what + " runs the project's own code"}}
	}
	return []risk{{builds, "", what + " runs the project's own code, in a sandbox"}}
}

// packages are the package managers that also build and test.
func (v viewer) packages(c command) []risk {
	sub := ""
	if len(c.argv) > 1 {
		sub = c.argv[1]
	}
	switch {
	case sub == "" || sub == "--version" || sub == "-v" || sub == "-V" || sub == "help" || sub == "ls" || sub == "list":
		return []risk{{kind: safe}}
	case c.argv[0] == "cargo" && slices.Contains([]string{"build", "test", "check", "clippy", "fmt"}, sub), sub == "test":
		return v.build(c.argv[0]+" "+sub, c)
	case sub == "run" || sub == "start" || sub == "bench":
		return []risk{{runs, "", c.argv[0] + " " + sub + " runs what the project says"}}
	case sub == "publish" || sub == "unpublish" || sub == "yank":
		return []risk{{loses, "", "what is published cannot be taken back"}}
	}
	return []risk{{sends, "", c.argv[0] + " " + sub + " may fetch and run packages"}}
}

func (v viewer) make(c command) []risk {
	for _, a := range c.args() {
		if strings.HasPrefix(a, "-") && a != "-j" && a != "-s" && a != "-k" && a != "-B" && strings.Trim(a, "-j0123456789") != "" {
			return []risk{{unclear, "", "make " + a + " changes what make runs"}}
		}
	}
	return []risk{{runs, "", "make runs what the project says"}}
}
