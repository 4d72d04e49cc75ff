package work

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/report"
)

// newReport returns the command report. It reports on a run in any state; it never writes into an existing folder.
func newReport(a *commands) *cobra.Command {
	format, dir := "markdown", ""
	c := &cobra.Command{Use: "report [RUN]", Short: "Write a run's report: decision, steps, checks, cost",
		Long: `Print the report in Markdown or HTML. With --out FOLDER, create a folder with the report in both
formats, the request, the plan as written, the whole record as JSON, and each step's diff.`,
		Example: `  socrates work report > report.md
  socrates work report --format html > report.html
  socrates work report --out repair-report`}
	c.Flags().StringVar(&format, "format", format, "markdown, html")
	c.Flags().StringVar(&dir, "out", "", "create this `folder` with everything in it")
	return a.onRun(c, 0, func(ctx context.Context, e *engine.Engine, name string, _ []string) error {
		if format != "markdown" && format != "html" {
			return failure.Usage("--format must be markdown or html", "")
		}
		r, err := runs.In(e).Report(ctx, name)
		if err != nil {
			return err
		}
		text := a.Out.Clean(r.Markdown())
		// The page is made from the cleaned text, so it contains nothing that the Markdown does not.
		page, err := report.HTML(cmp.Or(r.Status.Title(), name), text)
		if err != nil {
			return err
		}
		switch {
		case dir != "":
			return a.reports(ctx, e, name, dir, r, map[string]string{"report.md": text, "report.html": page})
		case a.Out.Format != "text":
			return a.Out.JSON(account{name, text, r.Steps})
		case format == "html":
			text = page
		}
		_, err = a.Out.Write([]byte(text))
		return failure.Unread(err)
	})
}

// reports writes a report as a folder. It reads everything before it makes the folder, so a run that cannot be read
// leaves none behind.
func (a *commands) reports(ctx context.Context, e *engine.Engine, name, dir string, r report.Report, files map[string]string) error {
	s := r.Status
	if s.Planned != nil {
		text, err := e.Text(ctx, s.Planned.Text)
		if err != nil {
			return err
		}
		files["plan.md"] = text
	}
	if r.Asked != "" {
		files["request.md"] = r.Asked + "\n"
	}
	root, err := runs.In(e).Root(ctx, name)
	if err != nil {
		return err
	}
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(map[string]any{"run": a.result(s), "steps": r.Steps, "nodes": nodes}, "", "  ")
	if err != nil {
		return err
	}
	files["run.json"] = string(raw) + "\n"
	// Opening the workspaces may take a moment: removed ones are made again.
	if err := a.changes(ctx, e, s, files); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return failure.Usage("cannot create the folder "+dir+": "+failure.Because(err), "name a folder that does not exist yet")
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(a.Out.Clean(text)), 0o644); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	return a.done("Wrote "+out.Count(len(files), "file")+" to "+dir+".", reported{name, dir, len(files)})
}

// changes adds the change of each merged step.
func (a *commands) changes(ctx context.Context, e *engine.Engine, s work.Status, files map[string]string) error {
	if s.Begun == nil {
		return nil
	}
	space, err := runs.In(e).Space(ctx, s)
	if err != nil {
		return err
	}
	for _, m := range s.Merges {
		if files["step-"+m.Task+".diff"], err = space.Patch(ctx, m.Onto, m.Commit); err != nil {
			return err
		}
	}
	return nil
}
