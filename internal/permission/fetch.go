package permission

import "slices"

// brings says whether what a command prints or leaves behind may be what strangers wrote: whatever may reach other machines may, and
// where no sandbox keeps programs from it, every program that is not looked into. all is what the command would do.
func (v viewer) brings(argv []string, all []risk) bool {
	reaches := func(r risk) bool {
		return r.kind == sends || !v.policy.Confined && (r.kind == runs || r.kind == builds)
	}
	if len(argv) == 0 || mute(argv) {
		return false
	}
	if len(v.policy.Fetched) > 0 && v.readsFetched(argv, all) {
		return true
	}
	if slices.ContainsFunc(all, reaches) {
		return true
	}
	inside, whole := carried(argv)
	for _, inner := range inside[min(1, len(inside)):] {
		if inner[0] != "" && !mute(inner) && slices.ContainsFunc(v.argv(inner, false, false, "", deepest), func(r risk) bool { return r.kind == sends }) {
			return true
		}
	}
	return !whole
}

// mute says whether a command sends and tells nothing that strangers wrote.
func mute(argv []string) bool {
	switch base(argv[0]) {
	case "git":
		return tells(argv[1:], "push") && runsProgram("push", argv[1:]) == ""
	case "mail", "sendmail", "xdg-open", "open", "ping", "ping6", "traceroute":
		return true
	}
	return false
}

// fromOutside is why a search is no longer harmless that goes through what came from outside.
const fromOutside = "it goes through files that came from outside"

// tells says whether a program is told one of some words, whatever options stand ahead of it.
func tells(args []string, words ...string) bool {
	return slices.ContainsFunc(told(args), func(at int) bool { return slices.Contains(words, args[at]) })
}

// carriesFolders says whether a command takes along what is in the folders that it names.
func carriesFolders(name string) bool {
	return slices.Contains([]string{"mv", "cp", "ln", "install", "rsync", "tar", "zip", "ditto"}, name)
}

// showsContent are git's words after which it shows what files hold, also those that are not named.
var showsContent = []string{"show", "diff", "log", "grep", "stash", "cat-file", "blame", "annotate", "format-patch", "archive", "whatchanged", "range-diff", "difftool", "add"}

// readsFetched says whether a command reads what came from outside, or a word of it names that.
func (v viewer) readsFetched(argv []string, all []risk) bool {
	if base(argv[0]) == "git" && tells(argv[1:], showsContent...) && slices.ContainsFunc(v.policy.Workspace, func(dir string) bool { return v.policy.fetched(dir, true) }) {
		return true
	}
	if slices.ContainsFunc(all, func(r risk) bool { return r.why == fromOutside || r.kind == reads && v.policy.fetched(r.path, false) }) {
		return true
	}
	return slices.ContainsFunc(argv, func(a string) bool {
		path, ok := v.path(a)
		return ok && len(a) < 4096 && v.policy.fetched(path, carriesFolders(base(argv[0])))
	})
}
