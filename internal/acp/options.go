package acp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/slash"
)

// usual is the value of an option that follows the settings.
const usual = "usual"

// options returns the options of a session, with their current values.
func (s *session) options(ctx context.Context) ([]option, *modes, error) {
	set, err := s.env.Settings(ctx)
	if err != nil {
		return nil, nil, err
	}
	m := &modes{Current: cmp.Or(set["mode"], string(permission.Balanced))}
	how := option{ID: "mode", Name: "Permission mode", Category: "mode", Type: "select", Current: m.Current}
	for _, one := range slash.Modes {
		m.Available = append(m.Available, mode{one[0], one[0], one[1]})
		how.Options = append(how.Options, choice{one[0], one[0], one[1]})
	}
	phases := option{ID: "phase", Name: "Phase", Description: "Instructions for the agent", Type: "select",
		Current: cmp.Or(set["phase"], "chat")}
	for _, p := range s.env.Phases() {
		phases.Options = append(phases.Options, choice{p.Name, p.Name, p.Doc})
	}
	list := []option{how, s.models(ctx, set["model"]), phases, s.strategies()}
	if s.choices != nil {
		list = append(list, s.panels()...)
	}
	return list, m, nil
}

// models returns the option of the model.
func (s *session) models(ctx context.Context, now string) option {
	o := option{ID: "model", Name: "Model", Category: "model", Type: "select"}
	if s.choices != nil {
		now = cmp.Or(now, s.choices.Model)
		for _, spec := range s.env.Models(ctx) {
			o.Options = append(o.Options, choice{Value: spec, Name: spec})
		}
		o.Options = append(o.Options, choice{scheme.Rehearsal, scheme.Rehearsal, "Rules instead of a model"})
	}
	if o.Current = cmp.Or(now, usual); !slices.ContainsFunc(o.Options, func(c choice) bool { return c.Value == o.Current }) {
		o.Options = append([]choice{{Value: o.Current, Name: o.Current}}, o.Options...)
	}
	return o
}

// strategies returns the option of the strategy.
func (s *session) strategies() option {
	o := option{ID: "strategy", Name: "Debates: strategy", Type: "select", Current: cmp.Or(s.picks["strategy"], usual),
		Options: []choice{{usual, "as in the settings", ""}}}
	for _, one := range strategy.All() {
		o.Options = append(o.Options, choice{one.Name, one.Name, one.Doc})
	}
	return o
}

// without is the prefix of a panel with one seat less.
const without = "without "

// panels returns the options of the panel and the preset.
func (s *session) panels() []option {
	seats := option{ID: "seats", Name: "Debates: seats", Type: "select", Current: cmp.Or(s.picks["seats"], usual),
		Options: []choice{{usual, "the default panel", strings.Join(s.choices.Seats, ", ")}}}
	if len(s.choices.Seats) > 2 {
		for _, spec := range s.choices.Seats {
			seats.Options = append(seats.Options, choice{without + spec, without + spec, ""})
		}
	}
	seats.Options = append(seats.Options, choice{scheme.Rehearsal, scheme.Rehearsal,
		"Rules instead of models: shows how a debate works"})
	presets := option{ID: "preset", Name: "Debates: preset", Type: "select", Current: cmp.Or(s.picks["preset"], usual),
		Options: []choice{{usual, "as in the settings", ""}}}
	for _, p := range s.choices.Presets {
		presets.Options = append(presets.Options, choice{p.Name, p.Name, p.Doc})
	}
	return []option{seats, presets}
}

// picked returns the chosen options as flags of a debate, except those that were typed.
func (s *session) picked(typed []string) (flags []string) {
	has := func(name string) bool {
		return slices.ContainsFunc(typed, func(f string) bool { return strings.HasPrefix(f, "--"+name+"=") })
	}
	for _, name := range []string{"strategy", "preset"} {
		if v := s.picks[name]; v != "" && !has(name) {
			flags = append(flags, "--"+name+"="+v)
		}
	}
	seats := s.picks["seats"]
	switch out, one := strings.CutPrefix(seats, without); {
	case seats == "" || has("seat"):
	case one:
		for _, spec := range s.choices.Seats {
			if spec != out {
				flags = append(flags, "--seat="+spec)
			}
		}
	default:
		flags = append(flags, "--seat="+seats)
	}
	return flags
}

// setMode changes the permission mode, in the form that older editors use; setOption does the same as one of the
// options.
func (a *agent) setMode(ctx context.Context, in struct {
	SessionID string `json:"sessionId"`
	Mode      string `json:"modeId"`
}) (any, func(), error) {
	s, err := a.session(in.SessionID)
	if err != nil {
		return nil, nil, err
	}
	return s.held(func() (any, func(), error) {
		return nil, s.tellSettings, s.change(ctx, "mode", in.Mode)
	})
}

// setOption sets an option and answers with all options as they are then.
func (a *agent) setOption(ctx context.Context, in struct {
	SessionID string `json:"sessionId"`
	ID        string `json:"configId"`
	Value     any    `json:"value"`
}) (any, func(), error) {
	s, err := a.session(in.SessionID)
	if err != nil {
		return nil, nil, err
	}
	return s.held(func() (any, func(), error) {
		value, _ := in.Value.(string)
		if err := s.choose(ctx, in.ID, value); err != nil {
			return nil, nil, err
		}
		list, now, err := s.options(ctx)
		if err != nil {
			return nil, nil, err
		}
		s.set = fmt.Sprint(list)
		return optionsUpdate{Options: list}, func() {
			if in.ID == "mode" {
				s.update(modeUpdate{"current_mode_update", now.Current})
			}
		}, nil
	})
}

// choose sets an option.
func (s *session) choose(ctx context.Context, id, value string) error {
	list, _, err := s.options(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(o option) bool { return o.ID == id })
	if i < 0 {
		return &problem{Code: badParams, Message: "unknown option " + id}
	}
	if !slices.ContainsFunc(list[i].Options, func(c choice) bool { return c.Value == value }) && id != "model" {
		return &problem{Code: badParams, Message: fmt.Sprintf("%s cannot be %q", id, value)}
	}
	switch {
	case id == "model" && value == usual:
		return nil
	case id == "mode" || id == "model" || id == "phase":
		return s.change(ctx, id, value)
	}
	if s.picks[id] = value; value == usual {
		delete(s.picks, id)
	}
	return nil
}

// change sets a setting of a conversation from now on.
func (s *session) change(ctx context.Context, key, value string) error {
	if err := s.onBranch(); err != nil {
		return err
	}
	_, err := s.Engine.Do(context.WithoutCancel(ctx), turns.Set{Tree: s.env.Tree, Key: key, Value: value})
	if err == nil && s.env.Tree == "" {
		s.env.Begin[key] = value
	}
	return err
}

// tellSettings sends the settings to the editor if they differ from those it knows.
func (s *session) tellSettings() {
	list, now, err := s.options(s.ctx)
	if err != nil || fmt.Sprint(list) == s.set { // whoever changes the settings reports errors of the store
		return
	}
	s.set = fmt.Sprint(list)
	s.update(modeUpdate{"current_mode_update", now.Current})
	s.update(optionsUpdate{"config_option_update", list})
}
