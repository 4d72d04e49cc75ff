package markdown

import "strings"

// Tail returns the end of a text, at most most bytes. It begins with a whole line, and if that is code, with
// its fence.
func Tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	from := len(text) - most
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		from += i + 1
	} else {
		return strings.ToValidUTF8(text[from:], "")
	}
	fence, opened := "", ""
	for line := range strings.Lines(text[:from]) {
		line = strings.TrimRight(line, "\r\n")
		_, mark := opens(line)
		switch {
		case fence == "" && mark != "":
			fence, opened = mark, strings.TrimLeft(line, " ")
		case fence != "" && closes(line, fence):
			fence = ""
		}
	}
	if fence != "" {
		return opened + "\n" + text[from:]
	}
	return text[from:]
}
