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

// ErrDiffers says that a replay came to another ledger than the record.
var ErrDiffers = errors.New("the replay differs from the record")

// Replay runs a recorded room again from what its seats said and what its checks saw: no model is asked and no file
// is read. Every step from the replies to the verdict is computed again; the result is that of the original, byte for
// byte. find knows the strategies by name, text opens the texts the nodes name. A record that is cut short or was tampered with is an
// error.
// It writes nothing, so it may run over a record of another machine. Its error wraps [ErrDiffers] or
// journal.ErrNotRecorded if the record is at fault.
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
	// Compared as JSON, which is how both are read by others.
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

// connected refuses nodes of which one follows another that is not there: somebody took it out, and what was computed did
// not need it.
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
