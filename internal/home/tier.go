package home

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/page"
	"github.com/socrates-cli/socrates/internal/persona"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Personas is where personas are looked for.
func (ss *Seats) Personas() (persona.Folder, error) {
	file, err := ss.home.Settings.File()
	return persona.Folder{Dir: filepath.Join(filepath.Dir(file), "personas")}, err
}

// FindPersona opens the page of a name.
func (ss *Seats) FindPersona(name string) (persona.Persona, error) {
	personas, err := ss.Personas()
	if err != nil {
		return persona.Persona{}, err
	}
	p, err := personas.Find(name)
	if errors.Is(err, page.ErrUnknown) {
		return p, failure.Usage("unknown persona "+name, failure.Nearest(name, personas.Names()))
	}
	return p, err
}

// Persona takes a spec apart: the model, and the page of its persona if it has one. Its text is as it is kept.
// A page that cannot be used is an error, never a seat without its persona.
func (ss *Seats) Persona(spec string) (bare string, p table.Persona, err error) {
	bare, name := persona.Split(strings.TrimSpace(spec))
	if name == "" {
		return bare, p, nil
	}
	page, err := ss.FindPersona(name)
	if err != nil {
		if f, ok := errors.AsType[*failure.Error](err); ok {
			f.Message = "seat " + spec + ": " + f.Message
		}
		return bare, p, err
	}
	if scheme.Of(bare).Rules {
		return bare, p, failure.Usage("seat "+spec+": the rehearsal panel is rule-based and takes no persona",
			"use it as "+bare)
	}
	return bare, table.Persona{Name: name, Text: ss.home.Clean(page.Text)}, nil
}

// WarnPersonas says of each page at the table that something in it may lead the seat.
func (ss *Seats) WarnPersonas(seats []table.Seat) {
	told := map[string]bool{}
	for _, s := range seats {
		if n := len(persona.Lint(s.Persona.Text)); n > 0 && !told[s.Persona.Name] {
			told[s.Persona.Name] = true
			ss.home.Warn(fmt.Sprintf("the persona %s has %d warnings (text that may bias its seat); list them with: socrates personas "+
				"show %s", s.Persona.Name, n,
				s.Persona.Name))
		}
	}
}

// wantedTier is the tier of a vendor whose seat names none.
func wantedTier(cfg *config.Config, vendor string) llm.Tier {
	return llm.Tier(cmp.Or(cfg.Tier(vendor), string(llm.Mid)))
}

// OpenSpec is the spec of a vendor's seat without its model, unless a program goes by that name.
func (ss *Seats) OpenSpec(spec string) string {
	if _, ok := ss.home.Programs.Find(seat.Name(spec), ""); ok {
		return spec
	}
	return seat.Name(spec)
}

// Tiered adds a tier to a spec that names no model, if its program or vendor has that tier.
// The spec wins over the settings' model of a program or provider, those over a tier.
func (ss *Seats) Tiered(cfg *config.Config, spec, tier string) string {
	if tier == "" || strings.Contains(spec, ":") {
		return spec
	}
	vendor, named := spec, spec
	if p, ok := ss.home.Programs.Find(spec, ""); ok {
		if cfg.String("programs."+cli.SettingName(p.Name)+".model") != "" {
			return spec
		}
		if c, err := ss.home.Settings.Models(); err == nil {
			vendor = Maker(c, p)
		}
		if ss.home.Programs.IsVendor(p.Name) {
			named = p.Name + "-cli"
		}
	}
	if p, ok := provider(cfg, spec); ok && p.Model != "" {
		return spec
	}
	if c, err := ss.home.Settings.Models(); err == nil { // a catalogue that cannot be read is told by whoever makes the model
		for _, v := range c.Vendors() {
			if v.Name == vendor && v.Tiers[llm.Tier(tier)] != "" {
				return named + ":" + tier
			}
		}
	}
	return spec
}

// ErrNobody says that nobody answers.
var ErrNobody error = failure.New(failure.ExitAuth, "auth", "no model is set up: no API key, no signed-in program, no local server", WaysOn)

// Chosen is the model of a conversation: the one that is named, else the settings', else the first that is found. A
// tier is laid over it where the spec leaves the model open. The person is warned of what is doubtful about it.
func (ss *Seats) Chosen(ctx context.Context, spec, tier string) (string, error) {
	spec, err := ss.Choice(ctx, spec, tier)
	if err == nil {
		ss.WarnUnlisted(spec)
		ss.home.Programs.WarnOpen(spec, ss.home.Programs.Open(spec))
	}
	return spec, err
}

// Choice is Chosen without a warning, for who has yet to find out whether anything can be begun.
// The settings' model is checked before it is used, so that a misspelt one is told with its line.
func (ss *Seats) Choice(ctx context.Context, spec, tier string) (string, error) {
	cfg, err := ss.home.Settings.Load()
	if err != nil {
		return "", err
	}
	if spec == "" {
		if spec = cfg.String("chat.model"); spec != "" {
			if err := ss.Check(cfg, "chat.model", spec); err != nil {
				return "", err
			}
		}
	}
	if spec == "" {
		all, err := ss.Discover(ctx)
		if err != nil {
			return "", err
		}
		for _, f := range all {
			if f.Ready && f.IsModel() {
				if spec = f.Spec; f.Source == "key" && cfg.String("debate.tier") == "" { // the phase says which model of it
					spec = ss.OpenSpec(f.Spec)
				}
				break
			}
		}
	}
	if spec == "" {
		return "", ErrNobody
	}
	return seat.AtTier(spec, tier), nil
}

// WaysOn is what to do where no model is set up.
const WaysOn = "connect one: socrates login (an API key or the browser), sign in to claude or codex, or start a local model; " +
	"to see a turn without one: socrates run --model rehearsal \"Where are sessions kept?\""

// Check says where a setting is written that names a seat we do not know.
func (ss *Seats) Check(cfg *config.Config, key, spec string) error {
	c, err := ss.home.Settings.Models()
	if err != nil {
		return err
	}
	name := seat.Name(spec)
	names := ss.Names(c, cfg, name)
	if slices.Contains(names, name) {
		return nil
	}
	wrong := &config.Error{Message: key + ": unknown seat " + name, Hint: failure.Nearest(name, names)}
	for _, o := range cfg.Explain(key) {
		if o.Wins {
			wrong.File, wrong.Line = o.File, o.Line
		}
	}
	return wrong
}
