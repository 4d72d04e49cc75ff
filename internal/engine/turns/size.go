package turns

import (
	"errors"
	"slices"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// CompactAt says from where on a conversation is summed up before the model is asked again; zero values say nothing. Four fifths of
// the model's window are a limit in any case.
type CompactAt struct {
	Tokens int     // of a request
	USD    float64 // that a request costs of which nothing is cached
}

// errLong ends a run whose next request is longer than the limit.
var errLong = errors.New("the conversation is longer than the limit")

// contextSize is how long a conversation is for its model: as the vendor counted it last, and what came since, estimated.
type contextSize struct {
	tokens, bytes int  // of the last request, with its answer, as counted
	sent          int  // bytes of the request that runs
	floor         int  // tokens after the last summary: what is not much longer is not summed up again
	fresh         bool // a summary was made, and nothing was sent since
	off           bool // it cannot be made shorter
}

// begin takes what the vendor counted of a path last.
// A summary or another setting in between makes the last count worthless; then bytes are estimated.
func (s *contextSize) begin(path []tree.Node, model string) {
	s.tokens, s.bytes = 0, 0
	for i, n := range slices.Backward(path) {
		if n.Kind == string(material.SummaryKind) || n.Kind == string(margin.SetKind) {
			return
		}
		x, ok := talk.ExchangeKind.Of(n)
		if !ok || n.By != model || x.Usage.Least || x.Usage.Total() == 0 {
			continue
		}
		s.tokens, s.bytes = x.Usage.Total(), bytesOf(view.Messages(path[:i+1]))-bytesOf(x.Messages[1:])
		return
	}
}

// count takes what the vendor counted of a call.
func (s *contextSize) count(u cost.Usage, answer llm.Message) {
	if !u.Least && u.Total() > 0 {
		s.tokens, s.bytes = u.Total(), s.sent+answer.Bytes()
	}
}

func (s *contextSize) compacted() { s.fresh, s.tokens = true, 0 }

// tooLong says whether a request is longer than it may be.
func (s *contextSize) tooLong(req llm.Request, info llm.Info, at CompactAt) bool {
	s.sent = bytesOf(req.Messages)
	tokens := req.Tokens()
	if s.tokens > 0 {
		// Three bytes a token is on the safe side for code.
		tokens = s.tokens + max(0, s.sent-s.bytes)/3
	}
	// The first request after a summary shows how short it can get: only a quarter more than that is worth the next
	// one.
	if s.fresh {
		s.floor, s.fresh = tokens, false
	}
	limit := info.Window * 4 / 5
	if at.Tokens > 0 && (limit == 0 || at.Tokens < limit) {
		limit = at.Tokens
	}
	if most := int(at.USD / max(info.Price.Input, 1e-9) * 1e6); at.USD > 0 && info.Price.Input > 0 && (limit == 0 || most < limit) {
		limit = most
	}
	return !s.off && limit > 0 && tokens > limit && tokens > s.floor*5/4
}

// bytesOf is the bytes of messages, by which their length is estimated where no vendor counted it.
func bytesOf(messages []llm.Message) (n int) {
	for _, m := range messages {
		n += m.Bytes()
	}
	return n
}
