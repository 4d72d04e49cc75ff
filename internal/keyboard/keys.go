// Package keyboard reads what a person types at a terminal key by key, and is the line that is typed: for chats and
// debates, which show things meanwhile. The full screen has its own (package tui).
//
// [Quiet] makes the terminal give every key at once; a [Reader] makes keys of bytes; a [Line] is what they come to,
// with history and completion. [KeepHalf] is for a terminal that gives whole lines. Whoever changes the terminal
// gets a function that restores it and must call it on every way out; a watchdog restores it if the process is
// killed. Readers and lines are for one goroutine.
package keyboard

import (
	"bufio"
	"os"
	"strings"
	"time"
	"unicode"
)

// Key is what a person pressed: text that was typed or pasted, or a key by name.
type Key struct{ Name, Text string }

// keyNames are the control characters that mean something, and what follows an escape.
var keyNames = map[string]string{
	"\n": "enter", "\r": "enter", "\t": "tab", "\x7f": "backspace", "\b": "backspace",
	"\x01": "home", "\x05": "end", "\x02": "left", "\x06": "right", "\x10": "up", "\x0e": "down",
	"\x04": "leave", "\x15": "cut before", "\x0b": "cut after", "\x17": "cut word", "\x19": "paste cut", "\x1f": "undo",
	"b": "word left", "f": "word right", "\x1b\x7f": "cut word", "d": "cut next word",
	"[A": "up", "[B": "down", "[C": "right", "[D": "left", "[H": "home", "[F": "end",
	"OA": "up", "OB": "down", "OC": "right", "OD": "left", "OH": "home", "OF": "end",
	"[1~": "home", "[7~": "home", "[4~": "end", "[8~": "end", "[3~": "delete",
	"[1;5C": "word right", "[1;5D": "word left", "[1;3C": "word right", "[1;3D": "word left",
}

// pasteBegins and pasteEnds stand around what is pasted, in a terminal that was asked to say so.
const pasteBegins, pasteEnds = "[200~", "\x1b[201~"

// Reader reads what a person types. It understands what xterm and its relatives send; of other sequences nothing is
// typed.
type Reader struct {
	in   *bufio.Reader
	more func() bool // whether something follows at once: an escape by itself is a key, too
}

// Next waits for a key. One that means nothing has neither name nor text.
func (k Reader) Next() (Key, error) {
	r, _, err := k.in.ReadRune()
	if err != nil {
		return Key{}, err
	}
	if r != 0x1b {
		if name := keyNames[string(r)]; name != "" && r < 0x80 && !unicode.IsPrint(r) {
			return Key{Name: name}, nil
		}
		return Key{Text: typed(string(r))}, nil
	}
	if k.in.Buffered() == 0 && !k.more() {
		return Key{}, nil
	}
	rest, err := k.escape()
	if err != nil || rest != pasteBegins {
		return Key{Name: keyNames[rest]}, err
	}
	text, err := k.paste()
	return Key{Text: text}, err
}

// escape reads what follows an escape.
func (k Reader) escape() (string, error) {
	b, err := k.in.ReadByte()
	if err != nil {
		return "", err
	}
	seq := []byte{b}
	if b == 0x7f || b == '\b' {
		return "\x1b\x7f", nil
	}
	for n := 0; (b == '[' || b == 'O') && n < 16; n++ {
		c, err := k.in.ReadByte()
		if err != nil {
			return "", err
		}
		if seq = append(seq, c); c >= '@' && c <= '~' {
			break
		}
	}
	return string(seq), nil
}

// maxPaste bounds what is taken from one paste; the rest is read and left out.
const maxPaste = 64 << 10

// paste reads up to the end of what is pasted. Its lines stay lines.
func (k Reader) paste() (string, error) {
	var b strings.Builder
	tail := ""
	for {
		c, err := k.in.ReadByte()
		if err != nil {
			return "", err
		}
		if tail += string([]byte{c}); len(tail) > len(pasteEnds) {
			if b.Len() < maxPaste {
				b.WriteByte(tail[0])
			}
			tail = tail[1:]
		}
		if tail == pasteEnds {
			text := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ").Replace(b.String())
			return typed(strings.Trim(strings.ToValidUTF8(text, ""), "\n")), nil
		}
	}
}

// typed keeps what can be seen, and the ends of lines.
func typed(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) && r > 0x2000 && r < 0x2010 {
			return r
		}
		return -1
	}, text)
}

// A terminal that is asked to marks the beginning and end of what is pasted.
const MarkPastes, MarkNoPastes = "\x1b[?2004h", "\x1b[?2004l"

// escapeWait is how long the rest of a key may take that begins with an escape.
const escapeWait = 30 * time.Millisecond

// Of reads the keys of a terminal.
func Of(f *os.File) Reader {
	return Reader{bufio.NewReader(f), func() bool { return Readable(f, escapeWait) }}
}
