package talk

import (
	"cmp"
	"fmt"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Spending is what one model was used for.
type Spending struct {
	Model string    `json:"model"`
	Calls int       `json:"calls"`
	Usage llm.Usage `json:"usage"`
}

// Spent is what the nodes have cost, by model, the first that was used first.
func Spent(nodes []tree.Node) []Spending {
	var out []Spending
	add := func(model string, u llm.Usage) {
		if u == (llm.Usage{}) {
			return
		}
		for i := range out {
			if out[i].Model == model {
				out[i].Calls, out[i].Usage = out[i].Calls+1, out[i].Usage.Add(u)
				return
			}
		}
		out = append(out, Spending{model, 1, u})
	}
	for _, n := range nodes {
		if x, ok := ExchangeKind.Of(n); ok {
			add(x.Model, x.Usage)
		} else if r, ok := ReplyKind.Of(n); ok {
			add(cmp.Or(r.Answers, r.Model), r.Usage)
		} else if s, ok := SummaryKind.Of(n); ok {
			add(n.By, s.Usage)
		}
	}
	return out
}

// Money is what it cost, in words.
func (s Spending) Money() string {
	switch s.Usage.Source {
	case llm.CostFree:
		return "free"
	case llm.CostUnknown:
		return "price unknown"
	}
	return fmt.Sprintf("$%.4f", s.Usage.USD)
}
