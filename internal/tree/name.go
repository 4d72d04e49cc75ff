package tree

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanName says whether s is a name that is typed, kept and written to files the same everywhere: small letters, digits and dashes.
// It is the rule for names the program makes and for file names; what people call things is in GoodName and
// GoodBranch. At most 64 bytes.
func CleanName(s string) bool {
	return s != "" && s[0] != '-' && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// NameRule says what a person may call a conversation, a branch or a label.
const NameRule = "use letters of any script, digits, dots, dashes and underscores, in branches and labels also slashes; at most 64, " +
	"not starting with a dash or a dot"

// GoodName says whether a person may call a conversation so: in any script, and nothing that could be taken for an option, for a
// place such as HEAD or for a path.
func GoodName(s string) bool { return !strings.ContainsRune(s, '/') && GoodBranch(s) }

// GoodBranch says whether a person may call a branch or a label so: like a conversation, and slashes may divide it.
func GoodBranch(s string) bool {
	// Commands take HEAD and HEAD~2 for places: a branch of that name could not be reached.
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

// NameFor makes a name people can type: three telling words of a text, or else the usual one, and the end of the root's id.
// root must be an id of NewID: its last four characters tell apart what has the same words, about one time in a
// million.
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

// untelling are words that make no name.
const untelling = " should would could which what when does that this with keep have will from into than then they there "
