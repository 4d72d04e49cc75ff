package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/eval/advice"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// SimulatedNotice is at the top and at the bottom of a report with simulated or scripted seats.
const SimulatedNotice = "Simulated: seats that err on purpose or follow a script took part. This says nothing about models."

// table is a part of a report that both the screen and the page show.
type table struct {
	title  string
	header []string // the first column is text, the others are numbers
	rows   [][]string
	notes  []string
}

// tables returns the parts of the report.
func (r Report) tables() []table {
	all := []table{r.accuracy(), r.differences(), r.certainty(), r.votes(), r.behind(), r.turned(), r.failed()}
	out := all[:0]
	for _, t := range all {
		if len(t.rows) > 0 {
			out = append(out, t)
		}
	}
	return append(out, r.common())
}

func percent(x float64) string { return fmt.Sprintf("%.1f", 100*x) }

// span writes an interval in percent.
func span(i statistics.Interval) string { return percent(i.Low) + "-" + percent(i.High) }

func signed(x float64) string { return fmt.Sprintf("%+.1f", 100*x) }

func seconds(ms float64) string {
	if ms < 10 {
		return fmt.Sprintf("%.3f", ms/1000)
	}
	return fmt.Sprintf("%.1f", ms/1000)
}

// dollars writes the mean cost of an arm's questions.
func (a Arm) dollars() string {
	switch {
	case a.Items == 0:
		return "-"
	case a.Usage.Source == cost.Free:
		return "free"
	// Unknown, which is not the same as free.
	case a.Usage.Source == cost.Unknown && a.Usage.USD == 0:
		return "?"
	}
	mark := ""
	if a.Usage.Source == cost.Unknown || a.Usage.Least {
		mark = ">" // a lower bound
	}
	return mark + fmt.Sprintf("%.4f", a.Usage.USD/float64(a.Items))
}

func (r Report) accuracy() table {
	t := table{title: fmt.Sprintf("Right answers, in percent of %d items; cost and time per item", r.Compare),
		header: []string{"arm", "right", "95 %", "calls", "tokens", "USD", "p50 s", "p95 s", "gap"}}
	for _, a := range r.Arms {
		n := float64(max(1, a.Items))
		gap, mark := "", ""
		if a.Gap != nil {
			gap = fmt.Sprintf("%.0f", 100**a.Gap)
		}
		if a.Name == r.Best {
			mark = " *"
		}
		if a.Items < r.Compare {
			t.notes = append(t.notes, fmt.Sprintf("%s: only %d items so far", a.Name, a.Items))
		}
		t.rows = append(t.rows, []string{clip(a.Name, 18) + mark, percent(a.Accuracy.Value), span(a.Accuracy),
			fmt.Sprintf("%.1f", float64(a.Calls)/n), fmt.Sprintf("%.0f", float64(a.Usage.Total())/n), a.dollars(), seconds(a.P50),
			seconds(a.P95), gap})
	}
	t.rows = append(t.rows, []string{"oracle", percent(r.Oracle.Value), span(r.Oracle), "", "", "", "", "", "100"})
	for _, s := range r.Seats {
		if s.ID == r.Best && r.Choose > 0 {
			t.notes = append(t.notes, fmt.Sprintf("* the best single model, chosen on %d other items (%s %% right there)", r.Choose,
				percent(s.Chose.Value)))
		}
	}
	if text := r.Matched.String(); text != "" {
		t.notes = append(t.notes, "sc, fuse: "+text)
	}
	t.notes = append(t.notes, "oracle: right if any seat is; gap: percent of the way from the best single model to it")
	return t
}

