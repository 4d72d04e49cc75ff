package verdict_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// odds is an option's unnormalised chance.
type odds struct {
	option string
	odds   float64
}

// bruteForce multiplies the odds of a ledger out, vote by vote, best first.
func bruteForce(l verdict.Ledger) []odds {
	var out []odds
	for _, o := range l.Options {
		x := odds{o.Key, 1}
		for _, v := range l.Votes {
			if v.Status != verdict.Voted || v.Option != o.Key {
				continue
			}
			alike := 0
			for _, w := range l.Votes {
				if w.Lineage == v.Lineage {
					alike++
				}
			}
			x.odds *= math.Pow(.7/.3, 1/(1+.5*float64(alike-1)))
		}
		for _, k := range l.Checks {
			if c := l.Claim(k.Claim); c.Option == o.Key && c.Supports {
				x.odds *= k.Ratio
			} else if c.Option == o.Key {
				x.odds /= k.Ratio
			}
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b odds) int {
		if math.Abs(a.odds-b.odds) < 1e-9 {
			return strings.Compare(a.option, b.option)
		}
		if a.odds > b.odds {
			return -1
		}
		return 1
	})
	return out
}

// panels are all ways up to four seats, of up to two lineages, can vote for one of three options, abstain or fail.
func panels() []verdict.Ledger {
	var out []verdict.Ledger
	for n := 1; n <= 4; n++ {
		for mix := range int(math.Pow(5, float64(n))) {
			for lineages := range 1 << (n - 1) {
				choices, m := "", mix
				for range n {
					choices += string("ABC-."[m%5])
					m /= 5
				}
				l := votes(choices)
				l.Options = l.Options[:3]
				for i := range l.Votes {
					l.Votes[i].Lineage = fmt.Sprint("l", lineages>>i&1)
				}
				out = append(out, l)
			}
		}
	}
	return out
}

func TestPosteriorAgainstBruteForce(t *testing.T) {
	for i, l := range panels() {
		if i%2 == 0 {
			l = check(check(l, "A", 3), "B", 1./3)
			l.Claims = append(l.Claims, verdict.Claim{ID: "cx", Option: "C"}) // against C
			l.Checks = append(l.Checks, verdict.Check{ID: "kx", Claim: "cx", Result: verdict.Pass, Grade: verdict.Fetched, Ratio: 2})
		}
		want, got := bruteForce(l), verdict.Posterior(l, rules)
		var sum float64
		for _, w := range want {
			sum += w.odds
		}
		for j, w := range want {
			if got[j].Option != w.option || !near(got[j].P, w.odds/sum) {
				t.Fatalf("belief %d is %s %g, by hand %s %g: %s", j, got[j].Option, got[j].P, w.option, w.odds/sum, bytesOf(t, l))
			}
		}
	}
}

// TestSupportAgainstBruteForce tallies in whole sixths: with two lineages of at most four seats at r = .5 a seat
// weighs 1, 2/3, 1/2 or 2/5, that is 30, 20, 15 or 12 thirtieths.
func TestSupportAgainstBruteForce(t *testing.T) {
	thirtieths := []int{0, 30, 20, 15, 12}
	for _, l := range panels() {
		perLineage := map[string]int{}
		for _, v := range l.Votes {
			perLineage[v.Lineage]++
		}
		v := verdict.Decide(l, rules)
		if v.Panel.Voted == 0 {
			continue
		}
		var favour, voted, all int
		for _, x := range l.Votes {
			w := thirtieths[perLineage[x.Lineage]]
			all += w
			if x.Status == verdict.Voted {
				voted += w
				if x.Option == leader(v) {
					favour += w
				}
			}
		}
		if !near(v.Score.Support, float64(favour)/float64(all)) || !near(v.Score.Coverage, float64(voted)/float64(all)) {
			t.Fatalf("support %g, coverage %g, by hand %d and %d of %d: %s", v.Score.Support, v.Score.Coverage, favour, voted, all, bytesOf(t, l))
		}
	}
}

func TestSwitchesNeverMoveTheWinner(t *testing.T) {
	l := votes("AAABB")
	l.Switches = []verdict.Switch{{Seat: "sa", From: "A", To: "B", Supported: true}, {Seat: "sb", From: "A", To: "B", Supported: true}}
	if v := verdict.Decide(l, rules); v.Winner != "A" || !near(v.Score.Support, .2) {
		t.Errorf("winner %s with support %g, want A with .2", v.Winner, v.Score.Support)
	}
	l.Switches[0].Supported, l.Switches[1].Supported = false, false
	if v := verdict.Decide(l, rules); !near(v.Score.Support, .6) {
		t.Errorf("unsupported switches moved support to %g", v.Score.Support)
	}
}

