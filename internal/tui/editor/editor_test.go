package editor

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

var update = flag.Bool("update", false, "rewrite the golden file")

var named = map[string]rune{
	"enter": tea.KeyEnter, "tab": tea.KeyTab, "space": tea.KeySpace, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "left": tea.KeyLeft,
	"right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd,
}

// key makes the message of a keystroke.
func key(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for _, m := range []struct {
		name string
		mod  tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if rest, ok := strings.CutPrefix(name, m.name); ok {
			name, k.Mod = rest, k.Mod|m.mod
		}
	}
	if k.Code = named[name]; k.Code == 0 {
		k.Code = []rune(name)[0]
	}
	return k
}

// play types a script: <ctrl+a> is a key, <paste:…> a paste, all else letters. It returns the last event.
func play(e *Editor, script string) (last Event) {
	for script != "" {
		name, rest, ok := strings.Cut(script, ">")
		if pasted, is := strings.CutPrefix(name, "<paste:"); is && ok {
			last, script = e.Update(tea.PasteMsg{Content: pasted}), rest
		} else if script[0] == '<' && ok {
			last, script = e.Update(key(name[1:])), rest
		} else {
			letter := script[:after(script, 0)]
			last, script = e.Update(tea.KeyPressMsg{Code: []rune(letter)[0], Text: letter}), script[len(letter):]
		}
	}
	return last
}

// state is the draft with a bar where the cursor is, blocks in braces.
func state(e *Editor) string {
	s := e.slice(position{}, e.cursor) + "|" + e.slice(e.cursor, e.end())
	for i, b := range e.blocks {
		s = strings.ReplaceAll(s, string(rune(firstBlock+i)), "{"+b.label+"}")
	}
	return s
}

