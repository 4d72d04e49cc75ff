package home

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/catalogue"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/rehearsal"
	"github.com/socrates-cli/socrates/internal/llm/retry"
	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/persona"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// vendorRetries limits how long a seat's vendor is retried; debates have deadlines of their own on top. More
// tries would keep a whole panel waiting for one vendor.
var vendorRetries = retry.Patience{Tries: 3, Longest: 30 * time.Second}

// Model makes the model behind a spec: a program (claude, codex:gpt-6), a vendor with a tier or model
// (anthropic:big, openrouter:x/y), an endpoint of the configuration, acp:COMMAND for any agent, script:FILE, or a
// rehearsal seat.
func (ss *Seats) Model(_ context.Context, spec string) (llm.Model, error) {
	name, model, _ := strings.Cut(spec, ":")
	m, err := ss.makeModel(name, model)
	if err != nil {
		return nil, err
	}
	return ss.withBilling(m, name)
}

// Solo returns a seat's model when it answers alone, which the rehearsal panel cannot: it is no suggestion for
// a misspelt name.
func (ss *Seats) Solo(ctx context.Context, spec string) (llm.Model, error) {
	m, err := ss.Model(ctx, spec)
	if err == nil {
		return m, nil
	}
	c, lost := ss.home.Settings.Models()
	cfg, failed := ss.home.Settings.Load()
	name := seat.Name(spec)
	if lost != nil || failed != nil {
		return nil, err
	}
	if names := ss.Names(c, cfg, name); !slices.Contains(names, name) {
		err = failure.Usage("unknown seat "+name, failure.Nearest(name, names))
	}
	return nil, err
}

// makeModel makes the model of a seat by the kind of its name.
func (ss *Seats) makeModel(name, model string) (llm.Model, error) {
	if name == scheme.Script {
		m, err := script.Load(model)
		if err != nil {
			return nil, failure.Usage("seat script:"+model+": "+err.Error(), "")
		}
		return m, nil
	}
	if name == scheme.Simulated {
		return seat.Simulate(model)
	}
	if where, there, ok := scheme.Elsewhere(name + ":" + model); ok {
		return ss.workerModel(where, there)
	}
	if name == scheme.Rehearsal {
		if _, err := seat.Rehearses(name + ":" + model); err != nil {
			return nil, err
		}
		return rehearsal.Agent(), nil
	}
	for _, m := range rehearsal.Panel() {
		switch {
		case m.Info().ID == name && model == "":
			return m, nil
		case m.Info().ID == name && model == scheme.Slowly:
			return rehearsal.Slowly(m), nil
		case m.Info().ID == name:
			return nil, seat.NoModels(name, model)
		}
	}
	if name == scheme.Agent {
		p, err := seat.Agent(model)
		if err != nil {
			return nil, err
		}
		hold, open, err := ss.home.Programs.Hold(p)
		if err != nil {
			return nil, err
		}
		return p.New(cli.Options{Hold: hold, Info: llm.Info{Bound: open}}), nil
	}
	if p, ok := ss.home.Programs.Find(name, model); ok {
		return ss.home.Programs.Model(p, model)
	}
	e, err := ss.home.Keys.Endpoint(name, model)
	if err != nil {
		return nil, err
	}
	key, err := ss.home.Keys.reveal(e)
	if err != nil {
		return nil, err
	}
	m, err := ss.home.Settings.paced(ss.home.Keys.adapter(e, key), name)
	if err != nil {
		return nil, err
	}
	return retry.Guard(m, vendorRetries), nil
}

// WarnUnlisted warns if the catalogue knows a seat's vendor but not its model: it may be misspelt, and its
// price is unknown. For a vendor that serves many families it warns only if another name is similar.
func (ss *Seats) WarnUnlisted(spec string) {
	name, model, _ := strings.Cut(spec, ":")
	c, err := ss.home.Settings.Models()
	if _, isProgram := ss.home.Programs.Find(name, model); err != nil || isProgram || model == "" {
		return
	}
	i := slices.IndexFunc(c.Vendors(), func(v catalogue.Vendor) bool { return v.Name == name && !v.Local })
	if i < 0 {
		return
	}
	var known []string
	for _, tier := range []llm.Tier{llm.Small, llm.Mid, llm.Big} {
		if id := c.Vendors()[i].Tiers[tier]; id != "" {
			known = append(known, string(tier), id)
		}
	}
	for _, m := range c.ModelsOf(name) {
		known = append(known, m.ID)
	}
	_, bare, _ := strings.Cut(model, ".") // a cloud's model, without the region at the beginning of its name
	sameElsewhere := func(id string) bool { return strings.HasSuffix(id, "."+bare) || strings.HasSuffix(id, "."+model) }
	best := spelling.Nearest(model, known)
	switch {
	case c.Vendors()[i].Cloud() && slices.ContainsFunc(known, sameElsewhere):
	case slices.Contains(known, model) || len(known) == 0 || best == "" && c.Vendors()[i].Lineage == "":
	case best != "":
		ss.home.Warn(spec + " is not in the catalogue; did you mean " + name + ":" + best + "?")
	default:
		ss.home.Warn(spec + " is not in the catalogue, so its price is unknown; list known models with: socrates models")
	}
}

