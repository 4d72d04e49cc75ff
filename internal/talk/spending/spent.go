// Package spending computes the cost of a conversation by model.
//
// Every paid call is in exactly one node: for a turn its exchanges and its reply, for a summary and a title the node
// itself. A Called is not counted, because the exchange or reply after it repeats it. Tasks are part of the tree and
// count with it.
package spending

import (
	"cmp"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Share is the usage of one model.
type Share struct {
	Model string     `json:"model"`
	Calls int        `json:"calls"`
	Usage cost.Usage `json:"usage"`
}

// Spent returns the cost of the nodes by model, in the order of first use. It needs all nodes of a tree: branches share
// their beginning, and calls on other branches were paid for, too.
func Spent(nodes []tree.Node) (out []Share) {
	for _, n := range nodes {
		out = spend(out, n)
	}
	return out
}

// spend adds the cost of one more node.
func spend(all []Share, n tree.Node) []Share {
	var model string
	var u cost.Usage
	if x, ok := talk.ExchangeKind.Of(n); ok {
		model, u = x.Model, x.Usage
	} else if r, ok := talk.ReplyKind.Of(n); ok {
		model, u = cmp.Or(r.Answers, r.Model), r.Usage
	} else if s, ok := material.SummaryKind.Of(n); ok {
		model, u = n.By, s.Usage
	} else if t, ok := margin.TitleKind.Of(n); ok {
		model, u = n.By, t.Usage
	}
	return Add(all, model, u)
}

// Add adds the cost of one more call of a model.
func Add(all []Share, model string, u cost.Usage) []Share {
	if u == (cost.Usage{}) {
		return all
	}
	for i := range all {
		if all[i].Model == model {
			all[i].Calls, all[i].Usage = all[i].Calls+1, all[i].Usage.Add(u)
			return all
		}
	}
	return append(all, Share{model, 1, u})
}

// Money is the cost in words.
func (s Share) Money() string { return s.Usage.Money() }

// Feared returns what calls may have cost that were about to start, or were running, when a program was killed, beyond what Spent counts
// for them. It needs all nodes of a tree.
//
// A pledge is settled by the record of a call on the path from where it was made; the record of a call that was cut off is an estimate,
// and the rest of the pledge is feared.
func Feared(nodes []tree.Node) (usd float64, tokens int) {
	parents, ends := map[tree.ID]tree.ID{}, map[tree.ID]bool{} // nodes that end a call or a turn
	for _, n := range nodes {
		c, called := talk.CalledKind.Of(n)
		parents[n.ID], ends[n.ID] = n.Parent, called && !c.ByItself() || n.Kind == string(talk.ReplyKind) || len(spend(nil, n)) > 0
	}
	said := map[tree.ID]cost.Usage{} // usage of calls that were cut off, by where they may have been made
	kept := map[tree.ID]bool{}
	for _, n := range nodes {
		if !ends[n.ID] {
			continue
		}
		r, replied := talk.ReplyKind.Of(n)
		for at := n.Parent; at != ""; at = parents[at] {
			if replied && n.By == "code" && r.State == talk.Interrupted {
				said[at] = r.Usage
			} else {
				kept[at] = true
			}
			if ends[at] {
				break
			}
		}
	}
	for _, n := range nodes {
		if p, ok := margin.PledgeKind.Of(n); ok && !kept[p.At] {
			was := said[p.At]
			usd, tokens = usd+max(0, p.USD-was.USD), tokens+max(0, p.Tokens-was.Total())
			delete(said, p.At) // one estimate stands for one call
		}
	}
	return usd, tokens
}
