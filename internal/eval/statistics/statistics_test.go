package statistics_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/socrates-cli/socrates/internal/eval/calibration"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

// TestMcNemarPublished: the first example of R's exact2x2 package (Fay), the table 21 9 / 2 12, has p = 0.06543.
func TestMcNemarPublished(t *testing.T) {
	for _, c := range []struct {
		one, other int
		want       float64
	}{{9, 2, .06543}, {2, 9, .06543}, {0, 0, 1}, {5, 5, 1}, {6, 0, .03125}, {0, 1, 1}} {
		if got := statistics.McNemar(c.one, c.other); !near(got, c.want, 5e-6) {
			t.Errorf("%d and %d: p = %g, published %g", c.one, c.other, got, c.want)
		}
	}
}

// TestHolmPublished: the worked example of the article "Holm-Bonferroni method", p = .01 .04 .03 .005, of which at 5 %
// the first and the last are found; the adjusted values follow from its definition 8.
func TestHolmPublished(t *testing.T) {
	got := statistics.Holm([]float64{.01, .04, .03, .005})
	for i, want := range []float64{.03, .06, .06, .02} {
		if !near(got[i], want, 1e-12) {
			t.Errorf("%v, published .03 .06 .06 .02", got)
		}
	}
	if got := statistics.Holm([]float64{.5, .9}); got[0] != 1 || got[1] != 1 {
		t.Errorf("above 1: %v", got)
	}
	if len(statistics.Holm(nil)) != 0 {
		t.Error("nothing gives something")
	}
}

// TestAgreementPublished: the worked example of the article "Fleiss' kappa", ten items and fourteen raters, kappa
// .210; and four seats, ten claims and one objection, where raw is 95 % and Gwet's AC1 .947 while kappa falls below 0.
func TestAgreementPublished(t *testing.T) {
	a := statistics.Agree([][]int{{0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0}, {2, 2, 8, 1, 1},
		{7, 7, 0, 0, 0}, {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2}, {6, 5, 2, 1, 0}, {0, 2, 2, 3, 7}})
	if !near(a.Raw, .378, 5e-4) || !near(a.Fleiss, .210, 5e-4) {
		t.Errorf("%+v, published raw .378, kappa .210", a)
	}
	claims := [][]int{{3, 1}}
	for range 9 {
		claims = append(claims, []int{4, 0})
	}
	if a = statistics.Agree(claims); !near(a.Raw, .95, 1e-9) || !near(a.AC1, .947, 5e-4) || a.Fleiss > 0 {
		t.Errorf("%+v, want raw .950, AC1 .947 and a kappa that breaks down", a)
	}
	if a = statistics.Agree([][]int{{3, 0}, {3, 0}}); a != (statistics.Agreement{Raw: 1, Fleiss: 1, AC1: 1}) {
		t.Errorf("perfect: %+v", a)
	}
	if statistics.Agree([][]int{{1, 0}}) != (statistics.Agreement{}) {
		t.Error("one rater agrees with nobody")
	}
}

func TestMistakes(t *testing.T) {
	classes := [][]string{{"A", "A", "A"}, {"B", "B", "A"}, {"B", "B", "B"}, {"", "C", "A"}}
	right := make([][]bool, len(classes))
	for i, said := range classes {
		for _, s := range said {
			right[i] = append(right[i], s == "A")
		}
	}
	e := statistics.Mistakes(classes, right)
	// Both wrong: items 2 (1 pair, same), 3 (3 pairs, same), 4 (1 pair, not the same).
	if !near(e.Same.Value, 4./5, 1e-12) || !near(e.AllWrong.Value, .25, 1e-12) || e.Seats != 3 || e.Items != 4 {
		t.Errorf("%+v", e)
	}
	// The first two are right and wrong together; with the third each correlates by 1/3.
	phi := (1 + 1./3 + 1./3) / 3
	if !near(e.Correlation, phi, 1e-12) || !near(e.Effective, 3/(1+2*phi), 1e-12) {
		t.Errorf("correlation %g, effective %g; want %g, %g", e.Correlation, e.Effective, phi, 3/(1+2*phi))
	}
	if e := statistics.Mistakes(nil, nil); e.Effective != 0 || e.Items != 0 {
		t.Errorf("nothing: %+v", e)
	}
}

// TestDifferenceAgainstTheory: for large samples the bootstrap of a paired difference is the normal interval.
func TestDifferenceAgainstTheory(t *testing.T) {
	const n = 1000
	a, b, strata := make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		a[i], b[i] = 0, 0
		switch {
		case i < 150:
			b[i] = 1
		case i < 250:
			a[i] = 1
		}
		strata[i] = fmt.Sprint(i < 250)
	}
	got := statistics.Difference(a, b, nil, 1)
	sd := math.Sqrt((.25 - .05*.05) / n)
	if !near(got.Value, .05, 1e-12) || !near(got.Low, .05-1.96*sd, .0015) || !near(got.High, .05+1.96*sd, .0015) {
		t.Errorf("%v, by theory [%g, %g]", got, .05-1.96*sd, .05+1.96*sd)
	}
	if again := statistics.Difference(a, b, nil, 1); again != got {
		t.Errorf("the same seed gives %v and %v", got, again)
	}
	// Within strata only what varies inside them is left: here the 250 items the arms differ on.
	within := statistics.Difference(a, b, strata, 1)
	sd = math.Sqrt(.25 * (1 - .2*.2) / n)
	if !near(within.Low, .05-1.96*sd, .0015) || !near(within.High, .05+1.96*sd, .0015) || within.High-within.Low > got.High-got.Low {
		t.Errorf("stratified %v, by theory [%g, %g]", within, .05-1.96*sd, .05+1.96*sd)
	}
	if e := statistics.Difference(nil, nil, nil, 1); e.Low != -1 || e.High != 1 {
		t.Errorf("nothing: %v", e)
	}
}

