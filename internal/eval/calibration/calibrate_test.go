package calibration_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/eval/calibration"
)

func TestNoOutcomesChangeNothing(t *testing.T) {
	c := calibration.Fit(nil)
	for _, p := range []float64{.01, .25, .5, .9} {
		if math.Abs(c.Apply(p)-p) > 1e-9 {
			t.Errorf("%g became %g", p, c.Apply(p))
		}
	}
	if c.Trusted() || !calibration.Fit(make([]calibration.Outcome, 50)).Trusted() {
		t.Error("50 outcomes make a calibration, fewer do not")
	}
}

// TestFitFindsTheTruth gives outcomes whose odds are the stated ones, halved and shifted.
func TestFitFindsTheTruth(t *testing.T) {
	truth := verdict.Calibration{Shift: .4, Slope: .5}
	var seen []calibration.Outcome
	for i := range 20_000 {
		p := .02 + .96*float64(i)/20_000
		seen = append(seen, calibration.Outcome{P: p, Credit: truth.Apply(p)})
	}
	c := calibration.Fit(seen)
	if math.Abs(c.Shift-.4) > .01 || math.Abs(c.Slope-.5) > .01 {
		t.Errorf("learned %+v from %+v", c, truth)
	}
	if before, after := calibration.Brier(seen), calibration.Brier(applied(c, seen)); after >= before {
		t.Errorf("Brier rose from %g to %g", before, after)
	}
}

func applied(c verdict.Calibration, seen []calibration.Outcome) []calibration.Outcome {
	out := slices.Clone(seen)
	for i := range out {
		out[i].P = c.Apply(out[i].P)
	}
	return out
}

func TestCalibrationRisesAndStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outcome := rapid.Custom(func(t *rapid.T) calibration.Outcome {
			return calibration.Outcome{P: rapid.Float64Range(0, 1).Draw(t, "p"), Credit: rapid.SampledFrom([]float64{0, .5, 1}).Draw(t, "credit")}
		})
		c := calibration.Fit(rapid.SliceOfN(outcome, 0, 300).Draw(t, "outcomes"))
		last := 0.0
		for i := range 101 {
			p := c.Apply(float64(i) / 100)
			if !(p >= last-1e-12 && p <= 1) {
				t.Fatalf("%+v maps %d%% to %g after %g", c, i, p, last)
			}
			last = p
		}
	})
}

func TestErrorsOfCalibration(t *testing.T) {
	for _, c := range []struct {
		name       string
		seen       []calibration.Outcome
		ece, brier float64
	}{
		{"nothing", nil, 0, 0},
		{"sure and right", []calibration.Outcome{{P: 1, Credit: 1}}, 0, 0},
		{"sure and wrong", []calibration.Outcome{{P: 1, Credit: 0}}, 1, 1},
		{"half right at a half", []calibration.Outcome{{P: .5, Credit: 1}, {P: .5, Credit: 0}}, 0, .25},
		{"bins do not cancel", []calibration.Outcome{{P: .05, Credit: 1}, {P: .95, Credit: 0}}, .95, .9025},
		{"within a bin they do", []calibration.Outcome{{P: .62, Credit: 1}, {P: .68, Credit: 0}}, .15, (.38*.38 + .68*.68) / 2},
	} {
		if e, b := calibration.ECE(c.seen), calibration.Brier(c.seen); math.Abs(e-c.ece) > 1e-9 || math.Abs(b-c.brier) > 1e-9 {
			t.Errorf("%s: ECE %g, Brier %g, want %g and %g", c.name, e, b, c.ece, c.brier)
		}
	}
}
