package report_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/report"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// exam lays out a contest by hand: two seats, 4 items that choose and 8 that compare. Each row is what ann, ben and the
// council answer; A is right.
func exam(rows ...string) report.Record {
	p := contest.Plan{Name: "exam", Suite: "made", Items: len(rows), Choose: 4, Arms: []contest.Arm{contest.Single, contest.Vote, contest.Council},
		Seats: []table.Seat{{ID: "ann", Model: "m1", Lineage: "l1"}, {ID: "ben", Model: "m2", Lineage: "l2"}}, Seed: 5}
	rec := report.Record{Plan: p, Chosen: contest.Chosen{Best: "ann"}, Started: time.Unix(0, 0).UTC(), Ended: true,
		Paid: cost.Usage{Input: 100, USD: 1.5, Source: cost.Table}}
	for i, row := range rows {
		it := suite.Item{ID: fmt.Sprint("q", i), Question: "?", Options: []string{"yes", "no", "maybe"}, Answer: "A", Stratum: "s"}
		rec.Items = append(rec.Items, it)
		add := func(arm contest.Arm, seat string, class byte, ms int64) {
			o := contest.Outcome{Item: it.ID, Arm: arm, Seat: seat, Class: string(class), Answer: string(class), Right: class == 'A', P: .75,
				Decided: true, Calls: 1, MS: ms, Usage: cost.Usage{Input: 10, USD: .01, Source: cost.Table}}
			if class == '-' {
				o.Class, o.Answer, o.Decided, o.P, o.Failures = "", "", false, 0, map[string]int{"timeout": 1}
			}
			rec.Outcomes = append(rec.Outcomes, o)
		}
		add(contest.Single, "ann", row[0], int64(i)*100)
		add(contest.Single, "ben", row[1], 50)
		if i >= p.Choose {
			add(contest.Vote, "", row[0], 10)
			add(contest.Council, "", row[2], 20)
		}
	}
	return rec
}

var rows = []string{"AA.", "AB.", "AA.", "BA.", // these choose: ann 3 of 4
	"AAA", "ABA", "BAA", "BBA", "BBB", "BCB", "-AA", "AAB"}