func TestKeys(t *testing.T) {
	long := strings.Repeat("x\n", 5)
	for _, c := range []struct{ script, want string }{
		{"hello<left><left>X", "helX|lo"},
		{"ab<ctrl+a>X<ctrl+e>Y", "XabY|"},
		{"ab<ctrl+b><ctrl+b><ctrl+f>X", "aX|b"},
		{"one two_2 three<alt+b><alt+b>X", "one X|two_2 three"},
		{"one two<home><alt+f><ctrl+right>X", "one twoX|"},
		{"one-two<alt+backspace>", "one-|"},
		{"one one-two<ctrl+w>", "one |"},
		{"one two<ctrl+left><ctrl+left><alt+d>X", "X| two"},
		{"one two<ctrl+w><ctrl+w><ctrl+y><ctrl+y>", "one twoone two|"},
		{"one two<home><ctrl+k>x<ctrl+y>", "xone two|"},
		{"one<ctrl+j>two<ctrl+u><ctrl+u>", "one|"},
		{"one<alt+enter>two<up><ctrl+k>", "one|two"},
		{"one<shift+enter>two<left><left><left><left>X", "oneX|\ntwo"},
		{`one\<enter>two`, "one\ntwo|"},
		{`one\<left><enter>`, `one|\`},
		{"abc<backspace><ctrl+h><left><delete>", "|"},
		{"one two three<ctrl+_>", "one two |"},
		{"one two<ctrl+_><ctrl+_>", "|"},
		{"one two<ctrl+_><ctrl+_><alt+e>", "one |"},
		{"one two<ctrl+_>X<alt+e>", "one X|"},
		{"abc<backspace><backspace><ctrl+_>", "abc|"},
		{"a日本<left>X<backspace><backspace>", "a|本"},
		{"e\u0301x<left><left>X", "X|e\u0301x"},
		{"👍🏽🇩🇪🇫🇷<left><backspace>", "👍🏽|🇫🇷"},
		{"<paste:a\r\nb\tc\x1b[201~\x1b[31mred\x1b]0;t\x07>", "a\nb\tcred|"},
		{"<paste:a\r\rb>", "a\n\nb|"},
		{"<paste:a\r\n\r\nb>", "a\n\nb|"},
		{"<paste:a\r\rb\r\n\r\n\nc\r>", "{[pasted 6 lines, 9 bytes]}|"},
		{"<paste:a\r\r\rb\rc>", "{[pasted 5 lines, 7 bytes]}|"},
		{"<paste:" + long + ">", "{[pasted 5 lines, 10 bytes]}|"},
		{"a<paste:" + long + ">b<left><left>X<right><backspace>", "aX|b"},
		{"<paste:" + long + "><ctrl+w><ctrl+y>.<ctrl+y>", "{[pasted 5 lines, 10 bytes]}.{[pasted 5 lines, 10 bytes]}|"},
		{"<paste:" + strings.Repeat("é", 801) + ">", "{[pasted 1 line, 2 KB]}|"},
		{"<paste:a\nb\nc\n>", "a\nb\nc\n|"},
		{"\U000e01f0x\u0085", "x|"},
		{"ab<alt+x><ctrl+t>", "ab|"},
		{"abcd<enter>ef<up>X", "abcdefX|"},
		{"abcd<ctrl+j>ef<ctrl+j>ghij<up><up>X", "abcdX|\nef\nghij"},
	} {
		e := New(theme.Theme{})
		play(e, c.script)
		if got := state(e); got != c.want {
			t.Errorf("%q: %q, want %q", c.script, got, c.want)
		}
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		script string
		want   Event
	}{
		{"a", Changed}, {"a<left>", Moved}, {"<enter>", None}, {"a<enter>", Submit}, {`a\<enter>`, Changed}, {"<tab>", Complete},
		{"<ctrl+space>", Complete}, {"<ctrl+d>", None}, {"<backspace>", None}, {"<up>", None}, {"a<down>", None}, {"<ctrl+c>", None},
		{"<paste:\x1b[m>", None}, {"<paste:a\n\n>", Changed}, {"<paste:" + strings.Repeat("x", pasteLimit+1) + ">", Refused},
		{"<paste:" + strings.Repeat("x", pasteLimit-1) + ">a<paste:b>", Refused},
		{"<paste:" + strings.Repeat("x", pasteLimit-1) + "><ctrl+w><ctrl+y><ctrl+y>", Refused},
	} {
		e := New(theme.Theme{})
		if got := play(e, c.script); got != c.want || (got == Refused) != (e.Note() != "") {
			t.Errorf("%.40q: %v, want %v; %q", c.script, got, c.want, e.Note())
		}
		if strings.Contains(e.Note(), "12") {
			t.Error(e.Note())
		}
	}
	e := New(theme.Theme{})
	e.Update(tea.PasteMsg{Content: strings.Repeat("x", 12<<20)})
	if want := "This paste is 12 MB; the limit is 10 MB. Save it to a file and mention the file with @."; e.Note() != want {
		t.Errorf("%q", e.Note())
	}
}

func TestHistory(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"<up>", "fix the test|"},
		{"<up><up>", "two\nlines|"},
		{"<up><up><up>", "fix it|"},
		{"<up><up><up><up>", "fix it|"},
		{"<up><up><down>", "fix the test|"},
		{"draft<up><down>", "draft|"},
		{"fix<up><up>", "fix it|"},
		{"fix<up><up><down><down>", "fix|"},
		{"two<up><left><up>", "two|\nlines"},
		{"a<ctrl+j>b<up><up>", "fix the test|"},
		{"<up><ctrl+_>", "|"},
		{"fix<up>!<up>", "fix the test|"},
	} {
		e := New(theme.Theme{})
		e.History([]string{"fix it", "two\nlines", "fix the test", "fix the test"})
		play(e, c.script)
		if got := state(e); got != c.want {
			t.Errorf("%q: %q, want %q", c.script, got, c.want)
		}
	}
}

func TestHistoryGrowsDuringAWalk(t *testing.T) {
	e := New(theme.Theme{})
	e.History([]string{"one", "two"})
	play(e, "draft<up>")
	e.History([]string{"one", "two", "three"})
	play(e, "<up>")
	if got := state(e); got != "one|" {
		t.Errorf("%q", got)
	}
	play(e, "<down><down>")
	if got := state(e); got != "draft|" {
		t.Errorf("%q", got)
	}
}

func TestClearKeepsWhatWasCut(t *testing.T) {
	e := New(theme.Theme{})
	play(e, "<paste:1\n2\n3\n4\n5><ctrl+w>")
	e.Clear()
	play(e, "<ctrl+_><ctrl+y>")
	if got := e.Text(); got != "1\n2\n3\n4\n5" {
		t.Errorf("%q", got)
	}
}

func TestCompletion(t *testing.T) {
	e := New(theme.Theme{})
	play(e, "see\u3000@int and<alt+b><left>")
	word, from, to := e.Word()
	e.Replace(from, to, "@internal/")
	if got := state(e); word != "@int" || got != "see\u3000@internal/| and" {
		t.Errorf("%q %q", word, got)
	}
	e.Set("/debate a b")
	if e.Before() != "/debate a b" {
		t.Errorf("%q", e.Before())
	}
	play(e, "<ctrl+_>")
	if got := e.Text(); got != "see\u3000@internal/ and" {
		t.Errorf("%q", got)
	}
}

func TestOneLine(t *testing.T) {
	e := New(theme.Theme{})
	e.OneLine = true
	e.History([]string{"x"})
	if got := play(e, "<paste:"+strings.Repeat("x", 5000)+">"); got != Refused || !strings.Contains(e.Note(), "the paste has 5 KB") {
		t.Errorf("%v %q", got, e.Note())
	}
	if got := play(e, "a<ctrl+j><up><paste:1\n2\n3\n4\n5><shift+enter>"); got != None || e.Text() != "a1 2 3 4 5" {
		t.Errorf("%v %q", got, e.Text())
	}
}

// What is drawn is wide enough for the eye only here: a golden of rows with the cursor as a bar below them.
func TestDrawn(t *testing.T) {
	var out strings.Builder
	show := func(name string, e *Editor, width, most int) {
		rows, x, y := e.Lines(width, most)
		above, below := e.More()
		fmt.Fprintf(&out, "# %s, %d×%d, more %v %v\n", name, width, most, above, below)
		for i, r := range rows {
			fmt.Fprintf(&out, "%s\n", strings.ReplaceAll(r, "\x1b", "␛"))
			if i == y {
				fmt.Fprintf(&out, "%s▲\n", strings.Repeat(" ", x))
			}
		}
	}
	th, _ := theme.Find("dark")
	e := New(th)
	e.Placeholder = "Ask, or type / for commands"
	show("empty", e, 20, 3)
	play(e, "The quick brown fox jumps over the lazy dog.")
	show("words", e, 20, 5)
	show("scrolled", e, 20, 2)
	play(e, "<home>")
	show("at the beginning", e, 20, 2)
	e.Set("日本語日本語日本語 und Donaudampfschifffahrt")
	show("wide", e, 12, 9)
	e.Set("1👍🏽2👍🏽3👍🏽4👍🏽5❤️6❤️")
	show("cells by letter", e, 12, 9)
	e.Cells(ansi.GraphemeWidth)
	show("cells by grapheme", e, 12, 9)
	e.Set("a\tb\t\tc\n\u0301x")
	show("tabs and a lone mark", e, 12, 9)
	e.Clear()
	play(e, "Why does<ctrl+j><paste:"+strings.Repeat("some log line\n", 1203)+"> fail?")
	show("block", e, 40, 5)
	show("block, narrow", e, 12, 5)
	play(e, "<ctrl+left><left>")
	show("before the block", e, 40, 1)
	e.Set("12345678")
	show("a full row", e, 9, 3)
	play(e, " ")
	show("a space behind a full row", e, 9, 3)
	play(e, "x")
	show("a letter behind that", e, 9, 3)
	const golden = "testdata/drawn.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != out.String() {
		t.Errorf("%v: run with -update if this is right:\n%s", err, out.String())
	}
}

// check holds for every editor at any time.
func check(t *rapid.T, e *Editor, width, most int) {
	text := e.lines[e.cursor.line].text
	if e.cursor.at != snap(text, e.cursor.at) {
		t.Fatalf("the cursor is inside a character: %q %v", text, e.cursor)
	}
	if got := e.Text(); clean.Text(got) != got {
		t.Fatalf("%q is not clean", got)
	}
	rows, x, y := e.Lines(width, most)
	for i := range e.lines {
		known := slices.Clone(e.rows(i))
		e.lines[i].width = 0
		if fresh := e.rows(i); !slices.Equal(known, fresh) {
			t.Fatalf("%q at %d: rows at %v, should be at %v", e.lines[i].text, e.width, known, fresh)
		}
	}
	if len(rows) == 0 || len(rows) > max(most, 1) || y >= len(rows) || x < 0 || x >= max(width, 2) {
		t.Fatalf("%d×%d: %d rows, cursor %d,%d", width, most, len(rows), x, y)
	}
	for _, r := range rows {
		if n := e.cells.StringWidth(r); n > max(width, 2) || strings.Contains(r, "\n") {
			t.Fatalf("%d cells in %d: %q", n, width, r)
		}
	}
}

func TestAnyKeys(t *testing.T) {
	names := []string{"tab", "enter", "ctrl+t", "shift+x"}
	for _, a := range actions {
		names = append(names, a.keys...)
	}
	pieces := []string{"a", "word ", "日", "e\u0301", "\u0301", "👍🏽", "🇩🇪", "👨\u200d👩", "\u0600", "\t", "\\", "\x1b[31m", strings.Repeat("line\n", 6), "x\r\ny", "\U000e01f0", " "}
	rapid.Check(t, func(t *rapid.T) {
		e := New(theme.Theme{Focus: theme.Bold})
		e.Cells(rapid.SampledFrom([]ansi.Method{ansi.WcWidth, ansi.GraphemeWidth}).Draw(t, "cells"))
		e.OneLine = rapid.IntRange(0, 9).Draw(t, "one") == 0
		e.History([]string{"a", "word\nline\n日", strings.Repeat("z", 100)})
		start, width, most := "", 20, 4
		for _, what := range rapid.SliceOfN(rapid.IntRange(0, 9), 1, 60).Draw(t, "steps") {
			switch what {
			case 0, 1, 2:
				e.Update(key(rapid.SampledFrom(names).Draw(t, "key")))
			case 3, 4, 5:
				s := rapid.SampledFrom(pieces).Draw(t, "text")
				e.Update(tea.KeyPressMsg{Text: s, Code: []rune(s)[0]})
			case 6:
				e.Update(tea.PasteMsg{Content: strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "paste"), "")})
			case 7:
				width, most = rapid.IntRange(1, 30).Draw(t, "width"), rapid.IntRange(0, 6).Draw(t, "most")
			case 8:
				_, from, to := e.Word()
				e.Replace(from-rapid.IntRange(-1, 1).Draw(t, "off"), to, rapid.SampledFrom(pieces).Draw(t, "with"))
			case 9:
				start = e.Text()
				e.Set(start)
				if e.Text() != start {
					t.Fatalf("%q became %q", start, e.Text())
				}
			}
			check(t, e, width, most)
		}
		last := state(e)
		n := len(e.undo)
		for range n {
			play(e, "<ctrl+_>")
			check(t, e, width, most)
		}
		if !e.Empty() {
			t.Fatalf("all undone leaves %q", state(e))
		}
		for range n {
			play(e, "<alt+e>")
		}
		if got := state(e); strings.ReplaceAll(got, "|", "") != strings.ReplaceAll(last, "|", "") {
			t.Fatalf("all done again is %q, was %q", got, last)
		}
	})
}

func TestKeyTableHasNoKeyTwice(t *testing.T) {
	seen := slices.Clone(complete)
	for _, a := range actions {
		for _, k := range a.keys {
			if slices.Contains(seen, k) {
				t.Errorf("%s stands there twice", k)
			}
			seen = append(seen, k)
		}
	}
}

func BenchmarkType(b *testing.B) {
	for name, text := range map[string]string{
		"empty":               "",
		"1 MB in lines":       strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 1<<20/45),
		"1 MB in one line":    strings.Repeat("The quick brown fox jumps over the lazy dog. ", 1<<20/45),
		"100 KB wide, 1 line": strings.Repeat("日本語", 100<<10/9),
	} {
		b.Run(name, func(b *testing.B) {
			e := New(theme.Theme{})
			e.Set(text)
			e.Lines(80, 10)
			for i := 0; b.Loop(); i++ {
				e.Update(tea.KeyPressMsg{Code: 'x', Text: []string{"x", " "}[i%8/7]})
				e.Lines(80, 10)
			}
		})
	}
}
