package eval_test

// The whole chain: generated questions, simulated models, real rooms over a journal, statistics. Every figure is
// simulated.

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
	"github.com/socrates-cli/socrates/internal/llm/simulated/fault"
	"github.com/socrates-cli/socrates/internal/tree"
)

// memory is a journal that forgets when its room is done.
func memory() journal.Journal {
	var mu sync.Mutex
	var seq int64
	texts := map[string]string{}
	return journal.Journal{
		Append: func(_ context.Context, nodes ...tree.Node) ([]tree.Node, error) {
			mu.Lock()
			defer mu.Unlock()
			for i := range nodes {
				seq++
				nodes[i].Seq = seq
			}
			return nodes, nil
		},
		Put: func(_ context.Context, text string) (string, error) {
			sum := sha256.Sum256([]byte(text))
			mu.Lock()
			defer mu.Unlock()
			texts[string(sum[:])] = text
			return string(sum[:]), nil
		},
		Text: func(_ context.Context, hash string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			return texts[hash], nil
		},
	}
}

// bench is a panel that sits for one question after the other.
type bench struct {
	seats   []simulated.Profile
	checker eval.Checker
	rules   verdict.Rules
	limits  table.Limits
}

var answers = []string{"red", "green", "blue", "yellow"}

// question is the n-th generated item: its text and the index of the right answer.
func question(n int) (string, int) {
	return fmt.Sprintf("Which colour has ball %d?", n), n % len(answers)
}

func truth(question string) (string, bool) {
	n, err := strconv.Atoi(question[len("Which colour has ball ") : len(question)-1])
	return answers[n%len(answers)], err == nil
}

// sit holds the n-th debate in a real room.
func (t bench) sit(tb testing.TB, n int, s debate.Strategy) verdict.Ledger {
	tb.Helper()
	text, right := question(n)
	f := table.Frame{Room: "r", Question: text, Strategy: s.Name, Options: motion.Letters(answers), Rules: t.rules,
		Limits: t.limits, Seed: uint64(n), Rehearsal: true}
	r := &debate.Room{Look: t.checker.Look(1, text, answers[right])}
	for i, seat := range t.seats {
		m := simulated.New(seat, truth)
		f.Seats = append(f.Seats, table.Seat{ID: "s" + strconv.Itoa(i+1), Spec: "sim:", Model: m.Info().ID, Lineage: m.Info().Lineage})
		r.Seats = append(r.Seats, debate.Seat{Info: f.Seats[i], Model: m})
	}
	r.Frame = f
	if err := r.Run(context.Background(), memory(), s); err != nil {
		tb.Fatal(err)
	}
	return r.Ledger()
}

// council is the product's way to debate.
var council = strategy.All()[0]

// panel makes seats of these accuracies, each of a lineage of its own, whose errors have a latent factor in common.
func panel(common float64, accuracy ...float64) bench {
	t := bench{rules: verdict.DefaultRules()}
	for i, a := range accuracy {
		t.seats = append(t.seats, simulated.Profile{Lineage: string(rune('a' + i)), Accuracy: a, Common: common, Distractor: .755, Seed: 1})
	}
	return t
}

// reference are the five equal seats of the reference world, whose claims can be checked.
func reference(c eval.Checker) bench {
	t := panel(0, .7, .7, .7, .7, .7)
	t.checker = c
	for i := range t.seats {
		t.seats[i].Ease = simulated.Beta{A: 2.1, B: .9}
		t.seats[i].Evidence, t.seats[i].Checkable = "command", 1
	}
	return t
}

// item is the n-th question as the ledger of its room has it. Seats that did not vote are absent.
func item(n int, l verdict.Ledger) eval.Item {
	_, right := question(n)
	it := eval.Item{Truth: right}
	for _, v := range l.Votes {
		vote := eval.Absent
		if v.Status == verdict.Voted {
			vote = int(v.Option[0] - 'A')
		}
		it.Votes = append(it.Votes, vote)
	}
	return it
}

