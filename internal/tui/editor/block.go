package editor

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// block is a long paste that the draft shows as one character: one that clean removes from every text, so that
// nothing else can be taken for it, and which does not combine with others in Unicode.
type block struct{ text, label string }

const (
	firstBlock, lastBlock = 0xE01F0, 0xE0FFF

	foldLines, foldRunes = 3, 800 // longer pastes are folded into a block
	pasteLimit           = 10 << 20
	lineLimit            = 4 << 10 // of a paste into a single line
)

func isBlock(r rune) bool { return r >= firstBlock && r <= lastBlock }

// newlines are what terminals send for a line end in a paste: most send \r, each one a line, empty lines too.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// paste puts text where the cursor is; it never submits.
func (e *Editor) paste(text string) bool {
	switch {
	case e.OneLine && len(text) > lineLimit:
		e.note = fmt.Sprintf("This field takes one line, but the paste has %s.", size(len(text)))
		return true
	case len(text) > pasteLimit:
		return e.refuse("This paste is", len(text))
	}
	if text = e.cleaned(newlines.Replace(text)); text == "" {
		return false
	}
	if held := e.size(); held+len(text) > pasteLimit {
		return e.refuse("With this paste, the message would be", held+len(text))
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if long := lines > foldLines || utf8.RuneCountInString(text) > foldRunes; long && !e.OneLine && !e.Unfolded &&
		firstBlock+len(e.blocks) <= lastBlock {
		e.blocks = append(e.blocks, block{text, fmt.Sprintf("[pasted %s, %s]", count(lines, "line"), size(len(text)))})
		text = string(rune(firstBlock + len(e.blocks) - 1))
	}
	e.change(e.cursor, e.cursor, text, other)
	return true
}

func (e *Editor) refuse(what string, n int) bool {
	e.note = fmt.Sprintf("%s %s; the limit is %s. Save it to a file and mention the file with @.", what, size(n), size(pasteLimit))
	return true
}

// size returns the bytes of the draft with its blocks written out.
func (d *draft) size() (n int) {
	for _, l := range d.lines {
		n += len(l.text) + 1
		if len(d.blocks) == 0 {
			continue
		}
		for _, r := range l.text {
			if isBlock(r) {
				n += len(d.blocks[r-firstBlock].text)
			}
		}
	}
	return n - 1
}

// expand writes out the blocks of a text.
func (d *draft) expand(text string) string {
	if len(d.blocks) == 0 || !strings.ContainsFunc(text, isBlock) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if isBlock(r) {
			out.WriteString(d.blocks[r-firstBlock].text)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func count(n int, what string) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if n != 1 {
		what += "s"
	}
	return s + " " + what
}

func size(n int) string {
	switch {
	case n < 1000:
		return count(n, "byte")
	case n < 1000_000:
		return fmt.Sprintf("%d KB", (n+512)>>10)
	}
	return strings.Replace(fmt.Sprintf("%.1f MB", float64(n)/(1<<20)), ".0 ", " ", 1)
}
