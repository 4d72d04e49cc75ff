package setup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/event"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/tree"
)

// newEvents returns the command events. A test exits with 1 if any notification was not delivered; otherwise a failed
// one is a line on stderr.
func newEvents(a *call.Call) *cobra.Command {
	c := &cobra.Command{Use: "events", Short: "List and test event notifications",
		Long: `Socrates can notify your programs and webhooks when a debate starts, reaches a decision, needs
you or ends, and when a turn ends, waits for approval or has executed a plan. Configure them in
your config.yaml; a project's file cannot add any:

  events:
    - on: [person_needed, permission_asked, debate_ended, turn_done]
      command: [notify-debate]
    - on: [debate_ended]
      webhook: https://ci.example.com/hook
      secret: ${HOOK_SECRET}

Each receives a CloudEvents 1.0 event as JSON; a program reads it from stdin and finds the event's
name in SOCRATES_EVENT. A failed notification is reported on stderr. It never changes the outcome
or the exit code.`,
	}
	n := notified(a)
	list := n.List("List event notifications")
	c.RunE = list.RunE
	c.AddCommand(list, &cobra.Command{Use: "test [NAME]", Short: "Send a sample event and report the result",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: n.Offers(1),
		RunE: func(c *cobra.Command, args []string) error { return testEvents(c.Context(), a, args) }})
	return c
}

// eventRow is an entry as `socrates events` shows it, and with its result as `events test` does.
type eventRow struct {
	Name   string       `json:"name"`
	On     []event.Name `json:"on"`
	Target string       `json:"target"` // a program without arguments, a server without path
	Signed bool         `json:"signed"`
}

// trialRow is the result of sending a sample event.
type trialRow struct {
	eventRow
	Event  event.Name `json:"event"`
	OK     bool       `json:"ok"`
	Detail string     `json:"detail"`
	MS     int64      `json:"ms"`
}

// wired returns the entries of the settings, or those of the given names.
func wired(a *call.Call, names []string) ([]config.Event, error) {
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return nil, err
	}
	all := cfg.Events()
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, e := range all {
		if known = append(known, e.Name); len(names) > 0 && e.Name == names[0] {
			return []config.Event{e}, nil
		}
	}
	if len(all) == 0 {
		return nil, failure.Usage("no events are configured, so there is no "+names[0], "to add one, see: socrates events --help")
	}
	return nil, failure.Usage("unknown event entry "+names[0], failure.Nearest(names[0], known))
}

// newEventRow omits what could be secret: arguments and paths.
func newEventRow(e config.Event) eventRow {
	row := eventRow{Name: e.Name, Target: event.Hook{Command: e.Command, URL: e.Webhook}.Target(), Signed: !e.Secret.IsZero()}
	for _, name := range e.On {
		row.On = append(row.On, event.Name(name))
	}
	return row
}

// notified describes the entries for noun; listing them sends nothing.
func notified(a *call.Call) noun.Noun[eventRow] {
	return noun.Noun[eventRow]{Call: a, Is: "event notification", Are: "event notifications", Path: "socrates events",
		First: "To add one, see: socrates events --help",
		Rows: noun.Found(func(context.Context, noun.Query) (rows []eventRow, _ error) {
			all, err := wired(a, nil)
			for _, e := range all {
				rows = append(rows, newEventRow(e))
			}
			return rows, err
		}),
		Line: func(r eventRow) string {
			signed := ""
			if r.Signed {
				signed = ", signed"
			}
			return out.Wrap(fmt.Sprintf("%-8s %s%s: %s", r.Name, r.Target, signed, joined(r.On)), 79, strings.Repeat(" ", 9)) + "\n"
		},
		Name: func(r eventRow) (string, string) { return r.Name, r.Target },
		Foot: noun.Always[eventRow]("\nTry them: socrates events test\n")}
}

// joined joins names into a list.
func joined[T ~string](names []T) string {
	var list []string
	for _, n := range names {
		list = append(list, string(n))
	}
	return strings.Join(list, ", ")
}

// sample returns an event of an invented debate or turn. Its id is new each time, since receivers drop ids they have
// seen, and Test is set so that they can tell.
func sample(name event.Name, dir string) event.Event {
	e := event.Event{Name: name, ID: string(tree.NewID()), At: time.Now(), Subject: "sample-debate-0000"}
	switch name {
	case event.RunStarted, event.TaskDone, event.TaskFailed, event.Conflict, event.RunDone:
		e.Subject = "sample-run-0000"
		e.Data = event.Run{Run: e.Subject, Title: "This is a test", Folder: dir, Steps: 1, Test: true}
	case event.TurnDone, event.Permit:
		e.Subject = "sample-tree-0000"
		e.Data = sampleTurn(name, e.Subject, dir)
	default:
		e.Data = sampleDebate(name, e.Subject, dir)
	}
	return e
}

// sampleTurn returns a turn that is done, or one that asks for a permission.
func sampleTurn(name event.Name, subject, dir string) event.Turn {
	t := event.Turn{Tree: subject, Said: "This is a test", Folder: dir, Model: scheme.Rehearsal, Phase: "chat", Mode: "balanced", Calls: 1,
		Known: true, Changed: []string{}, Test: true}
	if name == event.Permit {
		t.Tool, t.Asks, t.Why = "bash", []string{"git commit -m test"}, "it changes the repository"
		return t
	}
	t.State = "done"
	return t
}

// sampleDebate returns a debate that began, one that needs a person, or one that was decided.
func sampleDebate(name event.Name, subject, dir string) event.Debate {
	d := event.Debate{Room: subject, Question: "Is this a test?", Folder: dir, Test: true}
	score, code := 0.875, failure.ExitOK
	switch name {
	case event.Started:
		return d
	case event.Person:
		score, code, d.Outcome = 0, 10, string(verdict.Tie)
	default:
		d.Outcome, d.Winner = string(verdict.Decided), "Yes"
	}
	d.Score, d.ExitCode = &score, &code
	return d
}

// testEvents sends everybody, or one, a sample of the first event each asks for. It tries all, whatever one does; any
// failure exits with 1.
func testEvents(ctx context.Context, a *call.Call, names []string) error {
	all, err := wired(a, names)
	if err != nil {
		return err
	}
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return err
	}
	ctx, end := a.Ended(ctx)
	defer end()
	rows, lost := []trialRow{}, 0
	for _, e := range all {
		r := trialRow{eventRow: newEventRow(e), Event: event.Name(e.On[0])}
		start := time.Now()
		// A missing secret fails here: an unsigned event would be taken for a forged one.
		h, err := a.EventHook(e)
		if err == nil {
			r.Detail, err = h.Tell(ctx, sample(r.Event, dir))
		}
		r.MS, r.OK = time.Since(start).Milliseconds(), err == nil
		state := "delivered"
		if err != nil {
			r.Detail, state = failure.Explain(err).Message, "FAILED"
			lost++
		}
		rows = append(rows, r)
		if a.Out.Format == "text" {
			fmt.Fprintln(a.Out,
				out.Wrap(fmt.Sprintf("%-8s %s, %s: %s (%s)", r.Name, r.Target, r.Event, state, r.Detail), 79, strings.Repeat(" ", 9)))
		}
	}
	if a.Out.Format != "text" {
		if err := a.Out.JSON(rows); err != nil {
			return err
		}
	} else if len(rows) == 0 {
		a.Out.Tell("No event notifications yet. To add one, see: socrates events --help\n")
	}
	if lost > 0 {
		return failure.New(failure.ExitFailed, "events", fmt.Sprintf("%d of %d notifications failed", lost, len(all)), "")
	}
	return nil
}
