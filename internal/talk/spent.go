package talk

import (
	"cmp"

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
func Spent(nodes []tree.Node) (out []Spending) {
	for _, n := range nodes {
		out = spend(out, n)
	}
	return out
}

// spend adds what one more node has cost.
func spend(all []Spending, n tree.Node) []Spending {
	var model string
	var u llm.Usage
	if x, ok := ExchangeKind.Of(n); ok {
		model, u = x.Model, x.Usage
	} else if r, ok := ReplyKind.Of(n); ok {
		model, u = cmp.Or(r.Answers, r.Model), r.Usage
	} else if s, ok := SummaryKind.Of(n); ok {
		model, u = n.By, s.Usage
	} else if t, ok := TitleKind.Of(n); ok {
		model, u = n.By, t.Usage
	}
	return SpendOn(all, model, u)
}

// SpendOn adds what one more call of a model has cost.
func SpendOn(all []Spending, model string, u llm.Usage) []Spending {
	if u == (llm.Usage{}) {
		return all
	}
	for i := range all {
		if all[i].Model == model {
			all[i].Calls, all[i].Usage = all[i].Calls+1, all[i].Usage.Add(u)
			return all
		}
	}
	return append(all, Spending{model, 1, u})
}

// Money is what it cost, in words.
func (s Spending) Money() string { return s.Usage.Money() }
