package home

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Describe returns the display name, tier and window of the model behind a spec, as far as they are known. It
// asks nobody and starts nothing, because it is called for every line that shows a model.
func (ss *Seats) Describe(spec string) (name, tier string, window int) {
	name, model, _ := strings.Cut(spec, ":")
	switch {
	case scheme.Of(spec).Written:
		if m, err := script.Load(model); err == nil {
			tier, window = string(m.Info().Tier), m.Info().Window
		}
		return name + ":" + filepath.Base(model), tier, window
	case scheme.Of(spec).Command:
		return spec, "", 0
	}
	if p, ok := ss.home.Programs.Find(name, model); ok {
		return ss.describeProgram(p, name, model)
	}
	if e, err := ss.home.Keys.Endpoint(name, model); err == nil {
		return name + ":" + e.Info.ID, string(e.Info.Tier), e.Info.Window
	}
	return spec, "", 0
}

// describeProgram returns the display name of a program's seat, with its tier and window as far as the
// catalogue knows the model.
func (ss *Seats) describeProgram(p cli.Program, name, model string) (known, tier string, window int) {
	if model = cmp.Or(model, ss.home.Programs.Default(p)); model == "" {
		return name, "", 0
	}
	c, err := ss.home.Settings.Models()
	if err != nil {
		return name + ":" + model, "", 0
	}
	if info, _, err := c.Resolve(Maker(c, p), model); err == nil {
		return name + ":" + info.ID, string(info.Tier), info.Window
	}
	return name + ":" + model, "", 0
}

// Lineage returns the lineage of a spec's seat. Unlike a debate it needs neither a key nor an installed
// program, so that a person can evaluate a panel without them. Rule-based seats have no shared lineage.
func (ss *Seats) Lineage(ctx context.Context, spec string) (string, error) {
	spec, _, err := ss.Persona(spec)
	if err != nil {
		return "", err
	}
	kind := scheme.Of(spec)
	if kind.Rules {
		return "", failure.Usage("the rehearsal panel is rule-based and has no accuracy to simulate", "use seats of models")
	}
	name, model, _ := strings.Cut(spec, ":")
	if i := slices.IndexFunc(cli.Programs, func(p cli.Program) bool { return p.Name == name }); i >= 0 {
		return cli.Programs[i].Lineage, nil
	}
	if kind.Word == "" {
		e, err := ss.home.Keys.Endpoint(name, model)
		return e.Info.Lineage, err
	}
	m, err := ss.Model(ctx, spec)
	if err != nil {
		return "", err
	}
	return m.Info().Lineage, nil
}
