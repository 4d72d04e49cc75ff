package verdict_test

import (
	"fmt"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// crowd is a ledger of many seats in ten lineages, each with a stance on every claim.
func crowd(seats, claims, checks int) verdict.Ledger {
	l := verdict.Ledger{Options: votes("").Options}
	for i := range seats {
		l.Votes = append(l.Votes, verdict.Vote{
			Seat: fmt.Sprint("s", i), Lineage: fmt.Sprint("l", i%10), Status: verdict.Voted, Option: string("AABC"[i%4]),
		})
	}
	for i := range claims {
		c := verdict.Claim{
			ID: fmt.Sprint("c", i), Seat: fmt.Sprint("s", i%seats), Option: string("ABCD"[i%4]), Supports: i%3 > 0,
			Impact: []int{1, 2, 5}[i%3], Put: true, Stances: map[string]verdict.Stance{},
		}
		for s := range seats {
			c.Stances[fmt.Sprint("s", s)] = verdict.Stance{Verb: verbs[(i+s)%len(verbs)], Impact: (i + s) % 3}
		}
		l.Claims = append(l.Claims, c)
	}
	for i := range checks {
		l.Checks = append(l.Checks, verdict.Check{
			ID: fmt.Sprint("k", i), Claim: fmt.Sprint("c", i*claims/checks), Grade: verdict.Executed,
			Result: []string{verdict.Pass, verdict.Fail}[i%2], Ratio: []float64{3, 1. / 3}[i%2],
		})
	}
	return l
}

func BenchmarkDecide(b *testing.B) {
	for _, size := range [][3]int{{5, 20, 5}, {10, 200, 40}, {50, 1000, 200}, {50, 2000, 400}, {100, 1000, 200}} {
		l := crowd(size[0], size[1], size[2])
		b.Run(fmt.Sprintf("%dseats/%dclaims/%dchecks", size[0], size[1], size[2]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				verdict.Decide(l, rules)
			}
		})
	}
}

func BenchmarkNextCheck(b *testing.B) {
	l := crowd(50, 1000, 200)
	r := rules
	r.StopAt, r.ChecksPerOption = 2, 1000
	b.ReportAllocs()
	for b.Loop() {
		verdict.NextCheck(l, r, func(string) bool { return true })
	}
}

func BenchmarkPosterior(b *testing.B) {
	l := crowd(5, 4, 4)
	b.ReportAllocs()
	for b.Loop() {
		verdict.Posterior(l, rules)
	}
}
