package debate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/tree"
)

// recorded are the kinds of node in a record.
var recorded = []string{string(table.FrameKind), string(table.ContextKind), string(table.OptionsKind),
	string(exchange.AskKind), string(exchange.StepKind), string(exchange.ReplyKind), string(exchange.AddendumKind),
	string(ruling.LedgerKind), string(ruling.CheckKind), string(ruling.NoteKind), string(ruling.RevisitKind),
	string(people.MessageKind), string(people.AppliedKind), string(people.NeedKind)}

// recordHash returns the SHA-256 of a room's record: the question, the seats and rules, every question, reply and check, people's
// messages, and all texts by their hashes. It leaves out what code computes from these (verdict, document, end), and what happens to
// the record later, such as being deleted, restored or marked as right. It is the same in every store and export.
func recordHash(nodes []tree.Node) string {
	sum := sha256.New()
	lines := json.NewEncoder(sum)
	for _, n := range nodes {
		if !slices.Contains(recorded, n.Kind) {
			continue
		}
		lines.Encode(struct {
			ID     tree.ID
			Parent tree.ID
			Kind   string
			By     string
			At     time.Time
			Body   json.RawMessage
		}{n.ID, n.Parent, n.Kind, n.By, n.At.UTC(), n.Body})
	}
	return hex.EncodeToString(sum.Sum(nil))
}
