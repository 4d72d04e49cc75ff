package room

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/adr"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/drift"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
)

// writeADR writes the decision of a debate that has just ended, if the settings ask for it.
func (a *Rooms) writeADR(ctx context.Context, e *engine.Engine, res debate.Result) error {
	c, err := a.Home.Settings.Load()
	if err != nil || c.String("decisions.adr") != "on" {
		return err
	}
	if !res.Outcome.Decision() {
		a.Out.Tell("No decision, so no decision file was written.\n")
		return nil
	}
	b, err := a.Book("")
	if err != nil {
		return err
	}
	files, err := a.WriteFiles(ctx, e, b, []debate.Result{res})
	for _, f := range files {
		a.Out.Tell(FileLine(f))
	}
	return err
}

// WriteFiles writes the decision files of some results and updates the others. A result without a decision gets no
// file. Each file carries a mark for programs that lists what its decision rests on, so that a clone without this
// store can check it.
func (a *Rooms) WriteFiles(ctx context.Context, e *engine.Engine, b adr.Book, results []debate.Result) ([]adr.File, error) {
	superseded, err := rooms.In(e).Superseded(ctx)
	if err != nil {
		return nil, err
	}
	var decisions []adr.Decision
	for _, res := range results {
		if res.NeedsPerson {
			a.Out.Tell("No decision file of " + res.Room + ": it is open until you decide (socrates decisions confirm " + res.Room + ").\n")
			continue
		}
		mark, err := drift.Of(res).Mark(a.Out.Clean)
		if err != nil {
			return nil, err
		}
		asked, _ := motion.Split(res.Question)
		decisions = append(decisions, adr.Decision{Room: res.Room, Title: asked, Date: res.Started,
			Document: a.Out.Clean(document.Of(res).Markdown()) + "\n" + mark})
	}
	return b.Write(ctx, decisions, superseded)
}

// FileLine reports what was done to a decision file.
func FileLine(f adr.File) string {
	return fmt.Sprintf("%s%s %s\n", strings.ToUpper(string(f.Change[:1])), f.Change[1:], f.Path)
}
