package editor

import (
	"unicode"
	"unicode/utf8"
)

// change is one step of undo: at a position, one text replaced another.
type change struct {
	at            position
	removed, with string
	cursor        position // before the change
	kind          changeKind
}

// changeKind says which changes merge into one step.
type changeKind int

const (
	other changeKind = iota
	typing
	rubbing // backwards, letter by letter
)

// undoLimit is how many bytes of text are kept for undo.
const undoLimit = 32 << 20

// change replaces the text between two positions, puts the cursor after it, and remembers the previous state.
func (e *Editor) change(from, to position, with string, k changeKind) {
	removed := e.slice(from, to)
	if removed == with {
		e.move(past(from, with))
		return
	}
	c := change{from, removed, with, e.cursor, k}
	e.redo = nil
	e.undoBytes += len(removed) + len(with)
	if n := len(e.undo) - 1; n < 0 || !e.undo[n].absorb(c) {
		e.undo = append(e.undo, c)
	}
	for len(e.undo) > 1 && e.undoBytes > undoLimit {
		e.undoBytes -= len(e.undo[0].removed) + len(e.undo[0].with)
		e.undo = e.undo[1:]
	}
	e.move(e.splice(from, to, with))
}

// absorb merges next into the step, if they are one change to a person: typing a word, deleting letters.
func (c *change) absorb(next change) bool {
	switch {
	case c.kind != next.kind || c.kind == other:
		return false
	case c.kind == rubbing && past(next.at, next.removed) == c.at:
		c.at, c.removed = next.at, next.removed+c.removed
		return true
	case c.kind == typing && past(c.at, c.with) == next.at && next.removed == "":
		last, _ := utf8.DecodeLastRuneInString(c.with)
		first, _ := utf8.DecodeRuneInString(next.with)
		if unicode.IsSpace(last) && !unicode.IsSpace(first) {
			return false
		}
		c.with += next.with
		return true
	}
	return false
}

func undo(e *Editor) bool {
	n := len(e.undo) - 1
	if n < 0 {
		return true
	}
	c := e.undo[n]
	e.undo, e.redo = e.undo[:n], append(e.redo, c)
	e.undoBytes -= len(c.removed) + len(c.with)
	e.splice(c.at, past(c.at, c.with), c.removed)
	e.move(c.cursor)
	return true
}

func redo(e *Editor) bool {
	n := len(e.redo) - 1
	if n < 0 {
		return true
	}
	c := e.redo[n]
	c.kind = other
	e.redo, e.undo = e.redo[:n], append(e.undo, c)
	e.undoBytes += len(c.removed) + len(c.with)
	e.move(e.splice(c.at, past(c.at, c.removed), c.with))
	return true
}

// move puts the cursor at p, or after the cluster that contains p.
func (e *Editor) move(p position) {
	e.cursor = position{p.line, snap(e.lines[p.line].text, p.at)}
}