func TestNextCheck(t *testing.T) {
	anything := func(string) bool { return true }
	twice := check(check(votes("AAB"), "A", 1), "A", 1)
	skipped := check(check(votes("AAB"), "A", 1), "A", 1)
	skipped.Checks[0].Result = verdict.Skipped
	quoted := check(check(votes("AAB"), "A", 1), "A", 1)
	quoted.Checks[0].Grade = verdict.Matched
	for _, c := range []struct {
		name string
		l    verdict.Ledger
		can  func(string) bool
		want string
	}{
		{"the most probable first", votes("AAB"), anything, "A"},
		{"level ones in order of key", votes("BA"), anything, "A"},
		{"one in the lead by a check", check(votes("AAB"), "B", 9), anything, "B"},
		{"only what can be checked", votes("AAB"), func(o string) bool { return o == "B" }, "B"},
		{"two checks are enough", twice, anything, "B"},
		{"a skipped check costs nothing", skipped, anything, "A"},
		{"nor does a quote nobody judged", quoted, anything, "A"},
		{"nobody voted for it", votes("AAB"), func(o string) bool { return o == "C" }, ""},
		{"sure enough", check(votes("AAAAB"), "A", 9), anything, ""},
		{"nothing to check", votes("AAB"), func(string) bool { return false }, ""},
		{"no votes", votes("--"), anything, ""},
		{"no options", verdict.Ledger{}, anything, ""},
	} {
		if got := verdict.NextCheck(c.l, rules, c.can); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSettledAgainstBruteForce asks, for every panel and every accuracy the seats still waiting may have, whether any
// way they can vote changes who leads.
func TestSettledAgainstBruteForce(t *testing.T) {
	lead := func(l verdict.Ledger) string {
		b := verdict.Posterior(l, rules)
		if b[0].P-b[1].P < 1e-9 {
			return "level"
		}
		return b[0].Option
	}
	settled, open := 0, 0
	for _, early := range []float64{.9, .7, .6} {
		for _, late := range []float64{.95, .7, .4} {
			for mix := range 3 * 3 * 3 * 3 * 3 {
				for waiting := 1; waiting <= 3; waiting++ {
					l := votes("AAAAA")
					l.Options = l.Options[:3]
					m := mix
					for i := range l.Votes {
						l.Votes[i].Option, l.Votes[i].Accuracy = string(rune('A'+m%3)), early
						l.Votes[i].Lineage = []string{"v", "w", "w", "x", "w"}[i]
						if i >= 5-waiting {
							l.Votes[i].Accuracy = late
						}
						m /= 3
					}
					asked := l
					asked.Votes = l.Votes[:5-waiting]
					if !verdict.Settled(asked, rules, l.Votes[5-waiting:]...) {
						open++
						continue
					}
					settled++
					silent := l
					silent.Votes = slices.Clone(l.Votes)
					for i := 5 - waiting; i < 5; i++ {
						silent.Votes[i].Status = verdict.Failed
					}
					if lead(l) != lead(silent) {
						t.Fatalf("called settled with %d waiting, yet %s became %s: %s", waiting, lead(silent), lead(l), bytesOf(t, l))
					}
				}
			}
		}
	}
	if settled < 100 || open < 100 {
		t.Errorf("%d settled and %d open panels show little", settled, open)
	}
}

func TestControls(t *testing.T) {
	for _, c := range []struct {
		name string
		seen verdict.Controls
		want verdict.Ratio
		ok   bool
	}{
		{"too few", verdict.Controls{Good: 29, GoodPassed: 29, Bad: 100}, verdict.Ratio{}, false},
		{"too few wrong ones", verdict.Controls{Good: 100, GoodPassed: 90, Bad: 29}, verdict.Ratio{}, false},
		{"a sharp checker", verdict.Controls{Good: 30, GoodPassed: 30, Bad: 30}, verdict.Ratio{Pass: 31, Fail: 1. / 31}, true},
		{"a usual one", verdict.Controls{Good: 98, GoodPassed: 89, Bad: 98, BadPassed: 29}, verdict.Ratio{Pass: 3, Fail: .1 / .7}, true},
		{"passes everything", verdict.Controls{Good: 30, GoodPassed: 30, Bad: 30, BadPassed: 30}, verdict.Ratio{Pass: 1, Fail: 1}, true},
		{"passes nothing", verdict.Controls{Good: 30, Bad: 30}, verdict.Ratio{Pass: 1, Fail: 1}, true},
		{"chance", verdict.Controls{Good: 30, GoodPassed: 18, Bad: 30, BadPassed: 13}, verdict.Ratio{Pass: 1, Fail: 1}, true},
		{"upside down", verdict.Controls{Good: 30, Bad: 30, BadPassed: 30}, verdict.Ratio{Pass: 1, Fail: 1}, true},
	} {
		got, ok := c.seen.Measure()
		if ok != c.ok || !near(got.Pass, c.want.Pass) || !near(got.Fail, c.want.Fail) {
			t.Errorf("%s: %v %v, want %v %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

// Since rules version 4 it takes a hundred of each kind, what they found is drawn towards 1:1, and nothing counts more than 5:1.
func TestLearnedControls(t *testing.T) {
	usual := verdict.DefaultRules().Ratios[verdict.Entailed]
	for _, c := range []struct {
		name string
		seen verdict.Controls
		want verdict.Ratio
	}{
		{"too few", verdict.Controls{Good: 99, GoodPassed: 90, Bad: 500, BadPassed: 10}, usual},
		{"a usual one", verdict.Controls{Good: 180, GoodPassed: 149, Bad: 180, BadPassed: 49}, verdict.Ratio{Pass: math.Pow(3, .9), Fail: math.Pow(8./33, .9)}},
		{"as many as the rarer kind", verdict.Controls{Good: 180, GoodPassed: 149, Bad: 400, BadPassed: 133}, verdict.Ratio{Pass: math.Pow(150./182*402/134, .9), Fail: math.Pow(32./182*402/268, .9)}},
		{"a sharp checker", verdict.Controls{Good: 900, GoodPassed: 900, Bad: 900}, verdict.Ratio{Pass: 5, Fail: .2}},
		{"chance", verdict.Controls{Good: 180, GoodPassed: 90, Bad: 180, BadPassed: 88}, verdict.Ratio{Pass: 1, Fail: 1}},
	} {
		got := verdict.DefaultRules().WithControls(map[verdict.Grade]verdict.Controls{verdict.Entailed: c.seen}).Ratios[verdict.Entailed]
		if !near(got.Pass, c.want.Pass) || !near(got.Fail, c.want.Fail) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
