package keyboard

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Line is what a person is typing, with the editor of the screen, and what was sent before. Its zero value is an empty line.
type Line struct {
	Past  []string
	draft *editor.Editor
}

// pressed are the keys by name as the editor knows them.
var pressed = map[string]tea.KeyPressMsg{
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace},
	"delete": {Code: tea.KeyDelete}, "leave": {Code: tea.KeyDelete},
	"word left": {Code: tea.KeyLeft, Mod: tea.ModAlt}, "word right": {Code: tea.KeyRight, Mod: tea.ModAlt},
	"cut before": {Code: 'u', Mod: tea.ModCtrl}, "cut after": {Code: 'k', Mod: tea.ModCtrl},
	"cut word": {Code: 'w', Mod: tea.ModCtrl}, "cut next word": {Code: 'd', Mod: tea.ModAlt},
	"paste cut": {Code: 'y', Mod: tea.ModCtrl}, "undo": {Code: '_', Mod: tea.ModCtrl},
}

// edit is the editor of the line.
func (l *Line) edit() *editor.Editor {
	if l.draft == nil {
		l.draft = editor.New(theme.Theme{})
		l.draft.Unfolded = true
	}
	return l.draft
}

// Press lets a key do its work. Enter returns the line and begins a new one.
func (l *Line) Press(k Key) (sent string, enter bool) {
	if k.Name == "enter" {
		sent = l.Text()
		if strings.TrimSpace(sent) != "" && (len(l.Past) == 0 || l.Past[len(l.Past)-1] != sent) {
			l.Past = append(l.Past, sent)
		}
		l.Clear()
		return sent, true
	}
	e := l.edit()
	switch key, known := pressed[k.Name]; {
	case len([]rune(k.Text)) == 1:
		e.Update(tea.KeyPressMsg{Text: k.Text, Code: []rune(k.Text)[0]})
	case k.Text != "":
		e.Update(tea.PasteMsg{Content: k.Text})
	case known:
		e.History(l.Past)
		e.Update(key)
	}
	return "", false
}

// Complete writes the word before the cursor on as far as all of words agree that begin like it. If several are
// left it returns them; if one is left it is followed by a blank.
func (l *Line) Complete(words []string) []string {
	e := l.edit()
	word, from, to := e.Word()
	fits := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, word) })
	if len(fits) == 0 {
		return nil
	}
	common := fits[0]
	for _, w := range fits {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	common = strings.ToValidUTF8(common, "") // words may part within a letter
	if len(fits) == 1 {
		common, fits = common+" ", nil
	}
	e.Replace(from, to, common)
	return fits
}

// Text is the line.
func (l *Line) Text() string { return l.edit().Text() }

// Before is the line up to the cursor.
func (l *Line) Before() string { return l.edit().Before() }

// Empty says whether nothing is typed.
func (l *Line) Empty() bool { return l.draft == nil || l.draft.Empty() }

// Set makes text the line, with the cursor at its end.
func (l *Line) Set(text string) { l.edit().Set(text) }

// Clear begins the line again; what was sent before is kept.
func (l *Line) Clear() { l.edit().Clear() }

// Row is the line as it stands, to be shown.
func (l *Line) Row() Row {
	before, behind := l.edit().Around()
	return Row{before, behind}
}

// Row is what is typed before and behind the cursor.
type Row struct{ before, behind string }

// Cleaned is the row as clean makes it of the whole: a part of a secret is not known as one. Where that changes it the cursor is at
// its end.
func (r Row) Cleaned(clean func(string) string) Row {
	if text := r.before + r.behind; clean(text) != text {
		return Row{before: clean(text)}
	}
	return r
}

// Shown is the line in a row of some columns, and the column of the cursor in it. Of a longer line it is the part around the cursor.
// The ends of lines show as ⏎.
func (r Row) Shown(width int) (text string, cursor int) {
	ends := strings.NewReplacer("\n", "⏎")
	before, behind := []rune(ends.Replace(r.before)), []rune(ends.Replace(r.behind))
	all, at := slices.Concat(before, behind), len(before)
	from, to := 0, len(all)
	for out.Wide(all[from:at]) > width-2 {
		from++
	}
	for out.Wide(all[from:to]) > width-1 {
		to--
	}
	part := slices.Clone(all[from:to])
	if from > 0 && len(part) > 0 {
		part[0] = '…'
	}
	if to < len(all) && to > at {
		part[len(part)-1] = '…'
	}
	return string(part), out.Wide(part[:at-from])
}
