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

// Event is what came of a message.
type Event int

const (
	None     Event = iota // the editor has no use for it: it is the caller's
	Moved                 // only the cursor moved
	Changed               // the text is another
	Submit                // Enter on a draft that is not empty; the draft stays until Clear
	Complete              // what stands before the cursor shall be completed
	Refused               // Note says why
)

// Editor holds a draft. All text in it went through clean, so a draft has newlines and tabs and no other controls.
type Editor struct {
	Placeholder string // shown while there is nothing else
	OneLine     bool   // for filters and names: no new lines, no blocks, no history
	Unfolded    bool   // a long paste stays text, and no block takes its place

	draft
	theme  theme.Theme
	cells  ansi.Method
	note   string
	cursor position // always between two clusters

	undo, redo []change
	undoBytes  int

	chain, before chain // what the key at hand and the one before it belong to
	killed        string
	goal          int // the column that up and down aim at

	past, walked []string
	walkedAt     int
	kept         string // the draft while history is shown instead
	prefix       string

	width int // as drawn last
	top   spot
	below bool
}

// chain is a run of keys that go together: kills fill one text to yank, up and down keep their column.
type chain int

const (
	loose chain = iota
	killing
	climbing
	walking
)

// Cells says how the terminal counts them: by grapheme once it was told to (mode 2027), by letter before. A new editor, like
// the renderer, begins with the latter.
func (e *Editor) Cells(by ansi.Method) {
	e.cells = by
	for i := range e.lines {
		e.lines[i].width = 0
	}
}

// ByGrapheme says whether a terminal tells that it counts cells by grapheme, or that it can; it is asked to, then.
func ByGrapheme(m tea.ModeReportMsg) bool {
	return m.Mode == ansi.ModeUnicodeCore && (m.Value == ansi.ModeReset || m.Value == ansi.ModeSet || m.Value == ansi.ModePermanentlySet)
}

// New is an empty editor.
func New(t theme.Theme) *Editor {
	return &Editor{draft: draft{lines: []line{{}}}, theme: t, width: 80}
}

// Ink has it drawn with another theme.
func (e *Editor) Ink(t theme.Theme) { e.theme = t }

// Update takes a tea.KeyPressMsg or a tea.PasteMsg, and a tea.ModeReportMsg that says how the terminal counts cells.
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

// press does what a key stands for, else it types the key's text.
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

// Note is a sentence for the person about the last message, or empty.
func (e *Editor) Note() string { return e.note }

// Text is the draft with its blocks written out.
func (e *Editor) Text() string { return e.expand(e.slice(position{}, e.end())) }

// Set makes text the draft, with the cursor at its end. It can be undone.
func (e *Editor) Set(text string) {
	e.chain = loose
	e.change(position{}, e.end(), e.cleaned(text), other)
}

// Begin puts text before the draft, and the cursor at its end.
func (e *Editor) Begin(text string) {
	e.chain = loose
	e.change(position{}, position{}, e.cleaned(text), other)
	e.cursor = e.end()
}

// Clear begins a new draft: blocks and what could be undone are forgotten, what was killed can still be yanked.
func (e *Editor) Clear() {
	e.killed = e.expand(e.killed)
	e.lines, e.cursor, e.top, e.blocks = []line{{}}, position{}, spot{}, nil
	e.undo, e.redo, e.undoBytes, e.chain = nil, nil, 0, loose
	e.edits++
}

// Empty says whether there is nothing in the draft, not even a space.
func (e *Editor) Empty() bool { return len(e.lines) == 1 && e.lines[0].text == "" }

// Before is the line of the cursor up to it. A block in it is one odd character.
func (e *Editor) Before() string { return e.lines[e.cursor.line].text[:e.cursor.at] }

// Around is the draft before the cursor and behind it, with its blocks written out.
func (e *Editor) Around() (before, behind string) {
	return e.expand(e.slice(position{}, e.cursor)), e.expand(e.slice(e.cursor, e.end()))
}

// FirstLine is the first line of the draft, for what depends on how it begins. Unlike Text it costs nothing.
func (e *Editor) FirstLine() string { return e.lines[0].text }

// Word is what stands between the last space and the cursor, and its place on the line, for Replace.
func (e *Editor) Word() (word string, from, to int) {
	line := e.Before()
	from = strings.LastIndexFunc(line, func(r rune) bool { return unicode.IsSpace(r) || isBlock(r) }) + 1
	if from > 0 { // behind the whole character that was found
		from = after(line, before(line, from))
	}
	return line[from:], from, len(line)
}

// Replace puts text where from to on the cursor's line is, and the cursor behind it.
func (e *Editor) Replace(from, to int, with string) {
	text := e.lines[e.cursor.line].text
	to = snap(text, min(max(to, 0), len(text)))
	from = snap(text, min(max(from, 0), to))
	e.chain = loose
	e.change(position{e.cursor.line, from}, position{e.cursor.line, to}, e.cleaned(with), other)
}
