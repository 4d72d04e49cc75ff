package turns

import (
	"context"
	"errors"
	"slices"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
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

// span is how long a conversation is for its model: as the vendor counted it last, and what came since, estimated.
type span struct {
	tokens, bytes int  // of the last request, with its answer, as counted
	sent          int  // bytes of the request that runs
	floor         int  // tokens after the last summary: what is not much longer is not summed up again
	fresh         bool // a summary was made, and nothing was sent since
	off           bool // it cannot be made shorter
}

// begin takes what the vendor counted of a path last.
// A summary or another setting in between makes the last count worthless; then bytes are estimated.
func (s *span) begin(path []tree.Node, model string) {
	s.tokens, s.bytes = 0, 0
	for i, n := range slices.Backward(path) {
		if n.Kind == string(material.SummaryKind) || n.Kind == string(margin.SetKind) {
			return
		}
		x, ok := talk.ExchangeKind.Of(n)
		if !ok || n.By != model || x.Usage.Least || x.Usage.Total() == 0 {
			continue
		}
		s.tokens, s.bytes = x.Usage.Total(), size(view.Messages(path[:i+1]))-size(x.Messages[1:])
		return
	}
}

// count takes what the vendor counted of a call.
func (s *span) count(u cost.Usage, answer llm.Message) {
	if !u.Least && u.Total() > 0 {
		s.tokens, s.bytes = u.Total(), s.sent+answer.Bytes()
	}
}

func (s *span) compacted() { s.fresh, s.tokens = true, 0 }

// long says whether a request is longer than it may be.
func (s *span) long(req llm.Request, info llm.Info, at CompactAt) bool {
	s.sent = size(req.Messages)
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

// passing are the failures in which another model may do better.
var passing = []trouble.Kind{trouble.Overloaded, trouble.RateLimit, trouble.Quota, trouble.Stall,
	trouble.Malformed, trouble.Empty, trouble.Network}

// standIn has another model answer the rest of the turn, where one is set and the chosen one cannot; false: nothing changed.
// It answers what is left, over all that was recorded. A program that works by itself cannot take over in the middle.
func (w *turn) standIn(ctx context.Context, end llm.End, failed error) bool {
	spec := w.lib.wiring.Fallback
	why := "refused to answer"
	if failed != nil {
		e, ok := errors.AsType[*trouble.Error](failed)
		if !ok || !slices.Contains(passing, e.Kind) {
			return false
		}
		why = "failed (" + e.Error() + ")"
	} else if end.Stop != llm.StopRefusal {
		return false
	}
	if spec == "" || spec == w.spec || ctx.Err() != nil {
		return false
	}
	m, err := w.lib.wiring.Seat(ctx, spec)
	if err != nil || m.Info().Acts {
		return false
	}
	notice := talk.NoticeKind.New("", "code", talk.Notice{Text: w.spec + " " + why + ": " + spec + " answers the rest of this turn"})
	if w.add(context.WithoutCancel(ctx), notice) != nil {
		return false
	}
	w.model, w.spec = m, spec
	w.lost = w.lost.Add(end.Usage)
	return true
}