// agrees wants a recorded figure inside the interval measured through the chain. The record has three digits and
// samples of its own, so half a point more on either side is granted.
func agrees(t *testing.T, name string, got statistics.Interval, recorded, half float64) {
	t.Helper()
	t.Logf("simulated, whole chain: %s: %v, recorded %g", name, got, recorded)
	if recorded < got.Low-half || recorded > got.High+half {
		t.Errorf("%s: %g lies outside %v", name, recorded, got)
	}
}

const half = .005

func TestChainEvidenceLocked(t *testing.T) {
	whole(t)
	t.Parallel()
	t.Log("five seats of the reference world, council with one check per named option, checker .9/.3 measured by 300 + 300")
	tab := reference(eval.Checker{TruePass: .9, FalsePass: .3})
	tab.rules = oncePerOption(t)
	tab.rules.Ratios[verdict.Executed] = verdict.Ratio{Pass: 3, Fail: 1. / 7} // what a checker of .9/.3 is worth
	var majority, locked, points, checks statistics.Mean
	var found, leading, lost, lagging, recovered float64
	for n := range 6000 {
		l := tab.sit(t, n, council)
		it := item(n, l)
		blind, strict := it.Majority(), struck(it, l)
		majority.Add(blind)
		locked.Add(strict)
		points.Add(100 * (eval.Credit(verdict.Decide(l, tab.rules).Beliefs, it.Truth) - blind))
		checks.Add(float64(len(l.Checks)))
		if !it.Named() {
			continue
		}
		found++
		// Where options are level a lot says which is the majority.
		leading, lost = leading+blind, lost+blind*(1-strict)
		lagging, recovered = lagging+1-blind, recovered+(1-blind)*strict
	}
	agrees(t, "blind majority", majority.Interval(), .794, half)
	agrees(t, "some seat names the truth", statistics.Wilson(found, 6000), .962, half)
	agrees(t, "evidence-locked vote", locked.Interval(), .878, half)
	agrees(t, "checks it takes", checks.Interval(), 1.54, .02)
	agrees(t, "points of the council over the blind majority", points.Interval(), 8.27, 100*half)
	agrees(t, "minority-correct recovered, evidence-locked", statistics.Wilson(recovered, lagging), .62, half)
	agrees(t, "majority-correct lost, evidence-locked", statistics.Wilson(lost, leading), .026, half)
}

// struck is the evidence-locked vote of a room's record: options whose check failed are struck, and the plurality of
// the votes left decides; if all failed, that of all votes.
func struck(it eval.Item, l verdict.Ledger) float64 {
	left := it
	left.Votes = slices.Clone(it.Votes)
	for _, k := range l.Checks {
		if key := l.Claim(k.Claim).Option; k.Result == verdict.Fail {
			left.Votes = slices.DeleteFunc(left.Votes, func(v int) bool { return eval.Key(v) == key })
		}
	}
	switch {
	case len(left.Votes) == 0:
		return it.Majority()
	case !left.Named():
		return 0
	}
	return left.Majority()
}

// prompt asks for an answer, with those of peers in sight if there are any.
func prompt(question string, peers []int) string {
	text := "<question>\n" + question + "\n</question>\n<options>\n"
	for i, a := range answers {
		text += eval.Key(i) + ": " + a + "\n"
	}
	text += "</options>\n"
	if len(peers) > 0 {
		text += "<answers>\n"
		for _, p := range peers {
			text += "A peer: " + eval.Key(p) + "\n"
		}
		text += "</answers>\n"
	}
	return text + "<task>\nAnswer.\n</task>\n"
}

// ask puts a round of a plain debate to seats and gives their answers. peers are what each of them is shown.
func ask(ctx context.Context, r *debate.Room, round string, peers func(seat string) []int, seats ...debate.Seat) ([]int, error) {
	parse := func(text string) (any, error) {
		var reply struct{ Option string }
		err := json.Unmarshal([]byte(text), &reply)
		return reply.Option, err
	}
	turns, err := r.Ask(ctx, exchange.Blind, round, func(s debate.Seat) debate.Prompt {
		return debate.Prompt{Prompt: prompt(r.Frame.Question, peers(s.Info.ID)), Parse: parse}
	}, seats...)
	votes := make([]int, len(turns))
	for i, t := range turns {
		said, err := parse(t.Answer)
		if err != nil {
			return nil, err
		}
		votes[i] = int(said.(string)[0] - 'A')
	}
	return votes, err
}

