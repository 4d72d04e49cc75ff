package debate

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
)

// newShow returns the command show. --nodes, --follow, --transcript and --explain each show something else; the first
// given one in this order counts.
func newShow(a *commands, n noun.Noun[rooms.Deleted]) *cobra.Command {
	var explainIt, nodes, follow, transcript bool
	c := &cobra.Command{Use: "show ROOM", Short: "Show a debate"}
	c.Flags().BoolVar(&explainIt, "explain", false, "explain every number")
	c.Flags().BoolVar(&transcript, "transcript", false, "show what every seat said, word for word")
	c.Flags().BoolVar(&nodes, "nodes", false, "list every node")
	c.Flags().BoolVar(&follow, "follow", false, "follow a debate that another process runs")
	return n.Shows(c, func(ctx context.Context, name string) error {
		e, root, err := a.rooms.Find(ctx, name)
		if err != nil {
			return err
		}
		switch {
		// Nodes can be shown of a debate in any state.
		case nodes:
			return a.showNodes(ctx, e, root)
		case follow:
			if err := a.runs(ctx, e, name); err != nil {
				return err
			}
			return a.showLive(ctx, e, root)
		}
		res, err := rooms.In(e).Result(ctx, root)
		if err != nil {
			return err
		}
		if transcript {
			return a.showTranscript(ctx, e, root, res)
		}
		if a.Out.Format != "text" {
			return a.showProgram(ctx, e, root, res)
		}
		// A preliminary result could be taken for a decision.
		if !res.Ended {
			return a.showUnfinished(ctx, e, root, res)
		}
		if explainIt {
			fmt.Fprint(a.Out, out.Fit(os.Stdout, document.Explained(res), "    "))
			if d := document.Of(res); len(res.Blocked) > 0 {
				fmt.Fprintf(a.Out, "\n%s\nLift it: %s\n", d.Call.Says(), d.Lift())
			}
			return nil
		}
		a.Out.Raw(room.Whole(a.Out, document.Of(res)))
		if d, err := rooms.In(e).Decision(ctx, res.Room); err == nil && d.Superseded != nil {
			a.Out.Tell("Superseded " + room.Supersession(d.Superseded) + "\n")
		}
		a.Out.Tell(around(res))
		a.rooms.TellHub()
		a.rooms.TellContradicted(ctx, e, res)
		return nil
	})
}

// around describes which debate this one continues, what was shown to its seats, and what followed it.
func around(res debate.Result) string {
	var b strings.Builder
	if res.Follows != "" {
		b.WriteString("Follows up " + res.Follows + ".\n")
	}
	if len(res.Files) > 0 {
		b.WriteString("Shared files: " + strings.Join(res.Files, ", ") + "\n")
	}
	// What runs did about it comes from their own records.
	for _, c := range res.Executed {
		b.WriteString("Executed: " + c.Says() + "\n")
	}
	if len(res.Followed) > 0 {
		b.WriteString("Followed up by " + strings.Join(res.Followed, ", ") + ".\n")
	}
	return b.String()
}

// showNodes lists a room's tree, children under their parents.
func (a *commands) showNodes(ctx context.Context, e *engine.Engine, root tree.ID) error {
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(nodes)
	}
	depth := map[tree.ID]int{}
	for _, n := range nodes {
		if n.Parent != "" {
			depth[n.ID] = depth[n.Parent] + 1
		}
		fmt.Fprintf(a.Out, "%s  %s%-9s %-18s %s\n", n.ID.Short(), strings.Repeat("  ", min(8, depth[n.ID])), n.Kind, out.Clip(n.By, 18),
			out.Clip(gist(n), 90))
	}
	return nil
}

// gist describes a node in one line.
func gist(n tree.Node) string {
	switch b := scene.RoomBody(n).(type) {
	case table.Frame:
		return clean.Line(b.Question)
	case exchange.Asked:
		return b.Key
	case exchange.Reply:
		return scene.Came(b)
	case verdict.Check:
		return fmt.Sprintf("%s %s of %s: %s %s", b.ID, b.Kind, b.Claim, b.Result, b.Detail)
	case ruling.Note:
		return b.Text
	case verdict.Verdict:
		return strings.TrimRight(fmt.Sprintf("%s %s, %s", b.Outcome, b.Winner, document.Odds(b.Chance())), ", ")
	case people.Message:
		return strings.TrimSpace(strings.Join([]string{b.Verb, b.Seat, b.Spec, b.Claim, b.Option, b.Gist()}, " "))
	case people.Applied:
		return b.Point + ": " + b.Done
	case people.Need:
		return b.Text
	case ruling.After:
		return cmp.Or(b.Shared, b.Followed, b.Says())
	}
	return ""
}

