package door

import (
	"context"
	"errors"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/team"
)

// retaker takes over, when a server begins, the runs of all projects whose process died: they are resumed here, or
// paused, as the setting says. A run of a hub's person continues as theirs, within their quotas, if they may still
// run agents and see it; else it is paused.
type retaker struct {
	*commands
	engine *engine.Engine
	people *team.Book      // nil: the server belongs to one person
	theirs map[string]*own // by person; nil: they may not
}

// all takes over every such run. Runs that cannot be listed do not stop the server from starting; whoever asks for
// them gets the error.
func (t *retaker) all(ctx context.Context) error {
	list, err := runs.In(t.engine).Died(ctx, "")
	if err != nil || len(list) == 0 {
		return nil
	}
	c, err := t.Home.Settings.Load()
	if err != nil {
		return err
	}
	for _, r := range list {
		e, resumes := t.engine, c.String("work.died") == "resume"
		if resumes && r.Person != "" {
			if e, err = t.person(ctx, r); err != nil {
				return err
			}
			if resumes = e != nil; !resumes {
				e = t.engine
			}
		}
		_, err := e.Do(ctx, runs.Retake{Run: r.Name, Resume: resumes})
		if _, refused := errors.AsType[*engine.Refusal](err); refused {
			continue // another process runs it
		}
		if err != nil {
			return err
		}
		_, s, err := runs.In(t.engine).Status(ctx, r.Name)
		if err != nil {
			return err
		}
		said := "Resumed run " + r.Name + ": its process had died. It runs in this server and stops with it. Pause it: socrates work pause "
		if s.Held() {
			said = "Paused run " + r.Name + ": its process had died. Continue with: socrates work resume "
		}
		t.Out.Tell(clean.Line(said+r.Name) + "\n")
	}
	return nil
}

// person returns the engine of the person whose run it is, opened once; nil: they may not continue it.
func (t *retaker) person(ctx context.Context, r runs.Info) (*engine.Engine, error) {
	if _, known := t.theirs[r.Person]; !known {
		t.theirs[r.Person] = nil
		if t.people == nil {
			return nil, nil
		}
		p, there, err := t.people.Person(ctx, r.Person)
		if err != nil {
			return nil, err
		}
		if there && (p.Role == team.Agent || p.Role == team.Admin) {
			if t.theirs[r.Person], err = t.as(r.Person); err != nil {
				return nil, err
			}
		}
	}
	one := t.theirs[r.Person]
	if one == nil {
		return nil, nil
	}
	e, err := one.Open(ctx)
	if err != nil {
		return nil, err
	}
	if _, _, err := runs.In(e).Status(ctx, r.Name); err != nil { // they can no longer see it
		return nil, nil
	}
	return e, nil
}

// close ends what runs for those people, once the server has ended.
func (t *retaker) close() {
	for _, one := range t.theirs {
		if one != nil {
			one.Close()
		}
	}
}
