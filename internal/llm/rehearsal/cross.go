package rehearsal

import (
	"slices"

	"github.com/socrates-cli/socrates/internal/llm"
)

type (
	crossReply struct {
		Option  string   `json:"option"`
		Because []string `json:"because"`
		Stances []stance `json:"stances"`
		Claims  []claim  `json:"claims"`
	}
	stance struct {
		Claim  string   `json:"claim"`
		Stance string   `json:"stance"`
		Why    string   `json:"why"`
		Cites  []string `json:"cites"`
		Same   string   `json:"same"`
		Impact int      `json:"impact"`
	}
)

// lookAtClaims returns the calls that read what other seats quote: once, and eight places at most.
func lookAtClaims(a asked) []llm.Call {
	if a.rounds > 0 || !a.tools["read"] {
		return nil
	}
	var calls []llm.Call
	for _, c := range a.claims {
		if c.Peer != "you" && c.Evidence.Kind == "quote" && c.Evidence.File != "" && len(calls) < 8 {
			n := max(1, c.Evidence.Line)
			calls = append(calls, lookArgs{Path: c.Evidence.File, From: max(1, n-reach), To: n + reach}.call("read"))
		}
	}
	return calls
}

// examine returns the seat's reply to the claims of the others. It keeps its option unless all its claims for it were
// refuted and something that passed supports another.
func (s *member) examine(a asked) crossReply {
	r := crossReply{Option: abstain, Because: []string{}, Stances: []stance{}, Claims: []claim{}}
	for _, o := range a.options {
		if o.text == a.mine {
			r.Option = o.label
		}
	}
	p := seen(a)
	for _, c := range a.claims {
		if c.Peer != "you" {
			r.Stances = append(r.Stances, judge(c, a.options, p))
		}
	}
	if r.Option != abstain {
		r.reconsider(a.claims)
	}
	return r
}

// judge compares the quote of a claim with the words of its option.
func judge(c shownClaim, options []option, p project) stance {
	out := stance{Claim: c.ID, Stance: abstain, Cites: []string{}}
	at := slices.IndexFunc(options, func(o option) bool { return o.label == c.Option })
	if c.Evidence.Kind != "quote" || at < 0 {
		return out
	}
	f := find{line: line{file: c.Evidence.File, number: c.Evidence.Line}}
	words := wordsOf(c.Evidence.Quote)
	for _, l := range p.lines { // the real text there
		if l.file == c.Evidence.File && l.number >= c.Evidence.Line-reach && l.number <= c.Evidence.Line+reach {
			words = append(words, l.words...)
		}
	}
	names := slices.ContainsFunc(options[at].words, func(w string) bool { return hasWord(words, w) })
	switch {
	case !names:
		out.Stance, out.Impact, out.Cites = "OBJECT", 2, []string{f.at(), c.ID}
		out.Why = "the quoted line and those around it mention none of the option's words"
	case c.passed() && !c.failed():
		out.Stance, out.Impact = "AGREE", 2
		out.Why = "the quote is there and mentions the option's words"
	}
	return out
}

// passed reports whether some check of the claim passed. Another may have failed.
func (c shownClaim) passed() bool { return c.hasResult("pass") }

// failed reports whether some check of the claim failed.
func (c shownClaim) failed() bool { return c.hasResult("fail") }

// hasResult reports whether some check had that result.
func (c shownClaim) hasResult(result string) bool {
	for _, k := range c.Checks {
		if k.Result == result {
			return true
		}
	}
	return false
}

// reconsider changes the option when every claim the seat made for it failed a check. The new option is that of
// another seat's first claim that passed all its checks.
func (r *crossReply) reconsider(claims []shownClaim) {
	var refuted []string
	for _, c := range claims {
		if c.Peer != "you" || c.Option != r.Option || !c.Supports {
			continue
		}
		if !c.failed() {
			return
		}
		refuted = append(refuted, c.ID)
	}
	for _, c := range claims {
		if len(refuted) > 0 && c.Peer != "you" && c.Supports && c.Option != r.Option && c.Option != "" && c.passed() && !c.failed() {
			r.Option, r.Because = c.Option, refuted
			return
		}
	}
}
