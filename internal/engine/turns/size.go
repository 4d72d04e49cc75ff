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

// CompactAt says when a conversation is summarized before the model is asked again; zero values set no limit. Four fifths of the model's
// window are a limit in any case.
type CompactAt struct {
	Tokens int     // of a request
	USD    float64 // cost of a request with nothing cached
}

// errLong ends a run whose next request exceeds the limit.
var errLong = errors.New("the conversation is longer than the limit")

// contextSize is the length of a conversation for its model: the vendor's last count plus an estimate of what was added since.
type contextSize struct {
	tokens, bytes int  // of the last request, with its answer, as the vendor counted
	sent          int  // bytes of the running request
	floor         int  // tokens after the last summary: a conversation that is not much longer is not summarized again
	fresh         bool // a summary was made, and nothing was sent since
	off           bool // the conversation cannot be made shorter
}

// begin reads the vendor's last count on a path. A summary or a changed setting since makes that count useless; then
// the size is estimated from bytes.
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

// count records the vendor's count for a call.
func (s *contextSize) count(u cost.Usage, answer llm.Message) {
	if !u.Least && u.Total() > 0 {
		s.tokens, s.bytes = u.Total(), s.sent+answer.Bytes()
	}
}

func (s *contextSize) compacted() { s.fresh, s.tokens = true, 0 }

// tooLong reports whether a request exceeds the limit.
func (s *contextSize) tooLong(req llm.Request, info llm.Info, at CompactAt) bool {
	s.sent = bytesOf(req.Messages)
	tokens := req.Tokens()
	if s.tokens > 0 {
		// Three bytes per token is a safe estimate for code.
		tokens = s.tokens + max(0, s.sent-s.bytes)/3
	}
	// The first request after a summary shows how short the conversation can get: the next summary is only worthwhile
	// once it has grown by a quarter.
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

// bytesOf is the size of messages in bytes, from which their length is estimated if no vendor counted it.
func bytesOf(messages []llm.Message) (n int) {
	for _, m := range messages {
		n += m.Bytes()
	}
	return n
}