func (r Report) differences() table {
	t := table{title: "Differences in points, on the same items",
		header: []string{"arm", "against", "points", "95 %", "only it", "only other", "p", "Holm"}}
	for _, c := range r.Comparisons {
		t.rows = append(t.rows, []string{clip(c.Arm, 16), clip(c.Against, 14), signed(c.Difference.Value),
			signed(c.Difference.Low) + " to " + signed(c.Difference.High), fmt.Sprint(c.Only), fmt.Sprint(c.Other), chance(c.P),
			chance(c.Holm)})
	}
	t.notes = []string{"95 %: paired bootstrap within strata; p: exact McNemar; Holm: p corrected for all rows"}
	return t
}

// chance writes a p value to three decimals, as papers do.
func chance(p float64) string {
	if p < .0005 {
		return "<.001"
	}
	return strings.TrimPrefix(fmt.Sprintf("%.3f", p), "0")
}

func (r Report) certainty() table {
	t := table{title: "How well each arm's stated probability is calibrated",
		header: []string{"arm", "decided %", "right then", "Brier", "ECE", "95 %", "risk area"}}
	for _, a := range r.Arms {
		if a.Items == 0 {
			continue
		}
		t.rows = append(t.rows, []string{clip(a.Name, 20), percent(a.Decided.Value), percent(a.WhenSure.Value),
			fmt.Sprintf("%.3f", a.Brier),
			fmt.Sprintf("%.3f", a.ECE.Value), fmt.Sprintf("%.3f-%.3f", a.ECE.Low, a.ECE.High), fmt.Sprintf("%.3f", a.Area)})
	}
	t.notes = []string{"single, fuse: the chance stated; sc: share of samples; others: posterior",
		"risk area: under the risk-coverage curve, the mean risk when only the surest answers are kept"}
	return t
}

func (r Report) votes() table {
	t := table{title: "How the seats' own answers changed",
		header: []string{"arm", "corrected %", "95 %", "subverted %", "95 %", "recovered %", "95 %"}}
	for _, a := range r.Arms {
		if a.Arm == contest.Single || a.Items == 0 || len(r.Seats) < 2 {
			continue
		}
		t.rows = append(t.rows, []string{clip(a.Name, 16), share(a.Corrected, a.plurality[0]), spanOf(a.Corrected, a.plurality[0]),
			share(a.Subverted, a.plurality[1]), spanOf(a.Subverted, a.plurality[1]), share(a.Recovered, a.minorities),
			spanOf(a.Recovered, a.minorities)})
		if len(t.notes) == 0 {
			t.notes = []string{fmt.Sprintf("corrected: right where their plurality was not (%d items); "+
				"subverted: wrong where it was (%d); "+
				"recovered: right where more named one wrong answer than the right one (%d)", a.plurality[0], a.plurality[1], a.minorities)}
		}
	}
	return t
}

func share(i statistics.Interval, n int) string {
	if n == 0 {
		return "-"
	}
	return percent(i.Value)
}

func spanOf(i statistics.Interval, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f-%.0f", 100*i.Low, 100*i.High)
}

func (r Report) failed() table {
	t := table{title: "Unusable replies", header: []string{"arm", "what"}}
	for _, a := range r.Arms {
		if text := a.failures(); text != "" {
			t.rows = append(t.rows, []string{clip(a.Name, 20), text})
		}
	}
	return t
}

