package turn

import (
	"cmp"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Result is the one final object of a run. Its fields are a contract with scripts. Code is the exit code, so a
// program that has the object needs no other.
type Result struct {
	Type    string                `json:"type"`
	Status  string                `json:"status"` // ok, error, limit, denied or cancelled
	Reason  string                `json:"reason"`
	Code    int                   `json:"exit_code"`
	Answer  string                `json:"answer"`
	Error   string                `json:"error,omitempty"`
	Usage   map[string]cost.Usage `json:"usage"` // by model
	USD     float64               `json:"cost_usd"`
	Known   bool                  `json:"cost_known"`
	Turns   int                   `json:"turns"`
	Denied  []string              `json:"denied"`
	Changed []string              `json:"files_changed"`
	MS      int64                 `json:"duration_ms"`
	Resume  string                `json:"resume"`         // the tree to resume
	Next    string                `json:"next,omitempty"` // the phase that follows
	Node    tree.ID               `json:"node"`           // the last node

	refusals []talk.Judged
}

// NewResult returns the result of a turn in a tree. A turn without a reply, which a crash leaves, has no status yet.
func NewResult(name string, run *scene.Run) Result {
	r := Result{refusals: run.Denied, Type: "result", Resume: name, Usage: map[string]cost.Usage{}, USD: run.USD, Known: !run.Unknown,
		Denied: []string{}, Changed: append([]string{}, run.Changed...), Node: run.End}
	for _, s := range run.Spent {
		r.Usage[s.Model] = s.Usage
	}
	for _, j := range run.Denied {
		r.Denied = append(r.Denied, j.Tool+": "+actsText(j)+" ("+j.Reason+")")
	}
	if run.Reply != nil {
		r.ended(*run.Reply, run.Unkept)
	}
	return r
}

// The order is what a person must know first: a finished turn with a denied call exits with 6, and one whose changes
// cannot be undone with 14, even if the answer is good.
func (r *Result) ended(reply talk.Reply, unkept string) {
	r.Answer, r.Turns, r.MS = reply.Answer(), reply.Turns, reply.MS
	r.Status, r.Reason, r.Code = "ok", string(reply.State), failure.ExitOK
	switch reply.State {
	case talk.Done:
		if len(r.Denied) > 0 {
			r.Status, r.Reason, r.Code = "denied", "denied", failure.ExitDenied
		}
		if unkept != "" {
			r.Status, r.Reason, r.Code, r.Error = "error", string(turns.NoSnapshot), failure.ExitUnkept, unkept
		}
	case talk.Limited:
		r.Status, r.Code, r.Error = "limit", failure.ExitLimit, reply.Reason
	case talk.Interrupted:
		r.Status, r.Code, r.Error = "cancelled", failure.ExitInterrupted, reply.Reason
	default:
		r.Status, r.Code, r.Error = "error", failure.ExitProvider, reply.Reason
		if reply.Kind != "" {
			r.Reason = string(reply.Kind)
		}
		switch reply.Kind {
		case trouble.Auth:
			r.Code = failure.ExitAuth
		case trouble.Refused, exchange.NoCopyKind, trouble.Context, trouble.BadRequest, trouble.Empty:
			r.Code = failure.ExitFailed
		case turns.NoSnapshot:
			r.Code = failure.ExitUnkept
		case turns.Steered:
			r.Code = failure.ExitSteered
		}
	}
}

// Refusal explains in a clause why calls were denied, and how to allow them when goOn runs again in a conversation.
// If all refusals share one reason it names that one; otherwise it points at the rules.
func (r Result) Refusal(goOn string) (why, hint string) {
	all := func(is func(j talk.Judged) bool) bool {
		return !slices.ContainsFunc(r.refusals, func(j talk.Judged) bool { return !is(j) })
	}
	switch {
	case all(func(j talk.Judged) bool { return j.Verdict == "ask" }):
		rule := "a rule"
		if len(r.refusals) > 0 {
			if own := permission.RegistryRules(r.refusals[0].Reason); len(own) > 0 &&
				all(func(j talk.Judged) bool { return slices.Equal(permission.RegistryRules(j.Reason), own) }) {
				rule = `the rule "` + strings.Join(own, `" and "`) + `"`
			}
		}
		return "denied, because nobody could be asked",
			"approve it in: socrates chat " + r.Resume + "; or add " + rule + " to permission.rules, then run: " + goOn
	case all(func(j talk.Judged) bool { return strings.Contains(j.Reason, permission.Plan.Denies()) }):
		return "denied, because plan mode changes nothing", "leave plan mode: " + goOn + " --mode " + string(permission.Balanced)
	}
	return "denied", "see the rules: socrates config explain permission.rules"
}

// Spend adds what a model used.
func (r *Result) Spend(model string, u cost.Usage) {
	if u == (cost.Usage{}) {
		return
	}
	r.Usage[model] = r.Usage[model].Add(u)
	r.USD += u.USD
	r.Known = r.Known && u.Source != cost.Unknown && !u.Least
}

// After adds the cost and changes of the turn that this one finishes.
func (r *Result) After(before Result) {
	r.Turns += before.Turns
	r.MS += before.MS
	for model, u := range before.Usage {
		r.Spend(model, u)
	}
	for _, path := range before.Changed {
		if !slices.Contains(r.Changed, path) {
			r.Changed = append(r.Changed, path)
		}
	}
}

// actsText describes in one line what was judged.
func actsText(j talk.Judged) string {
	var list []string
	for _, act := range j.Acts {
		list = append(list, cmp.Or(act.Path, act.Text, act.URL, strings.Join(act.Argv, " ")))
	}
	text, _, more := strings.Cut(strings.Join(list, "; "), "\n")
	if more {
		text += " …"
	}
	return text
}

// Leads returns the phase that a turn leads to; empty: the phase does not change.
func (r Result) Leads(a *call.Call, t turns.Conditions) string {
	p, err := a.Home.Pages.Phase("", t.Phase)
	if err != nil || r.Status != "ok" && r.Status != "denied" {
		return ""
	}
	next, ok := p.Leads(r.Changed)
	if !ok {
		return ""
	}
	return next
}
