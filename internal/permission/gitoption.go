package permission

import (
	"cmp"
	"slices"
	"strings"
)

// gitOption is an option among the words of a git command: the word, and what may be its value, which is what follows in the
// word, or else the next word. git accepts options in many forms, so that no option can be found by comparing
// words.
type gitOption struct{ word, value string }

// gitOptions finds the options of a list. A form is "-f", also among other letters; "--force", also cut short or with a value;
// "--output*", with whatever follows; "--format=*%G*", where the value holds that; or a plain word, "+*" by its beginning.
func gitOptions(sub string, words []string, forms ...string) (out []gitOption) {
	for i, a := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		for _, form := range forms {
			if value, ok := gitOptionMatch(sub, a, next, form); ok {
				out = append(out, gitOption{a, value})
				break
			}
		}
	}
	return out
}

// gitOptionMatch says whether a word of a git command is one of a form, or may be, and what value it has then.
func gitOptionMatch(sub, a, next, form string) (value string, ok bool) {
	form, holds, _ := strings.Cut(form, "=")
	name, more := strings.CutSuffix(form, "*")
	switch {
	case len(name) > 2 && strings.HasPrefix(name, "--"):
		head, value, glued := strings.Cut(a, "=")
		if !glued {
			value = next
		}
		ok := gitAbbreviates(sub, head, name) || more && strings.HasPrefix(head, name)
		return value, ok && strings.Contains(value, strings.Trim(holds, "*"))
	case a != name && len(name) == 2 && name[0] == '-' && name[1] != '-' && len(a) > 2 && a[0] == '-' && a[1] != '-':
		if more && strings.HasPrefix(a, name) {
			return a[2:], true
		}
		at := strings.IndexByte(gitLetters(sub, a), name[1])
		return cmp.Or(a[max(at, 0)+1:], next), at > 0
	}
	return next, a == name || more && strings.HasPrefix(a, name)
}

// gitAbbreviates says whether a word is a long option of git, or may be: git takes every beginning of a name that no other name has.
// Which others there are hangs on its version, so each beginning counts that is no option of its own.
func gitAbbreviates(sub, word, name string) bool {
	return word == name || len(word) > 2 && strings.HasPrefix(name, word) && (sub == "cat-file" || !slices.Contains(gitWholeOptions, word))
}

// gitWholeOptions are options whose whole names are beginnings of others that matter. cat-file, which has --textconv, has none of them.
var gitWholeOptions = []string{"--text", "--prune", "--author", "--to", "--cc"}

// gitLetters are the short options in a word, without what is the value of one.
func gitLetters(sub, a string) string {
	if i := strings.IndexAny(a, "=/.:"); i > 0 {
		a = a[:i]
	}
	if i := strings.IndexAny(a, gitValueLetters[sub]); i > 0 {
		return a[:i+1]
	}
	return a
}

// gitValueLetters are the letters of short options that take the rest of their word for a value.
var gitValueLetters = map[string]string{"commit": "mFCctuS", "fetch": "jo", "pull": "josSX", "push": "o", "merge": "mFsSX",
	"grep": "ABCefm",
	"tag":  "mFu", "switch": "cC", "checkout": "bB", "branch": "u"}

// gitProgramOptions are the options whose value is a program that git runs, or settings that may name one, by command; those of "" count
// for all commands that talk to other repositories.
var gitProgramOptions = map[string][]string{
	"": {"--upload-pack", "--receive-pack", "--exec"}, "ls-remote": {"-u"}, "clone": {"-u", "-c", "--config", "--template"},
	"daemon":     {"--access-hook"},
	"send-email": {"--sendmail-cmd", "--smtp-server", "--to-cmd", "--cc-cmd", "--header-cmd"},
	"svn":        {"--authors-prog", "--config-dir", "--template"}, "p4": {"--git-dir"},
}

// gitCommandOptions are all long options of git whose value is a command line.
var gitCommandOptions = []string{"--exec", "--extcmd", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--config",
	"--sendmail-cmd",
	"--smtp-server", "--to-cmd", "--cc-cmd", "--header-cmd", "--access-hook", "--authors-prog", "--httpd", "--browser"}

