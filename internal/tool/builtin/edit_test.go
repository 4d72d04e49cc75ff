package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/clean"
)

func TestEdit(t *testing.T) {
	for _, c := range []struct{ name, body, old, now, want, says string }{
		{"exact", "a\nb\nc\n", "b", "x", "a\nx\nc\n", "f: replaced at line 2.\n"},
		{"taken out", "a\nb\nc\n", "b\n", "", "a\nc\n", "at line 2"},
		{"CRLF", "a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n", "except for line endings"},
		{"CRLF within a line", "a\r\nb\r\n", "b", "b\nx", "a\r\nb\r\nx\r\n", "line 2"},
		{"CRLF from the end of a line", "a\r\nb\r\nc\r\n", "\nb", "!\nb", "a!\r\nb\r\nc\r\n", ""},
		{"CRLF, lines joined", "a\r\nb\r\n", "\nb", " b", "a b\r\n", ""},
		{"CRLF from the middle", "foo(a,\r\n  b)\r\n", "(a,\n  b)", "(a)", "foo(a)\r\n", ""},
		{"LF where the model writes CRLF", "a\nb\n", "a\r\nb", "a\r\nx", "a\nx\n", ""},
		{"mixed ends stay", "a\r\nb\nc\r\nd\n", "b\nc\nd", "b\nx\nd", "a\r\nb\nx\nd\n", ""},
		{"BOM", "\ufeffa\nb\n", "a\nb", "a\nx", "\ufeffa\nx\n", ""},
		{"BOM and indentation", "\ufeff\ta\n", "    a", "    x", "\ufeff\tx\n", "except for whitespace"},
		{"quotes", "say(‘it’s’) – now\n", "say('it's') - now", "say()", "say()\n", "look-alike"},
		{"what is not touched stays", "“one”\n“two”\n“three”\n", "\"one\"\n\"two\"\n\"three\"", "\"one\"\nnew\n\"three\"", "“one”\nnew\n“three”\n", ""},
		{"no-break blank", "a\u00a0b\n", "a b", "c", "c\n", "look-alike"},
		{"invisible", "a\u200bb\u202ec\n", "abc", "d", "d\n", "look-alike"},
		{"blanks at ends of lines", "if x:  \n\ty\t\n", "if x:\n\ty\n", "if z:\n\ty\n", "if z:\n\ty\t\n", "look-alike"},
		{"tabs for blanks", "func f() {\n\tif x {\n\t\ty()\n\t}\n}\n", "    if x {\n        y()\n    }", "    if x {\n        y()\n        if z {\n            w()\n        }\n    }",
			"func f() {\n\tif x {\n\t\ty()\n\t\tif z {\n\t\t\tw()\n\t\t}\n\t}\n}\n", "except for whitespace"},
		{"blanks for tabs", "def f():\n    if x:\n        y()\n", "\tif x:\n\t\ty()", "\tif x:\n\t\ty()\n\t\tz()", "def f():\n    if x:\n        y()\n        z()\n", ""},
		{"indentation left out", "a {\n\t\tb\n\t\tc\n}\n", "b\nc", "b\n\td\nc", "a {\n\t\tb\n\t\t\td\n\t\tc\n}\n", ""},
		{"tabs, further left", "def f():\n    if x:\n        y( )\n    z()\n", "if x:\n\ty(  )\nz()", "if x:\n\ty(  )\n\tw()\nz()", "def f():\n    if x:\n        y( )\n        w()\n    z()\n", ""},
		{"begun in a line, else as in the file", "def f():\n    if  x:\n        y()\n", "if x:\n        y()", "if x:\n        y()\n    z()", "def f():\n    if  x:\n        y()\n    z()\n", ""},
		{"new as in the file, old further left", "def f():\n    if x:\n        y()\n", "if x:\n    y()\n", "    if x:\n        y()\n        z()\n", "def f():\n    if x:\n        y()\n        z()\n", ""},
		{"deeper than any line of old", "\tif x {\n\t\ty()\n\t}\n", "if x {\n    y()\n}", "if x {\n    y()\n    if z {\n        w()\n    }\n}", "\tif x {\n\t\ty()\n\t\tif z {\n\t\t\tw()\n\t\t}\n\t}\n", ""},
		{"less deep than any line of old", "{\n\t{\n\t\ta()\n\t}\n}\n", "    {\n        a()\n    }\n", "    {\n        b()\n    }\n}\n{\n", "{\n\t{\n\t\tb()\n\t}\n}\n{\n}\n", ""},
		{"narrow and wide blanks", "x  =   1\n", "x = 1", "x = 2", "x = 2\n", ""},
		{"to the end without newline", "a\nb", "b", "c", "a\nc", ""},
		{"copied numbers", "a\nb\n\nc\n", "     1\ta\n     2\tb\n     3\t\n", "     1\ta\n     2\tx\n     3\t\n", "a\nx\n\nc\n", "without the line numbers"},
		{"copied numbers, in old alone", "a\nb\n", "  2\tb", "x", "a\nx\n", "without the line numbers"},
		{"a table with numbers stays", "1\ta\n2\tb\n", "1\ta\n", "3\ta\n", "3\ta\n2\tb\n", "at line 1.\n"},
		{"a final newline that is not there", "a\nb", "b\n", "c\n", "a\nc", "without a final newline"},
		{"composed", "caf\u00e9 x\n", "cafe\u0301", "the\u0301", "th\u00e9 x\n", "accents composed differently"},
		{"decomposed", "cafe\u0301 x\n", "caf\u00e9 x", "caf\u00e9 y", "cafe\u0301 y\n", "accents composed differently"},
		{"all of it", "\u00e9\nb", "     1\te\u0301\n     2\tb\n", "     1\te\u0301\n     2\tc\n", "\u00e9\nc",
			"without the line numbers, with accents composed differently, without a final newline"},
		{"not UTF-8", "caf\xe9\nx\n", "x", "y", "caf\xe9\ny\n", ""},
		{"not UTF-8, found as it is shown", "caf\xe9 x\n", "caf\ufffd x", "tea", "tea\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newBench(t)
			write(t, d.dir, "f", c.body)
			d.must("read", "path", "f")
			out := d.must("edit", "path", "f", "old", c.old, "new", c.now)
			d.has("f", c.want)
			if !strings.Contains(out.Text, c.says) || !strings.Contains(out.Diff, "\n@@ ") || len(out.Wrote) != 1 || out.Wrote[0] != "f" {
				t.Errorf("text %q, diff %q, wrote %q", out.Text, out.Diff, out.Wrote)
			}
		})
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	body := "package a\n\nfunc one() {\n\treturn 1\n}\n\nfunc two() {\n\treturn 1\n}\n"
	for _, c := range []struct{ old, now, want string }{
		{"", "x", "old is empty"},
		{"return 1", "return 1", "the same"},
		{"return 1", "return 2", "old occurs 2 times, at lines 4, 8: give more"},
		{"return 1;", "x", `nearest is line 4: there is "return 1" where old has "return 1;"`},
		{"func two() {\n\treturn 2\n}", "x", `nearest is line 8: there is "return 1" where old has "return 2"`},
		{"func two() {\n\treturn 1\n}\n\nfunc three", "x", "begins like line 7, but the file ends at line 9"},
		{"wholly other words", "x", "nothing in it is similar"},
		{"  \n ", "x", "only whitespace"},
		{"func one() {\nreturn 1\n}", "func one() {\ndefer x()\nreturn 1\n}", "old matches only if indentation is ignored"},
		{"eturn\t1", "x", ""}, // squeezed blanks count for whole lines only
		{"func one() {   \n\treturn 1", "func one() {\n\treturn 1", "nothing would change"},
	} {
		d := newBench(t)
		write(t, d.dir, "f", body)
		d.must("read", "path", "f")
		d.fails([]string{c.want}, "edit", "path", "f", "old", c.old, "new", c.now)
		d.has("f", body)
		if len(d.acts) > 0 {
			t.Errorf("%q: somebody was asked", c.old)
		}
	}
	d := newBench(t)
	write(t, d.dir, "src/main.go", body)
	d.fails([]string{"read the file before you write to it"}, "edit", "path", "src/main.go", "old", "two", "new", "three")
	d.fails([]string{"no such file", "did you mean src/main.go?"}, "edit", "path", "src/mian.go", "old", "two", "new", "three")
	d.must("read", "path", "src/main.go")
	d.env.Session = nil
	d.fails([]string{"read the file before you write to it"}, "edit", "path", "src/main.go", "old", "two", "new", "three")
}

