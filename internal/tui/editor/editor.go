// Package editor is the input of the screen: a draft of many lines with the keys of a shell, pasted blocks, undo and
// history; and the search that ranks what a few typed letters may mean.
package editor

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Event is the result of a message.
type Event int

const (
	None     Event = iota // the editor does not use it: it is the caller's
	Moved                 // only the cursor moved
	Changed               // the text changed
	Submit                // Enter on a draft that is not empty; the draft stays until Clear
	Complete              // the word before the cursor is to be completed
	Refused               // Note says why
)

// Editor holds a draft. All text in it is cleaned, so a draft has newlines and tabs and no other controls.
type Editor struct {
	Placeholder string // shown while the draft is empty
	OneLine     bool   // for filters and names: no new lines, no blocks, no history
	Unfolded    bool   // long pastes are not folded into blocks

	draft
	theme  theme.Theme
	cells  ansi.Method
	note   string
	cursor position // always between two clusters

	undo, redo []change
	undoBytes  int

	chain, before chain // the chains of the current key and of the one before
	killed        string
	goal          int // the column that up and down keep

	past, walked []string
	walkedAt     int
	kept         string // the draft, while history is shown instead
	prefix       string

	width int // as drawn last
	top   spot
	below bool
}

// chain is a run of related keys: kills collect one text to yank, up and down keep their column.
type chain int

const (
	loose chain = iota
	killing
	climbing
	walking
)

// Cells sets how the terminal counts them: by grapheme after mode 2027 was enabled, by letter before. A new
// editor, like the renderer, begins with the latter.
func (e *Editor) Cells(by ansi.Method) {
	e.cells = by
	for i := range e.lines {
		e.lines[i].width = 0
	}
}

// ByGrapheme reports whether the terminal says that it counts cells by grapheme, or can; then it is asked to.
func ByGrapheme(m tea.ModeReportMsg) bool {
	return m.Mode == ansi.ModeUnicodeCore && (m.Value == ansi.ModeReset || m.Value == ansi.ModeSet || m.Value == ansi.ModePermanentlySet)
}

// New returns an empty editor.
func New(t theme.Theme) *Editor {
	return &Editor{draft: draft{lines: []line{{}}}, theme: t, width: 80}
}

// Ink sets the theme.
func (e *Editor) Ink(t theme.Theme) { e.theme = t }

// Update handles a tea.KeyPressMsg or a tea.PasteMsg, and a tea.ModeReportMsg that says how the terminal counts
// cells.
func (e *Editor) Update(msg tea.Msg) Event {
	e.note = ""
	edits := e.edits
	used := false
	switch msg := msg.(type) {
	case tea.ModeReportMsg:
		if ByGrapheme(msg) {
			e.Cells(ansi.GraphemeWidth)
		}
	case tea.PasteMsg:
		e.chain = loose
		used = e.paste(msg.Content)
	case tea.KeyPressMsg:
		key := msg.Keystroke()
		switch {
		case slices.Contains(complete, key):
			return Complete
		case key == "enter" && (e.OneLine || !e.continued()):
			if e.Empty() {
				return None
			}
			return Submit
		}
		e.before, e.chain = e.chain, loose
		used = e.press(key, msg.Text)
	}
	switch {
	case e.note != "":
		return Refused
	case e.edits != edits:
		return Changed
	case used:
		return Moved
	}
	return None
}

// press executes a key's action, or types its text.
func (e *Editor) press(key, text string) bool {
	for _, a := range actions {
		if slices.Contains(a.keys, key) {
			return a.do(e)
		}
	}
	if text = e.cleaned(text); text == "" {
		return false
	}
	e.change(e.cursor, e.cursor, text, typing)
	return true
}

func (e *Editor) cleaned(text string) string {
	if e.OneLine {
		return clean.Line(text)
	}
	return clean.Text(text)
}

// Note returns a sentence for the person about the last message, or empty.
func (e *Editor) Note() string { return e.note }

// Text returns the draft with its blocks written out.
func (e *Editor) Text() string { return e.expand(e.slice(position{}, e.end())) }

// Set replaces the draft, with the cursor at its end. It can be undone.
func (e *Editor) Set(text string) {
	e.chain = loose
	e.change(position{}, e.end(), e.cleaned(text), other)
}

// Begin inserts text before the draft, and puts the cursor at the draft's end.
func (e *Editor) Begin(text string) {
	e.chain = loose
	e.change(position{}, position{}, e.cleaned(text), other)
	e.cursor = e.end()
}

// Clear begins a new draft: blocks and undo are forgotten, killed text can still be yanked.
func (e *Editor) Clear() {
	e.killed = e.expand(e.killed)
	e.lines, e.cursor, e.top, e.blocks = []line{{}}, position{}, spot{}, nil
	e.undo, e.redo, e.undoBytes, e.chain = nil, nil, 0, loose
	e.edits++
}

// Empty reports whether the draft is empty, without even a space.
func (e *Editor) Empty() bool { return len(e.lines) == 1 && e.lines[0].text == "" }

// Before returns the cursor's line up to the cursor. A block in it is one odd character.
func (e *Editor) Before() string { return e.lines[e.cursor.line].text[:e.cursor.at] }

// Around returns the draft before and after the cursor, with its blocks written out.
func (e *Editor) Around() (before, behind string) {
	return e.expand(e.slice(position{}, e.cursor)), e.expand(e.slice(e.cursor, e.end()))
}

// FirstLine returns the first line of the draft. Unlike Text it costs nothing.
func (e *Editor) FirstLine() string { return e.lines[0].text }

// Word returns the word before the cursor, and its place on the line, for Replace.
func (e *Editor) Word() (word string, from, to int) {
	line := e.Before()
	from = strings.LastIndexFunc(line, func(r rune) bool { return unicode.IsSpace(r) || isBlock(r) }) + 1
	if from > 0 { // after the whole character that was found
		from = after(line, before(line, from))
	}
	return line[from:], from, len(line)
}

// Replace replaces the text from from to to on the cursor's line, and puts the cursor after it.
func (e *Editor) Replace(from, to int, with string) {
	text := e.lines[e.cursor.line].text
	to = snap(text, min(max(to, 0), len(text)))
	from = snap(text, min(max(from, 0), to))
	e.chain = loose
	e.change(position{e.cursor.line, from}, position{e.cursor.line, to}, e.cleaned(with), other)
}