// talk is a plain debate: blind answers, then rounds in which every seat sees the answers of all others.
func talk(rounds int, said func(round int, votes []int)) debate.Strategy {
	return debate.Strategy{Name: "talk", Run: func(ctx context.Context, r *debate.Room) error {
		var votes []int
		for round := range rounds + 1 {
			var err error
			last := votes
			votes, err = ask(ctx, r, strconv.Itoa(round), func(seat string) []int {
				i := slices.IndexFunc(r.Seats, func(s debate.Seat) bool { return s.Info.ID == seat })
				if last == nil {
					return nil
				}
				return slices.Delete(slices.Clone(last), i, i+1)
			}, r.Seats...)
			if err != nil {
				return err
			}
			said(round, votes)
		}
		return nil
	}}
}

// TestChainTalkIsMartingale: seats that now and then take over what a peer says are as often right after four rounds
// as before any, while their majority gets worse and those that agree are more often wrong.
func TestChainTalkIsMartingale(t *testing.T) {
	whole(t)
	t.Parallel()
	t.Log("five seats of the reference world that take over a peer's answer with chance .05 a round, shown all peers, four rounds")
	tab := reference(eval.Checker{})
	for i := range tab.seats {
		tab.seats[i].Susceptibility = .05
	}
	const rounds = 4
	var seat, majority [rounds + 1]statistics.Mean
	var change statistics.Mean
	var four, wrong [rounds + 1]float64
	for n := range 3000 {
		var first float64
		tab.sit(t, n, talk(rounds, func(round int, votes []int) {
			_, right := question(n)
			it := eval.Item{Truth: right, Votes: votes}
			share := float64(it.Tally()[right]) / float64(len(votes))
			seat[round].Add(share)
			majority[round].Add(it.Majority())
			if most := slices.Max(it.Tally()); most >= 4 {
				four[round]++
				if it.Tally()[right] != most {
					wrong[round]++
				}
			}
			if round == 0 {
				first = share
			} else if round == rounds {
				change.Add(share - first)
			}
		}))
	}
	agrees(t, "a seat before any talk", seat[0].Interval(), .702, half)
	agrees(t, "what talk adds to it, four rounds", change.Interval(), 0, 0)
	agrees(t, "the majority before any talk", majority[0].Interval(), .795, half)
	agrees(t, "the majority after four rounds", majority[rounds].Interval(), .770, half)
	agrees(t, "wrong where four of five agree, before", statistics.Wilson(wrong[0], four[0]), .080, half)
	agrees(t, "wrong where four of five agree, after four rounds", statistics.Wilson(wrong[rounds], four[rounds]), .117, half)
	if majority[0].Interval().Value-majority[rounds].Interval().Value < .01 {
		t.Error("talk did not hurt the majority")
	}
}

// TestChainVisibleFirstRound: where each seat sees the answers before its own, the majority falls and unanimity means
// less.
func TestChainVisibleFirstRound(t *testing.T) {
	whole(t)
	t.Parallel()
	for _, c := range []struct {
		name                       string
		susceptibility             float64
		majority, wrongAmongAgreed float64
	}{{"visible", .35, .749, .077}, {"visible and persuasive", .61, .719, .148}} {
		t.Logf("five seats of the reference world asked one after the other; each takes over one of the answers before its own with chance %g", c.susceptibility)
		tab := reference(eval.Checker{})
		for i := range tab.seats {
			tab.seats[i].Susceptibility = c.susceptibility
		}
		var majority statistics.Mean
		var agreed, wrong float64
		for n := range 4000 {
			var votes []int
			tab.sit(t, n, debate.Strategy{Name: "visible", Run: func(ctx context.Context, r *debate.Room) error {
				for _, s := range r.Seats {
					vote, err := ask(ctx, r, "0", func(string) []int { return votes }, s)
					if err != nil {
						return err
					}
					votes = append(votes, vote...)
				}
				return nil
			}})
			_, right := question(n)
			it := eval.Item{Truth: right, Votes: votes}
			majority.Add(it.Majority())
			if slices.Max(it.Tally()) == len(votes) {
				agreed++
				if votes[0] != right {
					wrong++
				}
			}
		}
		agrees(t, c.name+": majority", majority.Interval(), c.majority, half)
		agrees(t, c.name+": wrong where all agree", statistics.Wilson(wrong, agreed), c.wrongAmongAgreed, half)
	}
}

