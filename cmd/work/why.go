package work

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work/trace"
)

// newWhyLine returns the command why FILE:LINE, beside the group. It needs git and, for all but what the commit
// itself says, the store that has the run.
func newWhyLine(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "why FILE:LINE", Short: "Explain where a line comes from: step, decision, checks, cost",
		Long: `Trace a line of the project back to its commit, run and step: the model and its instructions, the
decision and the claims it answers, the checks that proved it, what a person decided, and the cost.
The step is found by its commit's trailers or note; after a squash or rebase, by the line's position
in the run or in the run's commits, which the repository keeps. In another clone, fetch these first
(and push them likewise): git fetch origin "refs/notes/socrates:refs/notes/socrates"
"refs/socrates/*:refs/socrates/*".`,
		Example: "  socrates why internal/client.go:120", Args: cobra.ExactArgs(1)}
	c.RunE = func(c *cobra.Command, args []string) error {
		// The last colon: a path of Windows has one at its beginning. Without any the whole argument is read as the
		// number, and refused.
		at := strings.LastIndex(args[0], ":")
		line, err := strconv.Atoi(args[0][at+1:])
		if at < 1 || err != nil || line < 1 {
			return failure.Usage(clean.Line(args[0])+" is not FILE:LINE", "for example: socrates why main.go:12")
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		dir, err := a.Home.Settings.Dir()
		if err != nil {
			return err
		}
		file := args[0][:at]
		// It is relative to the person's folder, also with --cwd.
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		o, err := runs.In(e).Origin(c.Context(), file, line)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(o)
		}
		tellOrigin(a.Out, o)
		return nil
	}
	return c
}

// tellOrigin shows where a line comes from. If the store does not have the run, only its commit and the note on it
// are known.
func tellOrigin(w io.Writer, o runs.Origin) {
	row(w, fmt.Sprintf("%s:%d", o.File, o.Line), strings.TrimSpace(o.Text))
	// git reports uncommitted lines with a commit of zeros.
	if strings.Trim(o.Commit, "0") == "" {
		row(w, "commit", "none: the line is not committed")
		return
	}
	row(w, "commit", fmt.Sprintf("%.12s %s (%s)", o.Commit, o.Subject, o.Date))
	if len(o.Steps) > 1 {
		row(w, "steps", "the commit contains several steps; it is unknown which one added the line")
	}
	for _, s := range o.Steps {
		if how := found[o.By]; how != "" {
			row(w, "found", how)
		}
		tellStep(w, s)
	}
	// A trailer for a run of this store is shown above as its step.
	for _, m := range o.Marks {
		if len(o.Steps) > 0 {
			break
		}
		row(w, "run", fmt.Sprintf("%s, step %s, attempt %d by %s; it is not in this store", m.Run, m.Step, m.Attempt, m.Executor))
	}
	if len(o.Steps) == 0 {
		tellNote(w, o.Note)
	}
	if len(o.Steps)+len(o.Marks) == 0 {
		row(w, "run", "none: no run of this project added it")
	}
}

// found describes how a step was found if its commit does not name it.
var found = map[string]string{"content": "by content: the run has this line in this place", "note": "by the note on its commit",
	"kept": "by the commits of the run, which the repository keeps"}

// tellNote shows the note on a step whose run is elsewhere, without its marks.
func tellNote(w io.Writer, note string) {
	for line := range strings.Lines(note) {
		if name, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(name, "Socrates-") {
			row(w, strings.ToLower(name), text)
		}
	}
}

// newWhy is the command work why: one step with all that led to it, for a person who wants to know why a line is as it
// is.
func newWhy(a *commands) *cobra.Command {
	c := &cobra.Command{Use: "why [RUN] STEP", Short: "Explain a step: claims, brief, checks, messages, cost"}
	return a.onRun(c, 1, func(ctx context.Context, e *engine.Engine, name string, args []string) error {
		s, err := runs.In(e).Step(ctx, name, args[0])
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(s)
		}
		tellStep(a.Out, s)
		return nil
	})
}

// row prints a name and its value, which continues below itself.
func row(w io.Writer, name, text string) {
	head := fmt.Sprintf("%-10s ", name)
	fmt.Fprintln(w, out.Fit(os.Stdout, clean.Line(head+strings.Join(strings.Fields(text), " ")), strings.Repeat(" ", 11)))
}

// tellStep shows what led to a step.
func tellStep(w io.Writer, s trace.Step) {
	row(w, "step", fmt.Sprintf("%s %s: %s, %s", s.Run, s.ID, s.Title, s.State))
	for _, why := range s.Why {
		row(w, "because", why)
	}
	if s.Decision != "" {
		row(w, "decision", s.Decision+"; see it: socrates debate show "+s.Decision)
	}
	for _, p := range s.Claims {
		row(w, "answers", fmt.Sprintf("%s (%s): %s", p.ID, p.Kind, p.Text))
	}
	row(w, "plan", fmt.Sprintf("version %d by %s", s.Plan, s.By))
	row(w, "brief", s.Brief)
	if s.Executor != "" {
		by := fmt.Sprintf("%s, attempt %d, %s", s.Executor, s.Attempt, fmt.Sprintf("try %d", s.Tries))
		if len(s.Models) > 0 {
			by += "; answered by " + strings.Join(s.Models, ", ")
		}
		row(w, "done by", by+"; read it: socrates tree show "+s.Conversation)
	}
	for _, r := range s.Checks {
		line := fmt.Sprintf("%s: %s; before: %s", strings.Join(r.Command, " "), r.After, r.Base)
		if r.Without != nil {
			line += "; without the change: " + r.Without.String()
		}
		row(w, "check", line)
	}
	for _, r := range s.Reviews {
		row(w, "reviewed", fmt.Sprintf("by %s: %s", r.By, out.Count(len(r.Objections), "objection")))
		for _, o := range r.Objections {
			row(w, "", map[bool]string{true: "", false: "(its quote is not in the change) "}[o.Found]+o.String())
		}
	}
	if s.Race != nil {
		row(w, "race", fmt.Sprintf("%s; attempt %d was kept: %s", out.Count(len(s.Race.Entrants), "racer"), s.Race.Best, s.Race.Why))
		for _, e := range s.Race.Entrants {
			row(w, "", fmt.Sprintf("attempt %d by %s: %s, %s changed", e.Attempt, e.Executor, e.State, out.Count(e.Lines, "line")))
		}
	}
	for _, word := range s.Person {
		row(w, "a person", "said "+word)
	}
	if s.Commit != "" {
		row(w, "merged", fmt.Sprintf("%.12s, proved as %.12s", s.Commit, s.Change))
	}
	if s.MS > 0 || s.Usage.Total() > 0 {
		row(w, "cost", fmt.Sprintf("%s tokens, %s, %s", out.Thousands(s.Usage.Total()), s.Usage.Money(),
			(time.Duration(s.MS)*time.Millisecond).Round(100*time.Millisecond)))
	}
}
