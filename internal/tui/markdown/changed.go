package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// longWords is how long lines may be whose words are compared.
const longWords = 2000

// changed draws a line and what it became, with the words that differ emphasised. If little is left of it, nothing is.
func changed(t theme.Theme, before, after string) (removed, added *piece) {
	removed, added = inked(before, t.Removed), inked(after, t.Added)
	if len(before)+len(after) > longWords {
		return removed, added
	}
	edits := udiff.Lines(tokens(before), tokens(after))
	lost, won := &piece{}, &piece{}
	kept := 0
	rest := tokens(before)
	from := 0
	for _, e := range edits {
		same := bare(rest[from:e.Start])
		kept += len(strings.TrimSpace(same))
		lost.add(same, t.Removed)
		won.add(same, t.Added)
		lost.add(bare(rest[e.Start:e.End]), t.Removed.And(theme.Reverse))
		won.add(bare(e.New), t.Added.And(theme.Reverse))
		from = e.End
	}
	same := bare(rest[from:])
	kept += len(strings.TrimSpace(same))
	lost.add(same, t.Removed)
	won.add(same, t.Added)
	if 3*kept < min(len(before), len(after)) || kept == 0 {
		return removed, added
	}
	return lost, won
}

// tokens has each word and each sign on a line of its own.
func tokens(line string) string {
	var out strings.Builder
	for i, r := range line {
		if i > 0 {
			before, _ := utf8.DecodeLastRuneInString(line[:i])
			if !word(before) || !word(r) {
				out.WriteByte('\n')
			}
		}
		out.WriteRune(r)
	}
	out.WriteByte('\n')
	return out.String()
}

func word(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M) }

func bare(tokens string) string { return strings.ReplaceAll(tokens, "\n", "") }
