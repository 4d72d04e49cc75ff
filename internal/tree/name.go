package tree

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanName reports whether s is a name that can be typed, stored and used as a file name on every system: lower-case
// letters, digits and dashes, at most 64 bytes. It is the rule for names the program makes and for file names; GoodName
// and GoodBranch are the rules for names that people choose.
func CleanName(s string) bool {
	return s != "" && s[0] != '-' && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// NameRule explains which names a person may give a conversation, a branch or a label.
const NameRule = "use letters of any script, digits, dots, dashes and underscores, in branches and labels also slashes; at most 64, " +
	"not starting with a dash or a dot"

// GoodName reports whether a person may give a conversation this name: any script is allowed, but nothing that could be mistaken for an
// option, for a place such as HEAD or for a path.
func GoodName(s string) bool { return !strings.ContainsRune(s, '/') && GoodBranch(s) }

// GoodBranch reports whether a person may give a branch or a label this name. The rule is GoodName's, but slashes may divide the name.
func GoodBranch(s string) bool {
	// Commands read HEAD and HEAD~2 as places: a branch of that name could not be reached.
	if s == "HEAD" || strings.HasPrefix(s, "HEAD~") || utf8.RuneCountInString(s) > 64 || !utf8.ValidString(s) {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part[0] == '-' || part[0] == '.' || strings.HasSuffix(part, ".") || strings.Contains(part, "..") {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-._/", r)
	})
}

// NameFor makes a name that people can type: three meaningful words of the text, or else the word usual, and the end of
// the root's id. root must come from NewID: its last four characters tell apart trees with the same words, except about
// once in a million.
func NameFor(text, usual string, root ID) string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 3 && len(w) < 16 && CleanName(w) && !strings.Contains(untelling, " "+w+" ") {
			words = append(words, w)
		}
	}
	words = words[:min(3, len(words))]
	if len(words) == 0 {
		words = []string{usual}
	}
	return strings.Join(words, "-") + "-" + string(root[len(root)-4:])
}

// untelling are words too common to use in a name.
const untelling = " should would could which what when does that this with keep have will from into than then they there "
