// Package decision holds the commands for what debates decided: search, confirm, revisit and export.
//
// A decision is not a record of its own: it is the verdict of a debate, found by project through an index of words.
// So these commands read rooms, and those that decide something (confirm, overrule, outcome, supersede) add messages
// or nodes to them. None changes a verdict; a later message stands beside it.
//
// check compares what decisions rest on with the current files, without a model; revisit debates again, alone or for
// all that a check found. write keeps Markdown files up to date, for readers without this program.
//
// Exit codes: 1 if a check finds a decision outdated, a file is damaged or the state of the debate forbids a ruling;
// 2 for an unknown name or option; confirm, overrule and revisit exit as their debate does (0, 10, 11, 12).
package decision

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/drift"
	"github.com/socrates-cli/socrates/internal/drift/account"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
)

type commands struct {
	*call.Call
	frames *frame.Framer
	rooms  *room.Rooms
}

// Decisions are the decision commands of a call.
type Decisions struct{ commands }

// New returns the decision commands of a call.
func New(shared *call.Call, frames *frame.Framer, rooms *room.Rooms) *Decisions {
	return &Decisions{commands{shared, frames, rooms}}
}

// Commands returns the command decisions with its subcommands.
func (d *Decisions) Commands() []*cobra.Command {
	a := &d.commands
	c := &cobra.Command{Use: "decisions", Short: "Search, confirm, revisit and export decisions",
		Long: `Decisions are a project's memory: a new debate shows its seats earlier decisions on similar
questions, as history rather than as fact.

A decision belongs to the git worktree it was made in or, outside git, to the folder. A
superseded decision is marked and kept; its content never changes.`,
		Example: `  socrates decisions search writer connection
  socrates decisions confirm last --why "the load test agrees"
  socrates decisions outcome last right --why "held under load"
  socrates decisions supersede OLD --by NEW --reason "we left SQLite"
  socrates decisions check --since origin/main
  socrates decisions revisit last --seat claude --seat gemini:big
  socrates decisions write --dir docs/adr`}
	n := a.decided()
	c.AddCommand(n.List("List this project's decisions, newest first"),
		n.Search(&cobra.Command{Use: "search WORDS", Short: "Search decisions", Example: "  socrates decisions search redis session"}),
		newShow(a, n), newConfirm(a), newOverrule(a), newOutcome(a),
		newSupersede(a), newCheck(a), newRevisit(a), newWrite(a))
	return []*cobra.Command{c}
}

// shownDecision is the output of `decisions show` for a program.
type shownDecision struct {
	rooms.Decision
	Digest   debate.Digest `json:"digest"`
	Revisits string        `json:"revisits"` // the earlier debate on the same question; empty: none
	Document string        `json:"document"` // Markdown
	Today    string        `json:"today"`    // whether it still holds in the current project, in a sentence; empty: unknown
	page     document.Document
}

// newShow returns the command show: the decision as it was made, and what has superseded it.
func newShow(a *commands, n noun.Noun[rooms.Decision]) *cobra.Command {
	return noun.Show(n, &cobra.Command{Use: "show ROOM", Short: "Show a decision and whether it still holds"},
		func(ctx context.Context, name string) (shownDecision, error) {
			e, res, err := roomResult(ctx, a, name)
			if err != nil {
				return shownDecision{}, err
			}
			d, err := rooms.In(e).Decision(ctx, res.Room)
			if err != nil {
				return shownDecision{}, err
			}
			page := document.Of(res)
			return shownDecision{d, res.Digest(), res.Revisits, page.Markdown(), a.today(ctx, e, res.Room), page}, nil
		},
		func(d shownDecision) error {
			if d.Today != "" {
				d.page.Notices = append([]string{"Today: " + d.Today + ". See: socrates decisions check " + d.Room}, d.page.Notices...)
			}
			if d.Superseded != nil {
				d.page.Notices = append([]string{"Superseded " + room.Supersession(d.Superseded)}, d.page.Notices...)
			}
			return a.Out.Raw(room.Whole(a.Out, d.page))
		})
}

// today says in a sentence whether a decision still holds in its project; empty: it has no evidence in files, or they
// are not here. It reads files only and starts no program.
func (a *commands) today(ctx context.Context, e *engine.Engine, name string) string {
	basis, ok, err := a.basis(ctx, e, name)
	if err != nil || !ok {
		return ""
	}
	project, err := drift.Glance(basis.Dir)
	if err != nil {
		return ""
	}
	defer project.Close()
	reports, err := project.Check(ctx, []drift.Basis{basis})
	if err != nil || !slices.ContainsFunc(reports[0].Cites, func(c drift.Cite) bool { return c.State != drift.Unchecked }) {
		return ""
	}
	return account.Short(reports[0])
}

// again fills unset flags from an earlier debate. Flags win over the old frame, a preset over single settings. It
// ends by reading the settings again, from which the frame is then made.
func again(a *commands, d *frame.Flags, f table.Frame, res debate.Result) {
	d.Revisits = f.Room
	// In a debate about a number the options came from the seats' estimates: the new one makes its own.
	if len(d.Options) == 0 && f.Origin != "estimates" {
		for _, o := range res.Options {
			d.Options = append(d.Options, o.Text)
		}
	}
	keep := func(key, value string) {
		if !d.Set.Given(key) && !d.Set.Given("preset") && value != "" {
			a.Set(map[string]string{key: value})
		}
	}
	keep("debate.strategy", f.Strategy)
	if len(d.Seats) == 0 {
		for _, s := range f.Seats {
			spec := s.Spec
			if s.Persona.Name != "" {
				spec += "@" + s.Persona.Name
			}
			d.Seats = append(d.Seats, spec)
		}
		keep("debate.effort", f.Seats[0].Effort)
	}
}
