package budget_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// perToken costs a dollar for each token, read or written.
var perToken = llm.Info{Price: cost.Price{Input: 1e6, Output: 1e6, Known: true}}

// request may take n tokens; n is at least what any request takes.
func request(n int) llm.Request {
	return llm.Request{MaxTokens: n - llm.Request{}.Tokens()}
}

func used(n int) cost.Usage { return cost.Usage{Output: n, USD: float64(n)} }

func TestBound(t *testing.T) {
	in := llm.Request{}.Tokens()
	text := llm.Request{System: strings.Repeat("x", 3000), MaxTokens: 50}
	for _, c := range []struct {
		name   string
		info   llm.Info
		req    llm.Request
		usd    float64
		tokens int
	}{
		{"no price is known", llm.Info{}, llm.Request{MaxTokens: 10}, 0, in + 10},
		{"the answer has a price of its own", llm.Info{Price: cost.Price{Output: 2e6}}, llm.Request{MaxTokens: 10}, 20, in + 10},
		{"the request has a price of its own", llm.Info{Price: cost.Price{Input: 3e6}}, llm.Request{MaxTokens: 10}, 3 * float64(in), in + 10},
		{"it may be written to a cache that costs more", llm.Info{Price: cost.Price{Input: 1e6, CacheWrite: 2e6}}, llm.Request{}, 2 * float64(in), in},
		{"it may not be written to a cache that costs less", llm.Info{Price: cost.Price{Input: 3e6, CacheWrite: 2e6}}, llm.Request{}, 3 * float64(in), in},
		{"three bytes are a token", perToken, text, float64(in + 1050), in + 1050},
		{"a program has a prompt of its own", llm.Info{Acts: true, Price: cost.Price{Input: 1e6}}, llm.Request{}, float64(in + 30_000), in + 30_000},
	} {
		if usd, tokens := budget.Bound(c.info, c.req); usd != c.usd || tokens != c.tokens {
			t.Errorf("%s: $%v and %d tokens, not $%v and %d", c.name, usd, tokens, c.usd, c.tokens)
		}
	}
}

