package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/adr"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
)

// book is where this project's decision files lie. dir is relative to the working folder; empty: decisions.dir, which
// is relative to the project's.
func (a *app) book(dir string) (adr.Book, error) {
	c, err := a.Home.Settings.Load()
	if err != nil {
		return adr.Book{}, err
	}
	file, err := a.Home.Settings.StoreFile()
	if err != nil {
		return adr.Book{}, err
	}
	root, err := a.Home.Settings.Project()
	if err != nil {
		return adr.Book{}, err
	}
	if dir == "" {
		dir = c.String("decisions.dir")
	} else if !filepath.IsAbs(dir) {
		here, err := a.Home.Settings.Dir()
		if err != nil {
			return adr.Book{}, err
		}
		dir = filepath.Join(here, dir)
	}
	return adr.Book{Root: root, Dir: dir, Lock: filepath.Join(filepath.Dir(file), "locks", "decisions.lock"), RoomOf: debate.DocumentRoom}, nil
}

// adrWritable says whether the decision of a debate can be written where it is wanted, before anybody is asked.
func (a *app) adrWritable() error {
	c, err := a.Home.Settings.Load()
	if err != nil || c.String("decisions.adr") != "on" {
		return err
	}
	b, err := a.book("")
	if err != nil {
		return err
	}
	return b.Check()
}

// writeADR writes the decision of a debate that has just ended, if it is wanted.
func (a *app) writeADR(ctx context.Context, e *engine.Engine, res debate.Result) error {
	c, err := a.Home.Settings.Load()
	if err != nil || c.String("decisions.adr") != "on" {
		return err
	}
	if !res.Outcome.Decision() {
		a.Out.Tell("No decision, so no decision file was written.\n")
		return nil
	}
	b, err := a.book("")
	if err != nil {
		return err
	}
	files, err := a.writeFiles(ctx, e, b, []debate.Result{res})
	for _, f := range files {
		a.Out.Tell(fileLine(f))
	}
	return err
}

// writeFiles writes the decision files of some results and brings the others up to date. What is open is no decision yet.
func (a *app) writeFiles(ctx context.Context, e *engine.Engine, b adr.Book, results []debate.Result) ([]adr.File, error) {
	superseded, err := e.Superseded(ctx)
	if err != nil {
		return nil, err
	}
	var decisions []adr.Decision
	for _, res := range results {
		if res.NeedsPerson {
			a.Out.Tell("No decision file of " + res.Room + ": it is open until you decide (socrates decisions confirm " + res.Room + ").\n")
			continue
		}
		asked, _ := debate.SplitData(res.Question)
		decisions = append(decisions, adr.Decision{Room: res.Room, Title: asked, Date: res.Started, Document: a.Out.Clean(res.Decision)})
	}
	return b.Write(ctx, decisions, superseded)
}

// fileLine says what was done to a decision file.
func fileLine(f adr.File) string {
	return fmt.Sprintf("%s%s %s\n", strings.ToUpper(string(f.Change[:1])), f.Change[1:], f.Path)
}
