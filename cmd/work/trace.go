package work

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// newTrace returns the command trace: the record for a person, in the order it was written. Texts are read only with
// --level full.
func newTrace(a *commands) *cobra.Command {
	level, limit, total := "", 0, 0
	c := &cobra.Command{Use: "trace [RUN] [STEP]", Short: "List the events of a run, with their times",
		Long: `Print one line per recorded event of a run, or of one of its steps, in order. --level full adds the
texts: requests, the agents' final answers and the output of checks, each cut to --limit, and all
of them together to --total. The default level is that of the setting work.trace.`,
		Example: "  socrates work trace\n  socrates work trace repair 3 --level full --limit 500"}
	a.onRun(c, 0, nil)
	c.Flags().StringVar(&level, "level", "", "level of detail: off, summary, full")
	c.Flags().IntVar(&limit, "limit", 2000, "maximum characters per text (0: all)")
	c.Flags().IntVar(&total, "total", 1_000_000, "maximum characters of all texts (0: all)")
	c.Args = cobra.MaximumNArgs(2)
	c.RunE = func(c *cobra.Command, args []string) error {
		if limit < 0 || total < 0 {
			return failure.Usage("--limit and --total cannot be negative", "")
		}
		if err := call.OneOf("level", level, "work.trace"); err != nil {
			return err
		}
		ctx := c.Context()
		e, name, step, err := a.step(ctx, args)
		if err != nil {
			return err
		}
		cfg, err := a.Home.Settings.Load()
		if err != nil {
			return err
		}
		nodes, err := recorded(ctx, e, name)
		if err != nil {
			return err
		}
		switch cmp.Or(level, cfg.String("work.trace")) {
		case "off":
			nodes = nil
			a.Out.Tell("Tracing is off. Show it: socrates work trace " + name + " --level summary\n")
		case "summary":
			limit, total = -1, 0
		}
		return a.trace(ctx, e, nodes, step, limit, total)
	}
	return c
}

// happened is a line of a trace.
type happened struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	Step string    `json:"step,omitempty"`
	Line string    `json:"line"`
	Text string    `json:"text,omitempty"`
	Cut  bool      `json:"cut,omitempty"`
}

// trace lists nodes as lines, and their texts, each cut to limit letters and all of them to total; 0: no limit. Below
// 0 they are left out.
func (a *commands) trace(ctx context.Context, e *engine.Engine, nodes []tree.Node, step string, limit, total int) error {
	left := cmp.Or(total, math.MaxInt)
	t := &work.Teller{}
	list := []happened{}
	for _, n := range nodes {
		h := happened{At: n.At, Kind: n.Kind, Line: strings.TrimSpace(t.Hear(n))}
		hash := ""
		h.Step, hash = about(t.Body)
		// The teller has received the node all the same: later lines depend on it.
		if step != "" && h.Step != step || h.Line == "" && hash == "" {
			continue
		}
		if h.Line == "" {
			h.Line = "step " + h.Step + " · a try ended"
		}
		if limit >= 0 && hash != "" {
			text, err := e.Text(ctx, hash)
			if err != nil {
				return err
			}
			h.Text = a.Out.Clean(text)
			r := []rune(h.Text)
			if most := min(cmp.Or(limit, math.MaxInt), left); len(r) > most {
				r, h.Cut = r[:most], true
			}
			h.Text, left = string(r), left-len(r)
		}
		list = append(list, h)
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(list)
	}
	for _, h := range list {
		fmt.Fprintln(a.Out, clean.Line(h.At.Local().Format(time.DateTime)+"  "+h.Line))
		for line := range strings.Lines(strings.TrimSpace(h.Text)) {
			fmt.Fprintln(a.Out, "    "+strings.TrimRight(line, "\n"))
		}
		if h.Cut {
			kept := out.Thousands(utf8.RuneCountInString(h.Text))
			fmt.Fprintln(a.Out, "    … cut after "+kept+" characters; full text: --limit 0 --total 0")
		}
	}
	return nil
}

// about returns the step that the body of a node is about, and the hash of its text. Other bodies have neither.
func about(body any) (step, hash string) {
	switch v := body.(type) {
	case record.Frame:
		return "", v.Data
	case way.Refined:
		return "", v.Text
	case way.Analyzed:
		return "", v.Text
	case way.Planned:
		return "", v.Text
	case way.Passed:
		return "", v.Text
	case record.Claim:
		return v.Task, v.Told
	case record.Tried:
		return v.Task, v.Said
	case record.Checked:
		return "", v.Outcome.Text
	case record.Proven:
		return v.Task, ""
	case record.Clash:
		return v.Task, v.Text
	case record.Merged:
		return v.Task, ""
	case record.GivenUp:
		return v.Task, ""
	case record.Order:
		return v.Task, ""
	}
	return "", ""
}

// newWatch returns the command watch. A killed process leaves no last node, so it also checks whether a process runs.
func newWatch(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "watch [RUN]", Short: "Follow a run in another process until it stops",
		Long: `Show the state of a run, then one line per event, until the run stops. With --output stream-json,
each line is the recorded event. Watching changes nothing, and ctrl-C only stops watching.`}
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		root, err := runs.In(e).Root(ctx, name)
		if err != nil {
			return err
		}
		info, s, err := runs.In(e).Info(ctx, name)
		if err != nil {
			return err
		}
		nodes, err := e.Tree(ctx, root)
		if err != nil {
			return err
		}
		if a.Out.Format == "text" {
			a.table(s, info.Running)
		}
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		go func() { // a killed process reports nothing more
			// Two checks, since a process releases the run just before its last node can be read.
			for gone := 0; gone < 2 && ctx.Err() == nil; time.Sleep(engine.PollEvery) {
				if gone++; runs.In(e).Running(name) {
					gone = 0
				}
			}
			stop()
		}()
		t := &work.Teller{}
		for _, n := range nodes {
			t.Hear(n)
		}
		last := nodes[len(nodes)-1].Seq
		tell := func(n tree.Node) {
			if n.Seq <= last {
				return
			}
			last = n.Seq
			a.stream(n)
			if line := t.Hear(n); line != "" && a.Out.Format == "text" {
				fmt.Fprintln(a.Out, clean.Line(line))
			}
		}
		for b, err := range e.Follow(ctx, root, last) {
			if err != nil {
				break
			}
			for _, n := range b.Nodes {
				tell(n)
			}
		}
		if nodes, err = e.Tree(context.WithoutCancel(ctx), root); err != nil {
			return err
		}
		for _, n := range nodes { // what was added since the last read
			tell(n)
		}
		if _, s, err = runs.In(e).Info(context.WithoutCancel(ctx), name); err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.Out.Last(a.result(s))
		}
		t.Status = s
		for line := range strings.Lines(t.End()) {
			fmt.Fprintln(a.Out, clean.Line(strings.TrimRight(line, "\n")))
		}
		return nil
	})
}
