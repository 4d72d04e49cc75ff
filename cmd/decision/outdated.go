package decision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/drift"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// revisitAll debates every decision again that a check found outdated, one after the other. It continues after one
// that fails, unless nothing could be asked; the first that did not succeed gives the exit code. Each debate has a
// call of its own: settings taken from its earlier debate must not apply to the next.
func (a *commands) revisitAll(c *cobra.Command, d *frame.Flags, from, reason string) error {
	outdated, err := readOutdated(a, from)
	if err != nil {
		return err
	}
	if len(outdated) == 0 {
		a.Out.Tell("No decision is outdated: nothing to debate again.\n")
		return nil
	}
	// One command prints one object.
	if len(outdated) > 1 && a.Out.Format == "json" {
		return failure.Usage("--output json prints one debate, and "+from+" has "+fmt.Sprint(len(outdated))+" outdated decisions",
			"use --output stream-json, or name one: socrates decisions revisit "+outdated[0].Room)
	}
	if err := known(c.Context(), a, outdated); err != nil {
		return err
	}
	var first error
	for _, r := range outdated {
		each := *d // flags filled in for one debate must not apply to the next
		because := reason
		if because == "" {
			because = drifted(r)
		}
		a.Out.Tell("Debating " + r.Room + " again: " + because + ".\n")
		own := a.With(a.Home.With(nil)) // it shares the engine that known opened and a closes
		err := (&commands{own, a.frames.For(own), &room.Rooms{Call: own, Lend: a.rooms.Lend}}).revisit(c, &each, r.Room, because)
		if first == nil {
			first = err
		}
		// No login, no vendor, no money: the next one would fail the same way.
		if f, ok := errors.AsType[*failure.Error](err); err != nil && (!ok || !failure.Settled(f.Code)) {
			return err
		}
	}
	return first
}

// known refuses decisions whose debates are not in this store: a new debate takes its seats and options from there.
// It looks up all before the first is debated, so that a missing one costs nothing.
func known(ctx context.Context, a *commands, outdated []drift.Report) error {
	for _, r := range outdated {
		if _, _, err := roomResult(ctx, a, r.Room); err != nil {
			if f := failure.Explain(err); f.Code == failure.ExitUsage {
				return failure.Usage("the debate "+r.Room+" is not in this store",
					"ask it again: socrates debate \""+out.OneLine(r.Question)+"\"")
			}
			return err
		}
	}
	return nil
}

// readOutdated reads the decisions that a check found outdated. It limits the input, which may come from a pipe.
func readOutdated(a *commands, from string) ([]drift.Report, error) {
	in := io.Reader(a.In)
	if from != "-" {
		f, err := os.Open(from)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, 64<<20))
	if err != nil {
		return nil, err
	}
	var all struct{ Decisions *[]drift.Report }
	if json.Unmarshal(raw, &all) != nil || all.Decisions == nil {
		return nil, failure.Usage(from+" is not the output of decisions check",
			"create it: socrates decisions check --output json > check.json")
	}
	return slices.DeleteFunc(*all.Decisions, func(r drift.Report) bool { return r.Holds }), nil
}

// drifted describes in a sentence what changed under a decision.
func drifted(r drift.Report) string {
	var list []string
	for _, e := range r.Cites {
		if e.State != drift.Changed && e.State != drift.Gone {
			continue
		}
		what := fmt.Sprintf("%s:%d", e.File, e.Line)
		if len(e.Command) > 0 {
			what = strings.Join(e.Command, " ")
		}
		if what += " " + string(e.State); e.Commit != nil {
			what += fmt.Sprintf(" in %.12s", e.Commit.Hash)
		}
		list = append(list, what)
	}
	return strings.Join(list, "; ")
}
