package eval

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/eval/calibration"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// Simulation is a panel to simulate before anything is paid: its seats, the assumptions about them, and the rules by which they
// decide. It is a Council whose checker may have been measured.
type Simulation struct {
	Council
	Controls int // control runs of each kind that measure the checker, anew in every batch; 0: the rules' ratios
	// Learn returns the accuracies that the seats count with after outcomes it draws, anew in every batch; nil: those in World.Seats.
	Learn func(w World, rng *rand.Rand) []float64
	Items int // questions to play, at least 2
	Seed  uint64
}

// Expectation is the result of a simulation. Accuracies and shares are in [0, 1], points in [-100, 100]. A tied question counts as
// right by the chance that a random choice among the tied options is right.
type Expectation struct {
	Items      int                 `json:"items"`
	Best       string              `json:"best_seat"` // the seat of highest accuracy, the first of equals
	Single     statistics.Interval `json:"best_single"`
	Majority   statistics.Interval `json:"blind_majority"`
	Council    statistics.Interval `json:"council"`
	Oracle     statistics.Interval `json:"oracle"`          // some seat named the right option
	Points     statistics.Interval `json:"points"`          // of the council minus the best single, on the same questions
	Gap        float64             `json:"gap_closed"`      // share of the gap from the best single to the oracle; 0: no gap
	Effective  float64             `json:"effective_votes"` // n / (1 + (n-1)·φ), φ the mean correlation of two seats' errors
	Confident  float64             `json:"wrong_at_60"`     // wrong among the 60 % of questions with the highest posterior
	OneLineage statistics.Interval `json:"one_lineage"`     // winners with votes of only one lineage
	Level      statistics.Interval `json:"level"`           // tied questions: a person would decide
	Calls      float64             `json:"calls_per_item"`  // blind ballots asked for
	Checks     float64             `json:"checks_per_item"` // claims checked
	Judged     float64             `json:"judgements_per_item"`
	Person     statistics.Interval `json:"person_decides"`     // the gate asks a person, or options are tied
	Safe       statistics.Interval `json:"right_or_asked"`     // right, or a person decides
	Checking   statistics.Interval `json:"points_of_checking"` // what checks add to the same votes
	Another    statistics.Interval `json:"points_of_another"`  // what one more seat of a new lineage adds, without checks
	Losses     []Loss              `json:"losses"`
}

// Loss is what the council loses when seats do not answer.
type Loss struct {
	Which    string              `json:"which"`
	Seats    int                 `json:"seats"`
	Accuracy statistics.Interval `json:"accuracy"`
	Points   statistics.Interval `json:"points"` // against the complete council, on the same questions
}

// batchSize is how many questions share a generator and a measurement of the checker.
const batchSize = 500

// Run runs the simulation. The same simulation gives the same figures on every machine.
//
// It uses all processors. Batches are added up in order, since sums of floats depend on it.
func (s Simulation) Run() Expectation {
	n := (s.Items + batchSize - 1) / batchSize
	batches := make([]*tally, n)
	next := make(chan int)
	var work sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		work.Go(func() {
			for b := range next {
				batches[b] = s.batch(b, min(batchSize, s.Items-b*batchSize))
			}
		})
	}
	for b := range n {
		next <- b
	}
	close(next)
	work.Wait()
	all := s.newTally()
	for _, b := range batches {
		all.plus(b)
	}
	return s.expectation(all)
}

// tally has the sums of a batch.
type tally struct {
	single, majority, council, oracle, points statistics.Mean
	level, oneLineage, calls, checks          statistics.Mean
	checking, another                         statistics.Mean
	judged, person, safe                      statistics.Mean
	lost, cost                                []statistics.Mean // by loss: accuracy, and points against the complete council
	wrong                                     []float64
	both                                      [][]float64 // how often two seats were wrong together
	outcomes                                  []calibration.Outcome
}

