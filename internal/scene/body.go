package scene

import (
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Addendum is the body of a reply that came after the room had gone on.
type Addendum struct{ debate.Reply }

// RoomBody decodes a node of a debate, once and whatever it is, to the type of its kind. It is nil of a node that nobody is shown, and
// of one that does not decode.
func RoomBody(n tree.Node) any {
	switch n.Kind {
	case string(debate.FrameKind):
		return debate.FrameKind.Body(n)
	case string(debate.ContextKind):
		return debate.ContextKind.Body(n)
	case string(debate.OptionsKind):
		return debate.OptionsKind.Body(n)
	case string(debate.AskKind):
		return debate.AskKind.Body(n)
	case string(debate.StepKind):
		return debate.StepKind.Body(n)
	case string(debate.ReplyKind):
		return debate.ReplyKind.Body(n)
	case string(debate.LedgerKind):
		return debate.LedgerKind.Body(n)
	case string(debate.CheckKind):
		return debate.CheckKind.Body(n)
	case string(debate.NoteKind):
		return debate.NoteKind.Body(n)
	case string(debate.VerdictKind):
		return debate.VerdictKind.Body(n)
	case string(debate.DecisionKind):
		return debate.DecisionKind.Body(n)
	case string(debate.EndKind):
		return debate.EndKind.Body(n)
	case string(debate.WordKind):
		return debate.WordKind.Body(n)
	case string(debate.HeedKind):
		return debate.HeedKind.Body(n)
	case string(debate.NeedKind):
		return debate.NeedKind.Body(n)
	case string(debate.AfterKind):
		return debate.AfterKind.Body(n)
	case string(debate.AddendumKind):
		if late, ok := debate.AddendumKind.Of(n); ok {
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