func arm(t *testing.T, r report.Report, name string) report.Arm {
	t.Helper()
	for _, a := range r.Arms {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("unknown arm %s", name)
	return report.Arm{}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestFiguresByHand(t *testing.T) {
	r := report.Make(exam(rows...))
	ann, council := arm(t, r, "ann"), arm(t, r, "council")
	if !near(ann.Accuracy.Value, 3./8) || !near(council.Accuracy.Value, 5./8) || ann.Items != 8 || ann.Calls != 8 {
		t.Errorf("ann %+v, council %+v", ann.Accuracy, council.Accuracy)
	}
	if got, want := ann.Accuracy, statistics.Wilson(3, 8); got != want {
		t.Errorf("interval %v, want %v", got, want)
	}
	if !near(r.Seats[0].Chose.Value, .75) || !near(r.Seats[1].Chose.Value, .75) || r.Compare != 8 || r.Best != "ann" {
		t.Errorf("%+v", r.Seats)
	}
	// Right by any seat: items 4, 5, 6, 10, 11 of 8; the council got 5, ann 3.
	if !near(r.Oracle.Value, 5./8) || council.Gap == nil || !near(*council.Gap, 1) || arm(t, r, "vote").Gap == nil {
		t.Errorf("oracle %v, gap %v", r.Oracle, council.Gap)
	}
	// The plurality is right on 4 and 11 (AA) and 10 (A alone); the council loses 11. It is not on 5, 6, 7, 8, 9; of these
	// the council gets 5, 6, 7. No truth is outvoted: that takes two wrong votes against one.
	if !near(council.Subverted.Value, 1./3) || !near(council.Corrected.Value, 3./5) || council.Recovered != statistics.Wilson(0, 0) {
		t.Errorf("subverted %v, corrected %v, recovered %v", council.Subverted, council.Corrected, council.Recovered)
	}
	if !near(ann.Decided.Value, 7./8) || !near(ann.WhenSure.Value, 3./7) || ann.Failures["timeout"] != 1 {
		t.Errorf("decided %v, right then %v, failures %v", ann.Decided, ann.WhenSure, ann.Failures)
	}
	if !near(ann.P50, 750) || !near(ann.P95, 1065) || ann.P95 > 1100 {
		t.Errorf("p50 %g, p95 %g", ann.P50, ann.P95)
	}
	if want := (7*.75*.75*0 + 3*.0625 + 4*.5625 + 0) / 8; !near(ann.Brier, want) {
		t.Errorf("Brier %g, want %g", ann.Brier, want)
	}
	c := r.Comparisons[len(r.Comparisons)-2]
	if c.Arm != "council" || c.Against != "ann" || c.Only != 3 || c.Other != 1 || !near(c.Difference.Value, .25) || c.P != statistics.McNemar(3, 1) {
		t.Errorf("%+v", c)
	}
	var p []float64
	for _, c := range r.Comparisons {
		p = append(p, c.P)
	}
	for i, want := range statistics.Holm(p) {
		if r.Comparisons[i].Holm != want {
			t.Errorf("Holm of %s against %s: %g, want %g", r.Comparisons[i].Arm, r.Comparisons[i].Against, r.Comparisons[i].Holm, want)
		}
	}
	if !near(r.Discordance, .5) || r.Visible != statistics.Visible(8, .5) || r.Errors.Items != 12 || r.Errors.Seats != 2 {
		t.Errorf("discordance %g, visible %g, %+v", r.Discordance, r.Visible, r.Errors)
	}
	if !strings.HasPrefix(r.Closing, "inconclusive, need ") || !strings.Contains(r.Closing, "council alone was right on 3, ann alone on 1") {
		t.Error(r.Closing)
	}
}

func TestClosingLines(t *testing.T) {
	for _, c := range []struct{ row, want string }{
		{"BBA", "use panel: of 40 items council alone was right on 40, ann alone on 0"},
		{"AAB", "use single ann: of 40 items council alone was right on 0, ann alone on 40"},
		{"AAA", "inconclusive, need "},
	} {
		all := append([]string{}, rows[:4]...)
		for range 40 {
			all = append(all, c.row)
		}
		rec := exam(all...)
		if r := report.Make(rec); !strings.HasPrefix(r.Closing, c.want) {
			t.Errorf("%s: %s", c.row, r.Closing)
		}
		rec.Plan.Simulated = true
		if r := report.Make(rec); !strings.HasSuffix(r.Closing, "(simulated)") || strings.Count(r.Text(), "Simulated: seats that err on purpose") != 2 ||
			strings.Count(r.HTML(), report.SimulatedNotice) != 2 {
			t.Errorf("%s is not labelled: %s", c.row, r.Closing)
		}
	}
}

func TestClosingLineOfLevelArms(t *testing.T) {
	all := append([]string{}, rows[:4]...)
	for i := range 1500 {
		all = append(all, []string{"AAA", "AAB", "BBA", "AAA", "BBB"}[i%5])
	}
	if r := report.Make(exam(all...)); !strings.HasPrefix(r.Closing, "inconclusive, need ") {
		t.Error(r.Closing) // they differ on 40 %: 1500 items do not show 3 points
	}
	for i := range 1500 {
		all[4+i] = []string{"AAA", "BBB"}[i%2]
	}
	if r := report.Make(exam(all...)); !strings.HasPrefix(r.Closing, "inconclusive, and more items are unlikely to help") {
		t.Error(r.Closing)
	}
}

func TestReportOfWhatIsThere(t *testing.T) {
	whole := exam(rows...)
	for n := range len(whole.Outcomes) {
		rec := whole
		rec.Outcomes, rec.Ended = whole.Outcomes[:n], false
		if n < 8 {
			rec.Chosen = contest.Chosen{}
		}
		r := report.Make(rec)
		text := r.Text()
		if !strings.Contains(strings.Join(strings.Fields(text), " "), "has not ended") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || r.Closing == "" {
			t.Fatalf("after %d outcomes:\n%s", n, text)
		}
		wellFormed(t, r.HTML())
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("after %d outcomes: %v", n, err)
		}
	}
}

func TestTextFitsEightyColumns(t *testing.T) {
	rec := exam(rows...)
	rec.Plan.Seats[0].ID, rec.Chosen.Best = strings.Repeat("long-", 8), strings.Repeat("long-", 8)
	for i := range rec.Outcomes {
		if rec.Outcomes[i].Seat == "ann" {
			rec.Outcomes[i].Seat = rec.Chosen.Best
		}
		rec.Outcomes[i].Usage.Input, rec.Outcomes[i].MS, rec.Outcomes[i].Usage.USD = 123456, 654321, 12.3456
	}
	for line := range strings.Lines(report.Make(rec).Text()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// wellFormed wants every element of a page closed, nothing that runs and nothing that loads.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	body := page[strings.Index(page, "<body>"):]
	d := xml.NewDecoder(strings.NewReader("<html>" + body))
	d.Entity = xml.HTMLEntity
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, body)
		}
		if e, ok := tok.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local == "src" || a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("<%s> has %s", e.Name.Local, a.Name.Local)
				}
			}
			switch e.Name.Local {
			case "script", "img", "link", "iframe", "object", "style":
				t.Errorf("the page holds <%s>", e.Name.Local)
			}
		}
	}
}

