package home

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/trust"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/way"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Work returns the wiring of runs without the debates of their analysis, which cmd adds.
func (h *Home) Work() runs.Wiring {
	w := runs.Wiring{Check: h.Gate.RunCheck, Folder: h.Runs, Settle: h.completeOptions, Usual: h.usualWay, Hooks: h.hooks,
		Model: func(ctx context.Context, spec string) (string, error) {
			spec, err := h.Seats.Choose(ctx, spec, "")
			if err == nil {
				_, err = h.Seats.Solo(ctx, spec)
			}
			if err == nil {
				err = h.Programs.Installed(spec)
			}
			return spec, err
		},
		Allowed: func(dir string, more []string) (func([]string) error, error) {
			list, err := h.CheckCommands(dir, more)
			danger := h.CheckDanger(dir)
			return func(command []string) error { return danger.Allowed(list, command) }, err
		}}
	for _, t := range builtin.ReadOnly() {
		w.Reads = append(w.Reads, t.Name)
	}
	return w
}

// completeOptions fills in the missing options of a run, and refuses impossible ones, before anything begins.
// Options are complete afterwards, because they are frozen in the record. Seats are made once to test them.
func (h *Home) completeOptions(ctx context.Context, dir string, o *record.Options, tasks []plan.Task) error {
	if err := errors.Join(h.Gate.RequireSandbox(), h.checkSeparate()); err != nil {
		return err
	}
	cfg, err := h.Settings.Of(dir)
	if err != nil {
		return err
	}
	if o.Setup, err = h.setup(dir); err != nil {
		return err
	}
	if o.Mode = cmp.Or(o.Mode, cfg.String("permission.mode")); o.Mode == string(permission.Plan) {
		return failure.Usage("permission.mode is plan, which allows no changes", "add --mode balanced or --mode yolo")
	}
	var named []string
	race := o.Race
	for _, t := range tasks {
		named, race = append(named, t.Executor), max(race, t.Race)
	}
	if err := h.completeRace(ctx, o, race); err != nil {
		return err
	}
	if len(o.Executors) == 0 {
		one, err := h.Seats.Choose(ctx, "", "")
		if err != nil {
			return err
		}
		o.Executors = []string{one}
	}
	if slices.ContainsFunc(tasks, func(t plan.Task) bool { return t.High }) {
		if err := h.pickRiskReviewer(ctx, o, named); err != nil {
			return err
		}
	}
	for _, reviewer := range []string{o.Review, o.Risky} {
		if err := h.checkReviewer(ctx, reviewer, slices.Concat(o.Executors, named)); err != nil {
			return err
		}
	}
	specs := slices.Concat(o.Executors, named)
	slices.Sort(specs)
	for _, spec := range slices.Compact(specs) {
		if spec == "" {
			continue
		}
		if err := h.CheckExecutor(ctx, spec); err != nil {
			return err
		}
	}
	return nil
}

// checkSeparate refuses a store whose folder also holds the workspaces: that folder is hidden from agents.
func (h *Home) checkSeparate() error {
	file, err := h.Settings.StoreFile()
	if err != nil {
		return err
	}
	workspaces, err := h.Runs()
	if err != nil {
		return err
	}
	if rest, err := filepath.Rel(resolved(filepath.Dir(file)), resolved(filepath.Dir(workspaces))); err != nil || !filepath.IsLocal(rest) {
		return nil
	}
	return failure.Usage("the workspaces of runs, "+workspaces+", are in the folder of the store, "+file+", which agents cannot see",
		"put the store into a folder of its own: --store "+filepath.Join(filepath.Dir(file), "store", filepath.Base(file)))
}

// resolved resolves the links of a path, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// setup returns what a project's workspaces get, once the person approved its current content.
func (h *Home) setup(dir string) (u workspace.Setup, err error) {
	items, err := h.Approvals.Trusted(dir, trust.Setup)
	if err != nil || len(items) == 0 {
		return u, err
	}
	var w trust.Workspace
	if err := json.Unmarshal(items[0].Definition, &w); err != nil {
		return u, fmt.Errorf("reading %s: %w", trust.SetupFile, err)
	}
	u = workspace.Setup{Copy: w.Copy, Run: w.Run, Ports: w.Ports, Files: map[string]string{}}
	for _, f := range items[0].Files {
		u.Files[f.Path] = f.SHA256
	}
	return u, nil
}