// common describes what the seats have in common, and what the items can show at all.
func (r Report) common() table {
	t := table{title: "The panel and the items"}
	e := r.Errors
	lineages := map[string]bool{}
	for _, s := range r.Seats {
		lineages[s.Lineage] = true
	}
	if e.Items > 0 && e.Seats > 1 {
		worth := ""
		if e.Items >= 50 {
			worth = fmt.Sprintf("; their errors correlate by %.2f, so they are worth about %.1f independent votes",
				e.Correlation, e.Effective)
		}
		t.notes = append(t.notes, fmt.Sprintf("%d seats of %d lineages on %d items%s.", e.Seats, len(lineages), e.Items, worth),
			fmt.Sprintf("All seats are wrong on %s %% [%s]; two wrong seats give the same answer in %s %% [%s].",
				percent(e.AllWrong.Value), span(e.AllWrong), percent(e.Same.Value), span(e.Same)))
	}
	if a := r.Agreement; a.Raw > 0 && e.Seats > 1 {
		t.notes = append(t.notes, fmt.Sprintf("Agreement on choices: raw %.2f, Gwet's AC1 %.2f, Fleiss' kappa %.2f.", a.Raw,
			a.AC1, a.Fleiss))
	}
	if n := r.Advice.Items; n > 0 {
		t.notes = append(t.notes, fmt.Sprintf("%d items, on %s %% of which the panel and %s differ, cannot show differences below %s "+
			"points (80 %% power, 5 %% level).",
			n, percent(r.Discordance), r.Best, percent(r.Visible)),
			fmt.Sprintf("At that share it takes %d items in all to show a difference of 5 points, %d for 3 points.",
				statistics.Needed(r.Discordance, .05), statistics.Needed(r.Discordance, .03)))
		if r.Advice.Choice == advice.Inconclusive && !r.Advice.Settled() {
			t.notes = append(t.notes, "The last line asks for enough items to show a difference of 3 points, or the observed one if it is "+
				"larger, even if the arms differ on more items than observed.")
		}
	}
	return t
}

// head returns the lines above the tables: what was run.
func (r Report) head() []string {
	var out []string
	if r.Simulated {
		out = append(out, SimulatedNotice)
	}
	if !r.Ended {
		out = append(out, "This evaluation has not ended; the figures cover what is done so far. Resume it: socrates eval resume "+r.Name)
	}
	text := fmt.Sprintf("Suite %s, seed %d: %d items", r.Suite, r.Seed, r.Items)
	if r.Choose > 0 {
		text += fmt.Sprintf(", of which %d chose the best single model and %d compare", r.Choose, r.Compare)
	}
	out = append(out, text+".")
	for _, s := range r.Seats {
		out = append(out, fmt.Sprintf("Seat %s: %s, lineage %s.", s.ID, s.Model, s.Lineage))
	}
	paid := r.Paid.Dollars(4)
	if r.Lost > 0 {
		paid += fmt.Sprintf(", and at most $%.4f for calls that were cut off", r.Lost)
	}
	return append(out, fmt.Sprintf("All calls together: %d tokens, %s.", r.Paid.Total(), paid))
}

// Text returns the report for people: at most 80 columns wide, if names are short.
func (r Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Evaluation %s\n\n", r.Name)
	for _, line := range r.head() {
		b.WriteString(wrap(line) + "\n")
	}
	for _, t := range r.tables() {
		fmt.Fprintf(&b, "\n%s\n", t.title)
		t.write(&b)
		for _, note := range t.notes {
			b.WriteString(wrap("  "+note) + "\n")
		}
	}
	if r.Simulated {
		b.WriteString("\n" + wrap(SimulatedNotice) + "\n")
	}
	fmt.Fprintf(&b, "\n%s\n", wrap(r.Closing))
	return b.String()
}

// write lays out a table: columns of words aligned left, the others right.
func (t table) write(b *strings.Builder) {
	if len(t.rows) == 0 {
		return
	}
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range append([][]string{t.header}, t.rows...) {
		line := " "
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.words(i) {
				line += " " + cell + pad
			} else {
				line += " " + pad + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// words reports whether a column holds words.
func (t table) words(i int) bool { return i == 0 || t.header[i] == "against" || t.header[i] == "what" }

// clip shortens a text to at most n characters, the last of them an ellipsis.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// wrap breaks a line at words so that it fits 80 columns.
func wrap(line string) string {
	const width = 79
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var out strings.Builder
	at := 0
	for i, word := range strings.Fields(line) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			out.WriteString(indent + word)
			at = len(indent) + n
			continue
		case at+1+n > width:
			out.WriteString("\n" + indent + word)
			at = len(indent) + n
			continue
		}
		out.WriteString(" " + word)
		at += 1 + n
	}
	return out.String()
}
