package work

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/issues"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/issue"
)

// edit returns the command issue edit. It passes on the version it read: a draft that changed meanwhile is not
// overwritten.
func (d *drafts) edit() *cobra.Command {
	file, title := "", ""
	c := &cobra.Command{Use: "edit [NUMBER]", Short: "Change the text of an issue draft",
		Long: `Open the draft in your editor (VISUAL or EDITOR), or read it from --file. Its first line is the title.`}
	c.Flags().StringVar(&file, "file", "", "read the text from this `file` (-: stdin)")
	c.Flags().StringVar(&title, "title", "", "change only the title")
	return d.on(c, func(ctx context.Context, e *engine.Engine, i issue.Issue) error {
		op := issues.Edit{Number: i.Number, Title: title, Body: i.Body, Version: i.Version}
		text := ""
		var err error
		switch {
		case title != "" && file != "":
			return failure.Usage("--title and --file cannot be combined", "the first line of the file is the title")
		// The body stays as read; the version ensures that it has not changed.
		case title != "":
		case file != "":
			var ok bool
			if text, _, ok, err = d.commands.file(file); err == nil && !ok {
				err = failure.Usage("no text in "+file+": no such file", "")
			}
		case !d.Attended():
			return failure.Usage("an editor needs a terminal", "give the new text with --file")
		default:
			text, err = d.Edit(ctx, "issue", page(i))
		}
		if err != nil {
			return err
		}
		if title == "" {
			op.Title, op.Body = unpaged(text)
		}
		if _, err := e.Do(ctx, op); err != nil {
			return err
		}
		if i, err = issues.In(e).Issue(ctx, i.Number); err != nil {
			return err
		}
		return d.done(fmt.Sprintf("Issue draft %d is at version %d.", i.Number, i.Version), oneIssue{i})
	})
}

// file returns the command issue file. The same version is shown, approved and filed; the question is asked even with
// --quiet.
func (d *drafts) file() *cobra.Command {
	yes, op := false, issues.File{}
	c := &cobra.Command{Use: "file [NUMBER]", Short: "File a draft as an issue with gh or glab",
		Long: `Show the text and where it goes, ask, then open the issue under your own login. A draft is filed only
once.`,
		Example: `  socrates work issue file
  socrates work issue file 3 --remote upstream --yes`}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask: you have read the text")
	c.Flags().BoolVar(&op.Again, "again", false, "file again after an interrupted try")
	c.Flags().StringVar(&op.Remote, "remote", "origin", "`remote` whose forge gets the issue")
	return d.on(c, func(ctx context.Context, e *engine.Engine, i issue.Issue) error {
		l := issues.In(e)
		to, err := l.Target(ctx, i.Dir, op.Remote)
		if err != nil {
			return err
		}
		// A filed draft needs no question: the engine answers with its URL.
		if !yes && i.URL == "" {
			if !d.Attended() {
				return failure.Usage("filing an issue needs your approval, and no one can be asked here",
					"read it: socrates work issue show "+strconv.Itoa(i.Number)+"; then file it with --yes")
			}
			d.Out.Ask(page(i) + "\n")
			word, err := d.ReadLine("File this at " + to.Address + " with " + to.Program + "? [y/N] ")
			if err != nil || word != "y" && word != "yes" {
				d.Out.Tell("Nothing was filed.\n")
				return err
			}
		}
		op.Number, op.Version = i.Number, i.Version
		if _, err := e.Do(ctx, op); err != nil {
			return err
		}
		if i, err = l.Issue(ctx, i.Number); err != nil {
			return err
		}
		return d.done("Filed: "+i.URL, oneIssue{i})
	})
}
