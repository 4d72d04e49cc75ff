package work

import (
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/accept"
	"github.com/socrates-cli/socrates/internal/work/choice"
	"github.com/socrates-cli/socrates/internal/work/mutant"
	"github.com/socrates-cli/socrates/internal/work/objection"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// bodies decode the nodes of a run, by kind.
var bodies = map[string]func(tree.Node) any{
	string(record.FrameKind):  record.FrameKind.Body,
	string(way.Kind):          way.Kind.Body,
	string(way.RefineKind):    way.RefineKind.Body,
	string(way.AnalyzeKind):   way.AnalyzeKind.Body,
	string(way.PlanKind):      way.PlanKind.Body,
	string(way.StopKind):      way.StopKind.Body,
	string(way.PassKind):      way.PassKind.Body,
	string(record.BeginKind):  record.BeginKind.Body,
	string(record.ClaimKind):  record.ClaimKind.Body,
	string(record.TryKind):    record.TryKind.Body,
	string(record.CheckKind):  record.CheckKind.Body,
	string(record.ProofKind):  record.ProofKind.Body,
	string(objection.Kind):    objection.Kind.Body,
	string(choice.LookKind):   choice.LookKind.Body,
	string(choice.Kind):       choice.Kind.Body,
	string(record.ClashKind):  record.ClashKind.Body,
	string(record.MergeKind):  record.MergeKind.Body,
	string(record.MoveKind):   record.MoveKind.Body,
	string(mutant.Kind):       mutant.Kind.Body,
	string(record.GiveUpKind): record.GiveUpKind.Body,
	string(record.OrderKind):  record.OrderKind.Body,
	string(record.FoundKind):  record.FoundKind.Body,
	string(record.EndKind):    record.EndKind.Body,
	string(way.TalkKind):      way.TalkKind.Body,
	string(accept.BeginKind):  accept.BeginKind.Body,
	string(accept.Kind):       accept.Kind.Body,
}

// Body decodes a node of a run to the type of its kind. It is nil for another kind and for a node that does not
// decode.
func Body(n tree.Node) any {
	if decode, ok := bodies[n.Kind]; ok {
		return decode(n)
	}
	return nil
}
