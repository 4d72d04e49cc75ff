package work

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/work/proof"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// proof shows one try: what code found, each check before and after, and the output of failed ones; talked means that
// an agent made it, in a conversation.
func (a *commands) proof(ctx context.Context, e *engine.Engine, run string, p record.Proven, talked bool) {
	// The key is STEP/ATTEMPT/TRY.
	at := strings.Split(p.Key, "/")
	fmt.Fprintln(a.Out, clean.Line(fmt.Sprintf("step %s · attempt %s · try %s · %s", at[0], at[1], at[2], p.Verdict.State)))
	for _, why := range p.Verdict.Why {
		fmt.Fprintln(a.Out, clean.Line("  "+why))
	}
	for _, r := range p.Verdict.Checks {
		line := fmt.Sprintf("  · %s: %s; before: %s", strings.Join(r.Command, " "), r.After, r.Base)
		if r.Without != nil {
			line += "; without the change: " + r.Without.String()
		}
		fmt.Fprintln(a.Out, clean.Line(line))
		if !r.After.Passed {
			a.printed(ctx, e, r)
		}
	}
	if talked {
		fmt.Fprintf(a.Out, "  conversation: socrates tree show %s-%s-%s\n", run, at[0], at[1])
	}
}

// unfinished shows a try whose agent did not finish.
func unfinished(w io.Writer, run string, t record.Tried) {
	fmt.Fprintln(w, clean.Line(fmt.Sprintf("step %s · attempt %d · try %d · failed", t.Task, t.Attempt, t.Try)))
	fmt.Fprintln(w, clean.Line("  the agent failed: "+t.Failed))
	fmt.Fprintf(w, "  conversation: socrates tree show %s-%s-%d\n", run, t.Task, t.Attempt)
}

// printed shows the end of a failed check's output. Twelve lines hold the end of most failures; the rest is in work
// trace --level full.
func (a *commands) printed(ctx context.Context, e *engine.Engine, r proof.Ran) {
	text, err := e.Text(ctx, r.After.Text)
	if r.After.Text == "" || err != nil {
		return
	}
	list := strings.Split(strings.TrimRight(a.Out.Clean(text), "\n"), "\n")
	for _, l := range list[max(0, len(list)-12):] {
		fmt.Fprintln(a.Out, "    "+l)
	}
}