// runsProgram says what other program a form of a command that talks to other repositories has git run.
func runsProgram(sub string, rest []string) string {
	if sub == "remote-ext" {
		return "git remote-ext runs any program it is given"
	}
	for _, o := range gitOptions(sub, perlOptions(sub, rest), append(slices.Clone(gitProgramOptions[""]), gitProgramOptions[sub]...)...) {
		return "makes git run a program: " + o.word
	}
	for _, a := range rest {
		if strings.HasPrefix(a, "-") {
			_, a, _ = strings.Cut(a, "=")
		}
		if usesRemoteHelper(sub, a) || strings.Contains(a, "ext::") {
			return "makes git run a program for " + a
		}
	}
	return otherStrategy(sub, rest)
}

// perlOptions are the words of a command that is written in Perl as others would be written: it takes -Name for --name.
func perlOptions(sub string, words []string) []string {
	if sub != "send-email" && sub != "svn" {
		return words
	}
	out := slices.Clone(words)
	for i, a := range out {
		if len(a) > 2 && a[0] == '-' {
			name, value, glued := strings.Cut(a, "=")
			out[i] = "--" + strings.ToLower(strings.TrimLeft(name, "-"))
			if glued {
				out[i] += "=" + value
			}
		}
	}
	return out
}

// usesRemoteHelper says whether git runs git-remote-NAME for an address: NAME::whatever, or NAME://whatever that is not its own.
func usesRemoteHelper(sub, address string) bool {
	name, rest, ok := strings.Cut(address, ":")
	if !ok || name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return false
	}
	return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "//") && sub != "svn" && !slices.Contains(gitSchemes, name)
}

// gitSchemes are those of addresses that git reaches itself.
var gitSchemes = []string{"https", "http", "ssh", "git", "file", "git+ssh", "ssh+git", "ftp", "ftps"}

// gitStrategies are the strategies of merging that git has itself; for others it runs git-merge-NAME.
var gitStrategies = []string{"ort", "recursive", "resolve", "octopus", "ours", "subtree"}

// otherStrategy says that a merge is made by a program of another make. With cherry-pick and revert, -s signs off.
func otherStrategy(sub string, rest []string) string {
	forms := map[string][]string{"merge": {"--strategy", "-s"}, "pull": {"--strategy", "-s"}, "rebase": {"--strategy", "-s"},
		"cherry-pick": {"--strategy"}, "revert": {"--strategy"}}[sub]
	for _, o := range gitOptions(sub, rest, forms...) {
		if o.value != "" && !slices.Contains(gitStrategies, o.value) {
			return "git " + sub + " " + o.word + " runs the program git-merge-" + o.value
		}
	}
	return ""
}

// refspecs says what the refs that a fetch, pull or push names make it lose: what git takes in place of what it is asked for, or
// with prune whatever the other side does not have.
func refspecs(sub string, rest []string) string {
	to := destinations(rest)
	for _, ref := range to {
		if pre, _, any := strings.Cut(strings.ToLower(ref), "*"); strings.HasPrefix(pre, "refs/replace/") || any && sub != "push" &&
			strings.HasPrefix("refs/replace/", pre) {
			return "git " + sub + " writes " + ref + ", which git then uses instead of other objects"
		}
	}
	if sub != "push" && len(gitOptions(sub, rest, "--prune", "-p")) > 0 &&
		slices.ContainsFunc(to, func(ref string) bool { return !strings.HasPrefix(ref, "refs/remotes/") }) {
		return "git " + sub + " deletes branches or tags missing from the other repository"
	}
	return ""
}

// gitFlagOptions are options of fetch, pull and push that take no word for a value.
var gitFlagOptions = []string{"-p", "--prune", "-t", "--tags", "-n", "--no-tags", "-q", "--quiet", "-v", "--verbose", "-a", "--append",
	"--all", "-r",
	"--rebase", "--no-rebase", "--ff-only", "--progress", "-u", "--set-upstream", "--dry-run", "--"}

// destinations are the refs to be written that words name after a colon. The first word is the other repository, unless it may be
// the value of an option.
func destinations(rest []string) (out []string) {
	remote, only := true, false
	for _, a := range rest {
		switch i := strings.LastIndexByte(a, ':'); {
		case !only && strings.HasPrefix(a, "-"):
			only = a == "--" || a == "--end-of-options"
			remote = remote && (strings.Contains(a, "=") || slices.Contains(gitFlagOptions, a))
		case remote:
			remote = false
		case i >= 0 && i+1 < len(a) && !strings.HasPrefix(a[i:], "://"):
			out = append(out, a[i+1:])
		}
	}
	return out
}
