package room

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/teller"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Delivery says where the result of a debate goes, beside stdout.
type Delivery struct {
	Out, Record, Gate string
	Explain, adr      bool
}

// Flags adds the flags of a delivery.
func (d *Delivery) Flags(a *call.Call, c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&d.Gate, "gate", "person", "exit code when a person must decide: person (12) or any (0, or 11 if a seat is lost)")
	f.StringVar(&d.Out, "out", "", "also write the decision to this `file`, as Markdown")
	a.ForceFlag(c)
	f.BoolVar(&d.adr, "adr", false, "also write the decision as an ADR file")
	f.BoolVar(&d.Explain, "explain", false, "explain every number")
	f.StringVar(&d.Record, "record", "", "record all seat traffic to this `file`")
}

// Sound refuses an unknown gate.
func (d *Delivery) Sound() error {
	if d.Gate != "" && d.Gate != "person" && d.Gate != "any" {
		return failure.Usage("--gate "+d.Gate+" is not valid", "use person or any")
	}
	return nil
}

// Settings returns those that flags gave, by key.
func (d *Delivery) Settings() map[string]string {
	if d.adr {
		return map[string]string{"decisions.adr": "on"}
	}
	return nil
}

// Conduct executes an op that runs a room, shows its progress, and prints its result. It returns when the job has
// ended and everything is delivered. The error carries the exit code, also if a debate that succeeded exits with
// another code than 0.
func (a *Rooms) Conduct(ctx context.Context, e *engine.Engine, op engine.Op, d Delivery) error {
	return a.ConductIf(ctx, e, op, d, func(tree.ID) bool { return true })
}

// ConductIf is Conduct, but shows the room only if ours returns true once the op is executed. An operation may find
// that another process already runs the room; then ours is false and nothing is shown here. The watch that notifies
// programs outside begins after what is recorded, so a resumed debate is not announced twice.
func (a *Rooms) ConductIf(ctx context.Context, e *engine.Engine, op engine.Op, d Delivery, ours func(root tree.ID) bool) error {
	rec, err := NewRecorder(a, d.Record)
	if err != nil {
		return err
	}
	defer rec.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hooks, err := teller.New(a.Call, "debate")
	if err != nil {
		return err
	}
	root, err := e.Do(ctx, op)
	if err != nil || !ours(root) {
		return err
	}
	var stopped atomic.Int32 // exit code of the signal that stopped us
	told := hooks.OfRoom(e.Recorded(root))
	defer func() { told.Close(stopped.Load() != 0) }()
	if e.Mirrored() {
		defer leaves(&stopped, cancel)()
	} else {
		defer a.Signals(ctx, e, root, &stopped,
			"Ending the round and deciding now. Press ctrl-C again at once to stop without a decision and resume later.\n")()
	}
	if err := a.Follow(ctx, e, root, rec, told.Hear); err != nil && stopped.Load() == 0 {
		return err
	}
	if code := int(stopped.Load()); e.Mirrored() && code != 0 {
		return a.left(code)
	}
	if err := e.Wait(root); err != nil {
		return a.Stopped(err, int(stopped.Load()))
	}
	res, err := rooms.In(e).Result(ctx, root)
	if err == nil {
		err = a.CutOff(e, res)
	}
	if err != nil {
		return err
	}
	if err := rec.Finish(res); err != nil {
		return err
	}
	err = a.Deliver(res, d)
	a.tellRevisit(ctx, e, res)
	a.TellContradicted(ctx, e, res)
	if lost := a.writeADR(ctx, e, res); err == nil {
		err = lost
	} else if lost != nil {
		a.Out.Warn(failure.Explain(lost).Message)
	}
	return err
}

