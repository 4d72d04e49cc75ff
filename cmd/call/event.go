package call

import (
	"os"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/event"
	"github.com/socrates-cli/socrates/internal/failure"
)

// EventHooks returns the receivers of events from the settings. An invalid entry is reported and skipped; it stops
// neither the others nor the debate. The error is that of the settings as a whole.
func (a *Call) EventHooks() ([]event.Hook, error) {
	cfg, err := a.Home.Settings.Load()
	if err != nil {
		return nil, err
	}
	var hooks []event.Hook
	for _, e := range cfg.Events() {
		h, err := a.EventHook(e)
		if err != nil {
			a.Out.Tell("event " + e.Name + " is not sent: " + failure.Explain(err).Message + "\n")
			continue
		}
		hooks = append(hooks, h)
	}
	return hooks, nil
}

// EventHook makes a hook from an entry of the settings and its secret.
func (a *Call) EventHook(e config.Event) (event.Hook, error) {
	h := event.Hook{Name: e.Name, Command: e.Command, URL: e.Webhook}
	for _, name := range e.On {
		h.On = append(h.On, event.Name(name))
	}
	secret, err := e.Secret.Reveal(os.LookupEnv)
	h.Secret = secret
	a.Out.Learn(secret)
	return h, err
}
