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

// recorded are the kinds of node a record is made of.
var recorded = []string{string(table.FrameKind), string(table.ContextKind), string(table.OptionsKind),
	string(exchange.AskKind), string(exchange.StepKind), string(exchange.ReplyKind), string(exchange.AddendumKind),
	string(ruling.LedgerKind), string(ruling.CheckKind), string(ruling.NoteKind), string(ruling.RevisitKind),
	string(people.MessageKind), string(people.AppliedKind), string(people.NeedKind)}

// recordHash is one SHA-256 over a room's record: what was asked, who sat where under which rules, every question, reply and check,
// what people said, and all texts by their hashes. What code makes of these (verdict, document, end) is left out: it can be computed
// again; and so is what happens to the record later, such as being deleted and restored, or
// told to be right. It is the same in every store and export.
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