// Follow shows the news of a room until its job has ended. It calls each with every node, its body, and the state of
// the debate at that node; each may be nil. It begins with the first node, even if the room was recorded long ago,
// and ends with the last.
func (a *Rooms) Follow(ctx context.Context, e *engine.Engine, root tree.ID, rec *Recorder, each func(*scene.Room, tree.Node, any)) error {
	view := newProgress(a)
	defer view.done()
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer a.watchOver(ctx, e, root, end)()
	defer a.listen(ctx, e, view)()
	text := Texts(ctx, e)
	for n, err := range e.Watch(ctx, root, 0) {
		if err != nil {
			return err
		}
		if n.Snapshot != nil {
			view.snapshot(*n.Snapshot)
			if err := rec.preparing(root, *n.Snapshot); err != nil {
				return err
			}
			continue
		}
		body := view.node(*n.Node)
		if f, ok := body.(table.Frame); ok {
			a.Out.Room = f.Room
			if err := rec.begin(f); err != nil {
				return err
			}
		}
		if err := rec.node(text, *n.Node); err != nil {
			return err
		}
		if each != nil {
			each(view.room, *n.Node, body)
		}
		if _, over := body.(ruling.End); over && n.Node.Seq > e.Recorded(root) {
			return nil // a room that has ended has no job to wait for
		}
	}
	return nil
}

// Deliver writes the result to stdout and wherever else it was asked for. A file that cannot be written ends the
// command with 1, whatever the result.
func (a *Rooms) Deliver(res debate.Result, d Delivery) error {
	if d.Explain {
		a.Out.Tell(document.Explained(res) + "\n")
	}
	if d.Gate == "any" && res.ExitCode == failure.ExitPerson {
		if res.ExitCode = failure.ExitOK; res.Outcome == verdict.Degraded {
			res.ExitCode = failure.ExitDegraded
		}
	}
	err := a.Show(res)
	if d.Out == "" {
		return err
	}
	if lost := out.WriteFile(d.Out, a.Out.Clean(document.Of(res).Markdown())); lost != nil { // a paid result is on stdout all the same
		return failure.New(failure.ExitFailed, "file", lost.Error(),
			"the decision is saved; export it with: socrates debate export "+res.Room+" --out FILE")
	}
	return err
}

// TellContradicted names earlier decisions that rejected what this debate decided. It is a warning and changes no
// exit code: both decisions may be right in their time.
func (a *Rooms) TellContradicted(ctx context.Context, e *engine.Engine, res debate.Result) {
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return
	}
	against, _ := rooms.Contradicted(ctx, rooms.In(e), res, dir) // a note beside the result: a failed search is no reason to fail
	for _, was := range against {
		a.Out.Warn(fmt.Sprintf("this contradicts %s, which decided %q on %s\n"+
			"  to replace it: socrates decisions supersede %s --by %s --reason WHY",
			was.Room, clean.Line(was.Winner), was.Date.Local().Format("2006-01-02"), was.Room, res.Room))
	}
}

// tellRevisit reports what a debate that has just ended means for the one it revisits.
func (a *Rooms) tellRevisit(ctx context.Context, e *engine.Engine, res debate.Result) {
	if res.Revisits == "" {
		return
	}
	old, err := rooms.In(e).Decision(ctx, res.Revisits)
	switch {
	case err != nil:
	case old.Superseded != nil && old.Superseded.By == res.Room:
		a.Out.Tell(fmt.Sprintf("It differs from %s (%s) and supersedes it.\n", old.Room, old.End.Winner))
	case old.Superseded != nil:
		a.Out.Tell(old.Room + " has meanwhile been superseded by " + old.Superseded.By + ".\n")
	case !res.Outcome.Decision():
		a.Out.Tell(old.Room + " still stands: this debate reached no decision.\n")
	case res.Rehearsal && !old.Rehearsal:
		a.Out.Tell(old.Room + " still stands: a rehearsal cannot supersede a decision by models.\n")
	case res.NeedsPerson:
		a.Out.Tell(old.Room + " still stands: this decision is open until you confirm it: socrates decisions confirm " + res.Room + "\n")
	case old.End.ExitCode == failure.ExitPerson:
		a.Out.Tell("The decision is the same as " + old.Room + ", which is open until you confirm it: socrates decisions confirm " +
			old.Room + "\n")
	default:
		a.Out.Tell("It confirms " + old.Room + ".\n")
	}
}
