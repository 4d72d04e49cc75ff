package advice_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/socrates-cli/socrates/internal/eval/advice"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// outcomes lays out n items of which the panel alone got some and the single alone others right.
func outcomes(n, panelOnly, singleOnly int) (single, panel []bool) {
	single, panel = make([]bool, n), make([]bool, n)
	for i := range n {
		single[i] = i >= panelOnly
		panel[i] = i < panelOnly || i >= panelOnly+singleOnly
	}
	return single, panel
}

func TestRecommend(t *testing.T) {
	for _, c := range []struct {
		name                     string
		n, panelOnly, singleOnly int
		want                     advice.Choice
	}{
		{"clearly better", 100, 20, 5, advice.UsePanel},
		{"clearly worse", 100, 5, 20, advice.UseSingle},
		{"never differs", 100, 0, 0, advice.Inconclusive},
		{"level", 100, 10, 10, advice.Inconclusive},
		{"slightly better", 50, 5, 4, advice.Inconclusive},
		{"three of four, beyond .80", 50, 3, 1, advice.UsePanel},
		{"two of two on few items", 29, 2, 0, advice.Inconclusive},
		{"two of two", 30, 2, 0, advice.UsePanel},
		{"nothing", 0, 0, 0, advice.Inconclusive},
	} {
		r := advice.Recommend(outcomes(c.n, c.panelOnly, c.singleOnly))
		if r.Choice != c.want || r.PanelOnly != c.panelOnly || r.SingleOnly != c.singleOnly || (r.Choice == advice.Inconclusive) != (r.More > 0) {
			t.Errorf("%s: %+v, want %s", c.name, r, c.want)
		}
		single, panel := outcomes(c.n, c.panelOnly, c.singleOnly)
		if back := advice.Recommend(panel, single); math.Abs(back.Better+r.Better-1) > 1e-9 || back.McNemar != r.McNemar {
			t.Errorf("%s: the arms exchanged give %+v for %+v", c.name, back, r)
		}
	}
	if r := advice.Recommend(make([]bool, 40), make([]bool, 35)); r.Items != 35 {
		t.Errorf("items beyond the shorter arm count: %+v", r)
	}
}

// TestMcNemarAgainstEnumeration throws every sequence of fair coins.
func TestMcNemarAgainstEnumeration(t *testing.T) {
	for n := range 13 {
		for b := range n + 1 {
			extreme, fewer := 0, 0
			for coins := range uint(1) << n {
				heads := bits.OnesCount(coins)
				if min(heads, n-heads) <= min(b, n-b) {
					extreme++
				}
			}
			for coins := range uint(1) << (n + 1) {
				if bits.OnesCount(coins) <= b {
					fewer++
				}
			}
			r := advice.Recommend(outcomes(40, b, n-b))
			if p := float64(extreme) / float64(uint(1)<<n); math.Abs(r.McNemar-p) > 1e-9 {
				t.Errorf("%d of %d: p = %g, by enumeration %g", b, n, r.McNemar, p)
			}
			if p := float64(fewer) / float64(uint(1)<<(n+1)); math.Abs(r.Better-p) > 1e-9 {
				t.Errorf("%d of %d: better with %g, by enumeration %g", b, n, r.Better, p)
			}
		}
	}
}

func TestNeededItems(t *testing.T) {
	for _, c := range []struct {
		discordance, difference float64
		want                    int
	}{{.10, .05, 312}, {.10, .03, 870}, {.15, .05, 469}, {.15, .03, 1306}, {.25, .05, 783}, {.25, .03, 2178},
		{.10, .08, 121}, {.15, .08, 182}, {.25, .08, 305}, {.10, -.05, 312}, {.1, 0, math.MaxInt32}, {math.NaN(), .1, math.MaxInt32}} {
		if got := statistics.Needed(c.discordance, c.difference); got != c.want {
			t.Errorf("discordance %g, difference %g: %d items, want %d", c.discordance, c.difference, got, c.want)
		}
	}
}

// TestSettled: level arms are settled once the items would have shown three points, and not before.
func TestSettled(t *testing.T) {
	for _, c := range []struct {
		n, panelOnly, singleOnly int
		want                     bool
	}{{1500, 115, 111, true}, {500, 40, 38, false}, {1500, 200, 100, false}, {29, 0, 0, false}, {0, 0, 0, false}} {
		if r := advice.Recommend(outcomes(c.n, c.panelOnly, c.singleOnly)); r.Settled() != c.want {
			t.Errorf("%+v: settled %t", r, r.Settled())
		}
	}
}

// TestMore: how many items are missing allows for a larger share of differences than a short run has shown.
func TestMore(t *testing.T) {
	if r := advice.Recommend(outcomes(10, 0, 0)); r.Choice != advice.Inconclusive || r.More != 1234 {
		t.Errorf("%+v", r)
	}
}