func (s Simulation) newTally() *tally {
	n, losses := len(s.World.Seats), len(s.losses())
	t := &tally{lost: make([]statistics.Mean, losses), cost: make([]statistics.Mean, losses),
		wrong: make([]float64, n), both: make([][]float64, n)}
	for i := range t.both {
		t.both[i] = make([]float64, n)
	}
	return t
}

func (t *tally) plus(o *tally) {
	for _, p := range [][2]*statistics.Mean{{&t.single, &o.single}, {&t.majority, &o.majority},
		{&t.council, &o.council}, {&t.oracle, &o.oracle},
		{&t.points, &o.points}, {&t.level, &o.level}, {&t.oneLineage, &o.oneLineage}, {&t.calls, &o.calls}, {&t.checks, &o.checks},
		{&t.checking, &o.checking}, {&t.another, &o.another}, {&t.judged, &o.judged}, {&t.person, &o.person}, {&t.safe, &o.safe}} {
		p[0].Plus(*p[1])
	}
	for i := range t.lost {
		t.lost[i].Plus(o.lost[i])
		t.cost[i].Plus(o.cost[i])
	}
	for i := range t.wrong {
		t.wrong[i] += o.wrong[i]
		for j := range t.both[i] {
			t.both[i][j] += o.both[i][j]
		}
	}
	t.outcomes = append(t.outcomes, o.outcomes...)
}

// best returns the seat of highest accuracy, the first of equals.
func (s Simulation) best() int {
	best := 0
	for i, seat := range s.World.Seats {
		if seat.Accuracy > s.World.Seats[best].Accuracy {
			best = i
		}
	}
	return best
}

// batch simulates the questions of one batch.
func (s Simulation) batch(number, items int) *tally {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(number)))
	if s.Controls > 0 {
		s.Rules = s.World.Checker.Learned(s.Rules, s.Controls, rng)
	}
	if s.Learn != nil {
		s.World.Seats = slices.Clone(s.World.Seats)
		for i, known := range s.Learn(s.World, rng) {
			s.World.Seats[i].Known = known
		}
	}
	t, wide, losses, best := s.newTally(), s.wide(), s.losses(), s.best()
	for range items {
		it := wide.World.Draw(rng)
		// The additional seat is drawn last, so the others vote as without it.
		more := credit(wide.Ask(it), s.Rules, it)
		it.Votes = it.Votes[:len(s.World.Seats)]
		ballots := s.Ask(it)
		l := s.Check(it, ballots)
		v := verdict.Decide(l, s.Rules)
		right, blind := Credit(v.Beliefs, it.Truth), credit(ballots, s.Rules, it)
		alone := one(it.Votes[best] == it.Truth)
		t.single.Add(alone)
		t.majority.Add(it.Majority())
		t.council.Add(right)
		t.oracle.Add(one(it.Named()))
		t.points.Add(100 * (right - alone))
		t.checking.Add(100 * (right - blind))
		t.another.Add(100 * (more - blind))
		t.level.Add(one(v.Outcome == verdict.Tie))
		t.oneLineage.Add(one(v.Winner != "" && capped(v, "one-lineage")))
		t.calls.Add(float64(len(l.Votes)))
		t.checks.Add(float64(l.Spent()))
		t.judged.Add(float64(len(l.Checks)))
		person := v.Gate == verdict.GatePerson
		t.person.Add(one(person))
		t.safe.Add(max(right, one(person)))
		t.outcomes = append(t.outcomes, calibration.Outcome{P: v.Beliefs[0].P, Credit: right})
		t.errors(it)
		for i, loss := range losses {
			left := it
			left.Votes = slices.Clone(it.Votes)
			for _, seat := range loss.pick(rng) {
				left.Votes[seat] = Absent
			}
			got := credit(s.Check(left, s.Ask(left)), s.Rules, left)
			t.lost[i].Add(got)
			t.cost[i].Add(100 * (got - right))
		}
	}
	return t
}

