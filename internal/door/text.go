package door

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
)

// decisionText returns the result of a debate as everywhere, the answer first: whoever cuts it cuts details.
func decisionText(res debate.Result, notes []string) string {
	var b strings.Builder
	b.WriteString(document.Of(res).Short())
	for _, n := range notes {
		fmt.Fprintf(&b, "Note: %s\n", flat(n, 200))
	}
	fmt.Fprintf(&b, "Full record: decision_show %s\n", res.Room)
	fmt.Fprintf(&b, "Verify it: socrates verify %s --sha256 %.12s\n", res.Room, res.Record)
	return b.String()
}

// missing returns the seats that should have voted and did not. A seat that was spared, because the rest had decided,
// is not missing.
func missing(res debate.Result) (out []debate.SeatResult) {
	for _, s := range res.Seats {
		if s.Status != verdict.Voted && s.Status != verdict.Abstained && s.Status != debate.Spared {
			out = append(out, s)
		}
	}
	return out
}

// distinct removes claims that repeat a seat's earlier one in the same words.
func distinct(claims []debate.ClaimResult) (out []debate.ClaimResult) {
	for _, c := range claims {
		if !slices.ContainsFunc(out, func(o debate.ClaimResult) bool { return o.Seat == c.Seat && o.Text == c.Text }) {
			out = append(out, c)
		}
	}
	return out
}

// first returns the first n, or all.
func first[T any](s []T, n int) []T { return s[:min(n, len(s))] }

// flat cuts a text to one line of at most n bytes.
func flat(s string, n int) string {
	return clip(strings.TrimRight(strings.Join(strings.Fields(s), " "), "."), n)
}
