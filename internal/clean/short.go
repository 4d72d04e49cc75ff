package clean

import "strings"

// OneLine is s with every run of white space as one space, shortened to limit bytes as Short does. It does not
// clean.
func OneLine(s string, limit int) string { return Short(strings.Join(strings.Fields(s), " "), limit) }

// Short is s if it has at most limit bytes, and else its beginning, cut at a rune's edge, with an ellipsis after it.
func Short(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