// completeRace ensures that n executors of different lineages can do a task at once, and that another lineage
// compares. Unnamed ones are taken from the seats that are set up. Executors of one family would make the same
// mistakes at several times the price.
func (h *Home) completeRace(ctx context.Context, o *record.Options, n int) error {
	if n < 2 {
		return nil
	}
	var found []Found
	if len(o.Executors) == 0 || o.Judge == "" && o.Review == "" {
		var err error
		if found, err = h.Seats.Discover(ctx); err != nil {
			return err
		}
	}
	if len(o.Executors) == 0 {
		for _, f := range found {
			if f.Used && f.IsModel() && len(o.Executors) < n && h.CheckExecutor(ctx, f.Spec) == nil {
				o.Executors = append(o.Executors, f.Spec)
			}
		}
	}
	if len(o.Executors) < n {
		return failure.Usage(fmt.Sprintf("a race of %d needs %d executors; given: %d", n, n, len(o.Executors)),
			"name executors of different model families: --executor SEAT --executor SEAT; list them: socrates seats")
	}
	taken := map[string]string{}
	for _, spec := range o.Executors[:n] {
		m, err := h.Seats.Solo(ctx, spec)
		if err != nil {
			return err
		}
		family := m.Info().Lineage
		if taken[family] != "" {
			return failure.Usage(taken[family]+" and "+spec+" are of one family, "+family+": they would race with the same blind spots",
				"choose executors of different families; list them: socrates seats")
		}
		taken[family] = spec
	}
	o.Judge = cmp.Or(o.Judge, o.Review)
	for _, f := range found {
		if o.Judge == "" && f.Used && f.IsModel() && taken[f.Lineage] == "" {
			o.Judge = f.Spec
		}
	}
	if o.Judge == "" {
		return failure.Usage("no model of another family can compare the racers' changes",
			"name one: --judge SEAT; list them: socrates seats")
	}
	m, err := h.Seats.Solo(ctx, o.Judge)
	if err == nil && taken[m.Info().Lineage] != "" {
		err = failure.Usage("the judge "+o.Judge+" is of the same family as "+taken[m.Info().Lineage]+", which takes part in the race",
			"choose a judge of another family: --judge SEAT; list them: socrates seats")
	}
	if err != nil {
		return err
	}
	return h.Programs.Installed(o.Judge)
}

// pickRiskReviewer chooses the reviewer of high-risk steps if none is named: a seat that is set up, of another
// lineage than all executors.
func (h *Home) pickRiskReviewer(ctx context.Context, o *record.Options, named []string) error {
	if o.Review != "" || o.Risky != "" {
		return nil
	}
	authors := map[string]bool{}
	for _, spec := range slices.Concat(o.Executors, named) {
		if m, err := h.Seats.Solo(ctx, spec); spec != "" && err == nil {
			authors[m.Info().Lineage] = true
		}
	}
	found, err := h.Seats.Discover(ctx)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Used && f.IsModel() && f.Lineage != "" && !authors[f.Lineage] {
			o.Risky = f.Spec
			return nil
		}
	}
	return failure.Usage("the plan has a step of high risk, and no model of another family reviews it",
		"name one: --review SEAT; list them: socrates seats")
}

// checkReviewer refuses a reviewer that shares its lineage, and so its blind spots, with an executor it would
// review.
func (h *Home) checkReviewer(ctx context.Context, by string, executors []string) error {
	if by == "" {
		return nil
	}
	reviewer, err := h.Seats.Solo(ctx, by)
	if err != nil {
		return err
	}
	for _, spec := range executors {
		if spec == "" {
			continue
		}
		m, err := h.Seats.Solo(ctx, spec)
		if err != nil {
			return err
		}
		if m.Info().Lineage == reviewer.Info().Lineage {
			return failure.Usage(by+" and "+spec+" are of one lineage, "+m.Info().Lineage+
				": the reviewer would overlook the same faults",
				"choose a reviewer of another lineage; list them: socrates seats")
		}
	}
	return h.Programs.Installed(by)
}

// CheckExecutor refuses a model that cannot execute the steps of a plan.
func (h *Home) CheckExecutor(ctx context.Context, spec string) error {
	m, err := h.Seats.Solo(ctx, spec)
	if err != nil {
		return err
	}
	if why := m.Info().OnlyReads(); why != "" {
		return failure.Usage(spec+" cannot be an executor: "+why, "choose another with --executor; list them: socrates seats")
	}
	return h.Programs.Installed(spec)
}

// hooks returns the hooks of a run in a project.
func (h *Home) hooks(dir, session string) (hook.Set, error) {
	allowed, err := h.Approvals.Allowed(dir)
	if err != nil {
		return hook.Set{}, err
	}
	return h.Servers.Hooks(dir, session, allowed)
}

// usualWay returns the default way of a run, from the settings of a project.
func (h *Home) usualWay(dir string) (w way.Way, err error) {
	cfg, err := h.Settings.Of(dir)
	if err != nil {
		return w, err
	}
	w.Options = record.Usual()
	o := &w.Options
	o.Parallel, o.Retries, o.Review = cfg.Int("work.parallel"), cfg.Int("work.retries"), cfg.String("work.review")
	o.Mode = cfg.String("permission.mode")
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
