package tree

import (
	"strings"
	"unicode"
)

// CleanName says whether s can be the last part of a ref's name: letters, digits and dashes.
func CleanName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// NameFor makes a name people can type: three telling words of a text, or else the usual one, and the end of the root's id.
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
