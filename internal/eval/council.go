package eval

import (
	"strconv"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// Council decides simulated questions by the product's own rules: it keeps a real ledger and asks debate what to
// check next, when to stop and which option is the most probable.
type Council struct {
	World World
	Rules verdict.Rules
	Stop  Stop
}

// Stop says when a council stops asking seats. They are asked in the order they sit.
type Stop int

// The ways to stop.
const (
	AskAll  Stop = iota
	Settled      // once the seats left cannot change who leads
	Cascade      // like Settled, and once the first two seats, of two lineages, name the same option
	Pair         // after the first two if they name the same option; else all are asked
)

// Absent is the vote of a seat that did not answer.
const Absent = -1

// Result is what a council made of one question.
type Result struct {
	Credit float64 // 1: right, 0: wrong, 1/k: the right option ties with k-1 others
	P      float64 // posterior of the winner
	Calls  int     // seats asked
	Checks int     // checks run
}

// Run asks, checks and decides one question.
func (c Council) Run(it Item) Result {
	l := c.Ask(it)
	calls := len(l.Votes)
	l = c.Check(it, l)
	beliefs := verdict.Posterior(l, c.Rules)
	return Result{Credit: Credit(beliefs, it.Truth), P: beliefs[0].P, Calls: calls, Checks: len(l.Checks)}
}

// Ask is the blind round: a ledger of votes, with one claim for each option named: cX says that X is right.
func (c Council) Ask(it Item) verdict.Ledger {
	l := verdict.Ledger{Options: make([]verdict.Option, c.World.Options)}
	for o := range l.Options {
		l.Options[o] = verdict.Option{Key: Key(o), Text: "option " + Key(o)}
	}
	votes := make([]verdict.Vote, len(c.World.Seats))
	for i, s := range c.World.Seats {
		votes[i] = verdict.Vote{Seat: s.Name, Lineage: s.Lineage, Status: verdict.Failed, Accuracy: s.Known}
		if v := it.Votes[i]; v != Absent {
			votes[i].Status, votes[i].Option = verdict.Voted, Key(v)
		}
	}
	all := true // that were asked have voted; nobody is spared otherwise
	for i := range votes {
		l.Votes = votes[: i+1 : i+1]
		all = all && votes[i].Status == verdict.Voted
		if key := votes[i].Option; key != "" && l.Claim("c"+key) == nil {
			l.Claims = append(l.Claims, verdict.Claim{
				ID: "c" + key, Seat: votes[i].Seat, Text: key + " is right", Kind: "fact", Impact: 2,
				Option: key, Supports: true, Put: true,
			})
		}
		if all && c.enough(l, votes[i+1:]) {
			break
		}
	}
	return l
}

// enough says whether the waiting seats need not be asked.
func (c Council) enough(l verdict.Ledger, waiting []verdict.Vote) bool {
	alike := len(l.Votes) == 2 && !l.Disagree()
	switch c.Stop {
	case Settled:
		return verdict.Settled(l, c.Rules, waiting...)
	case Cascade:
		return alike && l.Votes[0].Lineage != l.Votes[1].Lineage || verdict.Settled(l, c.Rules, waiting...)
	case Pair:
		return alike
	}
	return false
}

// Check runs the checks the rules ask for. They are run on disagreement only.
func (c Council) Check(it Item, l verdict.Ledger) verdict.Ledger {
	if !it.Checkable || !l.Disagree() {
		return l
	}
	spent := make([]int, len(it.Passed))
	can := func(option string) bool { return spent[index(option)] < len(it.Passed[0]) }
	for {
		key := verdict.NextCheck(l, c.Rules, can)
		if key == "" {
			return l
		}
		o, result := index(key), verdict.Fail
		if it.Passed[o][spent[o]] {
			result = verdict.Pass
		}
		spent[o]++
		l.Checks = append(l.Checks, verdict.Check{
			ID: "k" + strconv.Itoa(len(l.Checks)), Claim: "c" + key, Kind: "command", Result: result,
			Grade: verdict.Executed, Ratio: c.Rules.Ratio(verdict.Executed, result),
		})
	}
}

// Key is the key of the option of this index, which is below 26.
func Key(option int) string { return string(rune('A' + option)) }

func index(key string) int { return int(key[0] - 'A') }

// Credit is 1/k if the option of this index is among the k most probable, else 0.
func Credit(beliefs []verdict.Belief, truth int) float64 {
	level, hit := 0, false
	for _, b := range beliefs {
		if beliefs[0].P-b.P < 1e-9 {
			level++
			hit = hit || b.Option == Key(truth)
		}
	}
	if !hit {
		return 0
	}
	return 1 / float64(level)
}

// Tally counts the votes for each option. Absent seats count for none.
func (it Item) Tally() []int {
	n := make([]int, len(it.Passed))
	for _, v := range it.Votes {
		if v != Absent {
			n[v]++
		}
	}
	return n
}

// Majority is the credit of the blind plurality: 1/k if the truth is among the k options with most votes.
func (it Item) Majority() float64 {
	n := it.Tally()
	level := 0
	for _, x := range n {
		if x > n[it.Truth] {
			return 0
		}
		if x == n[it.Truth] {
			level++
		}
	}
	return 1 / float64(level)
}

// Named says whether any seat named the truth: what an oracle over the panel gets right.
func (it Item) Named() bool { return it.Tally()[it.Truth] > 0 }
