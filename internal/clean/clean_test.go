package clean_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/clean"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a b\tc\nd", "a b\tc\nd"},
		{"other scripts", "naïve 日本語 עברית", "naïve 日本語 עברית"},
		{"colour", "\x1b[31mred\x1b[0m", "red"},
		{"cursor and private modes", "a\x1b[2J\x1b[?1049h\x1b[10;20Hb", "ab"},
		{"a place for a picture", "a\U0010eeee\U000fffffb", "a\U000fffffb"},
		{"title ended by BEL", "\x1b]0;owned\ab", "b"},
		{"clipboard ended by ST", "\x1b]52;c;cm0gLXJm\x1b\\b", "b"},
		{"link with hidden target", "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"device control string", "\x1bP+q544e\x1b\\b", "b"},
		{"application command", "\x1b_Gf=24;AAAA\x1b\\b", "b"},
		{"privacy message", "\x1b^secret\x1b\\b", "b"},
		{"character set", "\x1b(0lqk\x1b(B", "lqk"},
		{"reset", "a\x1bcb", "ab"},
		{"C1 as letters", "\u009b31mred \u009d0;t\u009cx\u0085y", "red xy"},
		{"C1 as stray bytes", "\x9b31mred \x9d0;t\x9cx", "red x"},
		{"string without end hides one line only", "\x1b]0;gone\nstays", "\nstays"},
		{"string broken off by another", "\x1b]0;gone\x1b[1mstays", "stays"},
		{"escape at the end", "a\x1b", "a"},
		{"escape broken by newline", "a\x1b\nb", "a\nb"},
		{"parameters without final", "a\x1b[31", "a"},
		{"overwritten line", "rm -rf /\recho hello", "rm -rf /\necho hello"},
		{"Windows lines", "a\r\nb\r\r\nc", "a\nb\nc"},
		{"backspaces", "evil\b\b\b\bgood\x7f", "evilgood"},
		{"NUL, VT, FF", "a\x00b\vc\fd", "abcd"},
		{"bidi", "if x \u202e\u2066// admin\u2069\u2066", "if x // admin"},
		{"zero width", "pass\u200bwo\u200drd\ufeff\u2060\u00ad", "password"},
		{"a family", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"},
		{"a heart on fire, a tone of skin", "\u2764\ufe0f\u200d\U0001f525 \U0001f469\U0001f3fd\u200d\u2695\ufe0f", "\u2764\ufe0f\u200d\U0001f525 \U0001f469\U0001f3fd\u200d\u2695\ufe0f"},
		{"a joiner beside one emoji only", "\U0001f468\u200da\u200d\U0001f468\u200d", "\U0001f468a\U0001f468"},
		{"joiners in a row", "\U0001f468\u200d\u200d\U0001f469", "\U0001f468\u200d\U0001f469"},
		{"what hides between emoji", "\U0001f468\u200d\x1b[8m\u200b\U0001f469", "\U0001f468\U0001f469"},
		{"more than any picture joins", strings.Repeat("\U0001f468\u200d", 6), "\U0001f468\u200d\U0001f468\u200d\U0001f468\u200d\U0001f468\U0001f468\u200d\U0001f468"},
		{"tags", "hi\U000e0001\U000e0069\U000e0067\U000e007f", "hi"},
		{"message in variation selectors", "a\ufe00\ufe01\U000e0100\U000e0111b", "ab"},
		{"emoji keeps its selector, once", "\u2764\ufe0f\ufe0f\u200b\ufe0f", "\u2764\ufe0f"},
		{"fillers", "a\u3164\u115f\u034fb", "ab"},
		{"line separators", "a\u2028b\u2029c", "a\nb\nc"},
		{"not UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"bytes that would join", "\xc2\x1b\x9b", "\ufffd"},
	} {
		if got := clean.Text(c.in); got != c.want {
			t.Errorf("%s: Text(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	if got := clean.Line("a\r\nb\tc\x1b[1m"); got != "a b c" {
		t.Errorf("got %q", got)
	}
}

func TestTextOfPlainTextIsFree(t *testing.T) {
	s := strings.Repeat("plain, naïve text\n", 100)
	if n := testing.AllocsPerRun(10, func() { clean.Text(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzText: nothing is left that a terminal obeys or an eye cannot see, what is clean stays as it is, no line hides
// another, and a text that comes in pieces is shown as the whole is, wherever it is cut.
func FuzzText(f *testing.F) {
	for _, s := range []string{"a", "\x1b[31m", "\x1b]0;x\a", "\u009b", "\x9b\xc2\x9b", "\r\r\n", "\ufe0f\u200b\ufe0f", "\x1b\x1b[[", "\xc2\x1b[m\x85", "é\r\n\u2028", "\x1bPq\x1b\\x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) > 1<<8 {
			t.Skip()
		}
		out := clean.Text(in)
		if !utf8.ValidString(out) {
			t.Fatalf("Text(%q) = %q is not UTF-8", in, out)
		}
		for _, r := range out {
			if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || r >= 0xe0000 && r < 0xe1000 {
				t.Fatalf("Text(%q) has %U", in, r)
			}
		}
		if again := clean.Text(out); again != out {
			t.Fatalf("Text(%q) = %q, then %q", in, out, again)
		}
		if got := clean.Text(in + "\n\x1b[1mend"); !strings.HasSuffix(got, "\nend") {
			t.Fatalf("%q hides the next line: %q", in, got)
		}
		for i := range len(in) {
			if got := clean.Settled(in[:i]); !strings.HasPrefix(out, got) {
				t.Fatalf("of %q first %q is shown, and then %q", in, got, out)
			}
			if in[i] == '\n' && clean.Text(in[:i+1])+clean.Text(in[i+1:]) != out {
				t.Fatalf("%q is otherwise line by line", in)
			}
		}
	})
}

// A joiner that is left has an emoji on either side, and no picture has more than three; what is cleaned or revealed stays so,
// and what grows is never taken back.
func TestJoiners(t *testing.T) {
	letters := rapid.StringOf(rapid.SampledFrom([]rune("a\n\x1b[m\u200b\u200d\u200d\u200d\ufe0e\ufe0f\u2764\u2640\U0001f468\U0001f469\U0001f3fd\U0001f1e9")))
	joined := regexp.MustCompile("[\u2764\u2640\U0001f468\U0001f469][\ufe0f\U0001f3fd]?\u200d[\u2764\u2640\U0001f468\U0001f469]")
	long := regexp.MustCompile("(\u200d[^\u200d][\ufe0f\U0001f3fd]?){4}")
	rapid.Check(t, func(t *rapid.T) {
		in := letters.Draw(t, "in")
		out := clean.Text(in)
		if clean.Text(out) != out || clean.Reveal(out) != out {
			t.Fatalf("%q becomes %q, which does not stay", in, out)
		}
		if shown := clean.Reveal(in); clean.Text(shown) != shown {
			t.Fatalf("%q is revealed as %q, which does not stay", in, shown)
		}
		alone := out
		for joined.MatchString(alone) {
			alone = joined.ReplaceAllStringFunc(alone, func(s string) string { return strings.Replace(s, "\u200d", "+", 1) })
		}
		if strings.Contains(alone, "\u200d") {
			t.Fatalf("%q becomes %q, which has a joiner without two emoji", in, out)
		}
		if long.MatchString(out) {
			t.Fatalf("%q becomes %q, which joins too many", in, out)
		}
		for i := range len(in) {
			if got := clean.Settled(in[:i]); !strings.HasPrefix(out, got) {
				t.Fatalf("of %q first %q is shown, and then %q", in, got, out)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	for name, s := range map[string]string{
		"clean":   strings.Repeat("The quick brown fox jumps over the lazy dog, 1234.\n", 2000),
		"colours": strings.Repeat("The quick \x1b[31mbrown\x1b[0m fox jumps over the dog.\n", 2000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				clean.Text(s)
			}
		})
	}
}

func TestReveal(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":        "plain\ttext\n",
		"a\u202eb":             "a<U+202E>b",
		"x\U000e0041\u200b":    "x<U+E0041><U+200B>",
		"\x1b[31mred":          "<U+001B>[31mred",
		"over\rwritten\r\nend": "over<U+000D>written\nend",
		"byte \x9b0m":          "byte <0x9B>0m",
		"\u2764\ufe0f\ufe0f":   "\u2764\ufe0f<U+FE0F>",
		"\u2764\U000e0100":     "\u2764<U+E0100>",
		"line\u2028separator":  "line<U+2028>separator",
	} {
		if got := clean.Reveal(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a\n\r\x1b[\u0085\u200d\ufe0e\ufe0f\u2764\U000e0041]"))),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		got := clean.Reveal(s)
		if clean.Text(got) != got || clean.Text(s) == s && got != s {
			t.Fatalf("%q: %q", s, got)
		}
	})
}
