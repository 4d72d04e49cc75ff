package keyboard

import (
	"bufio"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/out"
)

// TestTyping: what is on the line, and what was sent, after some keys. The cursor is |.
func TestTyping(t *testing.T) {
	const left, right, up, down, home, end, del = "\x1b[D", "\x1b[C", "\x1b[A", "\x1bOB", "\x1b[H", "\x1b[4~", "\x1b[3~"
	for _, c := range []struct{ name, typed, want string }{
		{"letters", "añ日", "añ日|"},
		{"control characters are none", "a\x00\x1eb", "ab|"},
		{"in the middle", "ac" + left + "b", "ab|c"},
		{"not over the ends", left + "a" + right + right + "b", "ab|"},
		{"home, end, delete", "abc" + home + del + end + "d", "bcd|"},
		{"the same by ctrl-a, d, e", "abc\x01\x04\x05d", "bcd|"},
		{"backspace", "ab\x7f\b\x7f", "|"},
		{"ctrl-u", "one two" + left + left + left + "\x15", "|two"},
		{"ctrl-k", "one two" + left + left + left + "\x0b", "one |"},
		{"ctrl-w", "one  two  \x17\x17", "|"},
		{"words", "one two\x1bb\x1b[1;5D" + "\x1bf!", "one!| two"},
		{"an escape by itself", "a\x1b", "a|"},
		{"a key nobody knows", "a\x1b[99;5~b\x1bOPc", "abc|"},
		{"enter", "say\nmore", "more| sent say"},
		{"a paste is one message", "\x1b[200~one\r\ntwo\rthree\x1b[D\n\x1b[201~!\n", "| sent one\ntwo\nthree[D!"},
		{"a paste into a line", "ac" + left + "\x1b[200~b\x1b[201~", "ab|c"},
		{"a paste that does not end", "a\x1b[200~b", "a|"},
		{"up and down", "one\ntwo\nnew" + up + up + up + "!" + down + down + down, "one!| sent one two"},
		{"up and down, untouched", "one\ntwo\nnew" + up + up + up + down + down + down, "new| sent one two"},
		{"up goes by what was typed", "fix it\nsay so\nf" + up, "fix it| sent fix it say so"},
		{"undo and what was cut", "one two\x17\x19\x19\x1f", "one two|"},
		{"one letter of several code points", "e\u0301x" + left + "\x7f", "|x"},
		{"up, changed, sent", "one\n" + up + "!\n" + up, "one!| sent one one!"},
		{"down without past", "a" + down + up, "a|"},
		{"tab", "/pa\t", "/pause |"},
		{"tab as far as it is clear", "/dr\tc\t", "/drop c| [codex claude]"},
		{"tab at a seat", "/drop co\tx", "/drop codex x|"},
		{"tab is for commands", "co\t/pa\t", "co/pa|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l Line
			got, sent := "", []string{}
			in := strings.NewReader(c.typed)
			for k := (Reader{bufio.NewReader(in), func() bool { return in.Len() > 0 }}); ; {
				key, err := k.Next()
				if err != nil {
					break
				}
				if key.Name == "tab" {
					if fits := l.Complete(words(l.Before())); len(fits) > 0 {
						got = " [" + strings.Join(fits, " ") + "]"
					}
				}
				if text, enter := l.Press(key); enter {
					sent = append(sent, text)
				}
			}
			before, behind := l.edit().Around()
			got = before + "|" + behind + got
			if len(sent) > 0 {
				got += " sent " + strings.Join(sent, " ")
			}
			if got != c.want {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}

// Words that part within a letter agree up to the letter before it.
func TestCompleteUpToALetter(t *testing.T) {
	var l Line
	l.Set("ca")
	if fits := l.Complete([]string{"café", "cafè"}); len(fits) != 2 || l.Text() != "caf" {
		t.Errorf("%q, left %q", l.Text(), fits)
	}
}

// TestShown: a line longer than the screen shows what is around the cursor.
func TestShown(t *testing.T) {
	for _, c := range []struct {
		text   string
		at     int
		want   string
		cursor int
	}{
		{"", 0, "", 0}, {"abc", 1, "abc", 1}, {"abcdefghi", 9, "…cdefghi", 8}, {"abcdefghij", 0, "abcdefgh…", 0},
		{"abcdefghijklmnop", 12, "…fghijkl…", 8}, {"a\nb", 3, "a⏎b", 3}, {"日本語日本語", 6, "…日本語", 7},
	} {
		all := []rune(c.text)
		got, cursor := Row{string(all[:c.at]), string(all[c.at:])}.Shown(10)
		if out.Wide([]rune(got)) > 10 || cursor > 9 {
			t.Errorf("%q at %d is %q with the cursor at %d: too wide", c.text, c.at, got, cursor)
		}
		if got != c.want || cursor != c.cursor {
			t.Errorf("%q at %d is %q with the cursor at %d", c.text, c.at, got, cursor)
		}
	}
}

// words are what a line may go on with, for the tests.
func words(typed string) []string {
	switch {
	case !strings.HasPrefix(typed, "/"):
		return nil
	case strings.Contains(typed, " "):
		return []string{"codex", "claude"}
	}
	return []string{"/help", "/pause", "/drop", "/veto"}
}
