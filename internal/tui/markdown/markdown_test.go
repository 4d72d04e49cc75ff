package markdown_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func named(t testing.TB, name string) theme.Theme {
	found, ok := theme.Find(name)
	if !ok {
		t.Fatalf("no theme %s", name)
	}
	return found
}

func drawn(t theme.Theme, text string, width int) []string {
	x := markdown.New(t)
	x.Set(text, width)
	return x.Lines()
}

func read(t testing.TB, name string) string {
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// golden compares lines with a file, in which escapes are written as ␛.
func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	got := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", "\x1b", "␛")
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", name), []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, name); got != want {
		t.Errorf("%s: run with -update and look at the difference:\n%s", name, udiff.Unified("want", "got", want, got))
	}
}

const (
	before = "Both begin **alike**.\n\n- one point\n- a second one\n\n```go\nx := 1\n\ny := 2\n```\n\nOnly the first says this.\n\n1. last"
	after  = "Both begin **alike**.\n\n- one point\n- another second one\n- and a third\n\n```go\nx := 1\n\ny := 2\n```\n\n1. last"
)

func TestGoldens(t *testing.T) {
	for _, name := range []string{"dark", "none"} {
		look := named(t, name)
		for _, width := range []int{20, 40, 80, 140} {
			golden(t, fmt.Sprintf("sample.%s.%d.txt", name, width), drawn(look, read(t, "sample.md"), width))
			golden(t, fmt.Sprintf("diff.%s.%d.txt", name, width), markdown.Diff(look, read(t, "sample.diff"), width))
			golden(t, fmt.Sprintf("side.%s.%d.txt", name, width), markdown.Side(look, read(t, "left.txt"), read(t, "right.txt"), width))
		}
		golden(t, fmt.Sprintf("pair.%s.txt", name), markdown.Pair(look, [2]string{"s1 · blind", "s2 · blind"}, before, after, 80))
		golden(t, fmt.Sprintf("code.%s.txt", name), drawn(look, read(t, "code.md"), 100))
	}
}

// inks is what our own escapes look like: one piece of text each.
var inks = regexp.MustCompile("\x1b\\[([0-9;]+)m([^\x1b]*)\x1b\\[m")

// check says what is wrong with lines: too wide, an escape that is not ours, blanks at an end.
func check(lines []string, width int) error {
	for i, line := range lines {
		bare := inks.ReplaceAllString(line, "$2")
		switch {
		case ansi.StringWidth(line) > max(width, 10):
			return fmt.Errorf("line %d is %d columns wide: %q", i, ansi.StringWidth(line), line)
		case clean.Text(bare) != bare || strings.ContainsAny(bare, "\n\t") || !utf8.ValidString(line):
			return fmt.Errorf("line %d holds what a terminal obeys: %q", i, line)
		case strings.HasSuffix(line, " "):
			return fmt.Errorf("line %d ends with a blank: %q", i, line)
		}
	}
	return nil
}

var bits = []string{"a", "bc def", "word ", " ", "  ", "    ", "\t", "\n", "\n\n", "\r", "\r\n", "# ", "- ", "1. ", "10) ", "- [ ] ", "- [x] ", "> ", "```", "```go\n", "\n```\n",
	"~~~", "`", "*", "**", "_", "~~", "[", "](", ")", "[a](b)", "![", "<b>", "<br>", "<!--", "-->", "<div>\n", "| a | b |\n|---|--:|\n| c | d |\n", "|", "---\n", "===\n",
	"\x1b[31m", "\x1b]0;x", "\a", "\x1b", "[", "\x9b", "\u009b", "\xff", "\xe2\x80", "&#27;", "&#8238;", "&lt;", "&amp;", "\\", "\u202e", "\u200d", "\ufe0f", "\ufe0e", "\u0301",
	"é", "世界", "。", "👩‍👩‍👧", "🇩🇪", "🇩", "❤️", "👍🏽", "각", "ᄀ", "ᅡ", "\u0600", "نص", "func main() { /* x", "*/", "\"", "'", "// c", "0x1f", "https://example.org/a/b?c=d_e_f",
	strings.Repeat("x", 150), strings.Repeat("a b ", 60), strings.Repeat("长", 70), strings.Repeat("- item\n", 900), strings.Repeat("line of text\n", 1300),
	strings.Repeat("0123456789", 2000), strings.Repeat("\u0301", 300)}

func document(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(bits), 0, 40).Draw(t, "bits"), "")
}

func TestNoLineIsTooWide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, other := document(t), document(t)
		width := rapid.IntRange(1, 300).Draw(t, "width")
		look := rapid.SampledFrom(theme.All).Draw(t, "theme")
		for name, lines := range map[string][]string{
			"text": drawn(look, text, width), "code": markdown.Code(look, "go", text, width),
			"diff": markdown.Diff(look, udiff.Unified("a", "b", text, other), width), "no diff": markdown.Diff(look, text, width),
			"side": markdown.Side(look, text, other, width), "pair": markdown.Pair(look, [2]string{"a", "b"}, text, other, width),
		} {
			if err := check(lines, width); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	})
}

func TestGrowingIsLikeWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := document(t)
		width := rapid.IntRange(9, 120).Draw(t, "width")
		grown := markdown.New(dark)
		for at := 0; at < len(text); {
			at = min(at+rapid.OneOf(rapid.IntRange(1, 9), rapid.IntRange(10, 30_000)).Draw(t, "more"), len(text))
			if rapid.IntRange(0, 20).Draw(t, "jump") == 0 {
				at = len(text)
			}
			grown.Set(text[:at], width)
			if want := drawn(dark, text[:at], width); !slices.Equal(grown.Lines(), want) {
				t.Fatalf("after %q:\n%s", text[:at], udiff.Unified("whole", "grown", strings.Join(want, "\n"), strings.Join(grown.Lines(), "\n")))
			}
		}
	})
}

var dark, _ = theme.Find("dark")

// TestSampleGrows has every byte of the sample come alone.
func TestSampleGrows(t *testing.T) {
	text, look := read(t, "sample.md"), named(t, "dark")
	grown := markdown.New(look)
	for at := range len(text) + 1 {
		grown.Set(text[:at], 40)
		if want := drawn(look, text[:at], 40); !slices.Equal(grown.Lines(), want) {
			t.Fatalf("after %d bytes:\n%s", at, udiff.Unified("whole", "grown", strings.Join(want, "\n"), strings.Join(grown.Lines(), "\n")))
		}
	}
	grown.Set("other", 40)
	if !slices.Equal(grown.Lines(), []string{"other"}) {
		t.Errorf("another text is drawn as %q", grown.Lines())
	}
}

// TestSplit has what a terminal obeys come in two pieces, cut at every byte.
func TestSplit(t *testing.T) {
	for _, text := range []string{"a\x1b[31mred\x1b[0m\nb", "a\x1b]0;title\ab", "a\x1b]52;c;cm0=\x1b\\b", "\x1b]8;;http://evil\x1b\\x\x1b]8;;\x1b\\", "a\x1bP+q5\x1b\\b\x1b(0lqk",
		"a\u009b31mb\u009d0;t\u009cc", "a\x9b31mb\x9d0;t\x9cc", "a\r\nb\r\r\nc\rd", "\x1b]0;gone\nstays", "a\xe2\x80\xaeb\xe2\x9c\x94c\xffd", "❤\ufe0f\u200b\ufe0fx\ufe0f", "\x1b]✔✔\ab",
		"a\n\xc2\x1b\x9b31mb", "```\na\x1b[\x1b\x1b]x\x1b[1", "a\x1b", "a\x1b[1;", "a\x1b]0;x\x1b[3", "a\xe2"} {
		want := drawn(dark, text, 40)
		for i := range text {
			for j := i; j < len(text); j++ {
				x := markdown.New(dark)
				x.Set(text[:i], 40)
				x.Set(text[:j], 40)
				if err := check(x.Lines(), 40); err != nil {
					t.Errorf("%q: %v", text[:j], err)
				}
				x.Set(text, 40)
				if !slices.Equal(x.Lines(), want) {
					t.Errorf("%q cut at %d and %d: %q, not %q", text, i, j, x.Lines(), want)
				}
			}
		}
	}
}

