package eval_test

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/eval"
)

// Published and earlier figures are about one claim for each option, checked once or twice. The rules of version 3 play that.

// elderRules are the shipped rules of version 3, which still score the records of their time.
func elderRules(tb testing.TB) verdict.Rules {
	tb.Helper()
	raw, err := os.ReadFile("../../debate/verdict/testdata/rules-3.json")
	var r verdict.Rules
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// oncePerOption are those rules with one check for each named option.
func oncePerOption(tb testing.TB) verdict.Rules {
	r := elderRules(tb)
	r.ChecksPerOption, r.StopAt = 1, 2
	return r
}

// passed says whether the n-th check of an option would pass. The same item gives the same answer.
func passed(c eval.Checker, it eval.Item, option, n int) bool {
	sum := fnv.New64a()
	sum.Write([]byte(it.Key))
	rate := c.FalsePass
	if option == it.Truth {
		rate = c.TruePass
	}
	return rand.New(rand.NewPCG(sum.Sum64(), uint64(8*option+n))).Float64() < rate
}

// elder decides an item by rules that know options only.
func elder(c eval.Council, it eval.Item) (credit float64, checks int) {
	l := c.Ask(it)
	l.Claims = nil
	for _, v := range l.Votes {
		if v.Option != "" && l.Claim("c"+v.Option) == nil {
			l.Claims = append(l.Claims, verdict.Claim{ID: "c" + v.Option, Seat: v.Seat, Option: v.Option, Supports: true})
		}
	}
	spent := map[string]int{}
	for it.Checkable && l.Disagree() {
		key := verdict.NextCheck(l, c.Rules, func(string) bool { return true })
		if key == "" {
			break
		}
		k := verdict.Check{Claim: "c" + key, Result: verdict.Fail, Grade: verdict.Executed}
		if passed(c.World.Checker, it, int(key[0]-'A'), spent[key]) {
			k.Result = verdict.Pass
		}
		spent[key]++
		k.Ratio = c.Rules.Ratio(k.Grade, k.Result)
		l.Checks = append(l.Checks, k)
	}
	return eval.Credit(verdict.Posterior(l, c.Rules), it.Truth), len(l.Checks)
}
