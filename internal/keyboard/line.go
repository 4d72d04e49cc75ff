package keyboard

import (
	"slices"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/out"
)

// Line is what a person is typing, with what was sent before.
type Line struct {
	Text  []rune
	At    int // the cursor is before this letter
	Past  []string
	back  int    // how far back in past; 0: at the line that is new
	draft string // the new line, while one of the past is shown
}

// Press lets a key do its work. Enter returns the line and begins a new one.
func (l *Line) Press(k Key) (sent string, enter bool) {
	if k.Text != "" {
		l.Text = slices.Insert(l.Text, l.At, []rune(k.Text)...)
		l.At += len([]rune(k.Text))
		return "", false
	}
	switch k.Name {
	case "enter":
		sent = string(l.Text)
		if strings.TrimSpace(sent) != "" && (len(l.Past) == 0 || l.Past[len(l.Past)-1] != sent) {
			l.Past = append(l.Past, sent)
		}
		l.Text, l.At, l.back, l.draft = nil, 0, 0, ""
		return sent, true
	case "left":
		l.At = max(0, l.At-1)
	case "right":
		l.At = min(len(l.Text), l.At+1)
	case "home":
		l.At = 0
	case "end":
		l.At = len(l.Text)
	case "word left":
		l.At = l.wordBefore()
	case "word right":
		for l.At < len(l.Text) && unicode.IsSpace(l.Text[l.At]) {
			l.At++
		}
		for l.At < len(l.Text) && !unicode.IsSpace(l.Text[l.At]) {
			l.At++
		}
	case "backspace":
		l.cut(max(0, l.At-1), l.At)
	case "delete", "leave":
		l.cut(l.At, min(len(l.Text), l.At+1))
	case "cut before":
		l.cut(0, l.At)
	case "cut after":
		l.cut(l.At, len(l.Text))
	case "cut word":
		l.cut(l.wordBefore(), l.At)
	case "up":
		l.recall(l.back + 1)
	case "down":
		l.recall(l.back - 1)
	}
	return "", false
}

// cut takes out the letters from one place to another.
func (l *Line) cut(from, to int) { l.Text, l.At = slices.Delete(l.Text, from, to), from }

// wordBefore is where the word begins that ends at or before the cursor.
func (l *Line) wordBefore() int {
	at := l.At
	for at > 0 && unicode.IsSpace(l.Text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(l.Text[at-1]) {
		at--
	}
	return at
}

// recall shows what was sent so many lines ago; 0 is the new line.
func (l *Line) recall(back int) {
	if back < 0 || back > len(l.Past) {
		return
	}
	if l.back == 0 {
		l.draft = string(l.Text)
	}
	text := l.draft
	if l.back = back; back > 0 {
		text = l.Past[len(l.Past)-back]
	}
	l.Text = []rune(text)
	l.At = len(l.Text)
}

// Complete writes the word before the cursor on as far as all of words agree that begin like it. If several are left it
// returns them.
func (l *Line) Complete(words []string) []string {
	before := string(l.Text[:l.At])
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
	l.Press(Key{Text: strings.TrimPrefix(common, before[from:])})
	return fits
}

// Shown is the line as it stands in a row of some columns, and the column of the cursor in it. Of a longer line it is
// the part around the cursor. The ends of lines show as ⏎.
func (l *Line) Shown(width int) (text string, cursor int) {
	all := []rune(strings.ReplaceAll(string(l.Text), "\n", "⏎"))
	from, to := 0, len(all)
	for out.Wide(all[from:l.At]) > width-2 {
		from++
	}
	for out.Wide(all[from:to]) > width-1 {
		to--
	}
	part := slices.Clone(all[from:to])
	if from > 0 && len(part) > 0 {
		part[0] = '…'
	}
	if to < len(all) && to > l.At {
		part[len(part)-1] = '…'
	}
	return string(part), out.Wide(part[:l.At-from])
}

// Clear begins the line anew; what was sent before is kept.
func (l *Line) Clear() { l.Text, l.At, l.back, l.draft = nil, 0, 0, "" }
