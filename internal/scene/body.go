package scene

import (
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Addendum is the body of a reply that came after the room had gone on.
type Addendum struct{ exchange.Reply }

// RoomBody decodes a node of a debate, once and whatever it is, to the type of its kind. It is nil of a node that nobody is shown, and
// of one that does not decode.
func RoomBody(n tree.Node) any {
	switch n.Kind {
	case string(table.FrameKind):
		return table.FrameKind.Body(n)
	case string(table.ContextKind):
		return table.ContextKind.Body(n)
	case string(table.OptionsKind):
		return table.OptionsKind.Body(n)
	case string(exchange.AskKind):
		return exchange.AskKind.Body(n)
	case string(exchange.StepKind):
		return exchange.StepKind.Body(n)
	case string(exchange.ReplyKind):
		return exchange.ReplyKind.Body(n)
	case string(ruling.LedgerKind):
		return ruling.LedgerKind.Body(n)
	case string(ruling.CheckKind):
		return ruling.CheckKind.Body(n)
	case string(ruling.NoteKind):
		return ruling.NoteKind.Body(n)
	case string(ruling.VerdictKind):
		return ruling.VerdictKind.Body(n)
	case string(ruling.DecisionKind):
		return ruling.DecisionKind.Body(n)
	case string(ruling.EndKind):
		return ruling.EndKind.Body(n)
	case string(people.WordKind):
		return people.WordKind.Body(n)
	case string(people.HeedKind):
		return people.HeedKind.Body(n)
	case string(people.NeedKind):
		return people.NeedKind.Body(n)
	case string(ruling.AfterKind):
		return ruling.AfterKind.Body(n)
	case string(exchange.AddendumKind):
		if late, ok := exchange.AddendumKind.Of(n); ok {
			return Addendum{late}
		}
	}
	return nil
}

// ChatBody decodes a node of a conversation as RoomBody does one of a debate.
func ChatBody(n tree.Node) any {
	switch n.Kind {
	case string(talk.RootKind):
		return talk.RootKind.Body(n)
	case string(talk.SayKind):
		return talk.SayKind.Body(n)
	case string(talk.ExchangeKind):
		return talk.ExchangeKind.Body(n)
	case string(talk.ReplyKind):
		return talk.ReplyKind.Body(n)
	case string(talk.SetKind):
		return talk.SetKind.Body(n)
	case string(talk.JudgeKind):
		return talk.JudgeKind.Body(n)
	case string(talk.SnapKind):
		return talk.SnapKind.Body(n)
	case string(talk.SummaryKind):
		return talk.SummaryKind.Body(n)
	case string(talk.MergeKind):
		return talk.MergeKind.Body(n)
	case string(talk.HandleKind):
		return talk.HandleKind.Body(n)
	case string(talk.InterjectKind):
		return talk.InterjectKind.Body(n)
	case string(talk.TitleKind):
		return talk.TitleKind.Body(n)
	case string(talk.BriefKind):
		return talk.BriefKind.Body(n)
	case string(talk.NeedKind):
		return talk.NeedKind.Body(n)
	case string(talk.AnswerKind):
		return talk.AnswerKind.Body(n)
	case string(talk.NoticeKind):
		return talk.NoticeKind.Body(n)
	case string(talk.RecallKind):
		return talk.RecallKind.Body(n)
	case string(talk.AddKind):
		return talk.AddKind.Body(n)
	}
	return nil
}
