package cmd

import (
	"slices"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/out"
)

// line is what a person is typing, with what was sent before.
type line struct {
	text  []rune
	at    int // the cursor is before this letter
	past  []string
	back  int    // how far back in past; 0: at the line that is new
	draft string // the new line, while one of the past is shown
}

// press lets a key do its work. Enter returns the line and begins a new one.
func (l *line) press(k key) (sent string, enter bool) {
	if k.text != "" {
		l.text = slices.Insert(l.text, l.at, []rune(k.text)...)
		l.at += len([]rune(k.text))
		return "", false
	}
	switch k.name {
	case "enter":
		sent = string(l.text)
		if strings.TrimSpace(sent) != "" && (len(l.past) == 0 || l.past[len(l.past)-1] != sent) {
			l.past = append(l.past, sent)
		}
		l.text, l.at, l.back, l.draft = nil, 0, 0, ""
		return sent, true
	case "left":
		l.at = max(0, l.at-1)
	case "right":
		l.at = min(len(l.text), l.at+1)
	case "home":
		l.at = 0
	case "end":
		l.at = len(l.text)
	case "word left":
		l.at = l.wordBefore()
	case "word right":
		for l.at < len(l.text) && unicode.IsSpace(l.text[l.at]) {
			l.at++
		}
		for l.at < len(l.text) && !unicode.IsSpace(l.text[l.at]) {
			l.at++
		}
	case "backspace":
		l.cut(max(0, l.at-1), l.at)
	case "delete", "leave":
		l.cut(l.at, min(len(l.text), l.at+1))
	case "cut before":
		l.cut(0, l.at)
	case "cut after":
		l.cut(l.at, len(l.text))
	case "cut word":
		l.cut(l.wordBefore(), l.at)
	case "up":
		l.recall(l.back + 1)
	case "down":
		l.recall(l.back - 1)
	}
	return "", false
}

// cut takes out the letters from one place to another.
func (l *line) cut(from, to int) { l.text, l.at = slices.Delete(l.text, from, to), from }

// wordBefore is where the word begins that ends at or before the cursor.
func (l *line) wordBefore() int {
	at := l.at
	for at > 0 && unicode.IsSpace(l.text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(l.text[at-1]) {
		at--
	}
	return at
}

// recall shows what was sent so many lines ago; 0 is the new line.
func (l *line) recall(back int) {
	if back < 0 || back > len(l.past) {
		return
	}
	if l.back == 0 {
		l.draft = string(l.text)
	}
	text := l.draft
	if l.back = back; back > 0 {
		text = l.past[len(l.past)-back]
	}
	l.text = []rune(text)
	l.at = len(l.text)
}

// complete writes the word before the cursor on as far as all of words agree that begin like it. If several are left it
// returns them.
func (l *line) complete(words []string) []string {
	before := string(l.text[:l.at])
	from := strings.LastIndexByte(before, ' ') + 1
	var fits []string
	for _, w := range words {
		if strings.HasPrefix(w, before[from:]) {
			fits = append(fits, w)
		}
	}
	if len(fits) == 0 {
		return nil
	}
	common := fits[0]
	for _, w := range fits {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	if len(fits) == 1 {
		common, fits = common+" ", nil
	}
	l.press(key{text: strings.TrimPrefix(common, before[from:])})
	return fits
}

// shown is the line as it stands in a row of some columns, and the column of the cursor in it. Of a longer line it is
// the part around the cursor. The ends of lines show as ⏎.
func (l *line) shown(width int) (text string, cursor int) {
	all := []rune(strings.ReplaceAll(string(l.text), "\n", "⏎"))
	from, to := 0, len(all)
	for out.Wide(all[from:l.at]) > width-2 {
		from++
	}
	for out.Wide(all[from:to]) > width-1 {
		to--
	}
	part := slices.Clone(all[from:to])
	if from > 0 && len(part) > 0 {
		part[0] = '…'
	}
	if to < len(all) && to > l.at {
		part[len(part)-1] = '…'
	}
	return string(part), out.Wide(part[:l.at-from])
}
