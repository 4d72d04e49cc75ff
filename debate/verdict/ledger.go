package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Status is how a seat's blind ballot came out. Seats that did not vote still count in every denominator.
type Status string

// The statuses of a ballot.
const (
	Voted     Status = "voted"
	Abstained Status = "abstained" // a legal answer
	NoVote    Status = "no-vote"   // it answered, but not with a ballot
	Failed    Status = "failed"    // it did not answer
	Expelled  Status = "expelled"  // it wrote to the work tree
	Left      Status = "dropped"   // a person dropped it before it voted
)

// Option is one answer to the question. Key is a capital letter, in the order of the frame.
type Option struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// Vote is one seat's ballot. An empty Status is a seat that may still vote; only [Settled] is given such votes.
type Vote struct {
	Seat       string  `json:"seat"`
	Lineage    string  `json:"lineage"`
	Status     Status  `json:"status"`
	Option     string  `json:"option,omitempty"` // key; set when Status is Voted
	Reason     string  `json:"reason,omitempty"` // why there is no vote, or the seat's one-line summary
	Flip       string  `json:"flip,omitempty"`   // what would change its mind
	Confidence float64 `json:"confidence,omitempty"`
	Accuracy   float64 `json:"accuracy,omitempty"` // measured; 0: the rules' default
}

// Verb is the kind of a stance.
type Verb string

// The stances a seat can take.
const (
	Agree     Verb = "AGREE"
	Object    Verb = "OBJECT"
	Add       Verb = "ADD"
	SameAs    Verb = "SAME-AS"
	Undecided Verb = "ABSTAIN"
)

// Stance is what a seat says about another's claim when it is shown it. Stances affect how contested a claim is, never the
// probability.
type Stance struct {
	Verb   Verb     `json:"verb"`
	Why    string   `json:"why,omitempty"`
	Cites  []string `json:"cites,omitempty"`
	Same   string   `json:"same,omitempty"` // the other claim of a SAME-AS
	Impact int      `json:"impact,omitempty"`
}

// Evidence says where a claim can be checked. Kind none means nowhere.
type Evidence struct {
	Kind    string   `json:"kind"` // quote, command, source or none
	File    string   `json:"file,omitempty"`
	Line    int      `json:"line,omitempty"` // from 1; 0: none stated
	NoLine  bool     `json:"-"`              // an impossible line was stated; its check says so
	Quote   string   `json:"quote,omitempty"`
	Command []string `json:"command,omitempty"`
	Expect  string   `json:"expect,omitempty"` // of a command: pass (default) or fail
	URL     string   `json:"url,omitempty"`
}

// Claim is a sentence that can be true or false. Supports tells whether it speaks for or against Option; without an option it is
// neutral. Impact is the author's until others rate it. Put tells whether it was discussed, so that it counts in D, and Round when.
type Claim struct {
	ID       string            `json:"id"`
	Seat     string            `json:"seat"`
	Text     string            `json:"text"`
	Kind     string            `json:"kind"`
	Impact   int               `json:"impact"` // the author's: 5, 2 or 1
	Option   string            `json:"option,omitempty"`
	Supports bool              `json:"supports"`
	Evidence Evidence          `json:"evidence"`
	Stances  map[string]Stance `json:"stances,omitempty"` // by seat
	Merged   []string          `json:"merged,omitempty"`  // claims that said the same
	Round    int               `json:"round"`             // 0: blind; later ones were added in cross-examination
	SameAs   string            `json:"same_as,omitempty"` // the claim shown for it, which says the same; it stays its author's
	Put      bool              `json:"put"`               // it was put before the seats, so it counts in D
	Vetoed   string            `json:"vetoed,omitempty"`  // why a person took it out of the count
}

// Grade ranks what a check can show, and keys the measured ratios.
type Grade string

// The grades of a check.
const (
	Executed Grade = "executed" // a test, build or other command
	Entailed Grade = "quote"    // a quote that another lineage found to entail the claim
	Fetched  Grade = "source"   // a re-fetched source, likewise
	Matched  Grade = "matched"  // the quote is where it was stated to be; nobody judged what it shows
	Nothing  Grade = "none"
)

