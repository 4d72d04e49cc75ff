package scene

import (
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Addendum is the body of a reply that arrived after the room had continued.
type Addendum struct{ exchange.Reply }

// RoomBody decodes a node of a debate, whatever its kind, to the type of that kind. It returns nil for a node that is
// not shown and for one that does not decode. Each node is decoded once for all callers, because a debate of hours has
// thousands.
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
	case string(people.MessageKind):
		return people.MessageKind.Body(n)
	case string(people.AppliedKind):
		return people.AppliedKind.Body(n)
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

// ChatBody decodes a node of a conversation, as RoomBody does for a debate.
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
	case string(margin.SetKind):
		return margin.SetKind.Body(n)
	case string(talk.JudgeKind):
		return talk.JudgeKind.Body(n)
	case string(margin.SnapKind):
		return margin.SnapKind.Body(n)
	case string(material.SummaryKind):
		return material.SummaryKind.Body(n)
	case string(material.MergeKind):
		return material.MergeKind.Body(n)
	case string(material.HandleKind):
		return material.HandleKind.Body(n)
	case string(talk.InterjectKind):
		return talk.InterjectKind.Body(n)
	case string(margin.TitleKind):
		return margin.TitleKind.Body(n)
	case string(talk.BriefKind):
		return talk.BriefKind.Body(n)
	case string(asking.NeedKind):
		return asking.NeedKind.Body(n)
	case string(asking.AnswerKind):
		return asking.AnswerKind.Body(n)
	case string(talk.NoticeKind):
		return talk.NoticeKind.Body(n)
	case string(memory.RecallKind):
		return memory.RecallKind.Body(n)
	case string(material.AddKind):
		return material.AddKind.Body(n)
	}
	return nil
}
