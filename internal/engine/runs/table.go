package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
)

// reportToDebate reports the result of a run so far to the debate whose decision it executes. If the debate no longer exists, nothing is
// reported.
func reportToDebate(ctx context.Context, l *Library, nodes []tree.Node) error {
	s, ok := work.Read(nodes)
	room := s.Plan.Decision
	if room == "" && s.Analyzed != nil {
		room = s.Analyzed.Room
	}
	if !ok || room == "" {
		return nil
	}
	_, err := l.engine.Do(ctx, rooms.Report{Room: room, After: outcome(s)})
	if gone, ok := errors.AsType[*engine.Refusal](err); ok && gone != nil {
		return nil
	}
	return err
}

// outcome is the state of a run in a sentence. The seats read it when the debate continues; it is data for them and decides nothing.
func outcome(s work.Status) ruling.After {
	a := ruling.After{Run: s.Frame.Run, State: string(s.State), Commit: s.Head}
	if s.Begun != nil && s.Head == s.Begun.Base.Commit {
		a.Commit = ""
	}
	parts := []string{fmt.Sprintf("%d of %d steps are merged", len(s.Merged()), len(s.Tasks))}
	for _, t := range s.Left() {
		if len(t.Why) > 0 {
			parts = append(parts, t.ID+" is "+string(t.State)+" ("+t.Why[0]+")")
		}
	}
	if s.Taken != nil {
		parts = append(parts, "accepted by "+s.Taken.How)
	}
	a.Summary = strings.Join(parts, "; ")
	return a
}

// tellTalks notes in the conversations that started or resumed a run how it ended. One in which a turn is running is told before its next
// turn (see conversation.Library.Missed); a deleted one is not told.
func tellTalks(ctx context.Context, l *Library, root tree.ID) error {
	_, s, err := l.byRoot(ctx, root)
	if err != nil {
		return err
	}
	for _, talk := range s.Talks {
		_, told := l.engine.Do(ctx, conversation.Conclude{Tree: string(talk), Run: root})
		if refused, ok := errors.AsType[*engine.Refusal](told); ok && refused != nil {
			continue
		}
		err = errors.Join(err, told)
	}
	return err
}