// TestDifferenceAgainstEnumeration draws every sample of four items.
func TestDifferenceAgainstEnumeration(t *testing.T) {
	a, b := []float64{0, 0, 0, 1}, []float64{1, 1, 0, 0}
	d := []float64{1, 1, 0, -1}
	var all []float64
	for code := range 256 {
		all = append(all, (d[code&3]+d[code>>2&3]+d[code>>4&3]+d[code>>6&3])/4)
	}
	below := func(x float64) (share float64) {
		for _, v := range all {
			if v <= x {
				share += 1. / 256
			}
		}
		return share
	}
	got := statistics.Difference(a, b, nil, 3)
	if got.Value != .25 || below(got.Low) < .025 || below(got.Low-.25) > .025 || below(got.High) < .975 || below(got.High-.25) > .975 {
		t.Errorf("%v; %g lie at or below the low end, %g at or below the high one", got, below(got.Low), below(got.High))
	}
}

// TestVisible: a bench of 20 items cannot see anything below about 35 points; and what is visible is what is needed.
func TestVisible(t *testing.T) {
	if got := statistics.Visible(20, 0); !near(got, .35, .005) {
		t.Errorf("20 items show %g", got)
	}
	for _, c := range []struct {
		n           int
		discordance float64
	}{{312, .10}, {1306, .15}, {305, .25}} {
		d := statistics.Visible(c.n, c.discordance)
		if statistics.Needed(c.discordance, d) > c.n || statistics.Needed(c.discordance, d-.001) <= c.n {
			t.Errorf("%d items at %g show %g, which takes %d", c.n, c.discordance, d, statistics.Needed(c.discordance, d))
		}
	}
	if statistics.Visible(0, .1) != 1 || statistics.Visible(2, .1) != 1 {
		t.Error("nothing shows something")
	}
}

func TestRiskCoverage(t *testing.T) {
	out := []calibration.Outcome{{P: .9, Credit: 1}, {P: .7, Credit: 0}, {P: .8, Credit: 1}, {P: .1, Credit: 0}}
	curve, area := calibration.RiskCoverage(out)
	want := []calibration.Point{{Coverage: .25}, {Coverage: .5}, {Coverage: .75, Risk: 1. / 3}, {Coverage: 1, Risk: .5}}
	for i, p := range want {
		if len(curve) != 4 || !near(curve[i].Coverage, p.Coverage, 1e-12) || !near(curve[i].Risk, p.Risk, 1e-12) {
			t.Fatalf("%v, want %v", curve, want)
		}
	}
	if !near(area, (0+0+1./3+.5)/4, 1e-12) {
		t.Errorf("area %g", area)
	}
	// All are as sure: on average any order risks what all risk.
	for i := range out {
		out[i].P = .5
	}
	if curve, area = calibration.RiskCoverage(out); len(curve) != 1 || !near(area, .5, 1e-12) {
		t.Errorf("level: %v, area %g", curve, area)
	}
	if curve, area = calibration.RiskCoverage(nil); curve != nil || area != 0 {
		t.Errorf("nothing: %v, %g", curve, area)
	}
}

// TestBrierAndECEByHand: the article "Brier score" scores a forecast of 70 % before rain .09, and one of 30 % .49.
func TestBrierAndECEByHand(t *testing.T) {
	if got := calibration.Brier([]calibration.Outcome{{P: .7, Credit: 1}}); !near(got, .09, 1e-12) {
		t.Errorf("70 %% and rain: %g", got)
	}
	if got := calibration.Brier([]calibration.Outcome{{P: .3, Credit: 1}, {P: .7, Credit: 1}}); !near(got, (.49+.09)/2, 1e-12) {
		t.Errorf("both: %g", got)
	}
	out := []calibration.Outcome{{P: .95, Credit: 1}, {P: .95, Credit: 0}, {P: .15, Credit: 0}, {P: .15, Credit: 0}}
	if got := calibration.ECE(out); !near(got, (2*.45+2*.15)/4, 1e-12) {
		t.Errorf("ECE %g", got)
	}
	i := calibration.ECEInterval(out, 1)
	if i.Value != calibration.ECE(out) || i.Low > i.Value || i.High < i.Value || i != calibration.ECEInterval(out, 1) || i == calibration.ECEInterval(out, 2) && i.Low == i.High {
		t.Errorf("interval %v", i)
	}
	if i = calibration.ECEInterval(nil, 1); i != (statistics.Interval{High: 1}) {
		t.Errorf("nothing: %v", i)
	}
}

func TestPercentile(t *testing.T) {
	for _, c := range []struct{ q, want float64 }{{0, 1}, {.5, 2.5}, {1, 4}, {.95, 3.85}} {
		if got := statistics.Percentile([]float64{1, 2, 3, 4}, c.q); !near(got, c.want, 1e-12) {
			t.Errorf("%g: %g, want %g", c.q, got, c.want)
		}
	}
	if statistics.Percentile(nil, .5) != 0 {
		t.Error("nothing has a middle")
	}
}