func TestChainNineSeatsAreTwo(t *testing.T) {
	whole(t)
	t.Parallel()
	t.Log("nine seats of .80 and nine lineages, latent correlation .62, and nine without any")
	const batches, items = 60, 50
	eighty := slices.Repeat([]float64{.8}, 9)
	tab, alone := panel(.62, eighty...), panel(0, eighty...)
	sums := make([][6]float64, batches) // right, right if independent, wrong, both wrong, both wrong alike, items
	for n := range batches * items {
		it, s := item(n, tab.sit(t, n, council)), &sums[n/items]
		s[0] += it.Majority()
		s[5]++
		s[1] += item(n, alone.sit(t, n, council)).Majority()
		for i, v := range it.Votes {
			if v == it.Truth {
				continue
			}
			s[2]++
			for _, u := range it.Votes[:i] {
				if u != it.Truth {
					s[3]++
				}
				if u == v {
					s[4]++
				}
			}
		}
	}
	agrees(t, "effective votes of nine", jackknife(sums, func(s [6]float64) float64 {
		p := s[2] / (9 * s[5])
		phi := (s[3]/(36*s[5]) - p*p) / (p * (1 - p))
		return 9 / (1 + 8*phi)
	}), 2.19, half)
	agrees(t, "two that err agree", jackknife(sums, func(s [6]float64) float64 { return s[4] / s[3] }), .60, half)
	agrees(t, "points below nine independent ones", jackknife(sums, func(s [6]float64) float64 { return 100 * (s[1] - s[0]) / s[5] }), 11.8, 100*half)
}

// jackknife is f of the sums of all batches, with the interval that leaving out one batch at a time gives.
func jackknife(batches [][6]float64, f func([6]float64) float64) statistics.Interval {
	var all [6]float64
	for _, b := range batches {
		for i, x := range b {
			all[i] += x
		}
	}
	n, value := float64(len(batches)), f(all)
	var mean, spread float64
	without := make([]float64, len(batches))
	for k, b := range batches {
		rest := all
		for i, x := range b {
			rest[i] -= x
		}
		without[k] = f(rest)
		mean += without[k] / n
	}
	for _, x := range without {
		spread += (x - mean) * (x - mean)
	}
	off := 1.96 * math.Sqrt(spread*(n-1)/n)
	return statistics.Interval{Value: value, Low: value - off, High: value + off}
}

func TestChainBestSingleBeatsWeakPanel(t *testing.T) {
	whole(t)
	t.Parallel()
	t.Log("one seat of .90 and four of .65, five lineages, latent correlation .30")
	tab := panel(.30, .90, .65, .65, .65, .65)
	var majority, best, ahead statistics.Mean
	for n := range 5000 {
		it := item(n, tab.sit(t, n, council))
		alone := 0.
		if it.Votes[0] == it.Truth {
			alone = 1
		}
		majority.Add(it.Majority())
		best.Add(alone)
		ahead.Add(100 * (alone - it.Majority()))
	}
	agrees(t, "majority", majority.Interval(), .820, half)
	agrees(t, "best single", best.Interval(), .900, half)
	agrees(t, "points of the best single over the panel", ahead.Interval(), 8, 100*half)
}

