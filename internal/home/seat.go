package home

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
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

// patience is how long a seat's vendor is borne with; debates have deadlines of their own on top.
// More tries would keep a whole table waiting for one vendor.
var patience = retry.Patience{Tries: 3, Longest: 30 * time.Second}

// Model makes the model behind a spec: a program (claude, codex:gpt-6), a vendor with a tier or model
// (anthropic:big, openrouter:x/y), an endpoint of the configuration, acp:COMMAND for any agent, script:FILE, or a
// rehearsal seat.
func (ss *Seats) Model(_ context.Context, spec string) (llm.Model, error) {
	name, model, _ := strings.Cut(spec, ":")
	m, err := ss.makeModel(name, model)
	if err != nil {
		return nil, err
	}
	return ss.billed(m, name)
}

// Solo is a seat's model where a seat answers alone, which the rehearsal panel does not: it is no hint for a misspelt name.
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

// makeModel makes the model of a seat by the kind that its name says.
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
		return ss.elsewhere(where, there)
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
	m, err := ss.home.Settings.paced(ss.home.Keys.model(e, key), name)
	if err != nil {
		return nil, err
	}
	return retry.Guard(m, patience), nil
}

// WarnUnlisted says of a seat whose vendor the catalogue knows that it does not know the model: it may be misspelt, and
// its price is unknown. Of a vendor that serves many families only what is nearly the name of another is told.
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
	_, bare, _ := strings.Cut(model, ".") // a cloud's model, whatever the region that its name begins with
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

// Names are all words a spec can begin with; those of single rehearsal seats for whoever named one.
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

// Panel turns specs into seats with ids of their own; rehearsal stands for its three seats.
// Order is that of specs. It fails as a whole: a table with a seat missing is another table. A key may be asked for, so
// it may take as long as a keyring does.
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

// Found is one seat that could be taken, or why it cannot.
type Found struct {
	Spec    string   `json:"spec"`
	Source  string   `json:"source"` // config, program, key, local or rehearsal
	Model   string   `json:"model,omitempty"`
	Lineage string   `json:"lineage"`
	Persona string   `json:"persona,omitempty"`
	Ready   bool     `json:"ready"`
	Used    bool     `json:"used"` // it is on the default panel
	Why     string   `json:"why"`
	Path    string   `json:"path,omitempty"`
	Version string   `json:"version,omitempty"`
	Models  []string `json:"-"` // of a server of this machine
	Unsure  bool     `json:"-"` // whether it is signed in
}

// IsModel says whether a model answers for the seat: all but the offline panel.
func (f Found) IsModel() bool { return !scheme.Of(f.Spec).Rules }

// Discover looks for seats in the documented order: configured ones, programs, keys, local servers, rehearsal.
// The configured ones, if there are any, are all that sit. Otherwise the first of each lineage does.
// It asks nobody but servers on this machine and what programs say of their login; vendors are not contacted and
// keyrings not opened. Local servers sit only where fewer than two seats do.
func (ss *Seats) Discover(ctx context.Context) ([]Found, error) {
	cfg, err := ss.home.Settings.Load()
	if err != nil {
		return nil, err
	}
	c, err := ss.home.Settings.Models()
	if err != nil {
		return nil, err
	}
	var all []Found
	for _, spec := range cfg.Strings("seats") {
		all = append(all, ss.configured(ctx, cfg, spec))
	}
	fixed := len(all) > 0
	all = append(all, ss.programs(cfg)...)
	for _, v := range c.Vendors() {
		if !v.Local {
			all = append(all, ss.keyed(cfg, v))
		}
	}
	all = append(all, ss.locals(ctx, cfg, c)...)
	taken := map[string]bool{}
	sitting := 0
	for i := range all {
		f := &all[i]
		if f.Ready && f.Source == "key" && taken[f.Lineage] {
			ss.otherLineage(c, wantedTier(cfg, seat.Name(f.Spec)), f, taken)
		}
		isLocal := f.Source == "local"
		if f.Source == "program" && f.Ready && f.Lineage == "" && !fixed {
			f.Why += "; its model family is unknown, so it joins only if named"
			continue
		}
		f.Used = f.Ready && (fixed && f.Source == "config" || !fixed && !taken[f.Lineage] && !(isLocal && sitting >= 2))
		if f.Used {
			taken[f.Lineage] = true
			sitting++
		}
	}
	all = append(all, ss.workers(ctx)...)
	return append(all, Found{Spec: scheme.Rehearsal, Source: scheme.Rehearsal, Model: "none (rule-based)", Lineage: "rules", Ready: true,
		Used: sitting == 0 && !fixed, Why: "three rule-based seats, always available"}), nil
}

// Lack says whether nobody sits but by rule, for want of anybody else.
// Settings that cannot be read lack nothing here; the command that reads them fails with a reason.
func (ss *Seats) Lack(ctx context.Context) bool {
	all, err := ss.Discover(ctx)
	return err == nil && !slices.ContainsFunc(all, func(f Found) bool { return f.Used && f.IsModel() })
}

