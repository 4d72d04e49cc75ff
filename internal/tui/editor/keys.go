package editor

import "strings"

type action struct {
	keys []string           // as tea.Key.Keystroke names them
	do   func(*Editor) bool // reports whether the key did anything
}

var complete = []string{"tab", "ctrl+space"}

// actions are the keys of the editor; Enter and the completing keys are events instead. Some are listed twice
// since terminals with the newer protocols report the letter without its shift. Enter here is the one after a \
// at the end of a line.
var actions = []action{
	{[]string{"shift+enter", "alt+enter", "ctrl+j", "enter"}, newline},
	{[]string{"left", "ctrl+b"}, func(e *Editor) bool { e.cursor = e.left(e.cursor); return true }},
	{[]string{"right", "ctrl+f"}, func(e *Editor) bool { e.cursor = e.right(e.cursor); return true }},
	{[]string{"ctrl+left", "alt+left", "alt+b"}, func(e *Editor) bool { e.cursor = e.wordLeft(e.cursor, isWord); return true }},
	{[]string{"ctrl+right", "alt+right", "alt+f"}, func(e *Editor) bool { e.cursor = e.wordRight(e.cursor, isWord); return true }},
	{[]string{"home", "ctrl+a"}, func(e *Editor) bool { e.cursor.at = 0; return true }},
	{[]string{"end", "ctrl+e"}, func(e *Editor) bool { e.cursor = e.lineEnd(); return true }},
	{[]string{"ctrl+home", "alt+<", "alt+shift+,"}, func(e *Editor) bool { e.cursor = position{}; return true }},
	{[]string{"ctrl+end", "alt+>", "alt+shift+."}, func(e *Editor) bool { e.cursor = e.end(); return true }},
	{[]string{"up", "ctrl+p"}, func(e *Editor) bool { return e.vertical(-1) }},
	{[]string{"down", "ctrl+n"}, func(e *Editor) bool { return e.vertical(1) }},
	{[]string{"backspace", "ctrl+h", "shift+backspace"}, rub},
	{[]string{"delete", "ctrl+d"}, del},
	{[]string{"ctrl+w"}, func(e *Editor) bool { return e.kill(e.wordLeft(e.cursor, isDark)) }},
	{[]string{"alt+backspace", "ctrl+backspace"}, func(e *Editor) bool { return e.kill(e.wordLeft(e.cursor, isWord)) }},
	{[]string{"alt+d", "ctrl+delete"}, func(e *Editor) bool { return e.kill(e.wordRight(e.cursor, isWord)) }},
	{[]string{"ctrl+u"}, func(e *Editor) bool { return e.killLine(position{e.cursor.line, 0}, e.left) }},
	{[]string{"ctrl+k"}, func(e *Editor) bool { return e.killLine(e.lineEnd(), e.right) }},
	{[]string{"ctrl+y"}, yank},
	{[]string{"ctrl+_", "ctrl+shift+-", "alt+u"}, undo},
	{[]string{"alt+e", "ctrl+shift+z"}, redo},
}

// continued reports whether the line continues: it ends in a backslash with the cursor there.
func (e *Editor) continued() bool {
	return e.cursor == e.lineEnd() && strings.HasSuffix(e.Before(), `\`)
}

func newline(e *Editor) bool {
	if e.OneLine {
		return false
	}
	from := e.cursor
	if e.continued() {
		from = e.left(from)
	}
	e.change(from, e.cursor, "\n", other)
	return true
}

func (e *Editor) lineEnd() position {
	return position{e.cursor.line, len(e.lines[e.cursor.line].text)}
}

func rub(e *Editor) bool {
	if e.Empty() {
		return false
	}
	e.change(e.left(e.cursor), e.cursor, "", rubbing)
	return true
}

func del(e *Editor) bool {
	if e.Empty() {
		return false
	}
	e.change(e.cursor, e.right(e.cursor), "", other)
	return true
}

// killLine cuts up to a position, or if that is the cursor, over the end of the line.
func (e *Editor) killLine(to position, over func(position) position) bool {
	if to == e.cursor {
		to = over(to)
	}
	return e.kill(to)
}

// kill cuts the text between the cursor and a position. Consecutive cuts are one text.
func (e *Editor) kill(to position) bool {
	if e.Empty() {
		return false
	}
	if e.before != killing {
		e.killed = ""
	}
	e.chain = killing
	if from := e.cursor; to.line < from.line || to.line == from.line && to.at < from.at {
		e.killed = e.slice(to, from) + e.killed
		e.change(to, from, "", other)
	} else {
		e.killed += e.slice(from, to)
		e.change(from, to, "", other)
	}
	return true
}

func yank(e *Editor) bool {
	if held := e.size() + len(e.expand(e.killed)); held > pasteLimit {
		return e.refuse("With this text, the message would be", held)
	}
	e.change(e.cursor, e.cursor, e.killed, other)
	return true
}