// Names returns all words a spec can begin with; single rehearsal seats are included if one was named.
func (ss *Seats) Names(c *catalogue.Catalogue, cfg *config.Config, named string) []string {
	names := scheme.Words()
	for _, m := range rehearsal.Panel() {
		if strings.HasPrefix(named, scheme.Rehearsal+"-") {
			names = append(names, m.Info().ID)
		}
	}
	for _, p := range cli.Programs {
		names = append(names, p.Name)
	}
	for _, v := range c.Vendors() {
		names = append(names, v.Name)
	}
	for _, p := range cfg.Providers() {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Panel turns specs into seats with ids of their own; rehearsal stands for its three seats. The order is that
// of specs. It fails as a whole: a panel without one of its seats is another panel. It may ask for a key, so it
// may take as long as a keyring does.
func (ss *Seats) Panel(ctx context.Context, specs []string) (seats []table.Seat, isRehearsal bool, err error) {
	var all []string
	for _, s := range specs {
		s = strings.TrimSpace(s)
		bare, as := persona.Split(s)
		isPanel, err := seat.Rehearses(bare)
		if err != nil {
			return nil, false, err
		}
		if !isPanel || as != "" { // the latter is refused below
			all = append(all, s)
			continue
		}
		for _, m := range rehearsal.Panel() {
			all = append(all, m.Info().ID+strings.TrimPrefix(s, scheme.Rehearsal))
		}
	}
	cfg, err := ss.home.Settings.Load()
	if err != nil {
		return nil, false, err
	}
	used := map[string]int{}
	for _, spec := range all {
		spec, as, err := ss.Persona(spec)
		if err != nil {
			return nil, false, err
		}
		spec = ss.Tiered(cfg, spec, cfg.Tier(spec))
		m, err := ss.Model(ctx, spec)
		if err == nil {
			err = ss.home.Programs.Installed(spec)
		}
		if err != nil {
			return nil, false, err
		}
		info := m.Info()
		if err := info.Takes(cfg.String("debate.effort")); err != nil {
			return nil, false, failure.Usage(spec+": "+err.Error(), "choose another with --effort, or name another model")
		}
		id := seat.NextID(used, spec)
		seats = append(seats, table.Seat{ID: id, Spec: spec, Model: info.ID, Lineage: info.Lineage, Acts: info.Acts,
			Open: ss.home.Programs.Open(spec), Price: info.Price, Persona: as,
			Effort: cfg.String("debate.effort")})
	}
	isRehearsal, err = seat.Company(seats)
	return seats, isRehearsal, err
}

// Judge makes the judge of a panel from a spec: it holds no seat, and its family must be none of the panel's,
// or its judgement of a seat's evidence would not be another family's. The judge gets an id that no seat has,
// since ids identify both in the record.
func (ss *Seats) Judge(ctx context.Context, spec string, panel []table.Seat) (*table.Seat, error) {
	one, _, err := ss.Panel(ctx, []string{spec})
	if err != nil {
		return nil, err
	}
	if len(one) != 1 {
		return nil, failure.Usage("the judge "+spec+" is a panel, not a model", "name one model, such as anthropic:big")
	}
	judge := one[0]
	if judge.Persona.Name != "" {
		return nil, failure.Usage("the judge "+spec+" cannot have a persona", "leave out @"+judge.Persona.Name)
	}
	if _, err := seat.Company(append(slices.Clone(panel), judge)); err != nil {
		return nil, err
	}
	used := map[string]int{}
	for _, s := range panel {
		if s.Lineage == judge.Lineage {
			return nil, failure.Usage("the judge "+spec+" is of the same family as seat "+s.ID+" ("+s.Lineage+")",
				"name a model of another family, or leave the judge out")
		}
		seat.NextID(used, s.Spec)
	}
	judge.ID = seat.NextID(used, judge.Spec)
	return &judge, nil
}