// A limit can be spent to its end and no further, and a refusal says what the call may cost and what is left.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name        string
		usd         float64
		tokens      int
		spent, next int
		want        string // empty: reserved
	}{
		{"no limit", 0, 0, 1_000_000, 1_000_000, ""},
		{"all dollars", 1000, 0, 0, 1000, ""},
		{"all dollars that are left", 1000, 0, 400, 600, ""},
		{"a dollar too much", 1000, 0, 0, 1001, "the next call may cost $1001.0000, but only $1000.0000 of $1000.0000 is left"},
		{"a dollar more than is left", 1000, 0, 400, 601, "the next call may cost $601.0000, but only $600.0000 of $1000.0000 is left"},
		{"dollars overspent", 1000, 0, 1400, 300, "the next call may cost $300.0000, but only $0.0000 of $1000.0000 is left"},
		{"all tokens", 0, 1000, 0, 1000, ""},
		{"all tokens that are left", 0, 1000, 400, 600, ""},
		{"a token too much", 0, 1000, 0, 1001, "the next call may take 1001 tokens, but only 1000 of 1000 are left"},
		{"a token more than is left", 0, 1000, 400, 601, "the next call may take 601 tokens, but only 600 of 1000 are left"},
		{"a limit of one is a limit", 0, 1, 0, 250, "the next call may take 250 tokens, but only 1 of 1 are left"},
		{"tokens overspent", 0, 1000, 1400, 300, "the next call may take 300 tokens, but only 0 of 1000 are left"},
		{"dollars suffice, tokens do not", 5000, 1000, 0, 1001, "the next call may take 1001 tokens, but only 1000 of 1000 are left"},
		{"tokens suffice, dollars do not", 1000, 5000, 0, 1001, "the next call may cost $1001.0000, but only $1000.0000 of $1000.0000 is left"},
	} {
		p := budget.New(c.usd, c.tokens, nil)
		p.Spend(float64(c.spent), c.spent)
		settle, err := p.Reserve(perToken, request(c.next))
		if c.want == "" {
			if err != nil || settle == nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if e, ok := errors.AsType[*budget.Empty](err); !ok || e.Error() != c.want || settle != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Sums of prices are not exact: what is short of a limit by less than a billionth of a dollar reaches it.
func TestRounding(t *testing.T) {
	cents := llm.Info{Price: cost.Price{Output: 1e5}}
	p := budget.New(0.3, 0, nil)
	for i := range 3 { // 0.1 + 0.1 + 0.1 > 0.3
		if _, err := p.Reserve(cents, llm.Request{MaxTokens: 1}); err != nil {
			t.Errorf("call %d: %v", i, err)
		}
	}
	p.Spend(-0.1, 0)
	p.Spend(1e-6, 0)
	if _, err := p.Reserve(cents, llm.Request{MaxTokens: 1}); err == nil {
		t.Error("a millionth of a dollar too much is spent")
	}
}

// What one budget refuses is taken out of none, be it the narrow one or the wide one that refuses.
func TestAllOrNone(t *testing.T) {
	for _, c := range []struct {
		name         string
		narrow, wide int
	}{{"the narrow one refuses", 999, 1000}, {"the wide one refuses", 1000, 999}} {
		wide := budget.New(0, c.wide, nil)
		narrow := budget.New(0, c.narrow, wide)
		if _, err := narrow.Reserve(perToken, request(1000)); err == nil {
			t.Errorf("%s: no error", c.name)
		}
		if _, err := narrow.Reserve(perToken, request(999)); err != nil {
			t.Errorf("%s: something was taken out: %v", c.name, err)
		}
		if _, err := wide.Reserve(perToken, request(300)); err == nil {
			t.Errorf("%s: what is reserved from the narrow one is not from the wide one", c.name)
		}
	}
}

// What was spent before counts in its own budget alone: the wide one was told of it when it was spent.
func TestSpentBefore(t *testing.T) {
	wide := budget.New(0, 1000, nil)
	narrow := budget.New(0, 5000, wide)
	narrow.Spend(0, 4500)
	if _, err := narrow.Reserve(perToken, request(501)); err == nil {
		t.Error("what was spent before is spent again")
	}
	if _, err := wide.Reserve(perToken, request(1000)); err != nil {
		t.Errorf("the wide one paid: %v", err)
	}
}

// Settling gives back in every budget what was not used, and takes what was used beyond the reservation.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		used  cost.Usage
		spent int
	}{{used(0), 0}, {used(300), 300}, {used(1000), 1000}, {used(1500), 1500},
		{cost.Usage{Input: 100, Output: 20, CacheRead: 30, CacheWrite: 50, USD: 200}, 200}} {
		for limited := range 3 { // which budget has a limit: the narrow one, the one in the middle, the wide one
			for _, tokens := range []bool{false, true} {
				var p *budget.Budget
				for i := 2; i >= 0; i-- {
					switch {
					case i != limited:
						p = budget.New(0, 0, p)
					case tokens:
						p = budget.New(0, 2000, p)
					default:
						p = budget.New(2000, 0, p)
					}
				}
				settle, err := p.Reserve(perToken, request(1000))
				if err != nil {
					t.Fatal(err)
				}
				settle(c.used)
				if _, err := p.Reserve(perToken, request(2000-c.spent+1)); err == nil {
					t.Errorf("budget %d, tokens %v, used %v: more than %d is left", limited, tokens, c.used, 2000-c.spent)
				}
				if _, err := p.Reserve(perToken, request(2000-c.spent)); err != nil {
					t.Errorf("budget %d, tokens %v, used %v: %v", limited, tokens, c.used, err)
				}
			}
		}
	}
}

// However many calls run at once, of whatever budget, no limit is exceeded, and nothing that fits is refused.
func TestNeverExceeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(300, 5000).Draw(t, "limit")
		calls := rapid.SliceOfN(rapid.IntRange(200, 1000), 1, 12).Draw(t, "calls")
		wide := budget.New(0, limit, nil)
		rooms := []*budget.Budget{budget.New(0, limit/2, wide), budget.New(float64(limit), 0, wide), wide}
		reserved := make([]int, len(calls))
		var all sync.WaitGroup
		for i, n := range calls {
			all.Go(func() {
				if _, err := rooms[i%3].Reserve(perToken, request(n)); err == nil {
					reserved[i] = n
				}
			})
		}
		all.Wait()
		total, first := 0, 0
		for i, n := range reserved {
			total += n
			if i%3 == 0 {
				first += n
			}
		}
		if total > limit || first > limit/2 {
			t.Fatalf("%d of %d are reserved, %d of %d", total, limit, first, limit/2)
		}
		for i, n := range calls {
			if reserved[i] == 0 && total+n <= limit && (i%3 != 0 || first+n <= limit/2) {
				t.Fatalf("%d was refused, although %d of %d are left", n, limit-total, limit)
			}
		}
	})
}
