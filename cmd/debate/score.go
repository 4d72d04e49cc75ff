package debate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/receipt"
)

// newScore returns the command score. It recomputes the verdict of an exported file and compares it byte for byte,
// without a store. Exit code 1 means that the file does not follow from its own ledger, or its ledger not from its
// record.
func newScore(a *commands) *cobra.Command {
	var explainIt bool
	c := &cobra.Command{Use: "score FILE.json", Short: "Verify a verdict from its export",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return failure.Usage("score takes one file", "create one: socrates debate export last --format json > debate.json")
			}
			return nil
		}}
	c.Flags().BoolVar(&explainIt, "explain", false, "explain every number")
	c.RunE = func(c *cobra.Command, args []string) error {
		raw, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		var res debate.Result
		if err := json.Unmarshal(raw, &res); err != nil || res.Schema == "" {
			return failure.Usage(args[0]+" is not a JSON export of a debate",
				"create one: socrates debate export last --format json > debate.json")
		}
		// A file whose own fields contradict each other is refused before anything is computed from it.
		if err := res.Unsound(); err != nil {
			return failure.New(failure.ExitFailed, "differs", err.Error(), "the file was modified, or made under different rules")
		}
		if err := scored(args[0], raw, res); err != nil {
			return err
		}
		if next, left := res.Ledger().Unfinished(res.Rules); left && res.Ended && res.Rules.Cases {
			a.Out.Warn("under its rules, " + next + " would have been judged next: time or money ran out, no judge was left, " +
				"or checks were removed")
		}
		again := verdict.Decide(res.Ledger(), res.Rules)
		if explainIt {
			fmt.Fprint(a.Out, out.Fit(os.Stdout, document.Explained(res), "    "))
		} else if err := a.Out.JSON(again); err != nil {
			return err
		}
		// Compared as bytes: numbers that print alike but differ are a forgery, too.
		have, _ := json.Marshal(res.Verdict())
		want, _ := json.Marshal(again)
		if string(have) != string(want) && len(verdict.Differences(res.Verdict().Numbers(), again.Numbers())) == 0 {
			return failure.New(failure.ExitNone, "unknown",
				"the numbers in "+args[0]+" match its ledger, but this version words its text differently",
				"it was edited, or written by another version; check the rest with: socrates verify "+args[0])
		}
		if string(have) != string(want) {
			return failure.New(failure.ExitFailed, "differs", "the verdict in "+args[0]+" does not match its ledger",
				"the file was modified, or made under different rules")
		}
		a.Out.Tell("The verdict in " + args[0] + " matches its ledger, byte for byte. (Recomputed from votes, claims, checks and rules; " +
			"texts and costs are not checked.)\n")
		if res.Rehearsal {
			a.Out.Tell("It is a rehearsal: no model took part, so nothing was decided.\n")
		}
		return nil
	}
	return c
}

// scored refuses a ledger that differs from that of the record in the file. A file without a record is scored as it
// is.
func scored(file string, raw []byte, res debate.Result) error {
	r, err := receipt.Open(file, raw)
	if failed, ok := errors.AsType[*receipt.Error](err); ok && failed.Foreign {
		return nil
	}
	if err != nil {
		return failure.New(failure.ExitFailed, "differs", err.Error(), "the file was modified")
	}
	held, err := debate.Summarize(r.Nodes)
	if err != nil {
		return failure.New(failure.ExitFailed, "differs", "the record in "+file+" cannot be read: "+err.Error(), "it was modified")
	}
	if d := verdict.Differences(held.Ledger(), res.Ledger()); len(d) > 0 {
		return failure.New(failure.ExitFailed, "differs", "the ledger in "+file+" does not match the record it contains: "+d[0],
			"the file was modified")
	}
	return nil
}

// newSchema returns the command schema, for programs that validate the output.
func newSchema(a *commands) *cobra.Command {
	return &cobra.Command{Use: "schema", Short: "Print the JSON Schema of --output json", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := room.Schema()
			if err != nil {
				return err
			}
			return a.Out.JSON(s)
		}}
}
