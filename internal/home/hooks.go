package home

import (
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/trust"
)

// Yours is the origin of what the person's own settings name.
const Yours = "your settings"

// OwnHooks are the hooks of the person's own settings.
func (sv *Servers) OwnHooks() ([]hook.Hook, error) {
	c, err := sv.home.Settings.Load()
	if err != nil {
		return nil, err
	}
	var list []hook.Hook
	for _, u := range c.Hooks() {
		h := hook.Hook{Name: u.Name, Tools: u.Tools, Command: u.Command, Timeout: u.Timeout, Guard: u.Guard, Form: u.Form,
			Origin: Yours}
		for _, e := range u.On {
			h.On = append(h.On, hook.Event(e))
		}
		if err := h.Check(); err != nil {
			return nil, failure.New(failure.ExitConfig, "config", "in your settings, "+err.Error(), "")
		}
		list = append(list, h)
	}
	return list, nil
}

// Hooks is the hooks of a session: the person's own, then those of the project among trusted.
// A project's hook is checked again each time it is to run (Still): its files may have changed since it was approved.
func (sv *Servers) Hooks(dir, session string, trusted []trust.Item) (set hook.Set, err error) {
	set = hook.Set{Dir: dir, Session: session}
	if set.Hooks, err = sv.OwnHooks(); err != nil {
		return set, err
	}
	for _, i := range trusted {
		if i.Kind != trust.Hook {
			continue
		}
		h, err := hook.Parse(i.Name, i.Definition)
		if err != nil {
			return set, failure.New(failure.ExitConfig, "config", i.Path+": "+err.Error(), "")
		}
		h.Origin, h.Still = i.Path, func() error { return trust.Still(dir, i) }
		set.Hooks = append(set.Hooks, h)
	}
	return set, nil
}
