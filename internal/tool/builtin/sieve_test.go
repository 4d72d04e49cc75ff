package builtin

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What the expression finds without a sieve, and without literals to look for, is found with them.
func TestSieveMissesNothing(t *testing.T) {
	parts := []string{"foo", "o", "K", "k", "ſ", "é", "日本", `\b`, `\B`, "^", "$", ".", ".*", `\w+`, `\s`, `[^a-z]`, "[é-ü]", `\pL`, "(?i:ko)", "(?i)", "|", "(?:o|k)+", "k{2,3}", `\x{fffd}`, "[o-k]?", " ", "9*?", "[^o]{9}"}
	texts := append([]string{"f", "o", "k", "K", "\u212a", "ß", "\xff", "\xc3", "\n", "\r\n", "9", "\t", "\x00"}, parts[:7]...)
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(t, "pattern"), "")
		s, err := newSearch(pattern, rapid.Bool().Draw(t, "case"))
		if err != nil {
			t.Skip("no pattern")
		}
		body := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(texts), 0, 40).Draw(t, "text"), ""))
		plain := s
		plain.sieve, plain.literals = nil, nil
		if with, without := s.file(body), plain.file(body); !slices.Equal(with, without) {
			t.Fatalf("%s in %q: %v with sieve and literals %q, %v without", pattern, body, with, s.literals, without)
		}
	})
}

func TestSieveOfManyStates(t *testing.T) {
	s, err := newSearch(`[ab]*a[ab]{12}c`, false)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(strings.Repeat("xab\n", 1000) + "bbaabababababababac\n" + "aabbbbbbbbbbbbc\n" + "aabbbbbbbbbbbbb\n")
	if hits := s.file(body); len(hits) != 2 || hits[0].line != 1001 {
		t.Errorf("found %v", hits)
	}
}

func BenchmarkSearch(b *testing.B) {
	body := []byte(strings.Repeat("\tfor _, reader := range return context.Value(buffer, index)\n", 1<<14))
	for _, pattern := range []string{`needle`, `(?i)needle`, `foo|needle|bar`, `[0-9]{3}[xyz]`, `\breturn\b.*\bneedle\b`} {
		s, err := newSearch(pattern, false)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(pattern, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				s.file(body)
			}
		})
	}
}
