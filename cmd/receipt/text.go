package receipt

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/receipt"
)

// width is the width of a report in columns.
const width = 80

// text formats a report for a person: the answer, what was verified, then the seats.
func text(r receipt.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s (%s)\n\n", out.Wrap(out.OneLine(r.Question), width, ""),
		out.Wrap(out.OneLine(answer(r)), width, ""), r.Standing)
	fmt.Fprintf(&b, "Room %s, recorded by socrates %s\nRecord sha256 %s\n\n", r.Room, r.Program, r.Record)
	for _, f := range r.Findings {
		mark := map[receipt.State]string{receipt.OK: "ok", receipt.Failed: "FAILED", receipt.Unknown: "unknown"}[f.State]
		b.WriteString(out.Wrap(fmt.Sprintf("%-8s %-11s %s", mark, f.What, f.Says), width, strings.Repeat(" ", 21)) + "\n")
	}
	b.WriteString("\nSeats: what vendors reported, and what only the record claims\n")
	for _, s := range r.Seats {
		claimed := fmt.Sprintf("family %s, seat %s, model %s", s.Claimed.Lineage, s.Claimed.Spec, s.Claimed.Model)
		fmt.Fprintf(&b, "  %s\n", s.ID)
		for _, line := range []string{"    reported " + told(s.Provable), "    claimed  " + claimed} {
			b.WriteString(out.Wrap(line, width, strings.Repeat(" ", 13)) + "\n")
		}
	}
	b.WriteString("\nThe owner of the account can look up request ids with the vendor.\n")
	return b.String()
}

// answer returns what the record decided.
func answer(r receipt.Report) string { return cmp.Or(r.Winner, "No decision") }

// told describes in a phrase what a vendor reported. It comes through the person's own connection: it is evidence
// against accidents, not against the person.
func told(p receipt.Provable) string {
	if p.Nothing() {
		return "nothing: as far as the record shows, no vendor answered"
	}
	var list []string
	if len(p.Programs) > 0 {
		list = append(list, "program "+strings.Join(p.Programs, ", "))
	}
	if len(p.Models) > 0 {
		list = append(list, "model "+strings.Join(p.Models, ", "))
	}
	switch n := len(p.Requests); {
	case n == 0:
		list = append(list, "no request ids")
	case n == 1:
		list = append(list, fmt.Sprintf("request id of 1 of %d calls (%s)", p.Calls, p.Requests[0]))
	default:
		list = append(list, fmt.Sprintf("request ids of %d of %d calls (%s … %s)", n, p.Calls, p.Requests[0], p.Requests[n-1]))
	}
	return strings.Join(list, "; ")
}