func TestPage(t *testing.T) {
	rec := exam(rows...)
	evil := `<script>alert("1")</script>&"'`
	rec.Plan.Name, rec.Plan.Suite = "exam", evil
	rec.Plan.Seats[0].ID, rec.Plan.Seats[0].Model, rec.Chosen.Best = "a<b>", evil, "a<b>"
	for i := range rec.Outcomes {
		if rec.Outcomes[i].Seat == "ann" {
			rec.Outcomes[i].Seat = "a<b>"
		}
		if rec.Outcomes[i].Failures != nil {
			rec.Outcomes[i].Failures = map[string]int{evil: 1}
		}
	}
	page := report.Make(rec).HTML()
	wellFormed(t, page)
	if strings.Contains(page, "<script") || strings.Contains(page, "a<b>") || !strings.Contains(page, "a&lt;b&gt;") {
		t.Error("something is not escaped")
	}
	for _, want := range []string{`content="default-src 'none'`, "prefers-color-scheme:dark", "inconclusive, need"} {
		if !strings.Contains(page, want) {
			t.Errorf("it lacks %s", want)
		}
	}
	// Four pictures: a bar for each arm and the oracle, an interval for each comparison, a curve for each arm, a place
	// for each arm.
	if n := strings.Count(page, "<svg "); n != 4 {
		t.Errorf("%d pictures", n)
	}
	if n := strings.Count(page, "<rect "); n != 4 {
		t.Errorf("%d bars for 4 arms", n)
	}
	if n := strings.Count(page, "<polyline "); n != 4 {
		t.Errorf("%d curves for 4 arms", n)
	}
	if again := report.Make(rec).HTML(); again != page {
		t.Error("the same record gives another page")
	}
}

// TestLineagesAndOtherOrder: what was answered with the options the other way round moves no other figure.
func TestLineagesAndOtherOrder(t *testing.T) {
	plain := report.Make(exam(rows...))
	rec := exam(rows...)
	rec.Plan.Swap = 8
	turned := "ABACBB-A" // what the council says to q4 … q11 then; before it said AAAABBAB
	for i := range rec.Outcomes {
		o := rec.Outcomes[i]
		if o.Arm != contest.Council {
			continue
		}
		n := 1 + i%2
		rec.Outcomes[i].Lineages = &n
		at := 0
		fmt.Sscanf(o.Item, "q%d", &at)
		o.Swapped, o.Class, o.Answer = true, turned[at-4:at-3], turned[at-4:at-3]
		if o.Right = o.Class == "A"; o.Class == "-" {
			o.Class, o.Answer = "", ""
		}
		rec.Outcomes = append(rec.Outcomes, o)
	}
	r := report.Make(rec)
	council := arm(t, r, "council")
	if s := council.Swap; s == nil || s.Items != 7 || s.Same != statistics.Wilson(4, 7) || s.Right != statistics.Wilson(3, 7) {
		t.Errorf("the other way round: %+v", s)
	}
	l := council.Lineages
	if l == nil || l.Items != 8 || l.Mean < 1 || l.Mean > 2 || len(l.By) == 0 {
		t.Fatalf("lineages: %+v", l)
	}
	hits := 0.0
	for _, s := range l.By {
		hits += s.Accuracy.Value * float64(s.Items)
	}
	if !near(hits, 5) {
		t.Errorf("%g right by lineages, 5 in all", hits)
	}
	for i := range r.Arms {
		if r.Arms[i].Name != "council" && (r.Arms[i].Swap != nil || r.Arms[i].Lineages != nil) {
			t.Errorf("%s: %+v", r.Arms[i].Name, r.Arms[i].Swap)
		}
		r.Arms[i].Swap, r.Arms[i].Lineages = nil, nil
	}
	a, _ := json.Marshal(r)
	b, _ := json.Marshal(plain)
	if string(a) != string(b) {
		t.Errorf("other figures moved:\n%s\n%s", a, b)
	}
}
