package debate

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/receipt"
)

// replay runs a recorded debate again from its file. It opens no store and uses no model, program or network: all
// effects are taken from the record, and a missing one is an error.
func (a *commands) replay(ctx context.Context, d *frame.Flags) error {
	if err := cmp.Or(d.Sound(), a.Writable(d.Out)); err != nil {
		return err
	}
	f, err := os.Open(d.Replay)
	if err != nil {
		return err
	}
	defer f.Close()
	record, err := receipt.Read(d.Replay, f)
	if err != nil {
		return err
	}
	res, err := debate.Replay(ctx, record.Nodes, strategy.Find, record.Text)
	if err != nil {
		return fmt.Errorf("replay %s: %w", d.Replay, err)
	}
	// With --output stream-json the nodes are written as if they happened now.
	rec, err := room.NewRecorder(a.rooms, "")
	if err == nil {
		err = rec.All(record.Nodes, record.Text)
	}
	if err != nil {
		return err
	}
	for i, late := range res.Addenda {
		// A result holds the hash of a late answer's text; here the text is available.
		res.Addenda[i].Text = record.Texts[late.Text]
	}
	if err := sameResult(d.Replay, record, res); err != nil {
		return err
	}
	a.Out.Room = res.Room
	return a.rooms.Deliver(res, d.Delivery)
}

// sameResult refuses a record whose last line is missing or contradicts the decision its nodes give. Wording may
// differ, because it changes from version to version; only what decides is compared. A record may be shorter than its
// last line says, forged in either, or contain a choice made after the end, which adds a verdict: the last one
// counts.
func sameResult(path string, record receipt.Record, res debate.Result) error {
	last := record.Result()
	if last == nil {
		return failure.New(failure.ExitFailed, "record", path+" is incomplete: its last line, the result, is missing",
			"export it again: socrates debate export "+res.Room+" --format record --out FILE")
	}
	said := func(r debate.Result) map[string]any {
		if !r.Ended { // earlier versions gave the code that a decision at that time would have had
			r.ExitCode = 0
		}
		seats := map[string]any{}
		for _, s := range r.Seats {
			seats[s.ID] = map[string]any{"status": s.Status, "vote": s.Vote}
		}
		// Words, times and costs are left out: they may differ without a forgery.
		return map[string]any{"room": r.Room, "question": r.Question, "strategy": r.Strategy, "context": r.Context,
			"rehearsal": r.Rehearsal, "outcome": r.Outcome, "winner": r.Winner, "exit_code": r.ExitCode, "gate": r.Gate,
			"score": r.Score.Value, "options": r.Options, "claims": r.Claims, "checks": r.Checks, "seats": seats}
	}
	differ := verdict.Differences(said(*last), said(res))
	if last.Ended && !res.Ended {
		differ = append(differ, "the final node of the debate is missing")
	}
	if all := ruling.VerdictKind.All(record.Nodes); len(all) > 0 { // a choice after the end adds one
		if v := all[len(all)-1]; v.Outcome != res.Outcome || v.Winner != res.Winner {
			differ = append(differ, fmt.Sprintf("the recorded verdict is %s %s", v.Outcome, v.Winner))
		}
	}
	if len(differ) == 0 && record.Hash != "" && record.Hash != res.Record {
		differ = append(differ, "its nodes have the hash "+res.Record)
	}
	if len(differ) > 0 {
		return failure.New(failure.ExitFailed, "record", path+" was modified: its last line does not match its nodes: "+
			strings.Join(differ, "; "),
			"export it again: socrates debate export "+res.Room+" --format record --out FILE")
	}
	return nil
}
