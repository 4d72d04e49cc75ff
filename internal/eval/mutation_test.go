package eval_test

// The acceptance rows must notice a broken rule: each is run with one rule broken on purpose and must miss its target.

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/eval/advice"
	"github.com/socrates-cli/socrates/internal/eval/calibration"
)

// broken is the arm with its measured rules bent.
func broken(a arm, bend func(*verdict.Rules)) []sums {
	learn := a.learn
	a.batches = 20
	a.learn = func(rng *rand.Rand) verdict.Rules {
		r := learn(rng)
		bend(&r)
		return r
	}
	return a.play()
}

func swapSign(r *verdict.Rules) {
	m := r.Ratios[verdict.Entailed]
	r.Ratios[verdict.Entailed] = verdict.Ratio{Pass: 1 / m.Pass, Fail: 1 / m.Fail}
}

func noChecks(r *verdict.Rules) { r.ChecksPerOption = 0 }

func believeAnything(r *verdict.Rules) {
	r.Ratios[verdict.Entailed] = verdict.Ratio{Pass: 9, Fail: 1. / 9}
}

func TestRowsNoticeBrokenChecks(t *testing.T) {
	t.Parallel()
	for name, bend := range map[string]func(*verdict.Rules){"swapped sign": swapSign, "no checks": noChecks} {
		b := broken(in(eval.Reference(), verdict.DefaultRules(), controls), bend)
		missed(t,
			row{name: name + ": points", got: figure(b, points), target: 8},
			row{name: name + ": oracle gap closed", got: figure(b, gap), target: .48},
			row{name: name + ": minority-correct recovered", got: figure(b, recovered), target: .57},
			row{name: name + ": wrong among the most confident", got: figure(b, confident), target: .03, atMost: true},
		)
	}
	worthless := in(with(eval.Checker{TruePass: .5, FalsePass: .5}), verdict.DefaultRules(), 100)
	missed(t, row{name: "9:1 whatever was measured: worthless judges", got: figure(broken(worthless, believeAnything), points), target: -.2})
}

func TestRowsNoticeDroppedDenominator(t *testing.T) {
	t.Parallel()
	missed(t, gained(2000, voters))
	r := verdict.DefaultRules()
	r.CapOneLineage = 1
	above, _ := unlabelled(10_000, r, voters)
	missed(t, above)
	noLineages := func(l verdict.Ledger) verdict.Ledger {
		l.Votes = slices.Clone(l.Votes)
		for i := range l.Votes {
			l.Votes[i].Lineage = l.Votes[i].Seat
		}
		return l
	}
	above, _ = unlabelled(10_000, verdict.DefaultRules(), noLineages)
	missed(t, above)
}

func TestRowsNoticeStoppingTooSoon(t *testing.T) {
	whole(t)
	t.Parallel()
	// Told that its first seat is nearly always right, a panel stops with it.
	w := eval.Latent(.30, .8, .8, .8, .8, .8)
	for i := range w.Seats {
		w.Seats[i].Known = .51
	}
	w.Seats[0].Known = .99
	b := asking(w, eval.Settled)
	missed(t,
		row{name: "first seat overrated: points against asking all, until settled", got: figure(b, points), target: 0},
		row{name: "first seat overrated: the same, the cascade's allowance", got: figure(b, points), target: -.7},
	)
	for i := range w.Seats {
		w.Seats[i].Known = 0
	}
	missed(t, row{name: "never stopping: seat calls", got: figure(asking(w, eval.AskAll), calls), target: 3.6, atMost: true})
}

func TestRowsNoticeBrokenRecommendation(t *testing.T) {
	whole(t)
	t.Parallel()
	ahead := regret(func(r advice.Recommendation) bool { return r.PanelOnly >= r.SingleOnly }, .10, .45)
	missed(t, ahead[0])
	never := regret(func(advice.Recommendation) bool { return false }, .10, .45)
	missed(t, never[1])
}

func TestRowsNoticeBrokenCalibration(t *testing.T) {
	whole(t)
	t.Parallel()
	missed(t, calibrated("slope doubled", 2, func(o []calibration.Outcome) verdict.Calibration {
		c := calibration.Fit(o)
		c.Slope *= 2
		return c
	}))
	missed(t, calibrated("shift of the wrong sign", 2, func(o []calibration.Outcome) verdict.Calibration {
		c := calibration.Fit(o)
		c.Shift = -c.Shift - 1
		return c
	}))
}