// TestChainWhoStandsBehindTheWinner: level options are decided by lot, as in the record.
func TestChainWhoStandsBehindTheWinner(t *testing.T) {
	whole(t)
	t.Parallel()
	t.Log("A, A, A, B, C at .80, latent correlation .25 and .45 more inside A")
	tab := panel(.25, .8, .8, .8, .8, .8)
	for i := range tab.seats {
		tab.seats[i].Lineage, tab.seats[i].Within = string("aaabc"[i]), .45
	}
	rng := eval.Seed(42)
	var won, right [4]float64
	for n := range 6000 {
		l := tab.sit(t, n, council)
		it := item(n, l)
		winner := byLot(it, rng)
		behind := map[string]bool{}
		for i, v := range l.Votes {
			if it.Votes[i] == winner {
				behind[v.Lineage] = true
			}
		}
		won[len(behind)]++
		if winner == it.Truth {
			right[len(behind)]++
		}
	}
	for i, recorded := range []float64{.447, .796, .971} {
		agrees(t, fmt.Sprintf("right when %d of three lineages back the winner", i+1), statistics.Wilson(right[i+1], won[i+1]), recorded, half)
	}
}

// byLot is one of the options with most votes.
func byLot(it eval.Item, rng *rand.Rand) int {
	var top []int
	tally := it.Tally()
	for o, n := range tally {
		if n == slices.Max(tally) {
			top = append(top, o)
		}
	}
	return top[rng.IntN(len(top))]
}

func TestChainLosingTwoSeats(t *testing.T) {
	whole(t)
	t.Parallel()
	t.Log("seats of .90, .85, .80, .75, .70, five lineages, latent correlation .30; those lost crash in the blind round")
	lots := eval.Seed(43)
	for _, c := range []struct {
		name     string
		lose     func() []int
		recorded float64
	}{
		{"complete", func() []int { return nil }, .913},
		{"any two lost", func() []int { return lots.Perm(5)[:2] }, .877},
		{"the two strongest lost", func() []int { return []int{0, 1} }, .826},
		{"the two weakest lost", func() []int { return []int{3, 4} }, .920},
	} {
		var majority statistics.Mean
		for n := range 3000 {
			tab := panel(.30, .90, .85, .80, .75, .70)
			for _, i := range c.lose() {
				tab.seats[i].Fault = fault.Crash
			}
			l := tab.sit(t, n, council)
			majority.Add(item(n, l).Majority())
			if v := verdict.Decide(l, tab.rules); v.Panel.Failed != len(c.lose()) || v.Panel.Failed > 0 && v.Outcome != verdict.Degraded && v.Outcome != verdict.Tie {
				t.Fatalf("%d lost: %s", v.Panel.Failed, v.Outcome)
			}
		}
		agrees(t, c.name, majority.Interval(), c.recorded, half)
	}
}

// TestChainFaults: a simulated seat that breaks, in any way and at any stage, costs its own word. The verdict stays
// right, and a seat without a vote is never passed over in silence.
func TestChainFaults(t *testing.T) {
	for _, broken := range fault.All() {
		for _, at := range []simulated.Act{simulated.Blind, simulated.Verify, simulated.Cross} {
			synctest.Test(t, func(t *testing.T) {
				tab := panel(0, 1, 1, 1, 1, 0) // the last is always wrong, so that there is something to check and to examine
				tab.limits = table.Limits{SeatTimeout: time.Minute, Grace: 10 * time.Second, Rounds: 2}
				tab.seats[0].Fault, tab.seats[0].At = broken, at
				for i := range tab.seats {
					tab.seats[i].Evidence, tab.seats[i].Checkable = "quote", 1
				}
				l := tab.sit(t, 1, council)
				v := verdict.Decide(l, tab.rules)
				if _, right := question(1); v.Winner != eval.Key(right) {
					t.Errorf("%s at %s: %s %s, %s", broken, at, v.Outcome, v.Winner, v.Reason)
				}
				if lost := v.Panel.Failed + v.Panel.NoVote; (lost > 0) != (v.Outcome == verdict.Degraded) || lost > 0 && at != simulated.Blind {
					t.Errorf("%s at %s: %d seats lost, %s", broken, at, lost, v.Outcome)
				}
				if len(l.Checks) == 0 {
					t.Errorf("%s at %s: nothing was checked", broken, at)
				}
			})
		}
	}
}
