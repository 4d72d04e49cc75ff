package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/receipt"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/parcel"
)

// newExport returns the command export. It never replaces a file, since an exported run is evidence.
func newExport(a *commands) *cobra.Command {
	file := ""
	c := &cobra.Command{Use: "export [RUN]", Short: "Write a whole run to a file: record, conversations, commits, checksums",
		Long: `Write everything about a run to one file: its record, its agents' conversations, and its commits
with the project files they started from. The file names no folder of this machine. socrates work
verify recomputes it anywhere; socrates work import imports it into another project folder. Secrets
are removed from the conversations, not from the project's own files.`,
		Example: "  socrates work export --out repair.run\n  socrates work export repair | gzip > repair.run.gz"}
	c.Flags().StringVar(&file, "out", "", "write to this `file` (default: stdout)")
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		p, err := runs.In(e).Parcel(ctx, name, build.Version())
		if err != nil {
			return err
		}
		raw, err := p.Write(a.Out.Clean)
		if err != nil {
			return err
		}
		if file == "" {
			_, err = a.Out.Write(raw)
			return failure.Unread(err)
		}
		// Readable for the person alone: it holds what agents read and said.
		f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return failure.Usage("cannot write "+file+": "+failure.Because(err), "name a file that does not exist yet")
		}
		_, err = f.Write(raw)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		return a.done(fmt.Sprintf("Wrote %s: %s bytes. Verify it: socrates work verify %s", file, out.Thousands(len(raw)), file),
			exported{name, file, len(raw)})
	})
}

// opened reads the file of a run.
func opened(file string) (parcel.Parcel, error) {
	info, err := os.Stat(file)
	// A pipe could be endless, and a huge file is no run.
	if err == nil && (!info.Mode().IsRegular() || info.Size() > receipt.Most) {
		return parcel.Parcel{}, failure.Usage(file+" is not an exported run", "create one: socrates work export RUN --out FILE")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return parcel.Parcel{}, failure.Usage("cannot read "+file+": "+failure.Because(err),
			"create one: socrates work export RUN --out FILE")
	}
	return parcel.Open(file, raw)
}

// newImport returns the command import. The file is untrusted, so checksums and commits are checked before it is
// kept, and nothing in it is ever run.
func newImport(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "import FILE", Short: "Import a run that was exported elsewhere", Args: cobra.ExactArgs(1),
		Long: `Import a run from a file that socrates work export wrote. Its checksums and commits are checked
first. The run then belongs to this project and can be inspected and accepted here, if the project
has the commit it began with. It cannot be resumed, because its executors, mode and checks were
chosen elsewhere.`}
	c.RunE = func(c *cobra.Command, args []string) error {
		p, err := opened(args[0])
		if err != nil {
			return err
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		dir, err := a.project()
		if err != nil {
			return err
		}
		// An executor that is a command line would run a program of somebody else's choice.
		safe := func(spec string) bool { return !scheme.Of(spec).Command }
		if _, err := e.Do(c.Context(), runs.Import{Parcel: p, Dir: dir, Safe: safe}); err != nil {
			return err
		}
		return a.done(fmt.Sprintf("Imported %s: %s, %s. See it: socrates work show %s", p.Run, out.Count(len(p.Nodes), "node"),
			out.Count(len(p.Talks), "conversation"), p.Run),
			imported{p.Run, len(p.Nodes), len(p.Talks)})
	}
	return c
}

// newVerify is the command verify: it works in a temporary folder and needs neither store nor project.
func newVerify(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "verify FILE", Short: "Verify a run from its export", Args: cobra.ExactArgs(1),
		Long: `Recompute what code decided in a run, byte for byte, from a file that socrates work export wrote:
plans from their texts, proofs from the changes and the results of checks, races from the
comparisons, merges from branch and change, and the ids of all commits. No check is run and no
model is called.

Exit code 1: something does not follow from the record. Exit code 2: the file is not a run.`}
	c.RunE = func(c *cobra.Command, args []string) error {
		p, err := opened(args[0])
		if err != nil {
			return err
		}
		dir, err := scratch.New("verify")
		if err != nil {
			return err
		}
		// The commits are unpacked there and nowhere else.
		defer dir.Remove()
		r, err := parcel.Verify(c.Context(), p, filepath.Join(dir.Path, "run"))
		if err != nil {
			return err
		}
		return verified(a, args[0], r)
	}
	return c
}

// verified prints a report, and exits with its code. What only a person or a check could know is unknown and no
// failure.
func verified(a *commands, file string, r parcel.Report) error {
	if a.Out.Format != "text" {
		if err := a.Out.JSON(r); err != nil {
			return err
		}
	} else {
		state := string(r.State)
		if r.State == work.Open {
			state = "not at its end"
		}
		fmt.Fprintln(a.Out, out.Wrap(out.OneLine(r.Title), 80, ""))
		fmt.Fprintf(a.Out, "Run %s (%s), exported by socrates %s\nRecord sha256 %s\n\n", r.Run, state, r.Program, r.Record)
		for _, f := range r.Findings {
			mark := map[receipt.State]string{receipt.OK: "ok", receipt.Failed: "FAILED", receipt.Unknown: "unknown"}[f.State]
			fmt.Fprintln(a.Out, out.Wrap(fmt.Sprintf("%-8s %-11s %s", mark, f.What, f.Says), 80, strings.Repeat(" ", 21)))
		}
	}
	if r.Verified {
		return nil
	}
	var failed []string
	for _, f := range r.Findings {
		if f.State == receipt.Failed {
			failed = append(failed, f.What)
		}
	}
	return failure.New(failure.ExitFailed, "differs", file+" was modified or is incomplete: "+strings.Join(failed, ", "), "")
}