// TestOddDiffs has diffs as models and careless programs write them.
func TestOddDiffs(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no numbers", "--- a/x\n+++ b/x\n@@ func f() @@\n a\n-b\n+c\n", "x\n@@ func f() @@\n    a\n  − b\n  + c"},
		{"longer than it says", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c\n+d\n", "x\n1 − a\n1 + b\n2   c\n3 + d"},
		{"shorter than it says", "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n", "x\n1 − a\n\ny\n1 − c"},
		{"a line of a lone carriage return", "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\rb\n c\n", "x\n1 − a\n    b\n1   c"},
		{"removed file", "diff --git a/x b/x\nindex 1..0\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "x (deleted)\n1 − a"},
		{"pure rename", "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "x → y"},
		{"empty and new", "diff --git a/x b/b b/x b/b\nnew file mode 100644\nindex 0..1\n", "x b/b (new, empty)"},
		{"empty, new, and quoted by git", "diff --git \"a/q\\\"\\303\\274\" \"b/q\\\"\\303\\274\"\nnew file mode 100644\nindex 0..1\n", "q\"ü (new, empty)"},
		{"renamed to what git quotes", "diff --git a/x \"b/y\\\"\"\nsimilarity index 100%\nrename from x\nrename to \"y\\\"\"\n", "x → y\""},
		{"empty and gone", "diff --git a/x b/x\ndeleted file mode 100644\nindex 0..1\n", "x (deleted, was empty)"},
		{"bytes", "diff --git a/x b/x\nnew file mode 100644\nindex 0..1\nBinary files /dev/null and b/x differ\ndiff --git a/y b/y\nindex 0..1 100644\nBinary files a/y and b/y differ\n", "x (new, not text)\n\ny (not text)"},
		{"made executable", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "x\nmode 100644 → 100755"},
		{"hunks with and without a place", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n@@ -20 +20 @@ func f() {\n-d\n", "x\n 1 − a\n 1 + b\n⋯\n 9 − c\n⋯ func f() {\n20 − d"},
		{"a quoted name", "--- \"a/x\\\"y\\303\\251.txt\"\n+++ \"b/x\\\"y\\303\\251.txt\"\n@@ -1 +1 @@\n-a\n", "x\"yé.txt\n1 − a"},
		{"no diff", "hello", "hello"},
		{"nothing", "", ""},
	} {
		got := inks.ReplaceAllString(strings.Join(markdown.Diff(dark, c.in, 50), "\n"), "$2")
		got = regexp.MustCompile(`(?m) +$`).ReplaceAllString(got, "")
		if got != c.want {
			t.Errorf("%s: %s", c.name, udiff.Unified("want", "got", c.want+"\n", got+"\n"))
		}
	}
}

// TestSelector has a cell begin with what would choose a variant of the frame beside it.
func TestSelector(t *testing.T) {
	row := "| " + strings.Repeat("\ufe0fabcdefghijklmnop | ", 3) + "\n"
	text := row + "|---|---|---|\n" + row
	for width := range 80 {
		if err := check(drawn(dark, text, width), width); err != nil {
			t.Errorf("%d: %v", width, err)
		}
	}
}

// TestHostile holds texts that take others very long: they end.
func TestHostile(t *testing.T) {
	look := named(t, "dark")
	for _, bit := range []string{"[", "*", "> ", "- ", "`", "![", "<", "|", "\x1b]", "\x1b[1", "\u0301", "\ufe0f", " ", "\r", "&", "[a](", "**a ", "_a*", "世", "|a|b\n|-|-\n", "1. a\n   "} {
		for _, head := range []string{"", "```go\n", "| a |\n|---|\n| "} {
			text := head + strings.Repeat(bit, 60_000/len(bit))
			x := markdown.New(look)
			for at := 0; at <= len(text); at += 10_000 {
				x.Set(text[:at], 60)
			}
			if err := check(x.Lines(), 60); err != nil {
				t.Errorf("%q after %q: %v", bit, head, err)
			}
		}
	}
}

// A letter that is wider than its column, such as a tab, has a row of its own.
func TestLetterWiderThanItsColumn(t *testing.T) {
	table := strings.Repeat("| a ", 12) + "|\n" + strings.Repeat("|---", 12) + "|\n"
	for _, cell := range []string{"x\ty\tz", "世\t界", "\\\t👩‍👩‍👧"} {
		for width := range 120 {
			text := table + strings.Repeat("| "+cell+" ", 12) + "|\n"
			if err := check(drawn(dark, text, width), max(width, 10)); err != nil {
				t.Errorf("%q in %d columns: %v", cell, width, err)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(read(f, "sample.md"), 40, 7)
	f.Add("a\x1b]0;x\a&#27;[2J\r\n- b\n\n```\nc", 20, 1)
	look := named(f, "dark")
	f.Fuzz(func(t *testing.T, text string, width, chunk int) {
		width, chunk = 1+abs(width)%300, 1+abs(chunk)%1000+len(text)/20
		x := markdown.New(look)
		for at := 0; at < len(text); at += chunk {
			x.Set(text[:at], width)
		}
		x.Set(text, width)
		if !slices.Equal(x.Lines(), drawn(look, text, width)) {
			t.Errorf("%q looks different when it comes in pieces of %d", text, chunk)
		}
		for name, lines := range map[string][]string{
			"text": x.Lines(), "code": markdown.Code(look, "python", text, width), "diff": markdown.Diff(look, text, width),
			"side": markdown.Side(look, text, text[len(text)/2:], width),
		} {
			if err := check(lines, width); err != nil {
				t.Errorf("%s of %q: %v", name, text, err)
			}
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

// Read aloud, signs of a change are words, the language of code comes before it, and a cell that holds nothing is not named.
func TestSignsAloud(t *testing.T) {
	th := theme.Theme{Plain: true}
	m := markdown.New(th)
	m.Set("| a | stances |\n|---|---|\n| one | |\n\n```python\nx = 1\n```\n", 60)
	got := strings.Join(append(m.Lines(), markdown.Diff(th, "--- a/x.py\n+++ b/x.py\n@@ -5,2 +6,2 @@ def f\n-old\n+new\n same\n", 60)...), "\n")
	want := "a: one\n\nCode, python:\n  x = 1\nx.py\nLine 6, def f:\n 5 removed: old\n 6 added: new\n 7  same"
	if ansi.Strip(got) != want {
		t.Errorf("it is read as\n%s", ansi.Strip(got))
	}
}
