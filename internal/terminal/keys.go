package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// letters end the sequences of keys that have no number: CSI or SS3 and the letter.
var letters = map[string]string{"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F", "f1": "P", "f2": "Q",
	"f3": "R", "f4": "S"}

// numbers begin the sequences of the others: CSI, the number and ~.
var numbers = map[string]int{"insert": 2, "delete": 3, "pgup": 5, "pgdown": 6, "f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21,
	"f11": 23, "f12": 24}

// plainKeys are keys with a byte of their own.
var plainKeys = map[string]string{"enter": "\r", "tab": "\t", "backspace": "\x7f", "esc": "\x1b", "space": " "}

// controls are the bytes of ctrl and a key that is no letter.
var controls = map[string]string{"space": "\x00", "@": "\x00", "2": "\x00", "[": "\x1b", "3": "\x1b", `\`: "\x1c", "4": "\x1c", "]": "\x1d",
	"5": "\x1d", "^": "\x1e", "6": "\x1e",
	"/": "\x1f", "_": "\x1f", "7": "\x1f", "?": "\x7f", "8": "\x7f", "backspace": "\b"}

// Press sends a key as xterm does: a letter, enter, up, F1, ctrl+k, alt+1, shift+tab, ctrl+shift+left.
func (t *Terminal) Press(name string) error {
	seq, err := encode(name, t.mode(ansi.ModeCursorKeys))
	if err == nil {
		t.Type(seq)
	}
	return err
}

// encode is what xterm sends for a key. What it cannot tell from another key is an error.
func encode(name string, application bool) (string, error) {
	key, mod := name, 1
	for weight, prefix := range map[int]string{1: "shift+", 2: "alt+", 4: "ctrl+"} {
		if rest := strings.Replace(key, prefix, "", 1); rest != key && rest != "" {
			key, mod = rest, mod+weight
		}
	}
	small := strings.ToLower(key)
	if letter, ok := letters[small]; ok {
		switch {
		case mod > 1:
			return fmt.Sprintf("\x1b[1;%d%s", mod, letter), nil
		case small[0] == 'f' || application:
			return "\x1bO" + letter, nil
		}
		return "\x1b[" + letter, nil
	}
	if n, ok := numbers[small]; ok {
		if mod > 1 {
			return fmt.Sprintf("\x1b[%d;%d~", n, mod), nil
		}
		return fmt.Sprintf("\x1b[%d~", n), nil
	}
	text, known := plainKeys[small]
	if !known && utf8.RuneCountInString(key) == 1 {
		text, known = key, true
	}
	mod--
	alt, ctrl, shift := mod&2 != 0, mod&4 != 0, mod&1 != 0
	switch {
	case shift && small == "tab" && !ctrl:
		text = "\x1b[Z"
	case shift:
		known = false // it has a letter of its own, or xterm sends none
	case ctrl && len(small) == 1 && small[0] >= 'a' && small[0] <= 'z':
		text = string(rune(small[0] & 0x1f))
	case ctrl:
		text, known = controls[small]
	}
	if !known {
		return "", fmt.Errorf("there is no key %s that xterm sends as such", name)
	}
	if alt {
		text = "\x1b" + text
	}
	return text, nil
}

// buttons are the codes of what a mouse does.
var buttons = map[string]int{"press": 0, "release": 0, "drag": 32, "move": 35, "wheelup": 64, "wheeldown": 65, "middle": 1, "right": 2}

// Mouse sends what a mouse does at a cell: press, release, click, drag, move, wheelup, wheeldown. Like a terminal it sends
// nothing to a program that did not ask for the mouse, and that is an error.
func (t *Terminal) Mouse(what string, x, y int) error {
	if !t.mode(ansi.ModeMouseExtSgr) || !t.mode(ansi.ModeMouseNormal) && !t.mode(ansi.ModeMouseButtonEvent) &&
		!t.mode(ansi.ModeMouseAnyEvent) {
		return fmt.Errorf("the program did not ask for the mouse")
	}
	if what == "click" {
		t.Type(mouse(0, x, y, "M") + mouse(0, x, y, "m"))
		return nil
	}
	code, ok := buttons[what]
	if !ok {
		return fmt.Errorf("a mouse does not %s", what)
	}
	final := "M"
	if what == "release" {
		final = "m"
	}
	t.Type(mouse(code, x, y, final))
	return nil
}

// mouse is one report of a mouse (SGR encoding): cells count from 1, M is a press and m a release.
func mouse(code, x, y int, final string) string {
	return "\x1b[<" + strconv.Itoa(code) + ";" + strconv.Itoa(x+1) + ";" + strconv.Itoa(y+1) + final
}
