package talk

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/tree"
)

// turnView shows the progress of a turn on stderr: a line per call, and in a terminal one live line below. In
// stream-json the nodes go to stdout as they are committed. Quiet hides everything but warnings. In json nothing is
// shown before the final object.
type turnView struct {
	a     *Talk
	live  bool
	shown string
	last  time.Time
	began bool
	model string
	mode  permission.Mode
	grown *out.Grown
	why   string // why the request is repeated, as last printed
}

// newTurnView returns the view of one turn; done ends it.
func newTurnView(a *Talk, t turns.Conditions) *turnView {
	delta := func(of, piece string) {
		a.Out.Line(call.StreamLine{Head: a.Out.Head(), Type: "delta", Of: tree.ID(of), Text: piece})
	}
	return &turnView{a: a, live: a.Out.Format == "text" && out.IsTerminal(os.Stderr) && !a.Out.Quiet, model: t.Model, mode: t.Mode,
		grown: a.Out.Grown(delta)}
}

// begin writes the first line of a stream: what runs, where, and with which configuration.
func (v *turnView) begin() {
	if v.began || v.a.Out.Format != "stream-json" {
		return
	}
	v.began = true
	dir, _ := v.a.Home.Settings.Dir()
	start := v.a.StartLine(dir)
	start.Mode, start.Models = string(v.mode), []string{v.model}
	v.a.Out.Line(call.StreamLine{Head: v.a.Out.Head(), Type: "start", StartLine: start})
	v.a.Out.Release()
}

// node shows a step once it is recorded.
func (v *turnView) node(n tree.Node, body any) {
	v.begin()
	v.clear()
	if v.a.Out.Format == "stream-json" {
		switch b := body.(type) {
		case talk.Exchange:
			v.grown.End(b.Said())
		case talk.Reply:
			v.grown.End(b.Message.Text())
		}
		v.a.Out.Line(call.StreamLine{Head: v.a.Out.Head(), Type: "node", Parent: n.Parent, Node: &n})
	}
	if b, ok := body.(talk.Brief); ok {
		for _, note := range b.Notes {
			v.a.Out.Warn(note)
		}
	}
	if v.a.Out.Format != "text" {
		return
	}
	switch b := body.(type) {
	case talk.Notice:
		if !b.Model {
			v.a.Out.Warn(b.Text)
		}
	case memory.Recalled:
		if v.a.Out.Quiet {
			return
		}
		fmt.Fprintf(v.a.Out.Err, "  · from memory: %s\n", clean.Line(b.Show))
	case talk.Exchange:
		v.exchange(b)
	}
}

// exchange shows what a model said before it called tools, and the calls with their results.
func (v *turnView) exchange(x talk.Exchange) {
	if v.a.Out.Quiet {
		return
	}
	if text := strings.TrimSpace(x.Said()); text != "" {
		fmt.Fprintf(v.a.Out.Err, "%s\n", text)
	}
	for _, s := range x.Shows {
		mark := "·"
		if s.Failed {
			mark = "✗"
		}
		fmt.Fprintf(v.a.Out.Err, "  %s %s\n", mark, clean.Line(s.Line))
	}
}

// A live line is drawn at most every 80 ms; pieces of text for a program are not held back.
func (v *turnView) snapshot(s feed.Snapshot) {
	if v.a.Out.Format == "stream-json" && s.State != feed.Printing { // output of a command is not text of the model
		v.begin()
		v.grown.Show(string(s.Of), s.Text)
	}
	// Without a terminal nobody sees a countdown: each attempt is reported once.
	if s.State == "waiting" && s.Note != v.why && !v.live && v.a.Out.Format == "text" {
		v.why = s.Note
		v.a.Out.Tell("  · " + clean.Line(s.Note) + waits(s) + "\n")
	}
	if !v.live || time.Since(v.last) < 80*time.Millisecond {
		return
	}
	v.last = time.Now()
	line := s.State
	if s.Note != "" {
		line += " " + s.Note + waits(s)
	} else if s.Text != "" {
		tail := []rune(clean.Line(s.Text))
		line += " …" + string(tail[max(0, len(tail)-60):])
	}
	width := out.Columns(os.Stderr) - 1
	r := []rune(clean.Line(line))
	v.clear()
	v.shown = string(r[:min(len(r), width)])
	v.a.Out.Err.Raw(v.a.Out.Clean(v.shown))
}

// clear removes the live line.
func (v *turnView) clear() {
	if v.shown != "" {
		v.a.Out.Err.Raw("\r\x1b[K")
		v.shown = ""
	}
}

// done ends the view. It writes the first line even for a turn without a node.
func (v *turnView) done() {
	v.begin()
	v.clear()
}