// What read shows alike is not one place, though its bytes differ.
func TestRegionsThatLookAlike(t *testing.T) {
	for _, body := range []string{"a\nb\nx\r\na\r\nb\r\n", "a\nb\nx\na\u200b\nb\n"} {
		d := newBench(t)
		write(t, d.dir, "f", body)
		d.must("read", "path", "f")
		d.fails([]string{"old occurs 2 times, at lines 1, 4"}, "edit", "path", "f", "old", "a\nb", "new", "c")
		d.has("f", body)
		d.must("edit", "path", "f", "old", "x\na", "new", "c")
	}
}

func TestManyEdits(t *testing.T) {
	d := newBench(t)
	write(t, d.dir, "f", "a\nb\na\nc\n")
	d.must("read", "path", "f")
	edit := func(old, now string, all bool) map[string]any {
		return map[string]any{"old": old, "new": now, "all": all}
	}
	d.fails([]string{"edit 2 of 2", "nothing was changed"}, "multi_edit", "path", "f", "edits", []any{edit("b", "x", false), edit("b", "y", false)})
	d.has("f", "a\nb\na\nc\n")
	out := d.must("multi_edit", "path", "f", "edits", []any{edit("a", "z", true), edit("z\nb", "z\nx", false)})
	d.has("f", "z\nx\nz\nc\n")
	if out.Text != "f: replaced at lines 1, 3; replaced at line 1.\n" || strings.Count(out.Diff, "@@ ") != 1 || len(d.acts) != 1 {
		t.Errorf("text %q, diff %q, %d acts", out.Text, out.Diff, len(d.acts))
	}
}

