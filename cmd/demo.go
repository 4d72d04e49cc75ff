package cmd

import (
	"context"
	"embed"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/seat"
)

// demoFiles are a small project that bears on demoQuestion.
//
//go:embed demo
var demoFiles embed.FS

const demoQuestion = "Should hours keep its entries in SQLite or in a JSON file?"

func newDemo(a *app) *cobra.Command {
	d := &debateFlags{}
	c := &cobra.Command{Use: "demo", Short: "Watch an offline debate about a sample project",
		Long: `The rehearsal panel, three rule-based seats, debates a question about a small sample project, which
is first written next to the store. You see a whole debate: claims and quotes, checks,
cross-examination, decision and dissent. It needs no key and no network, costs nothing and reads
nothing in the current folder.`, Args: cobra.NoArgs}
	c.RunE = func(c *cobra.Command, _ []string) error {
		d.apply(a)
		op, err := a.demoOf(c.Context(), d)
		if err != nil {
			return err
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		a.Out.Tell("The sample project is in " + op.Frame.Dir + "\n")
		return a.conduct(c.Context(), e, op, d)
	}
	c.Flags().BoolVar(&d.explain, "explain", false, "explain every number")
	return c
}

// demo makes the debate of `socrates demo`, for the screen.
func (a *app) demo(ctx context.Context) (engine.Debate, error) {
	op, err := a.demoOf(ctx, &debateFlags{})
	if err != nil {
		return engine.Debate{}, err
	}
	return *op, nil
}

func (a *app) demoOf(ctx context.Context, d *debateFlags) (*engine.Debate, error) {
	record, err := a.Home.Settings.StoreFile()
	if err != nil {
		return nil, err
	}
	if d.dir, err = filepath.Abs(filepath.Join(filepath.Dir(record), "demo")); err != nil {
		return nil, err
	}
	d.seats = []string{seat.Rehearsal + ":" + seat.Slowly}
	err = fs.WalkDir(demoFiles, "demo", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		within, err := filepath.Rel("demo", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		return private.Replace(filepath.Join(d.dir, within), text)
	})
	if err != nil {
		return nil, err
	}
	return a.frameUp(ctx, d, demoQuestion)
}
