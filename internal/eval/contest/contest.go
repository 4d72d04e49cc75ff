// Package contest asks several arms (single models, votes, debates, the council) the same questions with known answers. What
// each came to is recorded as it happens, so that a contest that was stopped goes on without paying anything twice.
//
// A contest is a tree: its root holds the [Plan], which fixes everything before the first call, and below it come
// what was chosen on the way ([Chosen]), an [Outcome] for each arm and item, and the rooms in which the questions
// were put. [Run] carries it out in four steps, each of which asks only for what is not recorded yet: every seat
// alone on all items; the best of them, by the items set aside for it; what the panel does with the others; and what
// the best seat does when it is asked again, as often as costs the same. Then, if the plan has it, the choices once
// more with their options the other way round.
//
// What seats have answered is in the record of its room and is not asked again, also where the question was broken
// off. Outcomes are judged when they come and recorded with the judgement. A stop in between costs nothing but the
// questions at hand.
//
// Every order and every draw follows from the plan's seed and from the words that name its place, never from what
// happened before: it makes no difference how many questions are asked at once or how often the contest was stopped.
//
// Arms are compared fairly where that can be arranged: they answer the same questions in the same words, costs and
// times are summed as if each arm had run alone although answers are shared, and the best single model is chosen on
// items that do not compare. Where nobody can answer at all the contest ends after a few items, and what was said
// counts for nothing ([Vain]).
//
// Run needs a [Hall]: the store, the rooms and whoever judges programs are the engine's. Money is limited there.
package contest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of node a contest is made of, besides those of the rooms its questions are put in.
const (
	PlanKind    tree.Kind[Plan]    = "eval"
	LimitsKind  tree.Kind[Limits]  = "eval-limits" // the last one counts
	ChosenKind  tree.Kind[Chosen]  = "eval-chosen"
	OutcomeKind tree.Kind[Outcome] = "eval-outcome"
	VainKind    tree.Kind[Vain]    = "eval-vain" // what seats said before it counts for nothing and is asked again
	EndKind     tree.Kind[End]     = "eval-end"
)

// Plan is everything that is fixed before the first call: the body of a contest's root node.
//
// Its JSON is a node's body: fields are added, and the zero value of a new one means what was so before.
type Plan struct {
	Name    string        `json:"name"`
	Suite   string        `json:"suite"`   // a file, or a generator and its seed
	Text    string        `json:"items"`   // blob: the items as a suite, in the order they are asked in
	Items   int           `json:"n"`       // how many those are
	Choose  int           `json:"choose"`  // the first so many choose the best single model; the others compare
	Arms    []Arm         `json:"arms"`    // in the order of the report
	Seats   []table.Seat  `json:"seats"`   // of the panel; each is a single model, too
	Rules   verdict.Rules `json:"rules"`   // of the council
	Limits  table.Limits  `json:"limits"`  // of one question
	Match   string        `json:"match"`   // what repeated samples cost as much as: tokens or usd of the council, or none
	Samples int           `json:"samples"` // how many there are where nothing is matched
	// how many items every arm answers again, with the options the other way round: all choices that compare
	Swap      int    `json:"swap,omitempty"`
	Seed      uint64 `json:"seed"`      // of every order and every draw
	Parallel  int    `json:"parallel"`  // questions at once
	Simulated bool   `json:"simulated"` // a seat is simulated or follows a script: the figures say nothing about models
	Program   string `json:"program"`   // version that planned it
}

// Limits bound a contest. Zero means no limit.
type Limits struct {
	USD     float64       `json:"usd"`
	Tokens  int           `json:"tokens"`
	Timeout time.Duration `json:"timeout"` // after which no further question is begun
}

// Chosen is what was settled on the way: the best single seat, and how many samples the matched arms take.
type Chosen struct {
	Best    string  `json:"best"`              // seat
	Samples int     `json:"samples,omitempty"` // 0: not settled yet
	Unit    string  `json:"unit,omitempty"`    // what they were matched by: tokens, usd or none
	Want    float64 `json:"want,omitempty"`    // of that unit, mean cost of a question of the arm they are matched with
	Each    float64 `json:"each,omitempty"`    // mean cost of one sample
	With    string  `json:"with,omitempty"`    // that arm
}

// Outcome is what one arm came to on one item.
// Item, Arm, Seat and Swapped name it: there is one of each name. P lies in [0, 1].
type Outcome struct {
	Item     string         `json:"item"`
	Arm      Arm            `json:"arm"`
	Seat     string         `json:"seat,omitempty"`    // of the arms of one model
	Answer   string         `json:"answer"`            // empty: none
	Class    string         `json:"class"`             // the same for answers that say the same
	Swapped  bool           `json:"swapped,omitempty"` // to the item with its options the other way round
	Right    bool           `json:"right"`
	P        float64        `json:"p"`                  // chance it gives its answer: stated, a share of votes, or a posterior
	Decided  bool           `json:"decided"`            // false: it would rather leave it to a person, and the answer is what it leans to
	Lineages *int           `json:"lineages,omitempty"` // that stand behind the answer, where several seats vote; nil: not known
	Failures map[string]int `json:"failures,omitempty"` // replies that could not be used, by what was wrong
	Usage    cost.Usage     `json:"usage"`              // as if the arm had run alone
	Calls    int            `json:"calls"`
	MS       int64          `json:"ms"` // as if it had run alone, what can be at once being at once
}