func TestLargeFiles(t *testing.T) {
	d := newBench(t)
	var body strings.Builder
	for i := range 250_000 {
		fmt.Fprintf(&body, "line %d is one of very many lines here\n", i)
	}
	write(t, d.dir, "f", body.String())
	d.must("read", "path", "f", "to", 3)
	d.must("edit", "path", "f", "old", "line 249999 is one", "new", "the last is one")
	d.must("edit", "path", "f", "old", "  line 7 is one of very many lines here\n  line 8 is one of very many lines here", "new", "x")
	d.fails([]string{"not in the file"}, "edit", "path", "f", "old", "line 7 is one of very many lines there", "new", "x")
}

func TestDiffsHideNothing(t *testing.T) {
	d := newBench(t)
	write(t, d.dir, "f", "a\r\nb\r\n")
	d.must("read", "path", "f")
	out := d.must("edit", "path", "f", "old", "b", "new", "b\x1b[2K\u202e\U000e0041 \xff ü\té")
	if want := "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+b\\x1b[2K\\u202e\\U000e0041 \\ufffd ü\té\n"; !strings.Contains(out.Diff, strings.TrimSuffix(want, "\\ufffd ü\té\n")) || strings.Contains(out.Diff, "\x1b") {
		t.Errorf("diff %q", out.Diff)
	}
}

// Whatever is in the file and whatever is asked for, an edit that is made keeps what lies around the place and the way
// lines end, and one that is refused changes nothing.
func FuzzEdit(f *testing.F) {
	for _, c := range [][3]string{{"a\nb\n", "b", "c"}, {"a\r\nb\r\n", "a\nb", "x\ny"}, {"\ufeffa\n", " a", "b"}, {"\ta\n\tb\n", "    a\n    b", "    a\n        c"},
		{"“a”\n", `"a"`, "b"}, {"a  \nb", "a\nb", "c\n"}, {"\xff\u200b\r\r\n", "\n", ""}, {"x\ny\nx\ny\n", "x\ny", "z"}} {
		f.Add(c[0], c[1], c[2])
	}
	f.Fuzz(func(t *testing.T, body, old, now string) {
		if strings.ContainsRune(body, 0) || len(body)+len(old)+len(now) > 1<<9 || !utf8.ValidString(old) || !utf8.ValidString(now) {
			t.Skip()
		}
		d := newBench(t)
		write(t, d.dir, "f", body)
		d.must("read", "path", "f")
		_, err := d.call("edit", "path", "f", "old", old, "new", now)
		got, readErr := os.ReadFile(filepath.Join(d.dir, "f"))
		if readErr != nil {
			t.Fatal(readErr)
		}
		switch result := string(got); {
		case err != nil:
			if result != body {
				t.Fatalf("refused (%v), and yet %q became %q", err, body, result)
			}
		case strings.Count(body, old) == 1 && !strings.Contains(now, "\n") && !strings.Contains(old, "\n"):
			if want := strings.Replace(body, old, now, 1); result != want {
				t.Fatalf("%q: %q became %q, want %q", body, old, result, want)
			}
		default:
			if !oneRegion(body, old, now, result) {
				t.Fatalf("%q: %q for %q gave %q: that is not one place", body, now, old, result)
			}
			lone := strings.Count(result, "\n") - strings.Count(result, "\r\n")
			if body == strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\n", "\r\n") && strings.Contains(body, "\n") && lone > 0 {
				t.Fatalf("%q: %q for %q gave %q: lines end otherwise", body, now, old, result)
			}
			if !strings.Contains(body, "\r") && !strings.Contains(strings.ReplaceAll(now, "\r\n", "\n"), "\r") && strings.Contains(result, "\r") {
				t.Fatalf("%q: %q for %q gave %q: a CR came in", body, now, old, result)
			}
		}
	})
}

// oneRegion says whether result is body with old replaced by now in one place, looking there past what an edit may look past,
// and all before and after it byte for byte as it was.
func oneRegion(body, old, now, result string) bool {
	from, after := 0, 0
	for from < min(len(body), len(result)) && body[from] == result[from] {
		from++
	}
	for after < min(len(body), len(result)) && body[len(body)-1-after] == result[len(result)-1-after] {
		after++
	}
	old, now = fold(old), fold(now)
	for i := from; i >= 0; i-- {
		for j := min(after, len(body)-i, len(result)-i); j >= 0; j-- {
			if fold(body[i:len(body)-j]) == old && fold(result[i:len(result)-j]) == now {
				return true
			}
		}
	}
	return false
}

var typographic = strings.NewReplacer("‘", "'", "’", "'", "‚", "'", "‛", "'", "′", "'", "“", `"`, "”", `"`, "„", `"`, "‟", `"`, "″", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "―", "-", "−", "-")

// fold is s without blanks, ends of lines and what nobody sees, and with plain signs for typographic ones.
func fold(s string) string {
	var out strings.Builder
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		letters := typographic.Replace(s[i : i+size])
		if !unicode.IsSpace(r) && !unicode.Is(unicode.Zs, r) {
			out.WriteString(clean.Text(letters))
		}
	}
	return out.String()
}
