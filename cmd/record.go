package cmd

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
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tree"
)

// recorder writes a room's nodes as lines, to stdout, to a file, to both or to nowhere.
type recorder struct {
	a     *app
	file  *os.File
	buf   *bufio.Writer
	known map[string]bool // texts that are out

	prepares bool // it was said that copies are made
}

func newRecorder(a *app, path string) (*recorder, error) {
	r := &recorder{a: a, known: map[string]bool{}}
	if path == "" {
		return r, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	r.file, r.buf = f, bufio.NewWriter(f)
	return r, nil
}

func (r *recorder) close() {
	if r.file != nil {
		r.buf.Flush()
		r.file.Close()
	}
}

func (r *recorder) active() bool { return r.file != nil || r.a.Out.Format == "stream-json" }

func (r *recorder) write(l call.StreamLine) error {
	if !r.active() {
		return nil
	}
	h := r.a.Out.Head()
	if l.Node != nil {
		h.TS = l.Node.At
	}
	l.Head = h
	return r.put(l)
}

func (r *recorder) put(v any) error {
	if r.a.Out.Format == "stream-json" {
		if err := r.a.Out.Line(v); err != nil {
			return err
		}
	}
	return r.keep(v)
}

// keep writes a line to the file, if there is one.
func (r *recorder) keep(v any) error {
	if r.file == nil {
		return nil
	}
	raw, err := json.Marshal(v)
	if err == nil {
		_, err = r.buf.WriteString(r.a.Out.Clean(string(raw)) + "\n")
	}
	if err == nil {
		err = r.buf.Flush()
	}
	if err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	return nil
}

func (r *recorder) begin(f debate.Frame) error {
	r.a.Out.Room = f.Room
	start := r.a.StartLine(f.Dir)
	for _, s := range f.Seats {
		start.Models = append(start.Models, s.Model)
	}
	if err := r.write(call.StreamLine{Type: "start", StartLine: start}); err != nil {
		return err
	}
	r.a.Out.Release()
	return nil
}

// hashes finds the texts a node names.
var hashes = pattern.Of(`"[0-9a-f]{64}"`)

// preparing tells a stream, once, that the seats get copies of the project first. A record holds what was said, not this.
func (r *recorder) preparing(root tree.ID, s feed.Snapshot) error {
	if r.a.Out.Format != "stream-json" || r.prepares || s.Of != root || s.State != debate.Preparing || r.a.Out.Room == "" {
		return nil
	}
	r.prepares = true
	return r.a.Out.Line(call.StreamLine{Head: r.a.Out.Head(), Type: debate.Preparing, Message: s.Note})
}

// node writes a node, after the texts it names that are not out yet.
func (r *recorder) node(text func(hash string) (string, bool), n tree.Node) error {
	if !r.active() {
		return nil
	}
	for _, h := range hashes().FindAllString(string(n.Body), -1) {
		h = h[1 : len(h)-1]
		if r.known[h] {
			continue
		}
		r.known[h] = true
		t, ok := text(h)
		if !ok {
			continue // the hash of a file or of an output, not of a text we keep
		}
		if err := r.write(call.StreamLine{Type: "text", SHA256: h, Text: t}); err != nil {
			return err
		}
	}
	return r.write(call.StreamLine{Type: "node", Parent: n.Parent, Node: &n})
}

// finish writes the last line of a record. On stdout the terminal line is written with the result.
func (r *recorder) finish(res debate.Result) error {
	return r.keep(struct {
		out.Head
		terminal
	}{r.a.Out.NextHead(), newTerminal(res)})
}

// replay runs a recorded debate again from its file.
func (a *app) replay(ctx context.Context, d *debateFlags) error {
	if err := a.Writable(d.out); err != nil {
		return err
	}
	nodes, texts, last, err := readRecord(d.replay)
	if err != nil {
		return err
	}
	text := func(hash string) (string, bool) { t, ok := texts[hash]; return t, ok }
	res, err := debate.Replay(ctx, nodes, strategy.Find, text)
	if err != nil {
		return fmt.Errorf("replay %s: %w", d.replay, err)
	}
	rec, err := newRecorder(a, "")
	if err == nil {
		err = rec.all(nodes, text)
	}
	if err != nil {
		return err
	}
	for i, late := range res.Addenda {
		res.Addenda[i].Text = texts[late.Text]
	}
	if err := sameResult(d.replay, nodes, last, res); err != nil {
		return err
	}
	a.Out.Room = res.Room
	return a.deliver(res, d)
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

// all writes a whole room's nodes as lines.
func (r *recorder) all(nodes []tree.Node, text func(string) (string, bool)) error {
	for _, n := range nodes {
		if f, ok := debate.FrameKind.Of(n); ok {
			if err := r.begin(f); err != nil {
				return err
			}
		}
		if err := r.node(text, n); err != nil {
			return err
		}
	}
	return nil
}

// texts opens the texts of a store for a recorder.
func texts(ctx context.Context, e *engine.Engine) func(string) (string, bool) {
	return func(hash string) (string, bool) {
		t, err := e.Text(ctx, hash)
		return t, err == nil
	}
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