// End closes a contest.
type End struct {
	MS int64 `json:"ms"` // that the last run took
}

// Arm is a way to answer: its name, and for debate the number of rounds, as in debate:2. Every strategy of debates is
// an arm of its name, but for one that is named like one of these.
type Arm string

// The arms.
const (
	Single  Arm = "single"
	Sc      Arm = "sc"
	Fuse    Arm = "fuse"
	Vote    Arm = "vote"
	Debate  Arm = "debate"
	Council Arm = "council"
)

// Way is an arm with what it does.
type Way struct {
	Arm Arm
	Doc string
}

// Ways are the arms there are, in the order of a report.
func Ways() []Way {
	return []Way{
		{Single, "each seat by itself, asked once; the best is selected on separate items"},
		{Sc, "self-consistency: the best seat asked several times; the most frequent answer wins"},
		{Fuse, "self-fusion: the best seat asked several times, then asked to combine its answers"},
		{Vote, "all seats blind, weighted majority"},
		{Debate, "all seats read all answers and answer again, weighted majority; debate:2 for two rounds"},
		{Council, "as in socrates debate: checks, one anonymous cross-examination, decision by code"},
	}
}

// strategy finds the strategy an arm is; false: it is none.
func (a Arm) strategy() (debate.Strategy, bool) {
	if a != Council && slices.ContainsFunc(Ways(), func(w Way) bool { return w.Arm == a.base() }) {
		return debate.Strategy{}, false
	}
	return strategy.Find(string(a))
}

// rank is where an arm stands among the Ways, after them if it is another strategy; -1: nowhere.
func (a Arm) rank() int {
	i := slices.IndexFunc(Ways(), func(w Way) bool { return w.Arm == a.base() })
	if _, ok := a.strategy(); i < 0 && ok {
		return len(Ways())
	}
	return i
}

// base is the arm without its number.
func (a Arm) base() Arm {
	name, _, _ := strings.Cut(string(a), ":")
	return Arm(name)
}

// rounds is how often the seats of a debate see one another's answers.
func (a Arm) rounds() int {
	if _, n, ok := strings.Cut(string(a), ":"); ok {
		rounds, _ := strconv.Atoi(n)
		return rounds
	}
	return 1
}

// maxRounds bounds a debate.
const maxRounds = 8

// ParseArms reads names of arms. Single is always among them, and they come in the order of Ways.
func ParseArms(names []string) ([]Arm, error) {
	out := []Arm{Single}
	for _, name := range names {
		a := Arm(strings.TrimSpace(name))
		if s, ok := strategy.Find(name); ok && s.Estimates {
			return nil, fmt.Errorf("arm %q cannot be used: it estimates a number instead of choosing an answer", name)
		}
		if a.rank() < 0 {
			return nil, fmt.Errorf("unknown arm %q", name)
		}
		_, n, numbered := strings.Cut(string(a), ":")
		if rounds, err := strconv.Atoi(n); numbered && (a.base() != Debate || err != nil || rounds < 1 || rounds > maxRounds) {
			return nil, fmt.Errorf("invalid arm %q: only debate takes a number (1 to %d rounds)", name, maxRounds)
		}
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b Arm) int { return a.rank() - b.rank() })
	return out, nil
}

// Seat finds a seat of the plan.
func (p Plan) Seat(id string) (table.Seat, bool) {
	i := slices.IndexFunc(p.Seats, func(s table.Seat) bool { return s.ID == id })
	if i < 0 {
		return table.Seat{}, false
	}
	return p.Seats[i], true
}

// has says whether an arm takes part.
func (p Plan) has(a Arm) bool { return slices.Contains(p.Arms, a) }

// Expected is how many outcomes a contest ends with.
// Swap counts for every seat and every other arm alike.
func (p Plan) Expected() int {
	n := (p.Items + p.Swap) * len(p.Seats)
	for _, a := range p.Arms {
		if a != Single {
			n += p.Items - p.Choose + p.Swap
		}
	}
	return n
}

// Panel is the arm that stands for the panel in a recommendation: the council, else another strategy, else a debate,
// else the vote. It is empty if none of them takes part.
func (p Plan) Panel() Arm {
	if p.has(Council) {
		return Council
	}
	for _, a := range p.Arms {
		if _, ok := a.strategy(); ok {
			return a
		}
	}
	for _, want := range []Arm{Debate, Vote} {
		for _, a := range slices.Backward(p.Arms) {
			if a.base() == want {
				return a
			}
		}
	}
	return ""
}
