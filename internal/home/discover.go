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
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/catalogue"
	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// Found is one available seat, or why a seat is unavailable.
type Found struct {
	Spec    string   `json:"spec"`
	Source  string   `json:"source"` // config, program, key, local or rehearsal
	Model   string   `json:"model,omitempty"`
	Lineage string   `json:"lineage"`
	Persona string   `json:"persona,omitempty"`
	Ready   bool     `json:"ready"`
	Used    bool     `json:"used"` // it is in the default panel
	Why     string   `json:"why"`
	Path    string   `json:"path,omitempty"`
	Version string   `json:"version,omitempty"`
	Models  []string `json:"-"` // of a server on this machine
	Unsure  bool     `json:"-"` // whether it is signed in is unknown
}

// IsModel reports whether a model answers for the seat: all but the offline panel.
func (f Found) IsModel() bool { return !scheme.Of(f.Spec).Rules }

// Discover finds seats in the documented order: configured ones, programs, keys, local servers, rehearsal. If
// any are configured, only those form the default panel; otherwise the first of each lineage does, and local
// servers only if fewer than two others do. It asks only servers on this machine and programs' files about
// logins; it contacts no vendor and opens no keyring.
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
		all = append(all, ss.configuredSeat(ctx, cfg, spec))
	}
	fixed := len(all) > 0
	all = append(all, ss.programSeats(cfg)...)
	for _, v := range c.Vendors() {
		if !v.Local {
			all = append(all, ss.keySeat(cfg, v))
		}
	}
	all = append(all, ss.localSeats(ctx, cfg, c)...)
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
	all = append(all, ss.workerSeats(ctx)...)
	return append(all, Found{Spec: scheme.Rehearsal, Source: scheme.Rehearsal, Model: "none (rule-based)", Lineage: "rules", Ready: true,
		Used: sitting == 0 && !fixed, Why: "three rule-based seats, always available"}), nil
}

// NoModels reports whether only rule-based seats are available because nothing else is. Settings that cannot be
// read count as false; the command that reads them fails with a reason.
func (ss *Seats) NoModels(ctx context.Context) bool {
	all, err := ss.Discover(ctx)
	return err == nil && !slices.ContainsFunc(all, func(f Found) bool { return f.Used && f.IsModel() })
}

// otherLineage makes a vendor that serves many families offer a tier of a family that is not in the panel yet,
// if it has any.
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

// configuredSeat returns a seat that the settings name, ready or with what it lacks.
func (ss *Seats) configuredSeat(ctx context.Context, cfg *config.Config, spec string) Found {
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

// programSeats returns the installed agents. Whether one is signed in may be yes, no or unsure; nothing is
// started to find out.
func (ss *Seats) programSeats(cfg *config.Config) []Found {
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

// keySeat returns a vendor with a key, or with what it lacks. The key itself is not read.
func (ss *Seats) keySeat(cfg *config.Config, v catalogue.Vendor) Found {
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
	case ss.home.Keys.storedReady(&f, v.Name):
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

// localSeats looks for model servers on the usual ports of this machine.
func (ss *Seats) localSeats(ctx context.Context, cfg *config.Config, c *catalogue.Catalogue) []Found {
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
