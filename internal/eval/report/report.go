package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/eval/advice"
	"github.com/socrates-cli/socrates/internal/eval/calibration"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// Record is the input of a report.
type Record struct {
	Plan     contest.Plan
	Chosen   contest.Chosen
	Items    []suite.Item
	Outcomes []contest.Outcome
	Started  time.Time
	Ended    bool
	Paid     cost.Usage // for every call
	Lost     float64    // dollars that may have been paid for lost calls
}

// Report is the published form of `--output json`.
type Report struct {
	Schema      string                `json:"schema"` // socrates.eval/1
	Name        string                `json:"name"`
	Suite       string                `json:"suite"`
	Started     time.Time             `json:"started"`
	Ended       bool                  `json:"ended"`     // false: it was stopped and can be resumed
	Simulated   bool                  `json:"simulated"` // it says nothing about models
	Seed        uint64                `json:"seed"`
	Items       int                   `json:"items"`
	Choose      int                   `json:"items_choosing"`  // items that only chose the best single model
	Compare     int                   `json:"items_comparing"` // items on which the arms are compared
	Seats       []Member              `json:"seats"`
	Best        string                `json:"best_single"` // seat; empty: not chosen yet
	Matched     contest.Chosen        `json:"matched"`
	Arms        []Arm                 `json:"arms"`
	Comparisons []Comparison          `json:"comparisons"`
	Oracle      statistics.Interval   `json:"oracle"` // right if any seat is
	Errors      statistics.Errors     `json:"errors"`
	Agreement   statistics.Agreement  `json:"agreement"` // of the seats' own answers; only over choices
	Visible     float64               `json:"visible"`   // smallest difference these items can show, as a share
	Discordance float64               `json:"discordance"`
	Panel       string                `json:"panel"` // the arm that the recommendation is about
	Advice      advice.Recommendation `json:"recommendation"`
	Closing     string                `json:"closing"`
	Paid        cost.Usage            `json:"paid"`
	Lost        float64               `json:"lost_usd"`
}

// Member is a member of the panel.
type Member struct {
	ID      string              `json:"id"`
	Model   string              `json:"model"`
	Lineage string              `json:"lineage"`
	Chose   statistics.Interval `json:"accuracy_choosing"` // on the choosing items
}

// Arm has the results of one arm on the items that compare.
type Arm struct {
	Name       string              `json:"name"`
	Arm        contest.Arm         `json:"arm"`
	Seat       string              `json:"seat,omitempty"`
	Items      int                 `json:"items"`
	Accuracy   statistics.Interval `json:"accuracy"`
	Decided    statistics.Interval `json:"decided"`          // how often it did not leave the decision to a person
	WhenSure   statistics.Interval `json:"accuracy_decided"` // among those
	Usage      cost.Usage          `json:"usage"`
	Calls      int                 `json:"calls"`
	P50        float64             `json:"p50_ms"`
	P95        float64             `json:"p95_ms"`
	Brier      float64             `json:"brier"`
	ECE        statistics.Interval `json:"ece"`
	Curve      []calibration.Point `json:"risk_coverage"`
	Area       float64             `json:"risk_coverage_area"`
	Gap        *float64            `json:"gap_closed,omitempty"` // share of the way from the best single to the oracle; nil: there is none
	Corrected  statistics.Interval `json:"corrected"`            // right if the seats' plurality was not
	Subverted  statistics.Interval `json:"subverted"`            // wrong if the plurality was right
	Recovered  statistics.Interval `json:"minority_recovered"`   // right if more seats named one wrong answer than the right one
	Lineages   *Lineages           `json:"lineages,omitempty"`   // behind its answers; nil: unknown, or an arm of one model
	Swap       *Swap               `json:"swap,omitempty"`       // nil: no item was asked with its options in reverse order
	Failures   map[string]int      `json:"failures"`             // replies that could not be used, by what was wrong
	outcomes   map[string]contest.Outcome
	swapped    map[string]contest.Outcome
	plurality  [2]int // items on which the plurality was wrong, and right
	minorities int
}

// Lineages is how many lineages back an arm's answers.
type Lineages struct {
	Mean  float64 `json:"mean"`
	Items int     `json:"items"`
	By    []Stand `json:"by"` // the fewest first
}

