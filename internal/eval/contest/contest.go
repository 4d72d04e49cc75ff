// Package contest asks several arms (single models, votes, debates, the council) the same questions with known answers. Each result
// is recorded as it happens, so that a contest that was stopped can resume without paying for anything twice.
//
// A contest is a tree: its root holds the [Plan], which fixes everything before the first call, and below it are the choices made on
// the way ([Chosen]), an [Outcome] for each arm and item, and the rooms in which the questions were asked. [Run] has four steps, each
// of which asks only for what is not recorded yet: every seat alone on all items; the best of them, by the items reserved for that;
// the panel on the other items; and the best seat, asked again as often as costs the same. Then, if planned, the choices are asked
// again with their options in reverse order.
//
// Answers are in the record of their room and are not asked for again, even if the question was interrupted. Outcomes are judged when
// they arrive and recorded with the judgement. A stop loses only the questions in progress.
//
// Every order and every draw depends only on the plan's seed and on the words that name its place, never on what happened before: it
// makes no difference how many questions run in parallel or how often the contest was stopped.
//
// Arms are compared as fairly as possible: they answer the same questions in the same words, costs and times are summed as if each
// arm had run alone although answers are shared, and the best single model is chosen on items that do not compare. If no seat can
// answer at all, the contest ends after a few items, and their replies do not count ([Vain]).
//
// Run needs a [Hall]: the engine provides the store, the rooms and the judge of programs. It also limits the money.
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

// The kinds of node of a contest, besides those of the rooms in which its questions are asked.
const (
	PlanKind    tree.Kind[Plan]    = "eval"
	LimitsKind  tree.Kind[Limits]  = "eval-limits" // the last one counts
	ChosenKind  tree.Kind[Chosen]  = "eval-chosen"
	OutcomeKind tree.Kind[Outcome] = "eval-outcome"
	VainKind    tree.Kind[Vain]    = "eval-vain" // earlier replies do not count and are asked for again
	EndKind     tree.Kind[End]     = "eval-end"
)

// Plan is everything that is fixed before the first call: the body of a contest's root node.
//
// Its JSON is a node's body: fields are added, and the zero value of a new one keeps the earlier behaviour.
type Plan struct {
	Name    string        `json:"name"`
	Suite   string        `json:"suite"`   // a file, or a generator and its seed
	Text    string        `json:"items"`   // blob: the items as a suite, in the order in which they are asked
	Items   int           `json:"n"`       // number of items
	Choose  int           `json:"choose"`  // the first items, this many, choose the best single model; the others compare
	Arms    []Arm         `json:"arms"`    // in the order of the report
	Seats   []table.Seat  `json:"seats"`   // of the panel; each is a single model, too
	Rules   verdict.Rules `json:"rules"`   // of the council
	Limits  table.Limits  `json:"limits"`  // of one question
	Match   string        `json:"match"`   // what makes repeated samples cost the same as the panel: tokens, usd, or none
	Samples int           `json:"samples"` // number of samples if nothing is matched
	// how many items every arm answers again, with the options in reverse order: all choices that compare
	Swap      int    `json:"swap,omitempty"`
	Seed      uint64 `json:"seed"`      // of every order and every draw
	Parallel  int    `json:"parallel"`  // questions in parallel
	Simulated bool   `json:"simulated"` // a seat is simulated or scripted: the figures say nothing about models
	Program   string `json:"program"`   // version that planned it
}

// Limits bound a contest. Zero means no limit.
type Limits struct {
	USD     float64       `json:"usd"`
	Tokens  int           `json:"tokens"`
	Timeout time.Duration `json:"timeout"` // no further question begins after it
}

// Chosen is what was decided on the way: the best single seat, and how many samples the matched arms take.
type Chosen struct {
	Best    string  `json:"best"`              // seat
	Samples int     `json:"samples,omitempty"` // 0: not decided yet
	Unit    string  `json:"unit,omitempty"`    // how they were matched: tokens, usd or none
	Want    float64 `json:"want,omitempty"`    // in that unit, mean cost per question of the arm they are matched with
	Each    float64 `json:"each,omitempty"`    // mean cost of one sample
	With    string  `json:"with,omitempty"`    // that arm
}

// Outcome is the result of one arm on one item. Item, Arm, Seat and Swapped identify it. P is in [0, 1].
type Outcome struct {
	Item     string         `json:"item"`
	Arm      Arm            `json:"arm"`
	Seat     string         `json:"seat,omitempty"`    // for arms of one model
	Answer   string         `json:"answer"`            // empty: none
	Class    string         `json:"class"`             // equal for answers with the same meaning
	Swapped  bool           `json:"swapped,omitempty"` // the options were in reverse order
	Right    bool           `json:"right"`
	P        float64        `json:"p"`                  // the arm's chance for its answer: stated, a share of votes, or a posterior
	Decided  bool           `json:"decided"`            // false: it leaves the decision to a person and leans to the answer
	Lineages *int           `json:"lineages,omitempty"` // that back the answer, if several seats vote; nil: unknown
	Failures map[string]int `json:"failures,omitempty"` // replies that could not be used, by what was wrong
	Usage    cost.Usage     `json:"usage"`              // as if the arm had run alone
	Calls    int            `json:"calls"`
	MS       int64          `json:"ms"` // as if it had run alone, with maximal parallelism
}

// End closes a contest.
type End struct {
	MS int64 `json:"ms"` // duration of the last run
}

// Arm is a way to answer: its name, and for debate the number of rounds, as in debate:2. Every strategy of debates is an arm of its
// name, unless its name is one of these.
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

// Ways returns the built-in arms, in the order of a report.
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

// strategy returns the strategy of an arm; false: the arm is no strategy.
func (a Arm) strategy() (debate.Strategy, bool) {
	if a != Council && slices.ContainsFunc(Ways(), func(w Way) bool { return w.Arm == a.base() }) {
		return debate.Strategy{}, false
	}
	return strategy.Find(string(a))
}

// rank returns the position of an arm among the Ways, after them if it is another strategy; -1: unknown arm.
func (a Arm) rank() int {
	i := slices.IndexFunc(Ways(), func(w Way) bool { return w.Arm == a.base() })
	if _, ok := a.strategy(); i < 0 && ok {
		return len(Ways())
	}
	return i
}

// base returns the arm without its number.
func (a Arm) base() Arm {
	name, _, _ := strings.Cut(string(a), ":")
	return Arm(name)
}

// rounds returns how often the seats of a debate see each other's answers.
func (a Arm) rounds() int {
	if _, n, ok := strings.Cut(string(a), ":"); ok {
		rounds, _ := strconv.Atoi(n)
		return rounds
	}
	return 1
}

// maxRounds limits the rounds of a debate.
const maxRounds = 8

// ParseArms reads names of arms. The result always includes Single and is in the order of Ways.
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

// has reports whether the plan has an arm.
func (p Plan) has(a Arm) bool { return slices.Contains(p.Arms, a) }

// Expected returns how many outcomes a contest ends with. Swapped items count for every seat and every other arm.
func (p Plan) Expected() int {
	n := (p.Items + p.Swap) * len(p.Seats)
	for _, a := range p.Arms {
		if a != Single {
			n += p.Items - p.Choose + p.Swap
		}
	}
	return n
}

// Panel returns the arm that represents the panel in a recommendation: the council, else another strategy, else a debate, else the
// vote. It is empty if none of them takes part.
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