// Results of a check.
const (
	Pass    = "pass"
	Fail    = "fail"
	Skipped = "skipped" // not allowed, not possible or not finished; shows nothing
)

// Check is a result observed by code. Since version 4, Ratio is what its claim counts with this check and all before it, so a claim's
// last check has its current ratio. Stop and Worth are kept so that a reader can see why the check was made.
type Check struct {
	ID      string   `json:"id"`
	Claim   string   `json:"claim"`
	Kind    string   `json:"kind"` // quote, command, source, entailment
	Result  string   `json:"result"`
	Grade   Grade    `json:"grade"`
	Ratio   float64  `json:"ratio"` // likelihood ratio of this result for the claim; 1: none
	Control string   `json:"control,omitempty"`
	By      string   `json:"by,omitempty"`      // the seat that judged it; empty: code alone
	Lineage string   `json:"lineage,omitempty"` // of that seat; since rules version 4
	Asked   string   `json:"asked,omitempty"`   // why that seat: [drawn], [afterNo], [tieBreak] or [confirming]
	Answers *Answers `json:"answers,omitempty"` // what it said; since rules version 4
	Stop    float64  `json:"stop,omitempty"`    // of a new check: the leader's probability when it began
	Worth   float64  `json:"worth,omitempty"`   // the probability expected of checking, less its price
	// Others are the claims that could have been checked instead; since rules version 5.
	Others  []Candidate `json:"others,omitempty"`
	Same    bool        `json:"same,omitempty"` // of a command: same result where its claim plays no part
	Detail  string      `json:"detail,omitempty"`
	Proof   *Proof      `json:"evidence,omitempty"`
	Trials  []Trial     `json:"trials,omitempty"`
	MS      int64       `json:"ms,omitempty"`
	Command []string    `json:"command,omitempty"`
	Lines   string      `json:"lines,omitempty"` // the lines around the evidence
}

// Answers are what a judge said about a claim and its evidence. A judgement passes if every question asked was answered with yes.
type Answers struct {
	Shows string `json:"shows"`           // do the lines show the claim?
	Bears string `json:"bears"`           // if it is true, does it favour its option; of an objection: is it about that option?
	Grave string `json:"grave,omitempty"` // of an objection: is the harm as grave as stated?
}

// Proof is where a result was observed.
type Proof struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Last   int    `json:"last,omitempty"` // the last line, if there are several
	SHA256 string `json:"sha256,omitempty"`
	URL    string `json:"url,omitempty"`
}

// Trial is one control run of a check: whether the variant should have passed, and whether it did.
type Trial struct {
	Grade  Grade `json:"grade"`
	Good   bool  `json:"good"`
	Passed bool  `json:"passed"`
}

// Switch is a change of vote after the blind round.
type Switch struct {
	Seat      string   `json:"seat"`
	From      string   `json:"from"`
	To        string   `json:"to"`
	Cites     []string `json:"cites,omitempty"`
	Supported bool     `json:"supported"` // it names a refuted claim or new verified evidence
}

// Judge is a model that judges evidence without a seat: it has no vote, and its lineage is not one of the panel's.
type Judge struct {
	Seat    string `json:"seat"`
	Lineage string `json:"lineage"`
}

// Ruling is a person's choice where the panel reached no decision or the gate asks a person.
type Ruling struct {
	Option string `json:"option"`
	Why    string `json:"why,omitempty"`
}

// Spoken is the full text of what a seat said to the others.
type Spoken struct {
	Seat  string `json:"seat"`
	Phase string `json:"phase"`
	Side  string `json:"side,omitempty"` // what it was told to argue for or against
	Text  string `json:"text"`
	Late  bool   `json:"late,omitempty"` // it arrived after the room had moved on, and was read from then on
}

// Quartiles sum up the estimates of one round. They are of type 7: linear between the ordered values.
type Quartiles struct {
	Round  int                `json:"round"`
	Unit   string             `json:"unit"`
	Low    float64            `json:"q1"`
	Median float64            `json:"median"`
	High   float64            `json:"q3"`
	Values map[string]float64 `json:"values"` // by seat
}