// wide returns the council with one more seat, of a new lineage and with the others' mean accuracy.
func (s Simulation) wide() Council {
	var sum float64
	for _, seat := range s.World.Seats {
		sum += seat.Accuracy
	}
	more := Voter{Name: "one more", Lineage: "another", Accuracy: sum / float64(len(s.World.Seats))}
	w := s.Council
	w.World.Seats = append(slices.Clone(s.World.Seats), more)
	return w
}

func credit(l verdict.Ledger, r verdict.Rules, it Item) float64 {
	return Credit(verdict.Posterior(l, r), it.Truth)
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// capped reports whether a cap of this name applied.
func capped(v verdict.Verdict, name string) bool {
	return slices.ContainsFunc(v.Score.Caps, func(c verdict.Cap) bool { return c.Name == name })
}

// errors counts which seats were wrong, and which together.
func (t *tally) errors(it Item) {
	for i, v := range it.Votes {
		if v == it.Truth {
			continue
		}
		t.wrong[i]++
		for j := range i {
			if it.Votes[j] != it.Truth {
				t.both[i][j]++
			}
		}
	}
}

// loss is a way to lose seats.
type loss struct {
	which string
	seats int
	pick  func(*rand.Rand) []int
}

// losses returns the ways to lose seats that leave somebody to vote.
func (s Simulation) losses() []loss {
	n := len(s.World.Seats)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.World.Seats[b].Accuracy, s.World.Seats[a].Accuracy) })
	equal := s.World.Seats[order[0]].Accuracy == s.World.Seats[order[n-1]].Accuracy
	var out []loss
	for lost, name := range []string{"", "one seat", "two seats"} {
		if lost == 0 || lost >= n {
			continue
		}
		out = append(out, loss{name + ", any", lost, func(rng *rand.Rand) []int { return rng.Perm(n)[:lost] }})
		if !equal {
			out = append(out, loss{name + ", the strongest", lost, func(*rand.Rand) []int { return order[:lost] }})
		}
	}
	return out
}

func (s Simulation) expectation(t *tally) Expectation {
	e := Expectation{Items: t.council.N(), Best: s.World.Seats[s.best()].Name, Single: t.single.Interval(), Majority: t.majority.Interval(),
		Council: t.council.Interval(), Oracle: t.oracle.Interval(), Points: t.points.Interval(), Effective: t.effective(),
		Confident: calibration.WrongAmong(t.outcomes, .6), OneLineage: t.oneLineage.Interval(), Level: t.level.Interval(),
		Calls: t.calls.Interval().Value, Checks: t.checks.Interval().Value, Judged: t.judged.Interval().Value,
		Person: t.person.Interval(), Safe: t.safe.Interval(), Checking: t.checking.Interval(),
		Another: t.another.Interval(), Losses: []Loss{}}
	if room := e.Oracle.Value - e.Single.Value; room > 0 {
		e.Gap = (e.Council.Value - e.Single.Value) / room
	}
	for i, l := range s.losses() {
		e.Losses = append(e.Losses, Loss{Which: l.which, Seats: l.seats, Accuracy: t.lost[i].Interval(), Points: t.cost[i].Interval()})
	}
	return e
}

// effective returns how many independent votes the seats are worth. Pairs with a seat that never or always errs are ignored.
func (t *tally) effective() float64 {
	n := float64(t.council.N())
	var sum, pairs float64
	for i := range t.wrong {
		for j := range i {
			p, q := t.wrong[i]/n, t.wrong[j]/n
			if spread := p * (1 - p) * q * (1 - q); spread > 0 {
				sum += (t.both[i][j]/n - p*q) / math.Sqrt(spread)
				pairs++
			}
		}
	}
	phi := max(0, sum/max(1, pairs))
	return float64(len(t.wrong)) / (1 + float64(len(t.wrong)-1)*phi)
}
