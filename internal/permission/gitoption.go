package permission

import (
	"cmp"
	"slices"
	"strings"
)

// gitOption is an option among the words of a git command: the word, and its possible value, which is the rest of the
// word or else the next word. git accepts options in many forms, so comparing words does not find them all.
type gitOption struct{ word, value string }

// gitOptions finds the options of a list of forms. A form is "-f", also among other letters; "--force", also abbreviated or with a value;
// "--output*", with any rest; "--format=*%G*", if the value contains that; or a plain word, such as "+*", matched by its prefix.
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

// gitOptionMatch reports whether a word of a git command has, or may have, a form, and with which value.
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

// gitAbbreviates reports whether a word is, or may be, a long option of git: git accepts every unambiguous prefix of a name. Which
// prefixes are ambiguous depends on its version, so every prefix counts that is not an option itself.
func gitAbbreviates(sub, word, name string) bool {
	return word == name || len(word) > 2 && strings.HasPrefix(name, word) && (sub == "cat-file" || !slices.Contains(gitWholeOptions, word))
}

// gitWholeOptions are options whose whole names are prefixes of others that matter. cat-file, which has --textconv, has none of them.
var gitWholeOptions = []string{"--text", "--prune", "--author", "--to", "--cc"}

// gitLetters are the short options in a word, without the value of one.
func gitLetters(sub, a string) string {
	if i := strings.IndexAny(a, "=/.:"); i > 0 {
		a = a[:i]
	}
	if i := strings.IndexAny(a, gitValueLetters[sub]); i > 0 {
		return a[:i+1]
	}
	return a
}

// gitValueLetters are the letters of short options that take the rest of their word as a value.
var gitValueLetters = map[string]string{"commit": "mFCctuS", "fetch": "jo", "pull": "josSX", "push": "o", "merge": "mFsSX",
	"grep": "ABCefm",
	"tag":  "mFu", "switch": "cC", "checkout": "bB", "branch": "u"}

// gitProgramOptions are the options whose value is a program that git runs, or settings that may name one, by command; those under ""
// apply to all commands that contact other repositories.
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

// runsProgram says which other program git runs for a form of a command that contacts other repositories.
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

// perlOptions normalizes the words of a command written in Perl, which accepts -Name for --name.
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

// usesRemoteHelper reports whether git runs git-remote-NAME for an address: NAME::anything, or NAME://anything with a scheme that is not
// git's own.
func usesRemoteHelper(sub, address string) bool {
	name, rest, ok := strings.Cut(address, ":")
	if !ok || name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return false
	}
	return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "//") && sub != "svn" && !slices.Contains(gitSchemes, name)
}

// gitSchemes are the schemes of addresses that git handles itself.
var gitSchemes = []string{"https", "http", "ssh", "git", "file", "git+ssh", "ssh+git", "ftp", "ftps"}

// gitStrategies are git's own merge strategies; for others it runs git-merge-NAME.
var gitStrategies = []string{"ort", "recursive", "resolve", "octopus", "ours", "subtree"}

// otherStrategy returns a reason if another program performs the merge. With cherry-pick and revert, -s means sign-off.
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

// refspecs says what a fetch, pull or push may lose because of the refs it names: it may make git use other objects than those asked for
// or, with prune, delete whatever the other side does not have.
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

// gitFlagOptions are options of fetch, pull and push that take no value.
var gitFlagOptions = []string{"-p", "--prune", "-t", "--tags", "-n", "--no-tags", "-q", "--quiet", "-v", "--verbose", "-a", "--append",
	"--all", "-r",
	"--rebase", "--no-rebase", "--ff-only", "--progress", "-u", "--set-upstream", "--dry-run", "--"}

// destinations are the refs to be written, which words name after a colon. The first word is the other repository, unless it may be the
// value of an option.
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
