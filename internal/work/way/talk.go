package way

import "github.com/socrates-cli/socrates/internal/tree"

// TalkKind is a node of a run that names a conversation.
const TalkKind tree.Kind[Talk] = "work.talk"

// Talk is a conversation that started or resumed the run: it is told how the run ends.
type Talk struct {
	Root tree.ID `json:"root"` // its first node, because names change
}