// otherLineage makes a vendor that serves many families offer a tier of one that does not sit yet, if it has any.
func (ss *Seats) otherLineage(c *catalogue.Catalogue, wanted llm.Tier, f *Found, taken map[string]bool) {
	name, _, _ := strings.Cut(f.Spec, ":")
	for _, tier := range []llm.Tier{wanted, llm.Mid, llm.Big, llm.Small} {
		info, v, err := c.Resolve(name, string(tier))
		if err == nil && v.Lineage == "" && !taken[info.Lineage] {
			f.Spec, f.Model, f.Lineage = name+":"+string(tier), info.ID, info.Lineage
			return
		}
	}
}

// configured is a seat that the settings name, ready or with what it lacks.
func (ss *Seats) configured(ctx context.Context, cfg *config.Config, spec string) Found {
	f := Found{Spec: spec, Source: "config", Why: "in your config"}
	if cfg.Wins("seats") == config.Preset {
		f.Why = "in preset " + cfg.String("preset")
	}
	bare, as, err := ss.Persona(spec)
	if isPanel, wrong := seat.Rehearses(bare); err == nil && isPanel {
		if f.Ready, f.Model, f.Lineage = wrong == nil, "none (rule-based)", "rules"; wrong != nil {
			f.Why = wrong.Error()
		}
		return f
	}
	if err != nil {
		f.Why = err.Error()
		return f
	}
	m, err := ss.Model(ctx, ss.Tiered(cfg, bare, cfg.Tier(bare)))
	if err != nil {
		f.Why = err.Error()
		return f
	}
	f.Ready, f.Model, f.Lineage, f.Persona = true, m.Info().ID, m.Info().Lineage, as.Name
	return f
}

// programs are the installed agents. Whether one is signed in is known for sure, known not to be, or unsure; nothing is
// started to find out.
func (ss *Seats) programs(cfg *config.Config) []Found {
	var list []Found
	for _, p := range cli.Programs {
		seen := cli.Look(p.Name, cfg.String("programs."+p.Name+".path"))
		f := Found{Spec: ss.Tiered(cfg, p.Name, cfg.Tier(p.Name)), Source: "program", Model: ss.home.Programs.Default(p),
			Lineage: ss.home.Programs.Family(p, ""), Path: seen.Path, Why: seen.Why,
			Ready: seen.Path != "" && seen.SignedIn == cli.Yes, Unsure: seen.Path != "" && seen.SignedIn == cli.Unknown}
		if seen.Path == "" {
			f.Why = "not installed"
		}
		list = append(list, f)
	}
	return list
}

// keyed is a vendor with a key, or with what it lacks. The key itself is not looked at.
func (ss *Seats) keyed(cfg *config.Config, v catalogue.Vendor) Found {
	own, provided := provider(cfg, v.Name)
	tier := cmp.Or(own.Model, string(wantedTier(cfg, v.Name)))
	f := Found{Source: "key", Spec: v.Name + ":" + tier, Lineage: v.Lineage}
	e, err := ss.home.Keys.Endpoint(v.Name, tier)
	if err != nil {
		f.Why = err.Error()
		return f
	}
	f.Model, f.Lineage = e.Info.ID, e.Info.Lineage
	switch {
	case e.FromEnv != "":
		f.Ready, f.Why = true, e.FromEnv+" is set"
	case !e.Secret.IsZero():
		f.Ready, f.Why = true, "providers."+v.Name+".key is set"
	case ss.home.Keys.keptReady(&f, v.Name):
	case v.Cloud():
		ss.home.Keys.cloudReady(&f, e, provided)
	default:
		f.Why = v.KeyEnv[0] + " is not set"
	}
	if err := e.Placed(); f.Ready && err != nil {
		f.Ready, f.Why = false, strings.TrimPrefix(err.Error(), "seat "+v.Name+" ")
	}
	return f
}

// locals asks the usual ports of this machine for a model server.
func (ss *Seats) locals(ctx context.Context, cfg *config.Config, c *catalogue.Catalogue) []Found {
	var list []Found
	for _, v := range c.Vendors() {
		if !v.Local || len(v.Tiers) == 0 {
			continue
		}
		f := Found{Source: "local", Spec: v.Name, Lineage: v.Name}
		url := v.BaseURL
		for _, name := range v.BaseURLEnv {
			if u := Environ(name); u != "" {
				url = u
			}
		}
		models, err := listModels(ctx, url)
		switch {
		case err != nil:
			f.Why = "no server at " + url
		case len(models) == 0:
			f.Why = "the server has no model"
		default:
			f.Model, f.Ready, f.Models = models[0], true, models
			if own := v.Tiers[llm.Tier(cfg.OwnTier(v.Name))]; slices.Contains(models, own) {
				f.Model = own
			}
			f.Spec, f.Lineage = v.Name+":"+f.Model, c.Lineage(f.Model)
			f.Why = "answers at " + url + " with " + spelling.Many(len(models), "model")
		}
		list = append(list, f)
	}
	return list
}

// A second is long for a server on this machine, also while it is busy, and short for a person who waits for a list. The connection
// is not kept: nobody asks again soon.
func listModels(ctx context.Context, url string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(url, "/")+"/models", nil)
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.NewDecoder(http.MaxBytesReader(nil, resp.Body, 1<<20)).Decode(&list)
	var ids []string
	for _, m := range list.Data {
		ids = append(ids, m.ID)
	}
	return ids, err
}
