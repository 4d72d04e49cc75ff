// Package budget keeps spending within a limit: the most a call may cost is reserved before it is sent.
//
// Two steps make that hold while many calls run at once: [Budget.Reserve] takes the most a call can cost before it is
// sent, or refuses, and the settle it returns puts back what was not used. [Bound] says how much that is, so that
// everybody reserves by one rule. Budgets can be nested, as a debate's in a run's: what is reserved from the inner
// one is reserved from the wider one too, in all or in none.
//
// Limits are in dollars and in tokens, and either may be absent. A model without known prices costs 0 dollars here:
// only a limit on tokens binds it. A bill above its bound is booked whole, and the calls after it are refused.
// Nothing is kept on disk: whoever resumes says with [Budget.Spend] what was spent before.
package budget

import (
	"fmt"
	"sync"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// Budget is one ledger of money and tokens. The sum is never exceeded, however many calls run at once. Safe for
// concurrent use.
// Make one with New: the zero value has no limits. It must not be copied.
type Budget struct {
	usd    float64 // limit; 0: none
	tokens int     // limit; 0: none
	wider  *Budget

	mu         sync.Mutex
	spentUSD   float64 // spent and reserved
	spentToken int
}

// New makes a budget with limits in dollars and tokens, 0 for none. Whatever is reserved from it is reserved from the
// wider budget too, unless that is nil.
func New(usd float64, tokens int, wider *Budget) *Budget {
	return &Budget{usd: usd, tokens: tokens, wider: wider}
}

// Spend takes out what was spent before: dollars, which may include what is only feared lost, and tokens. It never
// refuses, and leaves the wider budget alone.
// Both may be negative: what was reserved and not used comes back that way.
func (p *Budget) Spend(usd float64, tokens int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spentUSD += usd
	p.spentToken += tokens
}

// Empty is the failure of a call that was not sent because the limits forbid it, or that was ended at them.
type Empty struct {
	message string
	during  bool
}

// During says whether the call was made, and ended at the limit.
func (e *Empty) During() bool { return e.during }

// Error is the sentence about the limit that forbids the call.
func (e *Empty) Error() string { return e.message }

// Bound is the most a request can cost, in dollars and tokens: its bytes at three to a token, and the longest answer.
// Unknown prices are 0.
func Bound(info llm.Info, req llm.Request) (usd float64, tokens int) {
	in, out := req.Tokens(), req.MaxTokens
	if info.Acts {
		in += 30_000 // programs that act put a prompt of their own before ours
	}
	write := max(info.Price.Input, info.Price.CacheWrite)
	return (float64(in)*write + float64(out)*info.Price.Output) / 1e6, in + out
}

// Reserve takes what req may cost out of the budget and the wider ones, or refuses with an *Empty. settle puts back
// what was not used; it is called once.
//
// A refusal has reserved nothing. Whoever got a settle must call it, also for a call that failed: with what the
// vendor charged, or with what it may have charged. Until then the sum is gone for everybody.
func (p *Budget) Reserve(info llm.Info, req llm.Request) (settle func(cost.Usage), err error) {
	usd, tokens := Bound(info, req)
	if err := p.take(usd, tokens); err != nil {
		return nil, err
	}
	return func(u cost.Usage) {
		for q := p; q != nil; q = q.wider {
			q.Spend(u.USD-usd, u.Total()-tokens)
		}
	}, nil
}

// Over is the *Empty of a request that runs and has taken as much as there was for it: what it reserved, and what nobody else has. Of a
// program one request is many calls, and nobody knows beforehand how many.
func (p *Budget) Over(info llm.Info, req llm.Request, took cost.Usage) error {
	usd, tokens := Bound(info, req)
	took = info.Price.Of(took)
	for q := p; q != nil; q = q.wider {
		q.mu.Lock()
		money, words := q.spentUSD-usd+took.USD, q.spentToken-tokens+took.Total()
		q.mu.Unlock()
		if q.usd > 0 && money >= q.usd {
			return &Empty{fmt.Sprintf("stopped while running: $%.4f of $%.4f spent", money, q.usd), true}
		}
		if q.tokens > 0 && words >= q.tokens {
			return &Empty{fmt.Sprintf("stopped while running: %d of %d tokens spent", words, q.tokens), true}
		}
	}
	return nil
}

// Left is what is left in dollars and tokens; 0: nothing, or there is no limit.
//
// It looks at this budget alone: the wider one may have less. Use Limited to tell the two meanings of 0 apart.
func (p *Budget) Left() (usd float64, tokens int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.usd-p.spentUSD), max(0, p.tokens-p.spentToken)
}

// Limited says whether there is any limit.
func (p *Budget) Limited() bool {
	return p.usd > 0 || p.tokens > 0 || p.wider != nil && p.wider.Limited()
}

// Longest is how many tokens an answer to req may have, most at the most, so that what is left pays for it; most again if that would be
// too few for an answer: then Reserve says so.
//
// It reserves nothing, so another call may take what it counted on; then Reserve refuses.
func (p *Budget) Longest(info llm.Info, req llm.Request, most int) int {
	const fewest = 4000
	out := most
	for q := p; q != nil; q = q.wider {
		out = min(out, q.affordable(info, req, most))
	}
	if out < min(most, fewest) {
		return min(most, fewest)
	}
	return out
}

// affordable is how long an answer this budget alone could pay for now; it may be below 0.
func (p *Budget) affordable(info llm.Info, req llm.Request, most int) int {
	req.MaxTokens = 0
	usd, tokens := Bound(info, req)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.usd > 0 && info.Price.Output > 0 {
		most = min(most, int((p.usd-p.spentUSD-usd)/info.Price.Output*1e6))
	}
	if p.tokens > 0 {
		most = min(most, p.tokens-p.spentToken-tokens)
	}
	return most
}

// take reserves a sum in this budget and the wider ones, in all or in none.
// The lock is held while the wider one is asked: budgets are locked from the inside out, so no two wait for each
// other.
func (p *Budget) take(usd float64, tokens int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A sum of many small amounts may be off in the last digits.
	if p.usd > 0 && p.spentUSD+usd > p.usd+1e-9 {
		return &Empty{message: fmt.Sprintf("the next call may cost $%.4f, but only $%.4f of $%.4f is left",
			usd, max(0, p.usd-p.spentUSD), p.usd)}
	}
	if p.tokens > 0 && p.spentToken+tokens > p.tokens {
		return &Empty{message: fmt.Sprintf("the next call may take %d tokens, but only %d of %d are left", tokens,
			max(0, p.tokens-p.spentToken), p.tokens)}
	}
	if p.wider != nil {
		if err := p.wider.take(usd, tokens); err != nil {
			return err
		}
	}
	p.spentUSD += usd
	p.spentToken += tokens
	return nil
}