// runs returns an error if a room has not ended but no process runs it. Following it would wait forever.
func (a *commands) runs(ctx context.Context, e *engine.Engine, name string) error {
	name, err := a.rooms.Name(ctx, e, name)
	if err != nil {
		return err
	}
	r, err := rooms.In(e).Info(ctx, name)
	if err == nil && !r.Ended && !r.Running {
		err = failure.Usage("the debate "+name+" is not running", "resume it with: socrates debate resume "+name)
	}
	return err
}

// showLive watches a room that another process runs, until it has ended.
func (a *commands) showLive(ctx context.Context, e *engine.Engine, root tree.ID) error {
	rec, err := room.NewRecorder(a.rooms, "")
	if err != nil {
		return err
	}
	if err := a.rooms.Follow(ctx, e, root, rec, nil); err != nil {
		return err
	}
	res, err := rooms.In(e).Result(ctx, root)
	if err != nil {
		return err
	}
	if err := a.rooms.CutOff(e, res); err != nil {
		return err
	}
	return a.rooms.Show(res)
}

// showUnfinished reports the progress of a debate that has not ended. It exits with 0: an unfinished debate is no
// failure of showing it.
func (a *commands) showUnfinished(ctx context.Context, e *engine.Engine, root tree.ID, res debate.Result) error {
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return err
	}
	asked, _ := motion.Split(res.Question)
	fmt.Fprintf(a.Out, "%s\n\nThis debate has not ended. So far:\n", clean.Line(asked))
	r := scene.NewRoom()
	for _, n := range nodes {
		r.Node(n)
	}
	n := 0
	for _, said := range r.Spoken {
		if said.Reply != nil && !said.Late {
			fmt.Fprintf(a.Out, "  %s · %s\n", said.Reply.Seat, clean.Line(scene.Came(*said.Reply)))
			n++
		}
	}
	if n == 0 {
		fmt.Fprintln(a.Out, "  no answers yet")
	}
	money := debate.Money(res.Tokens, r.Questions())
	if why := res.Unpriced(); why != "" {
		money += " (" + why + ")"
	}
	if need, open := r.Waits(); open {
		fmt.Fprintf(a.Out, "\nIt waits for your input: %s\n", clean.Line(need.Text))
		for _, o := range need.Options {
			fmt.Fprintln(a.Out, "  "+clean.Line(o))
		}
		if len(need.Options) > 0 {
			fmt.Fprintf(a.Out, "Answer with: socrates debate tell %s \"/choose OPTION REASON\"\n\n", res.Room)
		}
	}
	next := "It has stopped. Resume it with: socrates debate resume " + res.Room
	if a.running(ctx, e, res) {
		next = "Follow it with: socrates debate show " + res.Room + " --follow"
	}
	fmt.Fprintf(a.Out, "%s so far. %s\n", money, next)
	return nil
}

// running reports whether a process runs a debate that has not ended.
func (a *commands) running(ctx context.Context, e *engine.Engine, res debate.Result) bool {
	info, err := rooms.In(e).Info(ctx, res.Room)
	return err == nil && info.Running && !res.Ended
}

// showProgram shows a debate to a program: its result, and in stream-json its nodes before that.
func (a *commands) showProgram(ctx context.Context, e *engine.Engine, root tree.ID, res debate.Result) error {
	a.Out.Room = res.Room
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return err
	}
	rec, err := room.NewRecorder(a.rooms, "")
	if err == nil && rec.Active() {
		err = rec.All(nodes, room.Texts(ctx, e))
	}
	if err != nil {
		return err
	}
	o := room.NewObject(res)
	if a.running(ctx, e, res) {
		o.Status, o.Reason = "running", "running"
	}
	return a.Out.Last(o)
}
