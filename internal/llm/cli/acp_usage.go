package cli

import (
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
)

// acpUsage is how ACP counts a turn, and how some programs count each call of a model.
type acpUsage struct {
	InputTokens, OutputTokens, TotalTokens int
	CachedReadTokens, CachedWriteTokens    int
	CacheCreationTokens                    int // another name of CachedWriteTokens
	ThoughtTokens, ReasoningTokens         int // programs fill one of them
}

// tokens converts to our way of counting. Whether the input includes cached tokens differs by program and shows in
// the total.
func (u acpUsage) tokens() cost.Usage {
	out := cost.Usage{Input: u.InputTokens, Output: u.OutputTokens, CacheRead: u.CachedReadTokens,
		CacheWrite: max(u.CachedWriteTokens, u.CacheCreationTokens), Reasoning: max(u.ThoughtTokens, u.ReasoningTokens)}
	if u.TotalTokens > 0 && u.TotalTokens < u.InputTokens+u.OutputTokens+out.CacheRead+out.CacheWrite {
		out.Input = max(0, out.Input-out.CacheRead-out.CacheWrite)
	}
	return out
}

// acpQuota is how one program counts a turn.
type acpQuota struct {
	TokenCount struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	} `json:"token_count"`
	ModelUsage []struct{ Model string } `json:"model_usage"`
}

// model returns the one that answered; empty if unknown, or several.
func (q *acpQuota) model() string {
	if q == nil || len(q.ModelUsage) != 1 {
		return ""
	}
	return q.ModelUsage[0].Model
}

// acpCount sums what a program reports for single calls during a turn, where it counts no turn.
type acpCount struct{ sum cost.Usage }

// add accepts nil for a call that was not counted.
func (c *acpCount) add(u *acpUsage) {
	if u != nil {
		c.sum = c.sum.Add(u.tokens())
	}
}

// tell reports what the turn has used so far.
func (a *acpTalk) tell(say func(llm.Delta)) {
	u := a.paid(a.count.sum)
	say(llm.Delta{Usage: &u})
}

// paid adds the cost of the turn so far to u, if the program reports it.
func (a *acpTalk) paid(u cost.Usage) cost.Usage {
	if a.cost > a.spent {
		u.USD, u.Source = a.cost-a.spent, cost.Provider
	}
	return u
}

// usage returns what the turn used. It prefers the program's own count of the turn, then our sum of its calls, then
// the protocol's count, which some programs keep for the session. Without any count it is zero, with its cost
// unknown.
func (a *acpTalk) usage(r acpResult) cost.Usage {
	var u cost.Usage
	switch {
	case r.Meta.Usage != nil:
		u = r.Meta.Usage.tokens()
	case r.Meta.Quota != nil:
		u = cost.Usage{Input: r.Meta.Quota.TokenCount.Input, Output: r.Meta.Quota.TokenCount.Output}
	case a.count.sum.Total() > 0:
		u = a.count.sum
	case r.Usage != nil:
		u = r.Usage.tokens()
		if a.sums {
			u, a.summed = less(u, a.summed), u
		}
	}
	return a.paid(u)
}

// less returns u minus v.
func less(u, v cost.Usage) cost.Usage {
	return cost.Usage{Input: max(0, u.Input-v.Input), Output: max(0, u.Output-v.Output), CacheRead: max(0, u.CacheRead-v.CacheRead),
		CacheWrite: max(0, u.CacheWrite-v.CacheWrite), Reasoning: max(0, u.Reasoning-v.Reasoning)}
}
