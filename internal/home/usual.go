package home

import (
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// hooks are those of a run in a project.
func (h *Home) hooks(dir, session string) (hook.Set, error) {
	allowed, err := h.Approvals.Allowed(dir)
	if err != nil {
		return hook.Set{}, err
	}
	return h.Servers.Hooks(dir, session, allowed)
}

// usual is the way of a run of which nobody said anything: as the settings that hold in a project have it.
func (h *Home) usual(dir string) (w way.Way, err error) {
	cfg, err := h.Settings.Of(dir)
	if err != nil {
		return w, err
	}
	w.Options = record.Usual()
	o := &w.Options
	o.Parallel, o.Retries, o.Review = cfg.Int("work.parallel"), cfg.Int("work.retries"), cfg.String("work.review")
	o.USD, o.Tokens = cfg.Float("work.budget_usd"), cfg.Int("work.max_tokens")
	o.Executors, w.Panel = cfg.Strings("work.execute.seats"), cfg.Strings("work.analyze.seats")
	w.MinSeats = cfg.Int("work.analyze.min_seats")
	w.Manners = map[way.Phase]way.Manner{}
	for _, p := range []way.Phase{way.Refine, way.Analyze, way.Plan, way.Execute} {
		at := "work." + string(p) + "."
		m := way.Manner{Effort: cfg.String(at + "effort"), Timeout: cfg.Duration(at + "timeout"), Idle: cfg.Duration(at + "idle_timeout"),
			Deny: cfg.Strings(at + "deny_tools")}
		if p != way.Execute {
			m.Model = cfg.String(at + "model")
		}
		w.Manners[p] = m
	}
	return w, nil
}
