package scroll

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

func typeInto(f *Finder, s Source, text string) {
	for _, r := range text {
		f.Key(tea.KeyPressMsg{Code: r, Text: string(r)}, s)
	}
}

// A search through many blocks draws those alone that it comes to.
func TestFindDrawsLittle(t *testing.T) {
	drawn := 0
	text := func(i int) string {
		if i%1000 == 7 {
			return fmt.Sprintf("entry %d\nholds a Needle\nand after it\na needle again", i)
		}
		return fmt.Sprintf("entry %d\nand more of it", i)
	}
	b := Blocks{N: 10_000, Draw: func(i int) []string { drawn++; return strings.Split(text(i), "\n") }}
	sc := &Scroll{}
	sc.Lines(b, 20)
	s := Source{N: b.N, Text: text, Show: func(int) {}, Blocks: func() Blocks { return b }, Scroll: sc}
	f := NewFinder(editor.New(theme.Theme{}))
	drawn = 0
	typeInto(f, s, "needle")
	if drawn > 1000 {
		t.Errorf("%d blocks were drawn", drawn)
	}
	at := func() string { return b.Draw(f.hits[f.at])[f.line] + fmt.Sprint(" in ", f.hits[f.at]) }
	want := []string{"a needle again in 9007", "holds a Needle in 9007", "a needle again in 8007"}
	for i, w := range want {
		if at() != w {
			t.Errorf("step %d: %q, want %q", i, at(), w)
		}
		f.Key(tea.KeyPressMsg{Code: tea.KeyUp}, s)
	}
	for range 3 {
		f.Key(tea.KeyPressMsg{Code: tea.KeyDown}, s)
	}
	f.Key(tea.KeyPressMsg{Code: tea.KeyDown}, s)
	if want := "holds a Needle in 7"; at() != want {
		t.Errorf("round: %q, want %q", at(), want)
	}
	if lines := sc.Lines(b, 20); !strings.Contains(strings.Join(lines, "\n"), "entry 7\n") {
		t.Errorf("the place is not in sight: %q", lines)
	}
	line, _ := f.Draw(theme.All[3], 60)
	if got := ansi.Strip(line); !strings.Contains(got, "1 of 10 · ↑ ↓ next · esc closes") {
		t.Errorf("the line says %q", got)
	}
	typeInto(f, s, "x")
	if line, _ := f.Draw(theme.All[3], 60); !strings.Contains(ansi.Strip(line), "nothing") {
		t.Errorf("the line says %q", ansi.Strip(line))
	}
}

func TestLit(t *testing.T) {
	for _, c := range []struct{ line, query, want string }{
		{"plain", "la", "p[la]in"},
		{"no", "yes", "no"},
		{"Two TWO two", "two", "[Two] [TWO] [two]"},
		{"\x1b[1mbold\x1b[m and bo\x1b[2mld\x1b[m", "bold", "[bold] and [bold]"},
		{"日本語 a 日本", "本", "日[本]語 a 日[本]"},
		{"İstanbul ist", "ist", "[İst]anbul [ist]"},
	} {
		var out strings.Builder
		rest := line.Lit("7", c.line, c.query)
		for rest != "" { // closes every mark
			before, after, ok := strings.Cut(rest, "\x1b[7m")
			out.WriteString(ansi.Strip(before))
			if !ok {
				break
			}
			in, more, _ := strings.Cut(after, "\x1b[m")
			out.WriteString("[" + in + "]")
			rest = more
		}
		if out.String() != c.want {
			t.Errorf("%q in %q: %q, want %q", c.query, c.line, out.String(), c.want)
		}
	}
}
