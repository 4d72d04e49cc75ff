package debate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/tree"
)

// ErrDiffers means that a replay computed another ledger than the record has.
var ErrDiffers = errors.New("the replay differs from the record")

// Replay runs a recorded room again from the recorded replies and checks: no model is asked and no file is read. Every step from the
// replies to the verdict is computed again; the result equals the original, byte for byte. find returns strategies by name, text
// opens the texts that nodes name. A record that is truncated or was tampered with is an error. Replay writes nothing, so it also
// runs on a record from another machine. Its error wraps [ErrDiffers] or journal.ErrNotRecorded if the record is at fault.
func Replay(ctx context.Context, nodes []tree.Node, find func(strategy string) (Strategy, bool),
	text func(hash string) (string, bool)) (Result, error) {
	frames := table.FrameKind.All(nodes)
	if len(frames) == 0 {
		return Result{}, ErrNoFrame
	}
	open := func(_ context.Context, hash string) (string, error) {
		if t, ok := text(hash); ok {
			return t, nil
		}
		return "", fmt.Errorf("text %.12s: %w", hash, journal.ErrNotRecorded)
	}
	strategy, ok := find(frames[0].Strategy)
	if !ok {
		return Result{}, fmt.Errorf("the record uses the strategy %q, which this version does not have", frames[0].Strategy)
	}
	r := &Room{Frame: frames[0]}
	for _, info := range frames[0].Seats {
		r.Seats = append(r.Seats, Seat{Info: info, Dir: frames[0].Dir})
	}
	if info := frames[0].Judge; info != nil {
		r.Judge = &Seat{Info: *info, Dir: frames[0].Dir}
	}
	if c := table.ContextKind.All(nodes); len(c) > 0 {
		var err error
		if r.Context, err = open(ctx, c[len(c)-1].Text); err != nil {
			return Result{}, err
		}
	}
	if err := r.Run(ctx, journal.Journal{Nodes: nodes, Text: open, Sealed: true}, strategy); err != nil {
		return Result{}, err
	}
	// Compared as JSON, the form in which others read both.
	recorded, _ := json.Marshal(lastLedger(nodes, frames[0]))
	again, _ := json.Marshal(r.ledger.Ledger)
	if string(recorded) != string(again) {
		return Result{}, fmt.Errorf("%w: %s", ErrDiffers, strings.Join(verdict.Differences(lastLedger(nodes, frames[0]),
			r.ledger.Ledger), "; "))
	}
	if err := connected(nodes); err != nil {
		return Result{}, err
	}
	res, err := Summarize(nodes)
	res.rejudged = r.checker.rejudged
	return res, err
}

// connected returns an error if a node's parent is missing: somebody removed it, and the computation did not need it.
func connected(nodes []tree.Node) error {
	known := map[tree.ID]bool{}
	for _, n := range nodes {
		known[n.ID] = true
	}
	for _, n := range nodes {
		if n.Kind != string(table.FrameKind) && !known[n.Parent] {
			return fmt.Errorf("%w: the parent of the %s node %s is missing", ErrDiffers, n.Kind, n.ID)
		}
	}
	return nil
}