// Ledger is everything a verdict is computed from. It is plain data. Its zero value is an empty debate. Functions that take one
// change neither it nor what it points to, except Group, which marks claims.
type Ledger struct {
	Options   []Option    `json:"options"`
	Votes     []Vote      `json:"votes"`
	Claims    []Claim     `json:"claims"`
	Checks    []Check     `json:"checks"`
	DrawKey   string      `json:"draw_key,omitempty"` // decides among equals; secret until the ballots are in
	Judge     *Judge      `json:"judge,omitempty"`    // nil: seats alone judge
	Switches  []Switch    `json:"switches"`
	Ruling    *Ruling     `json:"ruling,omitempty"`
	Talk      []Spoken    `json:"talk,omitempty"`      // what seats said to each other
	Estimates []Quartiles `json:"estimates,omitempty"` // of a debate about a number, by round
	Lacks     []string    `json:"lacks,omitempty"`     // information most seats lacked at the start and nobody supplied
	Aborted   string      `json:"aborted,omitempty"`   // why the panel was aborted; then there is no decision
}

// Claim finds a claim by its id or by that of a claim merged into it. It is nil if there is none. It points into the ledger, so a
// write through it changes the ledger.
func (l Ledger) Claim(id string) *Claim {
	for i := range l.Claims {
		if l.Claims[i].ID == id || slices.Contains(l.Claims[i].Merged, id) {
			return &l.Claims[i]
		}
	}
	return nil
}

// Eligible reports whether checks of a claim may move its option: its author voted blind for the option, and it speaks for it. So no
// seat can choose the claims that another's option is tested by.
func (l Ledger) Eligible(c Claim) bool {
	return c.Supports && slices.ContainsFunc(l.Votes, func(v Vote) bool {
		return v.Seat == c.Seat && v.Status == Voted && v.Option == c.Option
	})
}

// Text returns the text of an option by its key.
func (l Ledger) Text(key string) string {
	for _, o := range l.Options {
		if o.Key == key {
			return o.Text
		}
	}
	return ""
}

// Lineage returns the lineage of a seat, or of the judge without a seat; empty: it is neither.
func (l Ledger) Lineage(seat string) string {
	if l.Judge != nil && l.Judge.Seat == seat {
		return l.Judge.Lineage
	}
	for _, v := range l.Votes {
		if v.Seat == seat {
			return v.Lineage
		}
	}
	return ""
}

// Unsound names the first check whose ratio does not follow from the rules. It is nil if there is none. Before version 4, a ratio of
// 1 counts nothing and is always allowed.
func (l Ledger) Unsound(r Rules) error {
	if r.Cases {
		return l.unsoundCases(r)
	}
	for _, k := range l.Checks {
		want := r.Worth(l, l.Claim(k.Claim), k)
		if k.Ratio == 1 || math.Abs(k.Ratio-want) < 1e-9 {
			continue
		}
		return fmt.Errorf("check %s of %s counts %.4g to 1, but its rules say %.4g to 1", k.ID, k.Claim, k.Ratio, want)
	}
	return nil
}

// index maps ids, also merged ones, to the claims that count.
func (l Ledger) index() map[string]*Claim {
	if len(l.Checks) == 0 {
		return nil
	}
	at := make(map[string]*Claim, len(l.Claims))
	for i := range l.Claims {
		if l.Claims[i].Vetoed != "" {
			continue
		}
		at[l.Claims[i].ID] = &l.Claims[i]
		for _, id := range l.Claims[i].Merged {
			at[id] = &l.Claims[i]
		}
	}
	return at
}

// Counted returns the option that a seat's vote counts for in Support: its blind vote, or that of its last supported switch.
func (l Ledger) Counted(v Vote) string {
	out := v.Option
	for _, s := range l.Switches {
		if s.Seat == v.Seat && s.Supported {
			out = s.To
		}
	}
	return out
}

// Backers returns the lineages of the seats whose vote counts for an option.
func (l Ledger) Backers(option string) []string {
	var out []string
	for _, v := range l.Votes {
		if v.Status == Voted && l.Counted(v) == option && !slices.Contains(out, v.Lineage) {
			out = append(out, v.Lineage)
		}
	}
	return out
}

// Without returns the ledger as if the named seats had not taken part. Their claims and the checks stay.
func (l Ledger) Without(seats ...string) Ledger {
	keep := l
	keep.Votes = nil
	for _, v := range l.Votes {
		if !slices.Contains(seats, v.Seat) {
			keep.Votes = append(keep.Votes, v)
		}
	}
	return keep
}

