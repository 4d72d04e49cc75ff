package editor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFuzzyOrder(t *testing.T) {
	for _, c := range []struct {
		query string
		want  []string // best first; those after "-" do not match
	}{
		{"ed", []string{"internal/tui/editor/edit.go", "internal/feed/feed.go", "-", "dew"}},
		{"main", []string{"main.go", "cmd/main_test.go", "cmd/domain.go", "mxaxixn"}},
		{"tue", []string{"tui/editor", "statute", "-", "eut"}},
		{"fb", []string{"FooBar", "fob"}},
		{"fb", []string{"foo_bar", "fob"}},
		{"FB", []string{"FooBar", "-", "foo_bar"}},
		{"deb auth", []string{"auth, then debate", "the debate about auth", "-", "debate"}},
		{"editor", []string{"internal/tui/editor.go", "editor/keys.go"}},
		{"日語", []string{"日語", "日本語"}},
		{"éa", []string{"ÉA", "-", "ea"}},
		{"", []string{"b", "a"}},
	} {
		var words, want []string
		matching := true
		for _, w := range c.want {
			if w == "-" {
				matching = false
				continue
			}
			words = append(words, w)
			if matching {
				want = append(want, w)
			}
		}
		if c.query != "" {
			slices.Reverse(words)
		}
		var got []string
		for _, m := range Fuzzy(c.query, words) {
			got = append(got, words[m.Index])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", c.query, got, want)
		}
	}
}

func TestFuzzyMarksLetters(t *testing.T) {
	for _, c := range []struct{ query, word, want string }{
		{"ab", "a--ab", "a--[a][b]"},
		{"tue", "internal/tui/editor", "internal/[t][u]i/[e]ditor"},
		{"gr hm", "the group", ""},
		{"up he", "the group", "t[h][e] gro[u][p]"},
		{"語", "日本語", "日本[語]"},
	} {
		got := ""
		for _, m := range Fuzzy(c.query, []string{c.word}) {
			for i, r := range c.word {
				if slices.Contains(m.At, i) {
					got += "[" + string(r) + "]"
				} else {
					got += string(r)
				}
			}
		}
		if got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.query, c.word, got, c.want)
		}
	}
}

func TestFuzzyFindsExactlySubsequences(t *testing.T) {
	text := rapid.OneOf(rapid.StringOf(rapid.SampledFrom([]rune("aAbB/_ .1é日"))), rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		query, word := text.Draw(t, "query"), text.Draw(t, "word")
		ms := Fuzzy(query, []string{word})
		if whole := Fuzzy(word, []string{word}); len(whole) != 1 && utf8.ValidString(word) {
			t.Fatalf("%q does not match itself", word)
		}
		for _, m := range ms {
			if !slices.IsSorted(m.At) {
				t.Fatalf("%q in %q: %v", query, word, m.At)
			}
			for _, at := range m.At {
				if r, _ := utf8.DecodeRuneInString(word[at:]); !strings.ContainsFunc(query, func(q rune) bool { return unicode.ToUpper(q) == unicode.ToUpper(r) }) {
					t.Fatalf("%q in %q: %d", query, word, at)
				}
			}
		}
	})
}

func BenchmarkFuzzy(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := strings.Fields("internal cmd editor tui debate engine store theme script markdown picker model agent vendor docs test")
	words := make([]string, 50_000)
	for i := range words {
		for range 2 + r.IntN(4) {
			words[i] += parts[r.IntN(len(parts))] + "/"
		}
		words[i] += fmt.Sprintf("%s_%d.go", parts[r.IntN(len(parts))], i)
	}
	for _, query := range []string{"e", "edgo", "internal/tui/edit", "zzz"} {
		b.Run(strings.ReplaceAll(query, "/", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Fuzzy(query, words)
			}
		})
	}
}