// Stand is how often an arm is right if this many lineages back its answer.
type Stand struct {
	Lineages int                 `json:"lineages"`
	Items    int                 `json:"items"`
	Accuracy statistics.Interval `json:"accuracy"`
}

// Swap is how often an arm's answer stays the same with the options in reverse order.
type Swap struct {
	Items int                 `json:"items"` // answered both ways
	Same  statistics.Interval `json:"same"`
	Right statistics.Interval `json:"accuracy"` // with the options in reverse order, on the same items
}

// Comparison is one arm against another on the same items.
type Comparison struct {
	Arm        string              `json:"arm"`
	Against    string              `json:"against"`
	Items      int                 `json:"items"`
	Difference statistics.Interval `json:"difference"` // of accuracy, as a share; bootstrap within strata
	Only       int                 `json:"only"`       // items it alone got right
	Other      int                 `json:"other_only"`
	P          float64             `json:"mcnemar"` // exact, two-sided
	Holm       float64             `json:"holm"`    // corrected for all comparisons of the report
}

// Make computes a report. It depends only on the record: the same record gives the same report.
//
// Outcomes of arms and seats that are not in the plan are left out.
func Make(rec Record) Report {
	p := rec.Plan
	r := Report{Schema: "socrates.eval/1", Name: p.Name, Suite: p.Suite, Started: rec.Started, Ended: rec.Ended, Simulated: p.Simulated,
		Seed: p.Seed, Items: p.Items, Choose: p.Choose, Compare: p.Items - p.Choose, Best: rec.Chosen.Best, Matched: rec.Chosen,
		Paid: rec.Paid, Lost: rec.Lost, Arms: []Arm{}, Comparisons: []Comparison{}}
	b := builder{Report: &r, rec: rec, singles: map[string]map[string]contest.Outcome{}}
	for _, o := range rec.Outcomes {
		if o.Arm == contest.Single && !o.Swapped {
			if b.singles[o.Item] == nil {
				b.singles[o.Item] = map[string]contest.Outcome{}
			}
			b.singles[o.Item][o.Seat] = o
		}
	}
	b.seats()
	b.arms()
	b.panel()
	b.compare()
	b.advise()
	return r
}

type builder struct {
	*Report
	rec     Record
	singles map[string]map[string]contest.Outcome // by item and seat
	votes   map[string]votes                      // by item that compares
}

// votes summarizes the seats' own answers to an item.
type votes struct {
	any      bool // a seat is right
	majority bool // the right answer is the unique plurality
	minority bool // the right answer was named, and a wrong one has more votes
}

func (b *builder) seats() {
	for _, s := range b.rec.Plan.Seats {
		hits, n := 0.0, 0.0
		for _, it := range b.rec.Items[:b.Choose] {
			if o, ok := b.singles[it.ID][s.ID]; ok {
				n++
				hits += credit(o.Right)
			}
		}
		b.Seats = append(b.Seats, Member{s.ID, s.Model, s.Lineage, statistics.Wilson(hits, n)})
	}
}

// arms gathers the outcomes of each arm, single models first.
func (b *builder) arms() {
	b.votes = map[string]votes{}
	for _, it := range b.rec.Items[b.Choose:] {
		if all := b.singles[it.ID]; len(all) == len(b.Seats) {
			b.votes[it.ID] = cast(all)
		}
	}
	at := map[string]int{}
	add := func(arm contest.Arm, seat string) {
		at[string(arm)+"/"+seat] = len(b.Arms)
		b.Arms = append(b.Arms, Arm{Name: label(arm, seat), Arm: arm, Seat: seat, Failures: map[string]int{},
			outcomes: map[string]contest.Outcome{}, swapped: map[string]contest.Outcome{}})
	}
	for _, s := range b.Seats {
		add(contest.Single, s.ID)
	}
	for _, arm := range b.rec.Plan.Arms {
		switch arm {
		case contest.Single:
		case contest.Sc, contest.Fuse:
			if b.Best != "" {
				add(arm, b.Best)
			}
		default:
			add(arm, "")
		}
	}
	compares := map[string]bool{}
	for _, it := range b.rec.Items[b.Choose:] {
		compares[it.ID] = true
	}
	for _, o := range b.rec.Outcomes {
		if i, ok := at[string(o.Arm)+"/"+o.Seat]; ok && compares[o.Item] {
			if o.Swapped {
				b.Arms[i].swapped[o.Item] = o
			} else {
				b.Arms[i].outcomes[o.Item] = o
			}
		}
	}
	for i := range b.Arms {
		b.Arms[i].measure(b)
	}
}