// inOrder is the ledger sorted by seat and id, so that nothing depends on who answered first. A seat's switches keep their order: the
// last one counts. A vote for an option that is not on offer becomes no vote. Vetoed claims are removed here, so that no later step
// has to handle them.
func (l Ledger) inOrder() Ledger {
	l.Votes, l.Claims = slices.Clone(l.Votes), slices.DeleteFunc(slices.Clone(l.Claims), func(c Claim) bool { return c.Vetoed != "" })
	l.Checks, l.Switches = slices.Clone(l.Checks), slices.Clone(l.Switches)
	for i, v := range l.Votes {
		if v.Status == Voted && !slices.ContainsFunc(l.Options, func(o Option) bool { return o.Key == v.Option }) {
			l.Votes[i].Status = NoVote
		}
	}
	slices.SortStableFunc(l.Votes, func(a, b Vote) int { return cmp.Compare(a.Seat, b.Seat) })
	slices.SortStableFunc(l.Claims, func(a, b Claim) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(l.Checks, func(a, b Check) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(l.Switches, func(a, b Switch) int { return cmp.Compare(a.Seat, b.Seat) })
	return l
}

// Passed reports whether a check of this kind found a claim to be true.
func (l Ledger) Passed(claim, kind string) bool {
	return slices.ContainsFunc(l.Checks, func(k Check) bool { return k.Claim == claim && k.Kind == kind && k.Result == Pass })
}

// Disagree reports whether the blind votes name more than one option.
func (l Ledger) Disagree() bool { return len(l.Named()) > 1 }

// Named lists the options that have at least one blind vote, in order of key.
func (l Ledger) Named() []string {
	var out []string
	for _, v := range l.Votes {
		if v.Status == Voted && !slices.Contains(out, v.Option) {
			out = append(out, v.Option)
		}
	}
	slices.Sort(out)
	return out
}

// Weights gives each seat's weight, 1 / (1 + (n-1)·r) with n the seats of its lineage. Since rules version 4 a voter shares only with
// those that voted, so that a missing seat takes nothing from the others of its lineage. An empty Status counts as a future vote.
func (l Ledger) Weights(r Rules) map[string]float64 {
	n, voters := make(map[string]int, len(l.Votes)), make(map[string]int, len(l.Votes))
	for _, v := range l.Votes {
		n[v.Lineage]++
		if v.Status == Voted || v.Status == "" {
			voters[v.Lineage]++
		}
	}
	w := make(map[string]float64, len(l.Votes))
	for _, v := range l.Votes {
		k := n[v.Lineage]
		if r.Cases && (v.Status == Voted || v.Status == "") {
			k = voters[v.Lineage]
		}
		w[v.Seat] = 1 / (1 + float64(k-1)*r.within(v.Lineage))
	}
	return w
}

// ImpactBy returns the lower weighted median of the impacts that c's author and other seats assigned to it.
func (c Claim) ImpactBy(w map[string]float64) int {
	type said struct {
		impact int
		weight float64
	}
	all := []said{{c.Impact, w[c.Seat]}}
	var total = w[c.Seat]
	for seat, s := range c.Stances {
		if s.Impact > 0 && seat != c.Seat {
			all = append(all, said{s.Impact, w[seat]})
			total += w[seat]
		}
	}
	slices.SortFunc(all, func(a, b said) int { return cmp.Compare(a.impact, b.impact) })
	var sum float64
	for _, s := range all {
		if sum += s.weight; sum >= total/2-1e-12 {
			return min(5, max(1, s.impact))
		}
	}
	return min(5, max(1, c.Impact))
}

// Grave reports whether a claim is of the kind that can block a decision, by the weights of the seats.
func (c Claim) Grave(w map[string]float64) bool {
	return (c.Kind == "security" || c.Kind == "data") && c.ImpactBy(w) == 5
}

// CarriesWeight reports whether a check was of a kind that can carry weight, whatever its ratio.
func (c Check) CarriesWeight() bool {
	return c.Result != Skipped && c.Grade != Matched && c.Grade != Nothing
}
