package eval_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

func TestSameSeedSameWorld(t *testing.T) {
	a, b, c := eval.Seed(1), eval.Seed(1), eval.Seed(2)
	w := eval.Reference()
	differ := false
	for range 100 {
		x, y, z := w.Draw(a), w.Draw(b), w.Draw(c)
		if !reflect.DeepEqual(x, y) {
			t.Fatal("the same seed drew two worlds")
		}
		differ = differ || !reflect.DeepEqual(x, z)
	}
	if !differ {
		t.Error("two seeds drew one world")
	}
}

// TestWorldKeepsItsWord measures what a world is made of: each share must lie in its own 99.99 % interval.
func TestWorldKeepsItsWord(t *testing.T) {
	t.Parallel()
	const n = 100_000
	w := eval.Latent(.25, .9, .8, .7, .6)
	w.Family = .45
	w.Seats[1].Lineage = w.Seats[0].Lineage
	w.Checkable = .4
	rng := eval.Seed(3)
	right, alike, strangers := make([]float64, 4), 0.0, 0.0
	var wrong, lured, checkable, passed, falsely, rightly, wrongly, truths float64
	for range n {
		it := w.Draw(rng)
		for s, v := range it.Votes {
			if v == it.Truth {
				right[s]++
				continue
			}
			wrong++
			if v == it.Lure {
				lured++
			}
		}
		if it.Votes[0] != it.Truth && it.Votes[1] != it.Truth {
			alike++
		}
		if it.Votes[0] != it.Truth && it.Votes[2] != it.Truth {
			strangers++
		}
		if it.Checkable {
			checkable++
		}
		if it.Checkable != (it.Claims != nil) {
			t.Fatal("a question that cannot be checked has claims, or the other way round")
		}
		for s, claims := range it.Claims {
			for _, c := range claims {
				if c.Option != it.Votes[s] || !c.Supports || len(claims) != 3 {
					t.Fatal("an honest seat claims something else than three times its vote")
				}
				judge := (s + 1) % len(it.Votes)
				switch {
				case c.Option == it.Truth && c.Says[judge]:
					passed++
				case c.Says[judge]:
					falsely++
				}
				if c.Option == it.Truth {
					rightly++
				} else {
					wrongly++
				}
			}
		}
		if it.Truth == 0 {
			truths++
		}
	}
	for _, c := range []struct {
		name          string
		hits, n, want float64
	}{
		{"first seat", right[0], n, .9}, {"second seat", right[1], n, .8}, {"third seat", right[2], n, .7}, {"fourth seat", right[3], n, .6},
		{"wrong votes for the lure", lured, wrong, .755}, {"checkable", checkable, n, .4},
		{"claims for right options passed", passed, rightly, .9}, {"claims for wrong options passed", falsely, wrongly, .3}, {"truth is the first option", truths, n, .25},
	} {
		if got := c.hits / c.n; math.Abs(got-c.want) > 4*math.Sqrt(c.want*(1-c.want)/c.n) {
			t.Errorf("%s: %.4f, want %g", c.name, got, c.want)
		}
	}
	// Two seats of one lineage err together more often than two of different ones, although those err more.
	if alike <= strangers || strangers/n <= .1*.3*1.2 {
		t.Errorf("both wrong: kin %.4f, strangers %.4f", alike/n, strangers/n)
	}
}

func TestMajority(t *testing.T) {
	for _, c := range []struct {
		votes []int
		want  float64
		named bool
	}{
		{[]int{0, 0, 1}, 1, true},
		{[]int{0, 1, 1}, 0, true},
		{[]int{0, 0, 1, 1, 2}, .5, true},
		{[]int{0, 1, 2}, 1. / 3, true},
		{[]int{1, 1, 2}, 0, false},
	} {
		it := eval.Item{Truth: 0, Votes: c.votes}
		if it.Majority() != c.want || it.Named() != c.named {
			t.Errorf("%v: majority %g, named %v", c.votes, it.Majority(), it.Named())
		}
	}
}

func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		hits, n, low, high float64
	}{{0, 0, 0, 1}, {0, 10, 0, .2775}, {5, 10, .2366, .7634}, {10, 10, .7225, 1}, {81, 263, .2553, .3662}} {
		i := statistics.Wilson(c.hits, c.n)
		if math.Abs(i.Low-c.low) > 1e-4 || math.Abs(i.High-c.high) > 1e-4 || i.Value < i.Low || i.Value > i.High {
			t.Errorf("%g of %g: %v, want [%g, %g]", c.hits, c.n, i, c.low, c.high)
		}
	}
	var m statistics.Mean
	if i := m.Interval(); !math.IsInf(i.High, 1) {
		t.Errorf("nothing added: %v", i)
	}
	for _, x := range []float64{1, 2, 3, 4} {
		m.Add(x)
	}
	if i := m.Interval(); i.Value != 2.5 || math.Abs(i.High-(2.5+1.959964*math.Sqrt(5./3/4))) > 1e-9 || m.N() != 4 {
		t.Errorf("mean of 1 to 4: %v", i)
	}
}
