package tui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/home"
)

// died takes over the runs of the project whose process died, and reports it: they are resumed or paused, as
// the setting says.
func died(d *Desk) tea.Cmd {
	return d.Away(func(ctx context.Context) func() tea.Cmd {
		names, resumes, err := retake(ctx, d)
		return func() tea.Cmd {
			if d.Fail(err); err == nil && len(names) > 0 {
				how := map[bool]string{true: "resumed", false: "paused"}[resumes]
				d.Notice(how + " because the process died: " + strings.Join(names, ", "))
			}
			return nil
		}
	})
}

// retake takes over what nobody else took meanwhile. Runs that cannot be listed are reported where somebody
// wants to see them.
func retake(ctx context.Context, d *Desk) (names []string, resumes bool, err error) {
	dir, err := home.ProjectOf(d.Dir)
	if err != nil {
		return nil, false, err
	}
	all, err := runs.In(d.Engine).Died(ctx, dir)
	if err != nil || len(all) == 0 {
		return nil, false, nil
	}
	c, err := d.home.Settings.Load()
	if err != nil {
		return nil, false, err
	}
	resumes = c.String("work.died") == "resume"
	for _, r := range all {
		_, err := d.Engine.Do(d.Ctx, runs.Retake{Run: r.Name, Resume: resumes})
		if _, refused := errors.AsType[*engine.Refusal](err); refused {
			continue
		}
		if err != nil {
			return names, resumes, err
		}
		names = append(names, r.Name)
	}
	return names, resumes, nil
}
