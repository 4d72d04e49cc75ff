package home

import (
	"cmp"
	"context"
	"slices"

	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/evidence"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// Work is what runs of plans need, but for the debates of their analysis.
func (h *Home) Work() runs.Wiring {
	w := runs.Wiring{Check: h.Gate.Prove, Folder: h.Runs, Settle: h.settle,
		Model: func(ctx context.Context) (string, error) { return h.Seats.Chosen(ctx, "", "") },
		Allowed: func(dir string, more []string) (func([]string) error, error) {
			list, err := h.CheckCommands(dir, more)
			return func(command []string) error { return evidence.Allowed(list, command) }, err
		}}
	for _, t := range builtin.ReadOnly() {
		w.Reads = append(w.Reads, t.Name)
	}
	return w
}

// settle fills in what the options of a run leave open, and refuses what cannot work, before anything is begun.
func (h *Home) settle(ctx context.Context, dir string, o *record.Options, named []string) error {
	if err := h.Gate.Contains(); err != nil {
		return err
	}
	cfg, err := h.Settings.Of(dir)
	if err != nil {
		return err
	}
	if o.Mode = cmp.Or(o.Mode, cfg.String("permission.mode")); o.Mode == string(permission.Plan) {
		return failure.Usage("permission.mode is plan, in which nothing is changed", "add --mode balanced or --mode yolo")
	}
	if len(o.Executors) == 0 {
		one, err := h.Seats.Chosen(ctx, "", "")
		if err != nil {
			return err
		}
		o.Executors = []string{one}
	}
	if err := h.reviews(ctx, o, named); err != nil {
		return err
	}
	specs := slices.Concat(o.Executors, named)
	slices.Sort(specs)
	for _, spec := range slices.Compact(specs) {
		if spec == "" {
			continue
		}
		if err := h.executes(ctx, spec); err != nil {
			return err
		}
	}
	return nil
}

// reviews refuses a reviewer that shares its lineage, and so its blind spots, with somebody whose work it would review.
func (h *Home) reviews(ctx context.Context, o *record.Options, named []string) error {
	if o.Review == "" {
		return nil
	}
	reviewer, err := h.Seats.Solo(ctx, o.Review)
	if err != nil {
		return err
	}
	for _, spec := range slices.Concat(o.Executors, named) {
		if spec == "" {
			continue
		}
		m, err := h.Seats.Solo(ctx, spec)
		if err != nil {
			return err
		}
		if m.Info().Lineage == reviewer.Info().Lineage {
			return failure.Usage(o.Review+" and "+spec+" are of one lineage, "+m.Info().Lineage+
				": it would not see what the other overlooks",
				"choose a reviewer of another lineage; list them: socrates seats")
		}
	}
	return h.Programs.Installed(o.Review)
}

// executes refuses a model that cannot do tasks.
func (h *Home) executes(ctx context.Context, spec string) error {
	m, err := h.Seats.Solo(ctx, spec)
	if err != nil {
		return err
	}
	if why := m.Info().OnlyReads(); why != "" {
		return failure.Usage(spec+" cannot be an executor: "+why, "choose another with --executor; list them: socrates seats")
	}
	return h.Programs.Installed(spec)
}