func label(arm contest.Arm, seat string) string {
	if arm == contest.Single {
		return seat
	}
	return strings.TrimSpace(string(arm) + " " + seat)
}

// cast counts the seats' answers.
func cast(all map[string]contest.Outcome) (v votes) {
	right, wrong := 0, map[string]int{}
	for _, o := range all {
		if o.Right {
			right++
		} else if o.Answer != "" {
			wrong[o.Class]++
		}
	}
	most := 0
	for _, n := range wrong {
		most = max(most, n)
	}
	return votes{right > 0, right > most, right > 0 && most > right}
}

// measure computes an arm's figures, over the items in order.
func (a *Arm) measure(b *builder) {
	var hits, decided, sure, corrected, subverted, recovered float64
	var ms []float64
	var stated []calibration.Outcome
	for _, it := range b.rec.Items[b.Choose:] {
		o, ok := a.outcomes[it.ID]
		if !ok {
			continue
		}
		a.Items++
		right := credit(o.Right)
		hits += right
		if o.Decided {
			decided++
			sure += right
		}
		a.Usage, a.Calls = a.Usage.Add(o.Usage), a.Calls+o.Calls
		ms = append(ms, float64(o.MS))
		stated = append(stated, calibration.Outcome{P: o.P, Credit: right})
		for what, n := range o.Failures {
			a.Failures[what] += n
		}
		v, voted := b.votes[it.ID]
		if !voted {
			continue
		}
		if v.majority {
			a.plurality[1]++
			subverted += 1 - right
		} else {
			a.plurality[0]++
			corrected += right
		}
		if v.minority {
			a.minorities++
			recovered += right
		}
	}
	n := float64(a.Items)
	a.Accuracy, a.Decided, a.WhenSure = statistics.Wilson(hits, n), statistics.Wilson(decided, n), statistics.Wilson(sure, decided)
	slices.Sort(ms)
	a.P50, a.P95 = statistics.Percentile(ms, .5), statistics.Percentile(ms, .95)
	a.Brier, a.ECE = calibration.Brier(stated), calibration.ECEInterval(stated, b.Seed)
	a.Curve, a.Area = calibration.RiskCoverage(stated)
	a.Corrected = statistics.Wilson(corrected, float64(a.plurality[0]))
	a.Subverted = statistics.Wilson(subverted, float64(a.plurality[1]))
	a.Recovered = statistics.Wilson(recovered, float64(a.minorities))
	a.stand()
	a.orderEffect()
}

