package forge

import (
	"strings"
	"unicode/utf8"
)

// Forges refuse what is longer: GitHub a title of more than 256 letters and a text of more than 65,536, and Linux an argument of 128 KB.
const (
	longestTitle = 200
	longestBody  = 60_000
)

// title is one line. Models write titles.
func title(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if letters := []rune(s); len(letters) > longestTitle {
		s = string(letters[:longestTitle-1]) + "…"
	}
	return s
}

// body is at most as long as forges take.
func body(s string) string {
	if len(s) <= longestBody {
		return s
	}
	end := longestBody
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "\n\n(The rest is left out: it is too long for a request.)\n"
}

// unbidden is a text in which GitLab finds no quick action: a line that begins with a slash would merge or close something in the person's
// name.
func unbidden(s string) string {
	return strings.TrimPrefix(strings.ReplaceAll("\n"+s, "\n/", "\n\\/"), "\n")
}
