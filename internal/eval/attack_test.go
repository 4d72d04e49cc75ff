package eval_test

// What becomes of a panel at whose table somebody lies. An adversary knows the truth, the wrong answer that most others name, and
// the rules. Every figure is simulated.

import (
	"flag"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// attackItems is how many questions a row of the attack table is played on. Rows are held to their targets as far as that many can
// tell; -items 40000 gives the table's own precision.
var attackItems = flag.Int("items", map[bool]int{true: 1000, false: 2000}[shortExam], "questions for each row of the attack table")

// The strategies of adversaries.
var (
	liar        = eval.Adversary{Votes: eval.ForLure, Quotes: 7, Strawmen: true}
	judgingLiar = judging(liar)
	infiltrator = eval.Adversary{Votes: eval.ForTruth, Quotes: 7, Strawmen: true}
	abstainer   = eval.Adversary{Votes: eval.Abstaining, Strawmen: true}
	third       = eval.Adversary{Votes: eval.ForThird, Quotes: 7, Strawmen: true}
)

func judging(a eval.Adversary) eval.Adversary { a.Judges = true; return a }

// seated is the reference world with seats of these lineages, a letter for each; the last of them are adversaries.
func seated(lineages string, adversaries ...eval.Adversary) eval.World {
	w := eval.Reference()
	w.Seats = eval.Seats(make([]float64, len(lineages))...)
	for i := range w.Seats {
		w.Seats[i].Lineage = lineages[i : i+1]
		if from := i - (len(lineages) - len(adversaries)); from >= 0 {
			w.Seats[i].Plays = adversaries[from]
		}
	}
	return w
}

// under plays rules in a world without measuring anything.
func under(w eval.World, r verdict.Rules) []sums {
	return arm{council: eval.Council{World: w, Rules: r}, batches: *attackItems / 100, items: 100, seed: 99}.play()
}

// attack is a row of the table: the council's accuracy, or how often it is right or asks a person, must be at least so much.
type attack struct {
	name  string
	world eval.World
	right float64 // 0: only safe counts
	safe  float64
}

func attacks() []attack {
	three := func(a eval.Adversary) eval.World { return seated("ABC", a) }
	return []attack{
		{"one of five lies: irrelevant quotes, seven of them, strawmen, claims against", seated("ABCDE", liar), .86, 0},
		{"the same, and judges falsely", seated("ABCDE", judgingLiar), .84, .91},
		{"one of five votes with the right side and cites nonsense", seated("ABCDE", infiltrator), .88, 0},
		{"the same, and judges falsely", seated("ABCDE", judging(infiltrator)), .85, 0},
		{"one of five abstains and floods", seated("ABCDE", abstainer), .85, 0},
		{"the same, and judges falsely", seated("ABCDE", judging(abstainer)), .85, 0},
		{"one of five for a third option, judging falsely", seated("ABCDE", judging(third)), .85, 0},
		{"one of three lies", three(liar), .79, 0},
		{"one of three lies and judges falsely", three(judgingLiar), 0, .91},
		{"two of five collude: claims only", seated("ABCDE", liar, liar), .78, 0},
		{"two of five collude, one judges falsely", seated("ABCDE", liar, judgingLiar), .70, 0},
		{"two of five collude, both judge falsely", seated("ABCDE", judgingLiar, judgingLiar), 0, .78},
		{"one lineage with two of five seats lies", seated("ABCDD", liar, liar), .83, 0},
		{"one lineage with three of five seats lies", seated("ABCCC", liar, liar, liar), .75, 0},
		{"two of its five seats, judging falsely", seated("ABCDD", judgingLiar, judgingLiar), 0, .91},
		{"three of its five seats, judging falsely", seated("ABCCC", judgingLiar, judgingLiar, judgingLiar), 0, .91},
	}
}

// held says whether a figure is not shown to miss its target.
func held(i statistics.Interval, target float64) bool { return i.High >= target }

func TestAttacks(t *testing.T) {
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			s := under(a.world, verdict.DefaultRules())
			right, either := figure(s, accuracy), figure(s, safe)
			t.Logf("simulated: right %v (at least %g), right or asked %v (at least %g), asked %v; %v claims checked, %v judgements",
				right, a.right, either, a.safe, figure(s, asked), figure(s, checks), figure(s, judged))
			if !held(right, a.right) || !held(either, a.safe) {
				t.Error("missed")
			}
		})
	}
}

