package debate

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/tree"
)

// replay runs a recorded debate again from its file.
func (a *commands) replay(ctx context.Context, d *frame.Flags) error {
	if err := a.Writable(d.Out); err != nil {
		return err
	}
	nodes, texts, last, err := readRecord(d.Replay)
	if err != nil {
		return err
	}
	text := func(hash string) (string, bool) { t, ok := texts[hash]; return t, ok }
	res, err := debate.Replay(ctx, nodes, strategy.Find, text)
	if err != nil {
		return fmt.Errorf("replay %s: %w", d.Replay, err)
	}
	rec, err := room.NewRecorder(a.rooms, "")
	if err == nil {
		err = rec.All(nodes, text)
	}
	if err != nil {
		return err
	}
	for i, late := range res.Addenda {
		res.Addenda[i].Text = texts[late.Text]
	}
	if err := sameResult(d.Replay, nodes, last, res); err != nil {
		return err
	}
	a.Out.Room = res.Room
	return a.rooms.Deliver(res, d.Delivery)
}

// sameResult refuses a record whose last line is missing or says that something else was decided than its nodes give. How
// it is worded may differ: that changes from version to version.
func sameResult(path string, nodes []tree.Node, last *debate.Result, res debate.Result) error {
	if last == nil {
		return failure.New(failure.ExitFailed, "record", path+" is incomplete: its last line, the result, is missing",
			"export it again: socrates debate export "+res.Room+" --format record --out FILE")
	}
	said := func(r debate.Result) map[string]any {
		seats := map[string]any{}
		for _, s := range r.Seats {
			seats[s.ID] = map[string]any{"status": s.Status, "vote": s.Vote}
		}
		return map[string]any{"room": r.Room, "question": r.Question, "strategy": r.Strategy, "context": r.Context, "rehearsal": r.Rehearsal, "outcome": r.Outcome, "winner": r.Winner, "exit_code": r.ExitCode, "gate": r.Gate,
			"score": r.Score.Value, "options": r.Options, "claims": r.Claims, "checks": r.Checks, "seats": seats}
	}
	differ := verdict.Differences(said(*last), said(res))
	if last.Ended && !res.Ended {
		differ = append(differ, "the final node of the debate is missing")
	}
	if all := debate.VerdictKind.All(nodes); len(all) > 0 { // of a choice after the end there is one more
		if v := all[len(all)-1]; v.Outcome != res.Outcome || v.Winner != res.Winner {
			differ = append(differ, fmt.Sprintf("the recorded verdict is %s %s", v.Outcome, v.Winner))
		}
	}
	if len(differ) > 0 {
		return failure.New(failure.ExitFailed, "record", path+" was modified: its last line does not match its nodes: "+strings.Join(differ, "; "),
			"export it again: socrates debate export "+res.Room+" --format record --out FILE")
	}
	return nil
}

// readRecord reads the lines of a record: its nodes, its texts, and the result that ends it, nil without one.
func readRecord(path string) (nodes []tree.Node, texts map[string]string, last *debate.Result, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.Close()
	texts = map[string]string{}
	dec := json.NewDecoder(bufio.NewReader(io.LimitReader(f, call.MaxRecord)))
	for line := int64(1); ; line++ {
		var raw json.RawMessage
		var l struct {
			Type, SHA256, Text string
			Node               *tree.Node
			Seq                int64
		}
		err := dec.Decode(&raw)
		if err == nil {
			err = json.Unmarshal(raw, &l)
		}
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, nil, failure.New(failure.ExitUsage, "record", fmt.Sprintf("%s is not a debate record (byte %d: %v)", path, dec.InputOffset(),
				err),
				"")
		}
		switch {
		case l.Seq != 0 && l.Seq != line:
			return nil, nil, nil, failure.New(failure.ExitFailed, "record", fmt.Sprintf("%s was modified: line %d is numbered %d, so lines are missing or were added", path, line,
				l.Seq),
				"export it again: socrates debate export NAME --format record --out FILE")
		case l.Type == "text":
			if sum := sha256.Sum256([]byte(l.Text)); hex.EncodeToString(sum[:]) != l.SHA256 {
				return nil, nil, nil, failure.New(failure.ExitFailed, "record", fmt.Sprintf("%s was modified: a text near byte %d does not match its hash", path,
					dec.InputOffset()),
					"")
			}
			texts[l.SHA256] = l.Text
		case l.Type == "node" && l.Node != nil:
			nodes = append(nodes, *l.Node)
		case l.Type == "result":
			last = &debate.Result{}
			if err := json.Unmarshal(raw, last); err != nil {
				return nil, nil, nil, failure.New(failure.ExitFailed, "record", fmt.Sprintf("%s was modified: its last line cannot be read: %v", path,
					err),
					"")
			}
		}
	}
	return nodes, texts, last, nil
}
