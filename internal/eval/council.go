package eval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// Council decides simulated questions by the product's own rules: it keeps a real ledger, and package verdict says what to check
// next, when to stop and which option is the most probable. It has no state and is safe for concurrent use.
type Council struct {
	World World
	Rules verdict.Rules
	Stop  Stop
}

// Stop says when a council stops asking seats. They are asked in order.
type Stop int

// The ways to stop.
const (
	AskAll  Stop = iota
	Settled      // once the remaining seats cannot change the leader
	Cascade      // like Settled, and once the first two seats, of two lineages, name the same option
	Pair         // after the first two if they name the same option; else all are asked
)

// Votes of a seat that names no option.
const (
	Absent   = -1 // it did not answer
	Abstains = -2
)

// Result is a council's result on one question.
type Result struct {
	Credit float64 // 1: right, 0: wrong, 1/k: the right option ties with k-1 others
	P      float64 // posterior of the winner
	Calls  int     // seats asked
	Checks int     // claims checked
	Judged int     // judgements requested
	Person bool    // a person decides: the gate says so, or options are tied
}

// Run asks, checks and decides one question. Tied options give a credit below 1.
func (c Council) Run(it Item) Result {
	l := c.Ask(it)
	calls := len(l.Votes)
	l = c.Check(it, l)
	v := verdict.Decide(l, c.Rules)
	return Result{Credit: Credit(v.Beliefs, it.Truth), P: v.Beliefs[0].P, Calls: calls, Checks: l.Spent(), Judged: len(l.Checks),
		Person: v.Gate == verdict.GatePerson}
}

// Ask runs the blind round: it returns a ledger of votes, with the claims of each seat that was asked.
func (c Council) Ask(it Item) verdict.Ledger {
	l := verdict.Ledger{Options: make([]verdict.Option, c.World.Options), DrawKey: it.Key}
	for o := range l.Options {
		l.Options[o] = verdict.Option{Key: Key(o), Text: "option " + Key(o)}
	}
	if c.World.Judge {
		l.Judge = &verdict.Judge{Seat: unseated.Name, Lineage: unseated.Lineage}
	}
	votes := make([]verdict.Vote, len(c.World.Seats))
	for i, s := range c.World.Seats {
		votes[i] = verdict.Vote{Seat: s.Name, Lineage: s.Lineage, Status: verdict.Failed, Accuracy: s.Known}
		switch v := it.Votes[i]; v {
		case Absent:
		case Abstains:
			votes[i].Status = verdict.Abstained
		default:
			votes[i].Status, votes[i].Option = verdict.Voted, Key(v)
		}
	}
	all := true // all asked so far have voted; otherwise no seat is spared
	for i := range votes {
		// With limited capacity, so that appending to a ledger's votes does not overwrite the next seat's.
		l.Votes = votes[: i+1 : i+1]
		all = all && votes[i].Status == verdict.Voted
		if votes[i].Status != verdict.Failed && i < len(it.Claims) {
			l.Claims = append(l.Claims, c.written(it, i)...)
		}
		if all && c.enough(l, votes[i+1:]) {
			break
		}
	}
	return l
}

// written returns the claims of a seat in a ledger's form.
func (c Council) written(it Item, seat int) []verdict.Claim {
	out := make([]verdict.Claim, len(it.Claims[seat]))
	for i, claim := range it.Claims[seat] {
		id := "c" + strconv.Itoa(seat) + "." + strconv.Itoa(i)
		out[i] = verdict.Claim{ID: id, Seat: c.World.Seats[seat].Name, Text: id, Kind: "fact", Impact: 2, Option: Key(claim.Option),
			Supports: claim.Supports, Put: true, Evidence: verdict.Evidence{Kind: "quote", File: id, Line: 1}}
	}
	return out
}

// enough reports whether the waiting seats need not be asked.
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

// Check has seats judge the claims that the rules choose, as a room does, until the rules choose no more. Checks are counted as in a
// room.
func (c Council) Check(it Item, l verdict.Ledger) verdict.Ledger {
	if !it.Checkable || len(it.Claims) == 0 {
		return l
	}
	present := slices.DeleteFunc(slices.Clone(l.Votes), func(v verdict.Vote) bool { return v.Status == verdict.Failed })
	if c.World.Judge {
		present = append(present, verdict.Vote{Seat: unseated.Name, Lineage: unseated.Lineage})
	}
	ready := func(*verdict.Claim) bool { return true }
	left := func(claim *verdict.Claim) int { return l.JudgesLeft(claim, present) }
	for {
		step, ok := verdict.Next(l, c.Rules, ready, left)
		if !ok {
			return l
		}
		claim := l.Claim(step.Claim)
		k := verdict.Check{ID: "k" + strconv.Itoa(len(l.Checks)), Claim: claim.ID, Kind: "entailment", Grade: verdict.Entailed,
			Asked: step.Why, Result: verdict.Skipped}
		if by, ok := l.DrawJudge(claim, present); ok {
			k.By, k.Lineage, k.Result = by.Seat, by.Lineage, verdict.Fail
			if c.says(it, claim, by.Seat) {
				k.Result = verdict.Pass
			}
		}
		l.Checks = append(l.Checks, k)
	}
}

// says returns what a seat answers when asked about a claim.
func (c Council) says(it Item, claim *verdict.Claim, judge string) bool {
	author, number, _ := strings.Cut(claim.ID[1:], ".")
	a, _ := strconv.Atoi(author)
	n, _ := strconv.Atoi(number)
	return it.Claims[a][n].Says[slices.IndexFunc(c.World.judges(), func(s Voter) bool { return s.Name == judge })]
}

// Key returns the key of the option at this index, which must be below 26.
func Key(option int) string { return string(rune('A' + option)) }

// Credit returns 1/k if the option at this index is one of k tied for the most probable, else 0.
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

// Tally counts the votes for each option. Absent seats and abstentions do not count.
func (it Item) Tally() []int {
	n := make([]int, 1+max(it.Truth, slices.Max(append([]int{0}, it.Votes...))))
	for _, v := range it.Votes {
		if v >= 0 {
			n[v]++
		}
	}
	return n
}

// Majority returns the credit of the blind plurality: 1/k if the truth is one of k options with the most votes.
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

// Named reports whether any seat named the truth: the questions that an oracle over the panel gets right.
func (it Item) Named() bool { return it.Tally()[it.Truth] > 0 }