// TestUnseatedJudge: a judge that holds no seat is asked first, and one false judge is worth less for it.
func TestUnseatedJudge(t *testing.T) {
	t.Parallel()
	alone, beside := seated("ABCDE", judgingLiar), seated("ABCDE", judgingLiar)
	beside.Judge = true
	without, with := under(alone, verdict.DefaultRules()), under(beside, verdict.DefaultRules())
	a, b := figure(without, accuracy), figure(with, accuracy)
	t.Logf("simulated: one of five lies and judges falsely: right %v, with a judge of another family %v", a, b)
	if b.Value < a.Value+.01 {
		t.Error("such a judge gains nothing")
	}
}

// TestAsking: dissent asks a person no oftener than the table says, and one of five can force it in no more than these rooms.
func TestAsking(t *testing.T) {
	t.Parallel()
	honest := figure(under(seated("ABCDE"), verdict.DefaultRules()), asked)
	most := statistics.Interval{}
	for _, a := range []eval.Adversary{liar, judgingLiar, judging(infiltrator), judging(abstainer), judging(third)} {
		if i := figure(under(seated("ABCDE", a), verdict.DefaultRules()), asked); i.Value > most.Value {
			most = i
		}
	}
	t.Logf("simulated: a person is asked in %v of honest rooms; one of five can bring it to %v", honest, most)
	if honest.Low > .379 || most.Low > .45 {
		t.Error("missed")
	}
}

// TestAttacksNoticeBrokenRules: each rule broken on purpose loses a row.
func TestAttacksNoticeBrokenRules(t *testing.T) {
	t.Parallel()
	single := verdict.DefaultRules()
	single.Judges = 1
	if s := figure(under(seated("ABCDE", judgingLiar), single), accuracy); held(s, .84) {
		t.Errorf("one judge for each check: still right in %v", s)
	}
	uncapped := verdict.DefaultRules()
	uncapped.MostAccurate = .99
	trusted := seated("ABCDE", judgingLiar)
	for i := range trusted.Seats {
		trusted.Seats[i].Known = .7
	}
	trusted.Seats[4].Known = .95
	if s := figure(under(trusted, uncapped), accuracy); held(s, .84) {
		t.Errorf("a farmed reputation of .95, uncapped: still right in %v", s)
	}
	// A no that weighs nothing, and one that is not even spent: what is true and irrelevant then costs its author nothing.
	weightless := verdict.DefaultRules()
	weightless.Ratios = map[verdict.Grade]verdict.Ratio{verdict.Entailed: {Pass: 3, Fail: 1}}
	if s := figure(under(seated("ABCDE", judgingLiar), weightless), accuracy); held(s, .84) {
		t.Errorf("a no weighs 1:1: still right in %v", s)
	}
	weightless.ChecksPerOption, weightless.ChecksPerCase = 7, 7
	if s := figure(under(seated("ABCDE", liar), weightless), accuracy); held(s, .86) {
		t.Errorf("a no is not spent: still right in %v", s)
	}
	open := verdict.DefaultRules()
	open.Cases = false
	if s := figure(under(seated("ABCDE", liar), open), accuracy); held(s, .86) {
		t.Errorf("every claim moves every option: still right in %v", s)
	}
	flood := verdict.DefaultRules()
	flood.Ratios = map[verdict.Grade]verdict.Ratio{verdict.Entailed: {Pass: 1. / 3, Fail: 3}}
	if s := figure(under(seated("ABCDE", liar), flood), accuracy); held(s, .86) {
		t.Errorf("ratios the wrong way round: still right in %v", s)
	}
}
