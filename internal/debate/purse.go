package debate

import (
	"fmt"
	"sync"

	"github.com/socrates-cli/socrates/internal/llm"
)

// purse is the one ledger of a room's money and tokens. What a call may cost at most is reserved before it is
// sent, so the sum is never exceeded, however many calls run at once.
type purse struct {
	usd    float64 // limit; 0: none
	tokens int     // limit; 0: none

	mu         sync.Mutex
	spentUSD   float64 // spent and reserved
	spentToken int
}

// budgetError is the failure of a call that was not sent.
type budgetError struct{ message string }

// budgetKind is how that failure is recorded.
const budgetKind llm.Kind = "budget"

func (e *budgetError) Error() string { return e.message }

// bound is the most a request can cost: its bytes at three to a token, and the longest answer. Unknown prices are 0.
func bound(info llm.Info, req llm.Request) (usd float64, tokens int) {
	size := len(req.System) + len(req.Schema)
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				size += len(p.Text)
			case llm.Think:
				size += len(p.Text) + len(p.Signature)
			case llm.Call:
				size += len(p.Args) + len(p.Signature)
			case llm.Result:
				size += len(p.Text)
			}
		}
	}
	for _, t := range req.Tools {
		size += len(t.Doc) + len(t.Schema)
	}
	in, out := size/3+200, req.MaxTokens
	if info.Acts {
		in += 30_000 // programs that act put a prompt of their own before ours
	}
	write := max(info.Price.Input, info.Price.CacheWrite)
	return (float64(in)*write + float64(out)*info.Price.Output) / 1e6, in + out
}

// reserve takes what req may cost out of the purse, or refuses. settle puts back what was not used.
func (p *purse) reserve(info llm.Info, req llm.Request) (settle func(llm.Usage), usd float64, err error) {
	usd, tokens := bound(info, req)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.usd > 0 && p.spentUSD+usd > p.usd+1e-9 {
		return nil, 0, &budgetError{fmt.Sprintf("the next call may cost $%.4f and $%.4f of $%.4f are left", usd, max(0, p.usd-p.spentUSD), p.usd)}
	}
	if p.tokens > 0 && p.spentToken+tokens > p.tokens {
		return nil, 0, &budgetError{fmt.Sprintf("the next call may take %d tokens and %d of %d are left", tokens, max(0, p.tokens-p.spentToken), p.tokens)}
	}
	p.spentUSD += usd
	p.spentToken += tokens
	return func(u llm.Usage) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.spentUSD += u.USD - usd
		p.spentToken += u.Total() - tokens
	}, usd, nil
}