func credit(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

// panel measures what the seats have in common, over all items that every seat was asked, and how often an oracle over them would be
// right on the items that compare.
func (b *builder) panel() {
	var classes [][]string
	var right [][]bool
	var counts [][]int
	for _, it := range b.rec.Items {
		all := b.singles[it.ID]
		if len(all) < len(b.Seats) {
			continue
		}
		said, ok := make([]string, len(b.Seats)), make([]bool, len(b.Seats))
		count := make([]int, motion.MaxOptions)
		for i, s := range b.Seats {
			o := all[s.ID]
			said[i], ok[i] = o.Class, o.Right
			if len(it.Options) > 0 && len(o.Class) == 1 {
				count[o.Class[0]-'A']++
			}
		}
		classes, right = append(classes, said), append(right, ok)
		if len(it.Options) > 0 {
			counts = append(counts, count[:len(it.Options)])
		}
	}
	b.Errors, b.Agreement = statistics.Mistakes(classes, right), statistics.Agree(counts)
	named := 0.0
	for _, v := range b.votes {
		named += credit(v.any)
	}
	b.Oracle = statistics.Wilson(named, float64(len(b.votes)))
	best := b.arm(b.Best)
	if best == nil {
		return
	}
	for i := range b.Arms {
		a := &b.Arms[i]
		base, all, n := 0.0, 0.0, 0.0
		hits := 0.0
		for id, o := range a.outcomes {
			s, ok := best.outcomes[id]
			v, voted := b.votes[id]
			if !ok || !voted {
				continue
			}
			n++
			hits, base, all = hits+credit(o.Right), base+credit(s.Right), all+credit(v.any)
		}
		if a.Arm != contest.Single && n > 0 && all > base {
			gap := (hits - base) / (all - base)
			a.Gap = &gap
		}
	}
}

func (b *builder) arm(name string) *Arm {
	i := slices.IndexFunc(b.Arms, func(a Arm) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &b.Arms[i]
}

// compare compares every arm of several calls with the best single model, and arms in which seats learn of each other also with the
// vote and the repeated single model.
func (b *builder) compare() {
	best := b.arm(b.Best)
	var p []float64
	for i := range b.Arms {
		a := &b.Arms[i]
		if a.Arm == contest.Single {
			continue
		}
		against := []*Arm{best}
		if a.Arm != contest.Vote && a.Seat == "" {
			against = append(against, b.arm(string(contest.Vote)), b.arm(label(contest.Sc, b.Best)))
		}
		for _, other := range against {
			if other == nil {
				continue
			}
			if c := b.pair(a, other); c.Items > 0 {
				b.Comparisons = append(b.Comparisons, c)
				p = append(p, c.P)
			}
		}
	}
	// p and the comparisons have the same order.
	for i, holm := range statistics.Holm(p) {
		b.Comparisons[i].Holm = holm
	}
}

// pair compares two arms, item by item in the order of the plan.
func (b *builder) pair(a, other *Arm) Comparison {
	c := Comparison{Arm: a.Name, Against: other.Name}
	var one, two []float64
	var strata []string
	for _, it := range b.rec.Items[b.Choose:] {
		x, ok := a.outcomes[it.ID]
		y, both := other.outcomes[it.ID]
		if !ok || !both {
			continue
		}
		one, two, strata = append(one, credit(y.Right)), append(two, credit(x.Right)), append(strata, it.Stratum)
		switch {
		case x.Right && !y.Right:
			c.Only++
		case y.Right && !x.Right:
			c.Other++
		}
	}
	c.Items = len(one)
	c.Difference = statistics.Difference(one, two, strata, b.Seed)
	c.P = statistics.McNemar(c.Only, c.Other)
	return c
}

// advise computes the recommendation.
func (b *builder) advise() {
	b.Panel = string(b.rec.Plan.Panel())
	panel, best := b.arm(b.Panel), b.arm(b.Best)
	if panel == nil || best == nil {
		b.Closing = "no recommendation: no panel and single model to compare"
		return
	}
	var single, together []bool
	for _, it := range b.rec.Items[b.Choose:] {
		x, ok := panel.outcomes[it.ID]
		y, both := best.outcomes[it.ID]
		if ok && both {
			single, together = append(single, y.Right), append(together, x.Right)
		}
	}
	b.Advice = advice.Recommend(single, together)
	if n := b.Advice.Items; n > 0 {
		b.Discordance = float64(b.Advice.PanelOnly+b.Advice.SingleOnly) / float64(n)
	}
	b.Visible = statistics.Visible(b.Advice.Items, b.Discordance)
	b.Closing = b.closing()
}

func (b *builder) closing() string {
	r := b.Advice
	seen := fmt.Sprintf("of %d items %s alone was right on %d, %s alone on %d", r.Items, b.Panel, r.PanelOnly, b.Best, r.SingleOnly)
	text := ""
	switch r.Choice {
	case advice.UsePanel:
		text = "use panel: " + seen
	case advice.UseSingle:
		text = "use single " + b.Best + ": " + seen
	case advice.Inconclusive:
		if r.Settled() {
			text = "inconclusive, and more items are unlikely to help: a difference of 3 points would have shown; use the cheaper: " + seen
			break
		}
		text = fmt.Sprintf("inconclusive, need %d more items: %s", r.More, seen)
	}
	if b.Simulated {
		text += " (simulated)"
	}
	return text
}

// failures lists what went wrong in an arm, the most frequent first.
func (a Arm) failures() string {
	names := slices.SortedFunc(maps.Keys(a.Failures), func(x, y string) int {
		return cmp.Or(cmp.Compare(a.Failures[y], a.Failures[x]), cmp.Compare(x, y))
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%d %s", a.Failures[name], name)
	}
	return strings.Join(parts, ", ")
}
